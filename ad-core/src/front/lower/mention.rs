//! Which names an expression of the user's mentions.

use crate::front::surface::{Expr, Kind, Pattern, Place, Slice, Step, Stmt, Target};

/// Whether a name occurs in an expression; also where something inside of it has that name.
pub(super) fn mentions(e: &Expr, name: &str) -> bool {
    let one = |e: &Expr| mentions(e, name);
    let all = |of: &[Expr]| of.iter().any(one);
    let some = |e: &Option<Expr>| e.as_ref().is_some_and(one);
    match &e.kind {
        Kind::Real(_)
        | Kind::Int(..)
        | Kind::Bool(_)
        | Kind::Never
        | Kind::Impossible
        | Kind::Hole(_) => false,
        Kind::Maybe(inner) | Kind::Slot(_, inner) => inner.as_ref().is_some_and(|e| one(e)),
        Kind::Path(path) => path.is_ident(name),
        Kind::Borrow(place) | Kind::Lent(_, place) => {
            place.root == name || place.steps.iter().any(|s| step(s, &one))
        }
        Kind::Unary(_, inner)
        | Kind::Take(inner)
        | Kind::IsNone(inner)
        | Kind::Tried(inner)
        | Kind::Cast(inner, _)
        | Kind::Copied(inner)
        | Kind::Trial(inner)
        | Kind::Field(inner, _)
        | Kind::Member(inner, _) => one(inner),
        Kind::Struct(_, fields, base) => {
            fields.iter().any(|(_, e)| one(e)) || base.as_ref().is_some_and(|e| one(e))
        }
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
        Kind::Method(receiver, _, args)
        | Kind::Index(receiver, args)
        | Kind::Part(receiver, args) => one(receiver) || all(args),
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

/// Whether something holds of an expression in a step to a part.
fn step(of: &Step, one: &dyn Fn(&Expr) -> bool) -> bool {
    match of {
        Step::Field(..) => false,
        Step::At(_, all) | Step::Method(_, _, all) => all.iter().any(one),
    }
}

/// Whether a pattern brings in a name.
pub(super) fn binds(pattern: &Pattern, name: &str) -> bool {
    match pattern {
        Pattern::Name(ident) => ident == name,
        Pattern::Wild => false,
        Pattern::Tuple(_, parts) | Pattern::List(_, parts) => parts.iter().any(|p| binds(p, name)),
        Pattern::Struct(_, parts) => parts.iter().any(|(_, p)| binds(p, name)),
        Pattern::Hole(_, names) => names.iter().any(|ident| ident == name),
    }
}

/// Whether a body changes an element of a variable at an index that is not a literal.
pub(super) fn is_indexed(e: &Expr, name: &str) -> bool {
    let one = |e: &Expr| is_indexed(e, name);
    let at = |place: &Place, all: bool| {
        let is_variable = |step: &Step| match step {
            Step::At(_, at) => !matches!(
                &at[..],
                [Expr {
                    kind: Kind::Int(..),
                    ..
                }]
            ),
            Step::Field(..) | Step::Method(..) => false,
        };
        place.root == name && (all || place.steps.iter().any(is_variable))
    };
    fn target(of: &Target, at: &dyn Fn(&Place, bool) -> bool) -> bool {
        match of {
            Target::Place(place) => at(place, false),
            Target::Tuple(_, parts) => parts.iter().any(|t| target(t, at)),
            Target::Wild => false,
        }
    }
    match &e.kind {
        Kind::Real(_)
        | Kind::Int(..)
        | Kind::Bool(_)
        | Kind::Never
        | Kind::Impossible
        | Kind::Hole(_)
        | Kind::Path(_)
        | Kind::Range(..)
        | Kind::Slices(_) => false,
        Kind::Maybe(inner) | Kind::Slot(_, inner) => inner.as_ref().is_some_and(|e| one(e)),
        // What is done with it is not looked at.
        Kind::Borrow(place) | Kind::Lent(_, place) => place.root == name,
        Kind::Unary(_, inner)
        | Kind::Take(inner)
        | Kind::IsNone(inner)
        | Kind::Tried(inner)
        | Kind::Cast(inner, _)
        | Kind::Copied(inner)
        | Kind::Trial(inner)
        | Kind::Field(inner, _)
        | Kind::Member(inner, _) => one(inner),
        Kind::Binary(_, a, b) | Kind::Repeat(a, b) => one(a) || one(b),
        Kind::If(a, b, c) => one(a) || one(b) || one(c),
        Kind::Match(on, arms) => one(on) || arms.iter().any(|arm| one(&arm.body)),
        Kind::Block(stmts, tail) => {
            let stmt = |stmt: &Stmt| match stmt {
                Stmt::Let(_, _, e) | Stmt::Do(e) => one(e),
                Stmt::Use(..) | Stmt::Later(_) | Stmt::Hole(..) => false,
                Stmt::Assign(assign) => one(&assign.value) || target(&assign.target, &at),
                Stmt::Swap(swap) => at(&swap.place, true),
                Stmt::For(l) => one(&l.body) || l.borrowed.iter().any(|b| b == name),
                Stmt::While(l) => one(&l.body),
            };
            stmts.iter().any(stmt) || one(tail)
        }
        Kind::Struct(_, fields, _) => fields.iter().any(|(_, e)| one(e)),
        Kind::Tuple(parts) | Kind::List(parts) | Kind::Macro(_, parts) | Kind::Call(_, parts) => {
            parts.iter().any(one)
        }
        Kind::Method(receiver, _, args)
        | Kind::Index(receiver, args)
        | Kind::Part(receiver, args) => one(receiver) || args.iter().any(one),
        // A closure changes nothing outside.
        Kind::Closure(_) => false,
    }
}
