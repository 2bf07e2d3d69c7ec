//! Small terms of Core.

use super::size::literal;
use crate::ir::core::{Expr, Kind, ReduceOp, Sym};
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Lit};

/// What runs, outermost first: each index with its extent.
pub(crate) type Axes = Vec<(Sym, Expr)>;

/// `array[at]`; a part of a part is a part.
pub(crate) fn element(array: Expr, at: Vec<Option<Expr>>) -> Expr {
    if let Kind::Index(inner, outer) = &*array.kind {
        let mut at = at.into_iter();
        let fill = |i: &Option<Expr>| i.clone().or_else(|| at.next().flatten());
        let merged = outer.iter().map(fill).collect();
        Expr::index(inner.clone(), merged)
    } else {
        Expr::index(array, at)
    }
}

/// The length of an axis; that of a part is one of the whole.
pub(crate) fn length(array: Expr, axis: usize) -> Expr {
    if let Kind::Index(inner, at) = &*array.kind {
        let mut kept = (0..at.len()).filter(|&k| at[k].is_none());
        match kept.nth(axis) {
            Some(axis) => length(inner.clone(), axis),
            None => unreachable!("an axis of a part is an axis of the whole"),
        }
    } else {
        Expr::dim(array, axis)
    }
}

/// `build(n, |i| build(m, |j| ..))`
pub(crate) fn built(axes: Axes, body: Expr) -> Expr {
    axes.into_iter()
        .rev()
        .fold(body, |body, (var, extent)| Expr::build(var, extent, body))
}

/// `sum(n, |i| sum(m, |j| ..))`
pub(crate) fn reduced(op: ReduceOp, axes: Axes, body: Expr) -> Expr {
    axes.into_iter().rev().fold(body, |body, (var, extent)| {
        Expr::reduce(op, var, extent, body)
    })
}

pub(crate) fn entry(array: &Expr, at: Vec<Expr>) -> Expr {
    element(array.clone(), at.into_iter().map(Some).collect())
}

/// The second only where the first holds.
pub(crate) fn both(first: Expr, second: Expr) -> Expr {
    Expr::cond(first, second, Expr::lit(Lit::Bool(false)))
}

/// `a + b`, without what adds nothing.
pub(crate) fn plus(a: Expr, b: Expr) -> Expr {
    match (literal(&a), literal(&b)) {
        (Some(0), _) => b,
        (_, Some(0)) => a,
        (Some(i), Some(j)) if i.checked_add(j).is_some() => Expr::int(i + j),
        (..) => Expr::prim(Prim::IAdd, vec![a, b]),
    }
}

/// `a - b`, without what takes nothing off.
pub(crate) fn minus(a: Expr, b: Expr) -> Expr {
    match (&*a.kind, &*b.kind) {
        (_, Kind::Lit(Lit::Int(0))) => a,
        (Kind::Lit(Lit::Int(i)), Kind::Lit(Lit::Int(j))) if i.checked_sub(*j).is_some() => {
            Expr::int(i - j)
        }
        (..) => Expr::prim(Prim::ISub, vec![a, b]),
    }
}

/// Whether to write it again costs nothing.
pub(crate) fn is_atom(value: &Expr) -> bool {
    match &*value.kind {
        Kind::Var(_) | Kind::Lit(_) => true,
        Kind::Dim(array, _) => matches!(*array.kind, Kind::Var(_)),
        Kind::Prim(..)
        | Kind::Let(..)
        | Kind::Loop(..)
        | Kind::Update(_)
        | Kind::If(..)
        | Kind::Build(..)
        | Kind::Reduce(..)
        | Kind::ArgReduce(..)
        | Kind::Scatter(_)
        | Kind::Index(..)
        | Kind::Stop(_)
        | Kind::Where(..)
        | Kind::Call(_)
        | Kind::Recur(_)
        | Kind::Demand(..) => false,
    }
}

/// Whether it is integer arithmetic on what costs nothing.
pub(crate) fn is_size(value: &Expr) -> bool {
    match &*value.kind {
        Kind::Prim(_, args) => value.ty.elem == Elem::Int && args.iter().all(is_size),
        Kind::Var(_)
        | Kind::Lit(_)
        | Kind::Dim(..)
        | Kind::Let(..)
        | Kind::Loop(..)
        | Kind::Update(_)
        | Kind::If(..)
        | Kind::Build(..)
        | Kind::Reduce(..)
        | Kind::ArgReduce(..)
        | Kind::Scatter(_)
        | Kind::Index(..)
        | Kind::Stop(_)
        | Kind::Where(..)
        | Kind::Call(_)
        | Kind::Recur(_)
        | Kind::Demand(..) => is_atom(value),
    }
}
