//! What leaves a block early from where no `if` with `else` can stand for it: out of loops, arms,
//! values.
//!
//! ```text
//! for i in 0..n { if c { return e; } s }  rest
//!     is   return = 0; for i in 0..n while return == 0 { if c { return = 1 } else { s } }
//!          if return == 0 { rest } else { e }
//! ```
//!
//! Each way out has a code. A loop ends where the code of a way out of it is set, and what follows
//! in a block is computed only where none is. `e` is computed behind the loop, where its variables
//! are as they were.

use super::Parser;
use super::stmt::{Want, block_of, nothing};
use crate::front::error::Loc;
use crate::front::surface::{
    Arm, Assign, Binary, Expr, How, Kind, Note, Pattern, Place, Stmt, Target,
};
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::BTreeSet;

/// What is made of the body of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::front) enum Outcome {
    /// Its value.
    Plain,
    /// The value inside of the `Option` or `Result`, where there is one.
    Value,
    /// Whether there is none. The flag says whether the function returns an `Option` or a `Result`.
    Fails(bool),
}

impl Outcome {
    pub(super) fn is_wrapped(self) -> bool {
        matches!(self, Outcome::Value | Outcome::Fails(true))
    }

    pub(super) fn fails(self) -> bool {
        matches!(self, Outcome::Fails(_))
    }
}

/// The ways out of a function or a closure.
pub(super) struct Exits {
    pub(super) outcome: Outcome,
    /// A value of the type of the result, if such values can be written down.
    zero: Option<Expr>,
    /// How many codes there are.
    codes: i64,
    /// The codes that leave what is read.
    left: Vec<i64>,
    /// What the function gives for the codes that leave it.
    results: Vec<(i64, Expr)>,
    /// Codes whose results are in a variable that is set where the function is left.
    carried: Vec<i64>,
    /// The names that are bound inside of the statement of the function that is read.
    bound: BTreeSet<String>,
}

impl Exits {
    pub(super) fn new(outcome: Outcome, zero: Option<Expr>) -> Exits {
        Exits {
            outcome,
            zero,
            codes: 0,
            left: vec![],
            results: vec![],
            carried: vec![],
            bound: BTreeSet::new(),
        }
    }
}

/// The variable that says which way the function is left. No variable of the user's has this name.
pub(super) fn code_variable() -> syn::Ident {
    syn::Ident::new("return", Span::call_site())
}

/// Another such name.
pub(super) fn temporary() -> syn::Ident {
    syn::Ident::new("static", Span::call_site())
}

pub(super) fn variable(loc: Loc, ident: &syn::Ident) -> Expr {
    let kind = Kind::Path(ident.clone().into());
    Expr { loc, kind }
}

fn integer(loc: Loc, i: i64) -> Expr {
    let kind = Kind::Int(i, None);
    Expr { loc, kind }
}

pub(super) fn never(loc: Loc) -> Expr {
    let kind = Kind::Never;
    Expr { loc, kind }
}

pub(super) fn boolean(loc: Loc, value: bool) -> Expr {
    let kind = Kind::Bool(value);
    Expr { loc, kind }
}

/// `return == code`
pub(super) fn is_code(loc: Loc, code: i64) -> Expr {
    let (variable, code) = (variable(loc, &code_variable()), integer(loc, code));
    let kind = Kind::Binary(Binary::Eq, Box::new(variable), Box::new(code));
    Expr { loc, kind }
}

pub(super) fn set(loc: Loc, root: syn::Ident, value: Expr) -> Stmt {
    let steps = vec![];
    Stmt::Assign(Box::new(Assign {
        loc,
        target: Target::Place(Place {
            loc,
            root,
            deref: false,
            steps,
        }),
        how: How::Set,
        value,
    }))
}

/// `if return == code { return = 0 }`
pub(super) fn arrived(loc: Loc, code: i64) -> Stmt {
    let reset = set(loc, code_variable(), integer(loc, 0));
    let then = block_of(loc, vec![reset], nothing(loc));
    Stmt::Do(Box::new(choose(
        loc,
        is_code(loc, code),
        then,
        nothing(loc),
    )))
}

/// Whether a block is taken never to be entered.
pub(super) fn is_impossible(e: &Expr) -> bool {
    let mut e = e;
    while let Kind::Block(_, tail) = &e.kind {
        e = tail;
    }
    matches!(e.kind, Kind::Impossible)
}

