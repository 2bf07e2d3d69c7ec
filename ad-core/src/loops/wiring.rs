//! Which variables expressions mention, and the bindings that they need.

use super::writer::Bindings;
use crate::ir::core::{Bound, Expr, Kind, Sym};
use std::collections::HashSet;

/// Calls `see` with every variable that is mentioned, those bound inside included.
pub(crate) fn variables(e: &Expr, see: &mut impl FnMut(&Sym)) {
    if let Kind::Var(sym) = &*e.kind {
        see(sym);
    }
    for part in e.parts() {
        variables(part, see);
    }
}

/// What a binding binds for what follows.
pub(crate) fn bound_by(b: &Bound) -> Vec<&Sym> {
    match b {
        Bound::Let(sym, _) => vec![sym],
        Bound::Loop(l) => l.outs.iter().collect(),
    }
}

/// Those bindings that some expressions need, in order.
pub(crate) fn needed<'e>(bound: &Bindings, values: impl IntoIterator<Item = &'e Expr>) -> Bindings {
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

/// A value under those bindings that it needs; `let v = e; v` is `e`.
pub(crate) fn wrapped(bound: &Bindings, value: &Expr) -> Expr {
    let mut lets = needed(bound, [value]);
    match (&*value.kind, lets.pop()) {
        (Kind::Var(v), Some(Bound::Let(sym, is))) if *v == sym => Expr::under(lets, is),
        (_, last) => {
            lets.extend(last);
            Expr::under(lets, value.clone())
        }
    }
}
