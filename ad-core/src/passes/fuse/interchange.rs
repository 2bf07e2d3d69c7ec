//! The order of the loops around a sum.
//!
//! ```text
//! out[i, j] = Σ k: a[k, i, j]   =   out = 0; for k, i, j: out[i, j] += a[k, i, j]
//! ```
//!
//! Element by element, the left side jumps through `a`: each step of the sum reads another row. The right side
//! reads `a` in the order in which it lies in memory, and adds rows to rows. So the loops of a sum go outside where
//! they run along rows of what it reads, and the last loop of the result runs inside of these rows. A column
//! sum is such a one, and so are the cotangents of what was repeated along the first axes of something.

use crate::ir::core::ReduceOp;
use crate::ir::kernel::{Affine, At, Compute, Contribution, Loop, Nest};
use crate::ir::ty::Elem;

/// The contribution to zeros that a nest is with the loops of its sum outside, if that is better.
pub(super) fn interchange(nest: &Nest) -> Option<Contribution> {
    let sum = &nest.nodes[nest.root];
    let Compute::Reduce(ReduceOp::Sum, own, body) = &sum.compute else {
        return None;
    };
    let loops = (0..nest.outer).chain(own.iter().copied());
    let is_whole = |l: Loop| nest.ranges[l].is_whole();
    let possible = sum.elem == Elem::Real
        && sum.guard.is_none()
        && nest.outer > 0
        && nest.root + 1 == nest.nodes.len()
        && loops.into_iter().all(is_whole);
    if !possible || !is_better(nest, own) || nest.repeats(own, *body) {
        return None;
    }
    let inner = (nest.outer..nest.loops.len()).filter(|l| !own.contains(l));
    let order: Vec<Loop> = (own.iter().copied())
        .chain(0..nest.outer)
        .chain(inner)
        .collect();
    let at = (own.len()..own.len() + nest.outer).map(|l| At::Affine(Affine::of(l)));
    Some(Contribution {
        nest: nest.reordered(&order, own.len() + nest.outer, *body),
        at: at.collect(),
    })
}

/// Whether the sum jumps from row to row in what it reads, and the last loop of the result does not.
fn is_better(nest: &Nest, own: &[Loop]) -> bool {
    let mut jumps = false;
    for s in &nest.nodes {
        let Compute::Read(_, at) = &s.compute else {
            continue;
        };
        let Some((last, before)) = at.split_last() else {
            continue;
        };
        let mentions = |a: &At, l: Loop| match a {
            At::Affine(a) => a.coefficient(l).is_some(),
            At::Node(n) => nest.depends[*n].contains(&l),
        };
        if own.iter().any(|&l| mentions(last, l)) {
            return false;
        }
        let is_row = matches!(last, At::Affine(a) if a.coefficient(nest.outer - 1).is_some());
        jumps |= is_row && own.iter().any(|&l| before.iter().any(|a| mentions(a, l)));
    }
    jumps
}