/// `if c { x } else { y }`, without a side that is never entered.
pub(super) fn choose(loc: Loc, cond: Expr, then: Expr, other: Expr) -> Expr {
    if is_impossible(&then) {
        return other;
    }
    if is_impossible(&other) {
        return then;
    }
    let kind = Kind::If(Box::new(cond), Box::new(then), Box::new(other));
    Expr { loc, kind }
}

/// A `match` without arms that are never entered.
pub(super) fn choice(loc: Loc, on: Expr, mut arms: Vec<Arm>) -> Expr {
    if arms.iter().any(|arm| is_impossible(&arm.body)) {
        if arms.iter().all(|arm| is_impossible(&arm.body)) {
            let kind = Kind::Impossible;
            return Expr { loc, kind };
        }
        arms.retain(|arm| !is_impossible(&arm.body));
        if let Some(last) = arms.last_mut() {
            last.guard = None;
        }
    }
    let kind = Kind::Match(Box::new(on), arms);
    Expr { loc, kind }
}

/// Where a block is left to.
pub(super) enum To<'a> {
    /// Out of the function, with what it gives.
    Return(Option<&'a syn::Expr>),
    /// Out of the function, which fails.
    Failure,
    /// Out of a loop.
    Break(Option<&'a syn::Lifetime>),
    /// To the next round of a loop.
    Continue(Option<&'a syn::Lifetime>),
}

impl Parser<'_> {
    /// A way out: what is left behind is skipped.
    pub(super) fn leave(&mut self, loc: Loc, to: &To<'_>, want: Want) -> Expr {
        let (code, mut stmts) = match to {
            To::Failure => match self.exits.outcome {
                Outcome::Fails(_) => {
                    let code = self.new_code();
                    self.exits.results.push((code, boolean(loc, true)));
                    (code, vec![])
                }
                Outcome::Plain | Outcome::Value => {
                    let kind = Kind::Impossible;
                    return Expr { loc, kind };
                }
            },
            To::Return(None) => {
                return self.hole(
                    loc,
                    "this `return` gives no value, and only values are differentiated; write the \
                     value behind it",
                );
            }
            To::Return(Some(value)) => {
                let result = self.tail(value, Want::Result);
                if is_impossible(&result) {
                    return result;
                }
                let code = self.new_code();
                let needs =
                    (self.exits.bound.iter()).any(|name| mentions(value.to_token_stream(), name));
                if !needs || matches!(result.kind, Kind::Bool(_) | Kind::Hole(_)) {
                    self.exits.results.push((code, result));
                    (code, vec![])
                } else if self.exits.zero.is_some() {
                    self.changes(&carrier());
                    self.exits.carried.push(code);
                    let at = variable(loc, &carrier());
                    self.exits.results.push((code, at));
                    (code, vec![set(loc, carrier(), result)])
                } else {
                    return self.hole(
                        loc,
                        "this returns an array that is made of variables of a loop or an arm, and its \
                         sizes are not known behind it; assign it to a `let mut` variable that is \
                         declared before, and return that one",
                    );
                }
            }
            To::Break(label) | To::Continue(label) => {
                let Some(k) = self.target_of(*label) else {
                    let message = "there is no loop around this that it could leave";
                    return self.hole(loc, message);
                };
                let is_break = matches!(to, To::Break(_));
                let known = match is_break {
                    true => self.loops[k].breaks,
                    false => self.loops[k].continues,
                };
                let code = match known {
                    Some(code) => code,
                    None => {
                        let code = self.new_code();
                        match is_break {
                            true => self.loops[k].breaks = Some(code),
                            false => self.loops[k].continues = Some(code),
                        }
                        code
                    }
                };
                (code, vec![])
            }
        };
        self.changes(&code_variable());
        self.exits.left.push(code);
        stmts.push(set(loc, code_variable(), integer(loc, code)));
        let end = match want {
            Want::Value | Want::Result => never(loc),
            Want::Unit | Want::Round => nothing(loc),
        };
        block_of(loc, stmts, end)
    }

    fn new_code(&mut self) -> i64 {
        self.exits.codes += 1;
        self.exits.codes
    }

    /// The loop that a label names; the innermost one without a label.
    pub(super) fn target_of(&self, label: Option<&syn::Lifetime>) -> Option<usize> {
        match label {
            None => self.loops.len().checked_sub(1),
            Some(label) => {
                let named = |around: &super::stmt::Around| {
                    around.label.as_ref().is_some_and(|l| l == &label.ident)
                };
                self.loops.iter().rposition(named)
            }
        }
    }

    /// Reads something, and the ways out of it.
    pub(super) fn leaving<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> (T, Vec<i64>) {
        let before = std::mem::take(&mut self.exits.left);
        let read = f(self);
        let mut codes = std::mem::replace(&mut self.exits.left, before);
        codes.sort_unstable();
        codes.dedup();
        (read, codes)
    }

    /// Passes ways out on to what is around.
    pub(super) fn pass_on(&mut self, codes: &[i64]) {
        self.exits.left.extend(codes);
    }

    /// Reads a statement of a block, and the ways out of it. Behind one of the function, they
    /// arrive.
    pub(super) fn statement_of<T>(
        &mut self,
        stmt: &dyn ToTokens,
        want: Want,
        f: impl FnOnce(&mut Self) -> T,
    ) -> (T, Vec<i64>) {
        if want != Want::Result {
            let (read, codes) = self.leaving(f);
            self.pass_on(&codes);
            return (read, codes);
        }
        let bound = names_bound(stmt.to_token_stream());
        let bound = std::mem::replace(&mut self.exits.bound, bound);
        let (read, codes) = self.leaving(f);
        self.exits.bound = bound;
        (read, codes)
    }

    /// `rest`, where no way out was taken.
    pub(super) fn behind(&mut self, loc: Loc, codes: &[i64], rest: Expr, want: Want) -> Expr {
        let otherwise = match want {
            Want::Value => never(loc),
            Want::Unit | Want::Round => nothing(loc),
            Want::Result => {
                let mut all: Option<Expr> = None;
                for (code, result) in self.exits.results.iter().rev() {
                    if codes.contains(code) {
                        all = Some(match all {
                            None => result.clone(),
                            Some(other) => choose(loc, is_code(loc, *code), result.clone(), other),
                        });
                    }
                }
                all.unwrap_or_else(|| never(loc))
            }
        };
        choose(loc, is_code(loc, 0), rest, otherwise)
    }

    /// The variables that have to be there before a statement with such ways out.
    pub(super) fn carriers(&self, codes: &[i64], loc: Loc, want: Want) -> Vec<Stmt> {
        let (Some(zero), Want::Result) = (&self.exits.zero, want) else {
            return vec![];
        };
        if !self.exits.carried.iter().any(|code| codes.contains(code)) {
            return vec![];
        }
        let zero = Box::new(Expr {
            loc,
            ..zero.clone()
        });
        vec![Stmt::Let(Pattern::Name(carrier()), Note::Infer, zero)]
    }

    /// Whether there is any way out that needs the variable for its code.
    pub(super) fn has_codes(&self) -> bool {
        self.exits.codes > 0
    }

    /// The body of a function, with the variable that says which way it is left.
    pub(super) fn with_code(&self, body: Expr) -> Expr {
        if !self.has_codes() {
            return body;
        }
        let loc = body.loc;
        let code = Pattern::Name(code_variable());
        let declared = Stmt::Let(code, Note::Infer, Box::new(integer(loc, 0)));
        block_of(loc, vec![declared], body)
    }
}

/// The variable for what the function gives, where that cannot be computed later.
fn carrier() -> syn::Ident {
    syn::Ident::new("yield", Span::call_site())
}

/// Whether tokens mention a name.
pub(super) fn mentions(tokens: TokenStream, name: &str) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => mentions(group.stream(), name),
        TokenTree::Ident(ident) => ident == name,
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

/// The names that are bound somewhere in a statement.
fn names_bound(tokens: TokenStream) -> BTreeSet<String> {
    struct Names(BTreeSet<String>);
    impl<'ast> syn::visit::Visit<'ast> for Names {
        fn visit_pat_ident(&mut self, pat: &'ast syn::PatIdent) {
            self.0.insert(pat.ident.to_string());
            syn::visit::visit_pat_ident(self, pat);
        }
    }
    let mut names = Names(BTreeSet::new());
    let block: syn::Result<syn::Block> = syn::parse2(quote::quote!({ #tokens }));
    if let Ok(block) = block {
        syn::visit::Visit::visit_block(&mut names, &block);
    }
    names.0
}
