//! `&mut` parameters: what a function writes is a result.
//!
//! ```text
//! fn rhs(t: f64, y: &[f64], dydt: &mut [f64]) { s }
//!    is   fn rhs(t: f64, y: &[f64], dydt: &[f64]) -> Vec<f64> { let mut dydt = dydt; s; dydt }
//! ```
//!
//! A function with a result returns a tuple: its result, then what it writes, in order. The value
//! on entry is an argument, and is differentiated if `wrt` names it. In a method with `&mut self`,
//! the variable is called `self_`.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "the enums of syn are open; what is not listed is left alone"
)]

use super::data::Tree;
use super::error::{Errors, Result};
use super::signature::{Signature, Wrapper};
use super::types::bare;
use proc_macro2::{Group, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::visit::Visit;

/// A parameter that the function writes.
#[derive(Clone, Debug)]
pub struct Write {
    /// Which argument.
    pub arg: usize,
    /// The type as written, `&mut [f64]`.
    pub ty: syn::Type,
    /// How a value is written there.
    pub back: Back,
}

/// How a value is written where a parameter points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Back {
    /// Into a slice, by element.
    Slice,
    /// Into a view of ndarray's, by element.
    View,
    /// Into a number.
    Scalar,
    /// As a whole.
    Whole,
}

/// A type that a function writes through, as a value on entry and a value on exit.
pub(super) struct Through {
    pub(super) entry: syn::Type,
    pub(super) exit: syn::Type,
    pub(super) back: Back,
}

