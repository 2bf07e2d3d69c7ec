//! Expressions of Rust with their precedence, so that parentheses stand only where they must.

use proc_macro2::{Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::quote;

/// How tightly an expression binds; larger binds tighter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Prec {
    /// `if`, closures: parenthesised wherever something follows.
    Block,
    /// `&&`
    Both,
    Compare,
    BitOr,
    BitXor,
    BitAnd,
    Add,
    Mul,
    Cast,
    Unary,
    /// Names, calls, indexing, literals.
    Atom,
}

/// An expression.
#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub(super) tokens: TokenStream,
    pub(super) prec: Prec,
}

impl Expr {
    pub(super) fn atom(tokens: TokenStream) -> Expr {
        Expr {
            tokens,
            prec: Prec::Atom,
        }
    }

    pub(super) fn block(tokens: TokenStream) -> Expr {
        Expr {
            tokens,
            prec: Prec::Block,
        }
    }

    /// A part of a tuple.
    pub(super) fn field(self, k: usize) -> Expr {
        let (tuple, k) = (self.at(Prec::Atom), Literal::usize_unsuffixed(k));
        Expr::atom(quote!(#tuple.#k))
    }

    /// The tokens as an operand of something that binds at `prec`.
    pub(super) fn at(self, prec: Prec) -> TokenStream {
        let tokens = self.tokens;
        if self.prec >= prec {
            tokens
        } else {
            quote!((#tokens))
        }
    }

    /// `self op other`, for a left-associative operator; comparisons do not associate at all.
    ///
    /// The tokens of `self` are appended to: a long sum is written in time proportional to its length.
    pub(super) fn infix(self, op: &str, other: Expr) -> Expr {
        let prec = match op {
            "*" | "/" | "%" => Prec::Mul,
            "+" | "-" => Prec::Add,
            "&" => Prec::BitAnd,
            "^" => Prec::BitXor,
            "|" => Prec::BitOr,
            "&&" => Prec::Both,
            _ => Prec::Compare,
        };
        let tighter = |p: Prec| match p {
            Prec::Block => Prec::Both,
            Prec::Both => Prec::Compare,
            Prec::Compare => Prec::BitOr,
            Prec::BitOr => Prec::BitXor,
            Prec::BitXor => Prec::BitAnd,
            Prec::BitAnd => Prec::Add,
            Prec::Add => Prec::Mul,
            Prec::Mul => Prec::Cast,
            Prec::Cast => Prec::Unary,
            Prec::Unary | Prec::Atom => Prec::Atom,
        };
        // `a as T < b` would be read as the start of generic arguments.
        let left = if prec != Prec::Compare {
            prec
        } else if self.prec == Prec::Cast {
            Prec::Unary
        } else {
            tighter(prec)
        };
        let mut tokens = self.at(left);
        tokens.extend(operator(op));
        tokens.extend(other.at(tighter(prec)));
        Expr { tokens, prec }
    }

    pub(super) fn prefix(op: &str, x: Expr) -> Expr {
        let mut tokens: TokenStream = operator(op).collect();
        tokens.extend(x.at(Prec::Unary));
        Expr {
            tokens,
            prec: Prec::Unary,
        }
    }

    pub(super) fn cast(self, to: &str) -> Expr {
        let to = Ident::new(to, Span::call_site());
        let mut tokens = self.at(Prec::Cast);
        tokens.extend(quote!(as #to));
        Expr {
            tokens,
            prec: Prec::Cast,
        }
    }
}

/// The tokens of an operator.
fn operator(op: &str) -> impl Iterator<Item = TokenTree> {
    let last = op.len() - 1;
    op.char_indices().map(move |(k, c)| {
        let spacing = if k < last {
            Spacing::Joint
        } else {
            Spacing::Alone
        };
        Punct::new(c, spacing).into()
    })
}
