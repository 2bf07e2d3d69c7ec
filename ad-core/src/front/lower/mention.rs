//! Which names an expression of the user's mentions.

use crate::front::surface::{Expr, Kind, Pattern, Slice, Stmt};

/// Whether a name occurs in an expression; also where something inside of it has that name.
pub(super) fn mentions(e: &Expr, name: &str) -> bool {
    let one = |e: &Expr| mentions(e, name);
    let all = |of: &[Expr]| of.iter().any(one);
    let some = |e: &Option<Expr>| e.as_ref().is_some_and(one);
    match &e.kind {
        Kind::Real(_) | Kind::Int(..) | Kind::Bool(_) | Kind::Hole(_) => false,
        Kind::Path(path) => path.is_ident(name),
        Kind::Unary(_, inner) | Kind::Cast(inner, _) | Kind::Field(inner, _) => one(inner),
        Kind::Binary(_, a, b) | Kind::Repeat(a, b) => one(a) || one(b),
        Kind::If(a, b, c) => one(a) || one(b) || one(c),
        Kind::Match(on, arms) => {
            one(on) || arms.iter().any(|arm| some(&arm.guard) || one(&arm.body))
        }
        Kind::Block(stmts, tail) => {
            let stmt = |stmt: &Stmt| match stmt {
                Stmt::Let(_, _, init) => one(init),
                Stmt::Use(..) => false,
                // What changes variables is taken to mention all of them.
                Stmt::Later(_)
                | Stmt::Do(_)
                | Stmt::Assign(_)
                | Stmt::Swap(_)
                | Stmt::For(_)
                | Stmt::While(_)
                | Stmt::Hole(..) => true,
            };
            stmts.iter().any(stmt) || one(tail)
        }
        Kind::Tuple(parts) | Kind::List(parts) | Kind::Macro(_, parts) => all(parts),
        Kind::Call(path, args) => path.is_ident(name) || all(args),
        Kind::Method(receiver, _, args) | Kind::Index(receiver, args) => one(receiver) || all(args),
        Kind::Closure(closure) => one(&closure.body),
        Kind::Range(from, to, _) => [from, to].into_iter().flatten().any(|e| one(e)),
        Kind::Slices(slices) => slices.iter().any(|slice| match slice {
            Slice::Range { from, to, step, .. } => {
                [from, to, step].into_iter().flatten().any(|e| one(e))
            }
            Slice::At(e) => one(e),
            Slice::New => false,
        }),
    }
}

/// Whether a pattern brings in a name.
pub(super) fn binds(pattern: &Pattern, name: &str) -> bool {
    match pattern {
        Pattern::Name(ident) => ident == name,
        Pattern::Wild => false,
        Pattern::Tuple(_, parts) => parts.iter().any(|p| binds(p, name)),
        Pattern::Hole(_, names) => names.iter().any(|ident| ident == name),
    }
}
