//! Errors are collected, never dropped, and come all at once.

use super::real::RealType;
use super::structs::Structs;
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::{HashMap, HashSet};

/// From where to where something stands in the source.
#[derive(Clone, Copy, Debug)]
pub struct Loc {
    /// The first token.
    pub start: Span,
    /// The last token.
    pub end: Span,
}

impl Loc {
    /// Where these tokens stand.
    pub fn of(tokens: &impl ToTokens) -> Loc {
        let mut start = None;
        let mut end = Span::call_site();
        for token in tokens.to_token_stream() {
            start.get_or_insert(first(&token));
            end = last(&token);
        }
        Loc {
            start: start.unwrap_or(end),
            end,
        }
    }
}

fn first(token: &TokenTree) -> Span {
    match token {
        TokenTree::Group(group) => group.span_open(),
        TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => token.span(),
    }
}

fn last(token: &TokenTree) -> Span {
    match token {
        TokenTree::Group(group) => group.span_close(),
        TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => token.span(),
    }
}

impl From<Span> for Loc {
    fn from(span: Span) -> Loc {
        Loc {
            start: span,
            end: span,
        }
    }
}

/// `1 argument`, `2 arguments`.
pub(super) fn counted(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// `1 is given`, `2 are given`.
pub(super) fn given(n: usize) -> String {
    format!("{n} {} given", if n == 1 { "is" } else { "are" })
}

/// A place as text.
fn place(loc: Loc) -> String {
    format!("{:?} {:?}", loc.start, loc.end)
}

/// Proof that an error has been reported. Only [`Errors`] makes one.
#[derive(Clone, Copy, Debug)]
pub struct Reported(());

/// What may have failed, with the error reported already.
pub type Result<T> = std::result::Result<T, Reported>;

/// The errors found so far.
#[derive(Default, Debug)]
pub struct Errors {
    all: Vec<syn::Error>,
    /// Where and what, so that code lowered twice (a closure called twice) complains once.
    seen: HashSet<(String, String)>,
    /// The structs that are known where the types stand that are read.
    pub(super) structs: Structs,
    /// The methods that change what they are called on, as far as callees are known.
    pub(super) writers: HashSet<String>,
    /// The variables through which the function writes, and whether each is a view of ndarray's.
    pub(super) written: HashMap<String, bool>,
    /// Functions that are called, of which nothing is known yet.
    missing: Vec<syn::Path>,
    /// Something that has been reported with another function.
    elsewhere: bool,
    /// What real numbers are in the function; messages are written as for `f64`.
    pub(super) real: RealType,
    /// The path of the facade crate, where it is not its own.
    pub(crate) root: Option<syn::Path>,
    /// Functions whose source is taken in: the places where that stands, with their names.
    within: Vec<(String, String)>,
    /// Whether rustc would say so, too, of the function as written.
    pub(super) is_said_by_rustc: bool,
    /// Whether `f64` may be named in a function of another real type: in what is converted to that.
    pub(super) converts: bool,
    /// Whether something names the other of `f32` and `f64`.
    pub(super) names_other: bool,
}

impl Errors {
    /// None yet, about a function of this real type.
    pub fn about(real: &RealType) -> Errors {
        Errors {
            real: real.clone(),
            ..Errors::default()
        }
    }

    /// What to say about another real type than that of the function, if that is one.
    pub(super) fn other(&mut self, name: &str) -> Option<String> {
        let message = self.real.other(name)?;
        self.note_other();
        Some(message)
    }

    /// Notes that something needs the other of `f32` and `f64`, which a type parameter rules out.
    pub(super) fn note_other(&mut self) {
        self.names_other |= !matches!(self.real, RealType::Parameter(_));
    }

    /// None yet, about the same function.
    pub(super) fn quiet(&self) -> Errors {
        Errors {
            structs: self.structs.clone(),
            writers: self.writers.clone(),
            real: self.real.clone(),
            root: self.root.clone(),
            within: self.within.clone(),
            converts: self.converts,
            ..Errors::default()
        }
    }

    /// Takes over another collection, which has errors.
    pub(super) fn take_over(&mut self, other: Errors) -> Reported {
        self.extend(other);
        Reported(())
    }

    /// The path of the facade crate.
    pub(super) fn root(&self) -> TokenStream {
        super::attr::root(self.root.as_ref())
    }

    /// None yet, where these structs are known.
    pub fn knowing(structs: Structs) -> Errors {
        Errors {
            structs,
            ..Errors::default()
        }
    }

    /// Reports an error at a place.
    pub fn at(&mut self, loc: impl Into<Loc>, message: impl Into<String>) -> Reported {
        let message = self.real.reworded(message.into());
        self.push(loc.into(), message)
    }

    /// Reports an error that rustc reports of the function as written, too: this one is said alone.
    pub(super) fn instead_of_rustc(
        &mut self,
        loc: impl Into<Loc>,
        message: impl Into<String>,
    ) -> Reported {
        self.is_said_by_rustc = true;
        self.at(loc, message)
    }

    /// Reports an error that may name several real types.
    pub(super) fn as_it_is(
        &mut self,
        tokens: &impl ToTokens,
        message: impl Into<String>,
    ) -> Reported {
        self.push(Loc::of(tokens), message.into())
    }

    /// What is at this place stands inside of a function that is taken in there.
    pub(super) fn within(&mut self, span: Span, name: &str) {
        let place = place(span.into());
        if !self.within.iter().any(|(other, _)| *other == place) {
            self.within.push((place, name.to_owned()));
        }
    }

    fn push(&mut self, loc: Loc, message: String) -> Reported {
        let place = place(loc);
        let within = self.within.iter().find(|(other, _)| *other == place);
        let message = match within {
            Some((_, name)) => format!("inside of `{name}`, as it is called here: {message}"),
            None => message,
        };
        if self.seen.insert((place, message.clone())) {
            let ends = [loc.start, loc.end].map(|s| TokenTree::from(Ident::new("_", s)));
            let ends: TokenStream = ends.into_iter().collect();
            self.all.push(syn::Error::new_spanned(ends, message));
        }
        Reported(())
    }

    /// Reports an error at tokens.
    pub fn on(&mut self, tokens: &impl ToTokens, message: impl Into<String>) -> Reported {
        self.at(Loc::of(tokens), message)
    }

    /// Reports an error found elsewhere.
    pub fn add(&mut self, error: syn::Error) -> Reported {
        self.all.push(error);
        Reported(())
    }

    /// Notes a call of a function of which nothing is known yet.
    pub fn missing(&mut self, path: &syn::Path) -> Reported {
        if !self.missing.contains(path) {
            self.missing.push(path.clone());
        }
        Reported(())
    }

    /// Notes the use of a function whose errors have been reported there.
    pub fn elsewhere(&mut self) -> Reported {
        self.elsewhere = true;
        Reported(())
    }

    /// The functions that have to be known before anything can be said.
    pub fn take_missing(&mut self) -> Vec<syn::Path> {
        std::mem::take(&mut self.missing)
    }

    /// Takes over all errors of another collection.
    pub fn extend(&mut self, other: Errors) {
        self.all.extend(other.all);
        self.seen.extend(other.seen);
        self.missing.extend(other.missing);
        self.elsewhere |= other.elsewhere;
        self.is_said_by_rustc |= other.is_said_by_rustc;
        self.names_other |= other.names_other;
    }

    /// Whether something has to be known first.
    pub fn is_missing(&self) -> bool {
        !self.missing.is_empty() || self.elsewhere
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.all.len()
    }

    /// The proof that there are more than so many.
    pub fn beyond(&self, count: usize) -> Option<Reported> {
        (self.all.len() > count).then_some(Reported(()))
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty() && self.missing.is_empty() && !self.elsewhere
    }

    /// All of them as one, if there are any, in the order of the source.
    pub fn combined(mut self) -> Option<syn::Error> {
        self.all.sort_by_key(|error| {
            let start = error.span().start();
            (start.line, start.column)
        });
        self.all.into_iter().reduce(|mut all, error| {
            all.combine(error);
            all
        })
    }
}
