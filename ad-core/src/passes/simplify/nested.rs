//! Sums of contractions: they are one sum.

use super::factors::sum_of;
use super::{Rewrite, Rule, Simplifier};
use crate::ir::bulk::{Eq, Op};

pub(super) const RULES: &[Rule] = &[Rule {
    name: "sum-of-contract",
    apply: sum_of_contract,
}];

/// `Σ_i (contract a, b)[i, ..]  =  contract a, b` without the label i in the result, where nothing else uses the
/// contraction. A label that only one of them has is summed before; that distributes, so one of
/// them must be linear then.
fn sum_of_contract(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let (src, axes) = sum_of(s, eq)?;
    let (inner, guard) = s.uniform(src)?;
    if !matches!(inner.op, Op::Contract { .. }) {
        return None;
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
    let guard = s.elsewhere(guard, &eq.ty.shape);
    let guard = s.both(eq.guard, guard);
    Some(Rewrite::Eq(s.contraction(p, guard)))
}
