//! Walking through expressions.

use crate::ir::core::{Expr, Kind};

/// Calls `f` on `e` and what is in it, from the outside in; `f` says whether to go deeper.
pub(super) fn visit(e: &Expr, f: &mut dyn FnMut(&Expr) -> bool) {
    if f(e) {
        for c in children(e) {
            visit(c, f);
        }
    }
}

/// The expressions that an expression is made of, in a fixed order.
pub(super) fn children(e: &Expr) -> Vec<&Expr> {
    e.parts()
}

/// The same, to be changed.
pub(super) fn children_mut(e: &mut Expr) -> Vec<&mut Expr> {
    match &mut *e.kind {
        Kind::Var(_) | Kind::Lit(_) => vec![],
        Kind::Prim(_, args) => args.iter_mut().collect(),
        Kind::Let(_, a, b) => vec![a, b],
        Kind::If(a, b, c) => vec![a, b, c],
        Kind::Build(b, body) | Kind::Reduce(_, b, body) | Kind::ArgReduce(_, b, body) => {
            vec![&mut b.extent, body]
        }
        Kind::Scatter(s) => s.parts_mut().collect(),
        Kind::Index(a, at) => [a].into_iter().chain(at.iter_mut().flatten()).collect(),
        Kind::Dim(a, _) | Kind::Stop(a) => vec![a],
        Kind::Where(c, a) => vec![c, a],
        Kind::Recur(r) => r.parts_mut().collect(),
        Kind::Demand(d, a) => d.parts_mut().chain([a]).collect(),
    }
}
