//! Where expressions begin and end, without writing them as tokens: that would take time
//! proportional to their size at every level of nesting.

use crate::front::error::Loc;
use proc_macro2::Span;

impl Loc {
    /// Where an expression stands.
    pub(super) fn of_expr(e: &syn::Expr) -> Loc {
        Loc {
            start: start(e),
            end: end(e),
        }
    }

    /// Where an `if` stands.
    pub(super) fn of_if(branch: &syn::ExprIf) -> Loc {
        let end = match &branch.else_branch {
            Some((_, other)) => end(other),
            None => branch.then_branch.brace_token.span.close(),
        };
        Loc {
            start: branch.if_token.span,
            end,
        }
    }
}

/// The first token of an expression.
pub(super) fn start(mut e: &syn::Expr) -> Span {
    loop {
        e = match e {
            syn::Expr::Binary(x) if x.attrs.is_empty() => &x.left,
            syn::Expr::Cast(x) if x.attrs.is_empty() => &x.expr,
            syn::Expr::Call(x) if x.attrs.is_empty() => &x.func,
            syn::Expr::MethodCall(x) if x.attrs.is_empty() => &x.receiver,
            syn::Expr::Index(x) if x.attrs.is_empty() => &x.expr,
            syn::Expr::Field(x) if x.attrs.is_empty() => &x.base,
            syn::Expr::Paren(x) if x.attrs.is_empty() => return x.paren_token.span.open(),
            syn::Expr::Tuple(x) if x.attrs.is_empty() => return x.paren_token.span.open(),
            syn::Expr::If(x) if x.attrs.is_empty() => return x.if_token.span,
            syn::Expr::Unary(x) if x.attrs.is_empty() => return Loc::of(&x.op).start,
            syn::Expr::Reference(x) if x.attrs.is_empty() => return x.and_token.span,
            syn::Expr::Block(x) if x.attrs.is_empty() && x.label.is_none() => {
                return x.block.brace_token.span.open();
            }
            syn::Expr::Closure(x) if is_plain(x) => return x.inputs_begin.span,
            _ => return Loc::of(e).start,
        }
    }
}

/// The last token of an expression.
pub(super) fn end(mut e: &syn::Expr) -> Span {
    loop {
        e = match e {
            syn::Expr::Binary(x) => &x.right,
            syn::Expr::Unary(x) => &x.expr,
            syn::Expr::Reference(x) => &x.expr,
            syn::Expr::Closure(x) => &x.body,
            syn::Expr::Cast(x) => return Loc::of(&x.ty).end,
            syn::Expr::Call(x) => return x.paren_token.span.close(),
            syn::Expr::MethodCall(x) => return x.paren_token.span.close(),
            syn::Expr::Index(x) => return x.bracket_token.span.close(),
            syn::Expr::Field(x) => return Loc::of(&x.member).end,
            syn::Expr::Paren(x) => return x.paren_token.span.close(),
            syn::Expr::Tuple(x) => return x.paren_token.span.close(),
            syn::Expr::Block(x) => return x.block.brace_token.span.close(),
            syn::Expr::If(x) => match &x.else_branch {
                Some((_, other)) => other,
                None => return x.then_branch.brace_token.span.close(),
            },
            _ => return Loc::of(e).end,
        }
    }
}

/// Whether a closure begins with its parameters.
fn is_plain(c: &syn::ExprClosure) -> bool {
    c.attrs.is_empty()
        && c.lifetimes.is_none()
        && c.constness.is_none()
        && c.asyncness.is_none()
        && c.capture.is_none()
}
