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
        let loops: HashSet<Loop> = last.collect();
        if loops.is_empty() {
            continue;
        }
        for n in unconditional(nest, &loops, types) {
            nest.nodes[n].guard = None;
        }
    }
}

/// What is read inside of one of some inner loops, inside of its array in any case, and used where
/// its condition holds.
fn unconditional(nest: &Nest, loops: &HashSet<Loop>, types: &HashMap<Var, Type>) -> Vec<Node> {
    let mut users: HashMap<Node, Vec<Node>> = HashMap::new();
    let is_candidate = |n: Node| {
        let s = &nest.nodes[n];
        s.read().is_some() && s.guard.is_some() && nest.depends[n].iter().any(|l| loops.contains(l))
    };
    for (n, s) in nest.nodes.iter().enumerate() {
        for o in s.operands().into_iter().filter(|o| is_candidate(*o)) {
            users.entry(o).or_default().push(n);
        }
    }
    let ends: Vec<Node> = nest.ranges.iter().flat_map(Range::nodes).collect();
    let is_free = |n: Node, users: &[Node]| {
        let s = &nest.nodes[n];
        let shape = s.read().and_then(|v| types.get(&v)).map(|ty| &ty.shape);
        let inner = nest.depends[n].iter().find(|l| loops.contains(l));
        let (Some(g), Some(shape), Some(&l)) = (s.guard, shape, inner) else {
            return false;
        };
        let holds = |u: &Node| {
            let guard = nest.nodes[*u].guard;
            guard.is_some_and(|of| of != n && has_member(nest, of, g))
        };
        !ends.contains(&n)
            && users.iter().all(holds)
            && nest.is_inside(n, (l, Cut::default()), &HashSet::new(), shape)
    };
    let free = users.iter().filter(|(n, users)| is_free(**n, users));
    free.map(|(n, _)| *n).collect()
}

/// Whether a condition is another one, or a conjunction that it belongs to.
fn has_member(nest: &Nest, of: Node, g: Node) -> bool {
    let (mut seen, mut open) = (HashSet::new(), vec![of]);
    while let Some(n) = open.pop() {
        if n == g {
            return true;
        }
        if let Compute::Prim(Prim::And, args) = &nest.nodes[n].compute
            && seen.insert(n)
        {
            open.extend(args);
        }
    }
    false
}
