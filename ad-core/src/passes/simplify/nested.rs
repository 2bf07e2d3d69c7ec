//! Sums of contractions: they are one sum.

use super::factors::sum_of;
use super::{Rewrite, Rule, Simplifier};
use crate::ir::bulk::{Eq, Op};

pub(super) const RULES: &[Rule] = &[Rule {
    name: "sum-of-contract",
    apply: sum_of_contract,
}];

/// `Σ_i (contract a, b)[i, ..]  =  contract a, b` without the label i in the result, where nothing
/// else uses the contraction. A label that only one of them has is summed before; that distributes,
/// so one of them must be linear then. A guard that does not depend on i stays outside, also that
/// of a copy.
fn sum_of_contract(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let (src, axes) = sum_of(s, eq)?;
    let mut inner = s.out.eq(src)?.clone();
    let mut guard = inner.guard.take();
    if let Op::Copy(x) = inner.op
        && guard.is_some()
        && s.used_once(x)
    {
        inner = s.out.eq(x).filter(|e| e.guard.is_none())?.clone();
    }
    if !matches!(inner.op, Op::Contract { .. }) {
        return None;
    }
    if let Some(g) = guard {
        guard = s.guard_without(g, &axes)?;
    }
    let mut p = s.product(&inner)?;
    let shared = |&k: &usize| p.a.axes.contains(&p.out[k]) && p.b.axes.contains(&p.out[k]);
    if !axes.iter().all(shared) && !s.is_linear(src) {
        return None;
    }
    p.out = (p.out.iter().enumerate())
        .filter(|(k, _)| !axes.contains(k))
        .map(|(_, &l)| l)
        .collect();
    let guard = s.both(eq.guard, guard);
    Some(Rewrite::Eq(s.contraction(p, guard)))
}
