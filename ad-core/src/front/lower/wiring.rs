//! What expressions are made of: parts, variables, and the bindings that they need.

use super::Bindings;
use crate::ir::core::{Bound, Expr, Kind, Sym};
use std::collections::HashSet;

/// The expressions that one is made of.
pub(super) fn parts(e: &Expr) -> Vec<&Expr> {
    match &*e.kind {
        Kind::Var(_) | Kind::Lit(_) => vec![],
        Kind::Prim(_, args) => args.iter().collect(),
        Kind::Let(_, bound, body) => vec![bound, body],
        Kind::Loop(l, body) => l.parts().into_iter().chain([body]).collect(),
        Kind::If(cond, then, other) => vec![cond, then, other],
        Kind::Build(b, body) | Kind::Reduce(_, b, body) | Kind::ArgReduce(_, b, body) => {
            vec![&b.extent, body]
        }
        Kind::Scatter(s) => s.parts().collect(),
        Kind::Index(array, at) => std::iter::once(array).chain(at.iter().flatten()).collect(),
        Kind::Update(u) => u.parts(),
        Kind::Dim(inner, _) | Kind::Stop(inner) => vec![inner],
    }
}

/// Calls `see` with every variable that is mentioned, those bound inside included.
pub(super) fn variables(e: &Expr, see: &mut impl FnMut(&Sym)) {
    if let Kind::Var(sym) = &*e.kind {
        see(sym);
    }
    for part in parts(e) {
        variables(part, see);
    }
}

/// What a binding binds for what follows.
pub(super) fn bound_by(b: &Bound) -> Vec<&Sym> {
    match b {
        Bound::Let(sym, _) => vec![sym],
        Bound::Loop(l) => l.outs.iter().collect(),
    }
}

/// Those bindings that some expressions need, in order.
pub(super) fn needed<'e>(
    bound: &Bindings,
    values: impl IntoIterator<Item = &'e Expr>,
) -> Bindings {
    let mut used: HashSet<u32> = HashSet::new();
    for value in values {
        variables(value, &mut |sym| {
            used.insert(sym.id);
        });
    }
    let mut kept = vec![];
    for b in bound.iter().rev() {
        if bound_by(b).iter().any(|sym| used.contains(&sym.id)) {
            for part in b.parts() {
                variables(part, &mut |sym| {
                    used.insert(sym.id);
                });
            }
            kept.push(b.clone());
        }
    }
    kept.reverse();
    kept
}
