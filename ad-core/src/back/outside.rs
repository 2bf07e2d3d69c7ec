//! Sums over rows, with the loop over the rows outside of all others.
//!
//! ```text
//! out[r, s] = Σ i, j: a[i + r, j] b[i, s + j]   =   out = 0; for i, r, s: out[r, s] += Σ j: a[i + r, j] b[i, s + j]
//! ```
//!
//! The left side goes through all that it reads for each element of the result. On the right, what
//! is read for a row i is read again while it is near, and the result is added to once for each
//! row.

use crate::ir::core::ReduceOp;
use crate::ir::kernel::{Affine, At, Compute, Contribution, Loop, Nest};
use crate::ir::ty::Elem;

/// The contribution to zeros that a nest is with the loops of its sum outside, all but the last, if
/// that is better.
pub(super) fn outside(nest: &Nest) -> Option<Contribution> {
    let sum = &nest.nodes[nest.root];
    let Compute::Reduce(ReduceOp::Sum, own, body) = &sum.compute else {
        return None;
    };
    let (moved, root, last) = match (&own[..], &nest.nodes[*body].compute) {
        ([moved @ .., last], _) if !moved.is_empty() => (moved, nest.root, *last),
        ([_], Compute::Reduce(ReduceOp::Sum, inner, _)) => (&own[..], *body, *inner.last()?),
        _ => return None,
    };
    let is_whole = |l: Loop| nest.ranges[l].is_whole();
    let possible = sum.elem == Elem::Real
        && sum.guard.is_none()
        && nest.nodes[root].guard.is_none()
        && nest.outer > 0
        && (0..nest.outer).chain(own.iter().copied()).all(is_whole);
    if !possible || nest.repeats(moved, *body) || !is_better(nest, moved, last) {
        return None;
    }
    let mut nest = nest.clone();
    if root == nest.root {
        // The same sum, over its last loop alone.
        nest.nodes[root].compute = Compute::Reduce(ReduceOp::Sum, vec![last], *body);
        nest.depends[root].extend(moved);
        nest.depends[root].sort_unstable();
    }
    let inner = (nest.outer..nest.loops.len()).filter(|l| !moved.contains(l));
    let order: Vec<Loop> = (moved.iter().copied())
        .chain(0..nest.outer)
        .chain(inner)
        .collect();
    let outer = moved.len() + nest.outer;
    let at = (moved.len()..outer).map(|l| At::Affine(Affine::of(l)));
    Some(Contribution {
        at: at.collect(),
        nest: nest.reordered(&order, outer, root),
    })
}

/// Whether the terms of a row are neighbours, whole rows are read again for other elements of the
/// result, and rows come in the order in which they lie in memory.
fn is_better(nest: &Nest, moved: &[Loop], last: Loop) -> bool {
    let (mut is_row, mut is_again) = (false, false);
    for n in 0..nest.nodes.len() {
        let Compute::Read(_, at) = &nest.nodes[n].compute else {
            continue;
        };
        let Some(first) = at
            .iter()
            .position(|a| moved.iter().any(|&l| nest.mentions(a, l)))
        else {
            continue;
        };
        let before = &at[..first];
        if (0..nest.outer).any(|l| before.iter().any(|a| nest.mentions(a, l))) {
            return false;
        }
        is_row |= matches!(at.last(), Some(At::Affine(a)) if a.coefficient(last).is_some_and(|c| c.is(1)));
        is_again |= (0..nest.outer).any(|l| !at.iter().any(|a| nest.mentions(a, l)));
    }
    is_row && is_again
}