impl Through {
    /// Reads the type of a parameter.
    pub(super) fn of(ty: &syn::Type, errors: &Errors) -> Option<Through> {
        match bare(ty) {
            syn::Type::Reference(r) if r.mutability.is_some() => {
                let (life, elem) = (&r.lifetime, bare(&r.elem));
                if view(elem).is_some() {
                    return None;
                }
                if let syn::Type::Slice(slice) = elem {
                    let of = &slice.elem;
                    return Some(Through {
                        entry: syn::parse_quote!(& #life [#of]),
                        exit: syn::parse_quote!(Vec<#of>),
                        back: Back::Slice,
                    });
                }
                let is_number = matches!(elem, syn::Type::Path(path) if path.path.get_ident()
                    .is_some_and(|i| errors.real.scalar(&i.to_string()).is_some()));
                Some(match is_number {
                    true => Through {
                        entry: elem.clone(),
                        exit: elem.clone(),
                        back: Back::Scalar,
                    },
                    false => Through {
                        entry: syn::parse_quote!(& #life #elem),
                        exit: elem.clone(),
                        back: Back::Whole,
                    },
                })
            }
            by_value => view(by_value),
        }
    }
}

/// `ArrayViewMut1<'_, f64>`
fn view(ty: &syn::Type) -> Option<Through> {
    let syn::Type::Path(path) = ty else {
        return None;
    };
    let last = path.path.segments.last()?;
    let name = last.ident.to_string();
    let rest = name.strip_prefix("ArrayViewMut")?;
    let of = |family: &str, has_lifetime: bool| {
        let mut path = path.clone();
        let last = path.path.segments.last_mut()?;
        last.ident = format_ident!("{family}{rest}", span = last.ident.span());
        if let (syn::PathArguments::AngleBracketed(list), false) =
            (&mut last.arguments, has_lifetime)
        {
            let args = std::mem::take(&mut list.args).into_iter();
            let is_lifetime =
                |a: &syn::GenericArgument| matches!(a, syn::GenericArgument::Lifetime(_));
            list.args = args.filter(|a| !is_lifetime(a)).collect();
        }
        Some(syn::Type::Path(path))
    };
    Some(Through {
        entry: of("ArrayView", true)?,
        exit: of("Array", false)?,
        back: Back::View,
    })
}

/// The type of a parameter, also of `self: &mut Model`.
pub(super) fn type_of(input: &syn::FnArg) -> Option<&syn::Type> {
    match input {
        syn::FnArg::Typed(typed) => Some(&typed.ty),
        syn::FnArg::Receiver(receiver) => match &receiver.kind {
            syn::ReceiverKind::Typed(_, ty) => Some(ty),
            _ => None,
        },
    }
}

/// Whether a parameter is written.
pub(super) fn is_written(input: &syn::FnArg) -> bool {
    let Some(ty) = type_of(input).map(bare) else {
        return false;
    };
    matches!(ty, syn::Type::Reference(r) if r.mutability.is_some()) || view(ty).is_some()
}

/// The type of what a function returns and writes.
pub(super) fn results(declared: Option<&syn::Type>, exits: &[syn::Type]) -> syn::Type {
    let all: Vec<&syn::Type> = declared.into_iter().chain(exits).collect();
    match &all[..] {
        [one] => (*one).clone(),
        many => syn::parse_quote!((#(#many),*)),
    }
}

impl Signature {
    /// The parts of the result: what the function returns, and what it writes.
    pub fn pieces(&self) -> (Option<&Tree>, Vec<(&Write, &Tree)>) {
        let parts = match &self.result.tree {
            Tree::Tuple(parts) if self.writes.len() + usize::from(self.has_result) > 1 => {
                &parts[..]
            }
            tree => std::slice::from_ref(tree),
        };
        let (result, written) = parts.split_at(usize::from(self.has_result));
        (result.first(), self.writes.iter().zip(written).collect())
    }

    /// The one result of derivatives that are of one: what the function returns, or else what it
    /// writes, if that is one thing. With the number of parameters that this is.
    pub fn single(&self) -> Option<(Signature, usize)> {
        if self.writes.is_empty() || self.of_one {
            return None;
        }
        let (result, written) = self.pieces();
        let tree = match (result, &written[..]) {
            (Some(tree), _) => tree.clone(),
            (None, [(_, tree)]) => (*tree).clone(),
            (None, _) => return None,
        };
        let count = tree.leaves().len();
        let mut signature = self.clone();
        signature.result.tree = tree;
        signature.of_one = true;
        Some((signature, count))
    }
}

/// The body of a function that gives what it writes beside what it returns.
///
/// # Errors
/// If that cannot be done, which is reported.
pub(super) fn body(
    function: &syn::ItemFn,
    signature: &Signature,
    errors: &mut Errors,
) -> Result<syn::Block> {
    let args = signature.writes.iter();
    let args: Vec<&syn::Ident> = args.map(|w| &signature.args[w.arg].ident).collect();
    let names: Vec<syn::Ident> = args.iter().map(|arg| variable(arg)).collect();
    let mut hides = Hides(&names, None);
    hides.visit_block(&function.block);
    if let Some(ident) = hides.1 {
        let message = format!(
            "the function writes through `{ident}`, and this variable hides it; give the variable \
             another name"
        );
        return Err(errors.on(&ident, message));
    }
    let views = (signature.writes.iter()).map(|w| w.back == Back::View);
    errors.written = names.iter().map(ToString::to_string).zip(views).collect();
    // The values that are there in the end, and not the places.
    let given = match &names[..] {
        [one] => quote!(*#one),
        many => quote!(#(*#many),*),
    };
    let several = names.len() > 1;
    let whole = |result: Option<TokenStream>| match (result, several) {
        (Some(result), _) => quote!((#result, #given)),
        (None, true) => quote!((#given)),
        (None, false) => given.clone(),
    };
    let fallible = signature.wrapper.as_ref().map(|wrapper| Fallible {
        wrapper,
        has_result: signature.has_result,
        whole: &whole,
    });
    let rewriting = Rewriting {
        names: &names,
        leave: &|result| match (&fallible, result.is_empty()) {
            (Some(fallible), _) => fallible.returned(result),
            (None, true) => whole(None),
            (None, false) => whole(Some(result)),
        },
    };
    let mut stmts = function.block.stmts.clone();
    let tail = match stmts.last() {
        Some(syn::Stmt::Expr(_, None)) if signature.has_result || fallible.is_some() => stmts.pop(),
        _ => None,
    };
    let leaves = matches!(stmts.last(), Some(syn::Stmt::Expr(syn::Expr::Return(_), _)));
    let mut out = TokenStream::new();
    for (name, arg) in names.iter().zip(args) {
        out.extend(quote!(let mut #name = #arg;));
    }
    for stmt in &stmts {
        out.extend(rewriting.of(stmt.to_token_stream()));
        if let syn::Stmt::Expr(e, None) = stmt
            && !is_block_like(e)
        {
            out.extend(quote!(;));
        }
    }
    match (tail, &fallible) {
        (Some(syn::Stmt::Expr(tail, None)), Some(fallible)) => {
            let tail = rewriting.of(tail.into_token_stream());
            let tail = syn::parse2(tail).map_err(|e| errors.add(e))?;
            out.extend(fallible.tail(tail));
        }
        (Some(tail), _) => {
            let tail = rewriting.of(tail.to_token_stream());
            let all = whole(Some(quote!(result_of_the_function)));
            out.extend(quote!(let result_of_the_function = #tail; #all));
        }
        (None, _) if leaves || signature.has_result => {}
        (None, _) => out.extend(whole(None)),
    }
    let span = function.block.brace_token.span.join();
    let mut group = Group::new(proc_macro2::Delimiter::Brace, out);
    group.set_span(span);
    syn::parse2(TokenTree::from(group).into()).map_err(|e| errors.add(e))
}

/// The variable for a parameter that is written.
fn variable(arg: &syn::Ident) -> syn::Ident {
    match arg == "self" {
        true => syn::Ident::new("self_", arg.span()),
        false => arg.clone(),
    }
}

fn is_block_like(e: &syn::Expr) -> bool {
    matches!(
        e,
        syn::Expr::If(_)
            | syn::Expr::Match(_)
            | syn::Expr::ForLoop(_)
            | syn::Expr::While(_)
            | syn::Expr::Loop(_)
            | syn::Expr::Block(_)
    )
}

/// What a function that may fail returns, with what it writes beside the value.
///
/// ```text
/// Err(e)     Err(e)
/// Ok(v)      Ok((v, written))
/// r          Ok((r?, written))
/// ```
struct Fallible<'a> {
    wrapper: &'a Wrapper,
    has_result: bool,
    whole: &'a dyn Fn(Option<TokenStream>) -> TokenStream,
}

impl Fallible<'_> {
    fn there(&self, value: TokenStream) -> TokenStream {
        let given = (self.whole)(self.has_result.then_some(value));
        match self.wrapper.is_result {
            true => quote!(Ok(#given)),
            false => quote!(Some(#given)),
        }
    }

    fn returned(&self, result: TokenStream) -> TokenStream {
        match syn::parse2(result.clone()) {
            Ok(e) => self.tail(e),
            Err(_) => result,
        }
    }

    fn tail(&self, e: syn::Expr) -> TokenStream {
        let block = |mut block: syn::Block| {
            if let Some(syn::Stmt::Expr(e, None)) = block
                .stmts
                .pop_if(|s| matches!(s, syn::Stmt::Expr(_, None)))
            {
                let e = self.tail(e);
                block
                    .stmts
                    .push(syn::Stmt::Expr(syn::Expr::Verbatim(e), None));
            }
            block
        };
        match e {
            syn::Expr::Return(_) | syn::Expr::Macro(_) => e.into_token_stream(),
            syn::Expr::Path(path) if path.path.is_ident("None") => path.into_token_stream(),
            syn::Expr::Call(call) => match (&*call.func, call.args.first()) {
                (syn::Expr::Path(f), Some(_)) if f.path.is_ident("Err") => call.into_token_stream(),
                (syn::Expr::Path(f), Some(value))
                    if f.path.is_ident("Ok") || f.path.is_ident("Some") =>
                {
                    self.there(value.to_token_stream())
                }
                (..) => self.unwrapped(&call),
            },
            syn::Expr::If(mut branch) => {
                branch.then_branch = block(branch.then_branch);
                branch.else_branch = branch
                    .else_branch
                    .map(|(word, other)| (word, Box::new(syn::Expr::Verbatim(self.tail(*other)))));
                branch.into_token_stream()
            }
            syn::Expr::Match(mut on) => {
                for arm in &mut on.arms {
                    *arm.body = syn::Expr::Verbatim(self.tail((*arm.body).clone()));
                }
                on.into_token_stream()
            }
            syn::Expr::Block(mut inner) => {
                inner.block = block(inner.block);
                inner.into_token_stream()
            }
            other => self.unwrapped(&other),
        }
    }

    fn unwrapped(&self, e: &impl ToTokens) -> TokenStream {
        let all = self.there(quote!(result_of_the_function));
        match self.has_result {
            true => quote!({ let result_of_the_function = #e?; #all }),
            false => quote!({ #e?; #all }),
        }
    }
}

/// Finds variables that hide one of these.
struct Hides<'a>(&'a [syn::Ident], Option<syn::Ident>);

impl<'ast> Visit<'ast> for Hides<'_> {
    // What a closure or a loop binds is gone behind it.
    fn visit_expr_closure(&mut self, closure: &'ast syn::ExprClosure) {
        self.visit_expr(&closure.body);
    }
    fn visit_expr_for_loop(&mut self, l: &'ast syn::ExprForLoop) {
        self.visit_expr(&l.expr);
        self.visit_block(&l.body);
    }
    fn visit_pat_ident(&mut self, pat: &'ast syn::PatIdent) {
        if self.0.contains(&pat.ident) {
            self.1.get_or_insert(pat.ident.clone());
        }
        syn::visit::visit_pat_ident(self, pat);
    }
}

/// `return e` gives what is written, too, and `self` is a variable.
struct Rewriting<'a> {
    names: &'a [syn::Ident],
    leave: &'a dyn Fn(TokenStream) -> TokenStream,
}

impl Rewriting<'_> {
    fn of(&self, tokens: TokenStream) -> TokenStream {
        let all: Vec<TokenTree> = tokens.into_iter().collect();
        let mut out = TokenStream::new();
        let mut at = 0;
        while at < all.len() {
            match &all[at] {
                TokenTree::Ident(word) if word == "return" => {
                    let end = all[at..].iter().position(
                        |t| matches!(t, TokenTree::Punct(p) if matches!(p.as_char(), ';' | ',')),
                    );
                    let end = end.map_or(all.len(), |k| at + k);
                    let inside = self.of(all[at + 1..end].iter().cloned().collect());
                    let left = (self.leave)(inside);
                    out.extend(quote!(#word #left));
                    at = end;
                    continue;
                }
                TokenTree::Group(group) => {
                    let mut new = Group::new(group.delimiter(), self.of(group.stream()));
                    new.set_span(group.span());
                    out.extend([TokenTree::Group(new)]);
                }
                TokenTree::Ident(word) if word == "self" => {
                    let renamed = variable(word);
                    out.extend([TokenTree::Ident(match self.names.contains(&renamed) {
                        true => renamed,
                        false => word.clone(),
                    })]);
                }
                other => out.extend([other.clone()]),
            }
            at += 1;
        }
        out
    }
}
