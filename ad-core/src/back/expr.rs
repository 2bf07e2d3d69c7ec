//! Expressions of Rust with their precedence, so that parentheses stand only where they must, and
//! with what their tokens say about their type.
//!
//! An integer literal is bare: it has no suffix, and takes its type from what it meets. Everything
//! else shows its type, since whatever is made of bare literals alone gives one of them the suffix
//! `i64`. So no method is called on an `{integer}`, and none is an `i32` for want of a type.

use proc_macro2::{Delimiter, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};
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
    Shift,
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
    /// The value of a bare literal.
    bare: Option<i64>,
}

impl Expr {
    /// Tokens that show their type.
    pub(super) fn new(tokens: TokenStream, prec: Prec) -> Expr {
        let bare = None;
        Expr { tokens, prec, bare }
    }

    pub(super) fn atom(tokens: TokenStream) -> Expr {
        Expr::new(tokens, Prec::Atom)
    }

    pub(super) fn block(tokens: TokenStream) -> Expr {
        Expr::new(tokens, Prec::Block)
    }

    /// An integer.
    pub(super) fn integer(k: i64) -> Expr {
        Expr {
            bare: Some(k),
            ..Expr::literal(k, "")
        }
    }

    /// An integer with a suffix; the minus is a token of its own, as it is for rustc.
    fn literal(k: i64, suffix: &str) -> Expr {
        let magnitude: Literal = format!("{}{suffix}", k.unsigned_abs())
            .parse()
            .expect("digits are a literal");
        let magnitude = Expr::atom(quote!(#magnitude));
        match k < 0 {
            true => Expr::prefix("-", magnitude),
            false => magnitude,
        }
    }

    /// The same where nothing else says its type: a literal gets a suffix.
    pub(super) fn typed(self) -> Expr {
        match self.bare {
            Some(k) => Expr::literal(k, "i64"),
            None => self,
        }
    }

    /// Two operands of one type, one of which shows it.
    pub(super) fn of_one_type(self, other: Expr) -> (Expr, Expr) {
        match other.bare {
            Some(_) => (self.typed(), other),
            None => (self, other),
        }
    }

    /// `if condition { self } else { other }`
    pub(super) fn choice(condition: TokenStream, then: Expr, other: Expr) -> Expr {
        let (then, other) = then.of_one_type(other);
        let (then, other) = (unbraced(then.tokens), unbraced(other.tokens));
        Expr::block(quote!(if #condition { #then } else { #other }))
    }

    /// `self.name(args)` of integers
    pub(super) fn method(self, name: &str, args: impl Iterator<Item = Expr>) -> Expr {
        let name = Ident::new(name, Span::mixed_site());
        let args = args.map(|x| x.tokens);
        let mut tokens = self.typed().at(Prec::Atom);
        tokens.extend(quote!(.#name(#(#args),*)));
        Expr::atom(tokens)
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
    /// The tokens of `self` are appended to: a long sum is written in time proportional to its
    /// length.
    pub(super) fn infix(self, op: &str, other: Expr) -> Expr {
        let prec = match op {
            "*" | "/" | "%" => Prec::Mul,
            "+" | "-" => Prec::Add,
            "<<" | ">>" => Prec::Shift,
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
            Prec::BitAnd => Prec::Shift,
            Prec::Shift => Prec::Add,
            Prec::Add => Prec::Mul,
            Prec::Mul => Prec::Cast,
            Prec::Cast => Prec::Unary,
            Prec::Unary | Prec::Atom => Prec::Atom,
        };
        // `a as T < b`, `c * a as T < b` and `a as T << b` would be read as the start of generic
        // arguments.
        let left = if op.starts_with('<') && ends_in_cast(&self.tokens) {
            Prec::Atom
        } else if prec == Prec::Shift && self.prec == Prec::Cast {
            Prec::Unary
        } else if prec != Prec::Compare {
            prec
        } else if self.prec == Prec::Cast {
            Prec::Unary
        } else {
            tighter(prec)
        };
        let (one, other) = self.of_one_type(other);
        let mut tokens = one.at(left);
        tokens.extend(operator(op));
        tokens.extend(other.at(tighter(prec)));
        Expr::new(tokens, prec)
    }

    pub(super) fn prefix(op: &str, x: Expr) -> Expr {
        let mut tokens: TokenStream = operator(op).collect();
        tokens.extend(x.typed().at(Prec::Unary));
        Expr::new(tokens, Prec::Unary)
    }

    pub(super) fn cast(self, to: &str) -> Expr {
        let to = Ident::new(to, Span::call_site());
        let mut tokens = self.typed().at(Prec::Cast);
        tokens.extend(quote!(as #to));
        Expr::new(tokens, Prec::Cast)
    }
}

/// Whether the last tokens are those of a cast.
fn ends_in_cast(tokens: &TokenStream) -> bool {
    let (mut before, mut last) = (None, None);
    for token in tokens.clone() {
        before = last.replace(token);
    }
    let is_as = matches!(before, Some(TokenTree::Ident(i)) if i == "as");
    is_as && matches!(last, Some(TokenTree::Ident(_)))
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

/// What is in a block, if all of this is one.
fn unbraced(tokens: TokenStream) -> TokenStream {
    let mut all = tokens.clone().into_iter();
    match (all.next(), all.next()) {
        (Some(TokenTree::Group(g)), None) if g.delimiter() == Delimiter::Brace => g.stream(),
        (_, _) => tokens,
    }
}
