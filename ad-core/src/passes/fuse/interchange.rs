//! The order of the loops around a sum.
//!
//! ```text
//! out[i, j] = Σ k: a[k, i, j]   =   out = 0; for k, i, j: out[i, j] += a[k, i, j]
//! ```
//!
//! Element by element, the left side jumps through `a`: each step of the sum reads another row. The
//! right side reads `a` in the order in which it lies in memory, and adds rows to rows. So the
//! loops of a sum go outside where they run along rows of what it reads, and the last loop of the
//! result runs inside of these rows. A column sum is such a one, and so are the cotangents of what
//! was repeated along the first axes of something.

use crate::ir::core::ReduceOp;
use crate::ir::kernel::{Affine, At, Compute, Contribution, Loop, Nest, Node, Scalar};
use crate::ir::prims::Prim;
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
        && nest.outer > 0
        && nest.root + 1 == nest.nodes.len()
        && loops.into_iter().all(is_whole);
    if !possible || !is_better(nest, own) || nest.repeats(own, *body) {
        return None;
    }
    // Where the guard does not hold, nothing is added. That the loops of the sum run, they say
    // themselves.
    let guard = sum.guard.filter(|&g| !says_they_run(nest, g, own));
    let inner = (nest.outer..nest.loops.len()).filter(|l| !own.contains(l));
    let order: Vec<Loop> = (own.iter().copied())
        .chain(0..nest.outer)
        .chain(inner)
        .collect();
    let at = (own.len()..own.len() + nest.outer).map(|l| At::Affine(Affine::of(l)));
    let mut nest = nest.reordered(&order, own.len() + nest.outer, *body);
    if guard.is_some() {
        nest.nodes.push(Scalar {
            elem: Elem::Real,
            guard,
            compute: Compute::Same(nest.root),
        });
        nest.depends.push((0..nest.outer).collect());
        nest.root = nest.nodes.len() - 1;
    }
    let at = at.collect();
    Some(Contribution { nest, at })
}

/// Whether a condition only says that some loops are not empty.
pub(super) fn says_they_run(nest: &Nest, condition: Node, loops: &[Loop]) -> bool {
    let Compute::Prim(p, args) = &nest.nodes[condition].compute else {
        return false;
    };
    if *p == Prim::And {
        return args.iter().all(|&a| says_they_run(nest, a, loops));
    }
    let &[zero, n] = &args[..] else { return false };
    let constant = |n: Node| match &nest.nodes[n].compute {
        Compute::Lit(l) => l.as_size(),
        Compute::Index(a) if a.terms.is_empty() => Some(a.constant.clone()),
        Compute::Index(_)
        | Compute::Read(..)
        | Compute::Prim(..)
        | Compute::Reduce(..)
        | Compute::ArgReduce(..)
        | Compute::Same(_)
        | Compute::Extreme(_) => None,
    };
    *p == Prim::ILt
        && constant(zero).is_some_and(|zero| zero.is(0))
        && constant(n).is_some_and(|n| loops.iter().any(|&l| nest.loops[l] == n))
}

/// Whether the sum jumps from row to row in what it reads, and the last loop of the result does
/// not.
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
