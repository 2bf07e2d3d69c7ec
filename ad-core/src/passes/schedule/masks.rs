//! What sums read in rows is read whatever the condition of a term says.
//!
//! ```text
//! Σ_j [c(x[j])] a[j] b[j]
//!    =   for j: { p = a[j]; q = b[j]; total += if c(x[j]) { p q } else { 0 } }
//! ```
//!
//! A term that is computed under a condition is a jump at each index. If what it reads is inside of
//! the arrays in any case, all of it is read and then one of two numbers is chosen, and the loop is
//! one over vectors.

use crate::ir::bulk::{Type, Var};
use crate::ir::kernel::{Compute, Cut, Loop, Nest, Node, Range, Step};
use crate::ir::prims::Prim;
use std::collections::{HashMap, HashSet};

/// Takes the conditions from what sums read along their last loops and use under the same
/// conditions alone.
pub(super) fn choose(step: &mut Step, types: &HashMap<Var, Type>) {
    for nest in step.nests_mut() {
        let last = nest.nodes.iter().filter_map(|s| match &s.compute {
            Compute::Reduce(_, own, _) => own.last().copied(),
            Compute::Lit(_)
            | Compute::Index(_)
            | Compute::Read(..)
            | Compute::Prim(..)
            | Compute::ArgReduce(..)
            | Compute::Same(_)
            | Compute::Extreme(_) => None,
        });
        let loops: Vec<Loop> = last.collect();
        let free: Vec<Node> = (loops.into_iter())
            .flat_map(|l| unconditional(nest, l, types))
            .collect();
        for n in free {
            nest.nodes[n].guard = None;
        }
    }
}

/// What is read inside of an inner loop, inside of its array in any case, and used where its
/// condition holds.
fn unconditional(nest: &Nest, l: Loop, types: &HashMap<Var, Type>) -> Vec<Node> {
    let is_inside = |n: Node| {
        let shape = nest.nodes[n].read().and_then(|v| types.get(&v));
        let fits = |ty: &Type| nest.is_inside(n, (l, Cut::default()), &HashSet::new(), &ty.shape);
        shape.is_some_and(fits)
    };
    let ends: Vec<Node> = nest.ranges.iter().flat_map(Range::nodes).collect();
    let is_used_so = |n: Node, g: Node| {
        let mut users = nest.nodes.iter().filter(|s| s.operands().contains(&n));
        users.all(|s| s.guard.is_some_and(|of| of != n && has_member(nest, of, g)))
    };
    (0..nest.nodes.len())
        .filter(|&n| {
            let guard = nest.nodes[n].guard;
            nest.depends[n].contains(&l)
                && guard.is_some_and(|g| is_used_so(n, g))
                && !ends.contains(&n)
                && is_inside(n)
        })
        .collect()
}

/// Whether a condition is another one, or a conjunction that it belongs to.
fn has_member(nest: &Nest, of: Node, g: Node) -> bool {
    let mut open = vec![of];
    while let Some(n) = open.pop() {
        if n == g {
            return true;
        }
        if let Compute::Prim(Prim::And, args) = &nest.nodes[n].compute {
            open.extend(args);
        }
    }
    false
}
