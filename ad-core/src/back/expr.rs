//! Expressions of Rust with their precedence, so that parentheses stand only where they must.

use proc_macro2::TokenStream;
use quote::quote;

/// How tightly an expression binds; larger binds tighter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Prec {
    /// `if`, closures: parenthesised wherever something follows.
    Block,
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

    /// The tokens as an operand of something that binds at `prec`.
    pub(super) fn at(&self, prec: Prec) -> TokenStream {
        let tokens = &self.tokens;
        if self.prec >= prec {
            quote!(#tokens)
        } else {
            quote!((#tokens))
        }
    }

    /// `self op other`, for a left-associative operator; comparisons do not associate at all.
    pub(super) fn infix(&self, op: &str, other: &Expr) -> Expr {
        let prec = match op {
            "*" | "/" | "%" => Prec::Mul,
            "+" | "-" => Prec::Add,
            "&" => Prec::BitAnd,
            "^" => Prec::BitXor,
            "|" => Prec::BitOr,
            _ => Prec::Compare,
        };
        let tighter = |p: Prec| match p {
            Prec::Block => Prec::Compare,
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
        let (left, right) = (self.at(left), other.at(tighter(prec)));
        let op: TokenStream = op.parse().expect("operators are tokens");
        Expr {
            tokens: quote!(#left #op #right),
            prec,
        }
    }

    pub(super) fn prefix(op: &str, x: &Expr) -> Expr {
        let op: TokenStream = op.parse().expect("operators are tokens");
        let x = x.at(Prec::Unary);
        Expr {
            tokens: quote!(#op #x),
            prec: Prec::Unary,
        }
    }

    pub(super) fn cast(&self, to: &str) -> Expr {
        let to: TokenStream = to.parse().expect("types are tokens");
        let x = self.at(Prec::Cast);
        Expr {
            tokens: quote!(#x as #to),
            prec: Prec::Cast,
        }
    }
}
