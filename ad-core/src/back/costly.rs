//! Which loops over elements the runtime may make longer, so that they are whole vectors.
//!
//! What is left of a loop behind its whole vectors is computed one by one. An elementary function
//! takes as long for one number as for a vector, so the last vector begins earlier, and some
//! elements are computed twice. That gains nothing where there is no such function, and nothing
//! where the loop is not vectorised, as where indices are compared with lengths.

use super::nest::Writer;
use crate::ir::kernel::{Compute, Loop, Node};
use crate::ir::prims::{Emit, Prim};
use crate::ir::ty::Elem;
use crate::thresholds::{LARGEST_VECTOR, UNROLLED_STEPS};
use std::collections::HashSet;

impl Writer<'_> {
    /// Whether the elements that these nodes are, of a loop over a row of them, are costly, and may
    /// be computed twice. With `rows`, what they read is in rows.
    pub(super) fn is_costly(&self, roots: &[Node], rows: bool) -> bool {
        let nest = self.nest;
        let Some(l) = nest.outer.checked_sub(1) else {
            return false;
        };
        let is_whole = |n: i64| n <= UNROLLED_STEPS || n % LARGEST_VECTOR == 0;
        if nest.loops[l].as_lit().is_some_and(is_whole) {
            return false;
        }
        let (mut seen, mut open) = (HashSet::new(), roots.to_vec());
        let mut is_costly = false;
        while let Some(n) = open.pop() {
            if !nest.depends[n].contains(&l) || !seen.insert(n) {
                continue;
            }
            let s = &nest.nodes[n];
            let is_plain = match &s.compute {
                Compute::Read(..) if rows => self.nest.along(n, l).is_some(),
                Compute::Read(..) => self.is_seen(n, l),
                Compute::Reduce(..) | Compute::ArgReduce(..) | Compute::Extreme(_) => false,
                Compute::Prim(p, _) => {
                    is_costly |= s.elem == Elem::Real && is_function(*p);
                    true
                }
                Compute::Lit(_) | Compute::Index(_) | Compute::Same(_) => true,
            };
            if s.guard.is_some() || !is_plain {
                return false;
            }
            open.extend(nest.operands(n));
        }
        is_costly
    }

    /// Whether it is seen that what a node reads along a loop is inside of the array.
    pub(super) fn is_seen(&self, n: Node, l: Loop) -> bool {
        let array = self.nest.nodes[n].read();
        let is_seen = |v| self.nest.is_seen(n, l, self.scope.shape(v));
        !self.scope.is_in_loop() && array.is_some_and(is_seen)
    }
}

/// Whether it takes many instructions, which are the same for all numbers.
fn is_function(p: Prim) -> bool {
    let is_call = matches!(p.emission(), Emit::Call(_));
    is_call && !matches!(p, Prim::Powi | Prim::Polygamma | Prim::Sign0 | Prim::Relu)
}
