//! Extrema of what is the same along an axis.

use super::{Rewrite, Rule, Simplifier, all_affine};
use crate::ir::bulk::{Eq, Ix, Op};
use crate::ir::core::ReduceOp;
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Lit};

pub(super) const RULES: &[Rule] = &[Rule {
    name: "extremum-of-repeated",
    apply: extremum_of_repeated,
}];

/// `max_k x[index]  =  select(n > 0 and x[index] >= -∞, x[index], -∞)` where the index does not
/// depend on axis k of length n, and the read is inside for sure; for the minimum with the other
/// sign. The extremum of nothing and that of NaN alone are the infinity.
fn extremum_of_repeated(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Reduce { op, src, axes } = &eq.op else {
        return None;
    };
    let (end, compare) = match op {
        ReduceOp::Max => (f64::NEG_INFINITY, Prim::Ge),
        ReduceOp::Min => (f64::INFINITY, Prim::Le),
        ReduceOp::Sum | ReduceOp::Product | ReduceOp::LogSumExp => return None,
    };
    if eq.ty.elem != Elem::Real {
        return None;
    }
    let Some(Op::Gather { src: x, index }) = s.plain(*src).cloned() else {
        return None;
    };
    let (shape, of) = (s.out.shape(*src), s.out.shape(x));
    let maps = all_affine(&index)?;
    let repeated = maps.iter().all(|a| axes.iter().all(|&k| a.coefs[k].is(0)));
    if !repeated || !maps.iter().zip(&of).all(|(a, n)| a.inside(&shape, n)) {
        return None;
    }
    let index: Vec<Ix> = (maps.iter()).map(|a| Ix::Affine(a.without(axes))).collect();
    let small = &eq.ty.shape;
    let x = s.gather(x, index, small, None);
    let end = s.fill(Lit::Real(end), small);
    let counts = s.map(compare, &[x, end], None);
    let some = s.not_empty(axes.iter().map(|&k| &shape[k]), small);
    let holds = s.both(some, Some(counts))?;
    Some(Rewrite::Eq(Eq {
        op: Op::Map(Prim::Select, vec![holds, x, end]),
        ..eq.clone()
    }))
}
