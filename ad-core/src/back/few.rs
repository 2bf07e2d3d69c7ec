//! Blocks that are a few elements, which stay in registers.
//!
//! ```text
//! t[j] = Σ k: f(j, k)   =   for each few of j: t = 0; for k: for j of these: t[j] += f(j, k)
//! ```
//!
//! A block of hundreds of sums loads and stores each sum for each k. A block of 16 sums keeps them
//! in registers, and loads the operands of f only. It has two costs: values that are the same for
//! all j are computed once for each block, and each row is read a few elements at a time. So the
//! blocks are small only where these values are cheap, and where the rows are read often or are
//! adjacent.

use super::nest::Writer;
use super::range::Run;
use crate::ir::core::ReduceOp;
use crate::ir::kernel::{At, Compute, Loop, Node};
use crate::ir::prims::{Emit, Prim};
use crate::ir::ty::Elem;
use crate::thresholds::{LIGHT_POINT, SUMS_IN_REGISTERS};
use std::collections::HashSet;

impl Writer<'_> {
    /// Whether a reduction over a loop is better done a few elements at a time, if it is done by
    /// blocks.
    pub(super) fn is_by_few(&self, (l, body): (Loop, Node), run: &Run) -> bool {
        let nest = self.nest;
        let all = self.reached(l, body, true);
        let sums: Vec<(&[Loop], Node)> = (all.iter())
            .filter_map(|n| match &nest.nodes[*n].compute {
                Compute::Reduce(_, own, sum) => Some((&own[..], *sum)),
                Compute::Lit(_)
                | Compute::Index(_)
                | Compute::Read(..)
                | Compute::Prim(..)
                | Compute::ArgReduce(..)
                | Compute::Same(_)
                | Compute::Extreme(_) => None,
            })
            .collect();
        let own: HashSet<Loop> = (sums.iter().flat_map(|(own, _)| *own).copied()).collect();
        matches!(run, Run::Count(_))
            && nest.ranges[l].is_whole()
            && (own.iter()).all(|&o| nest.ranges[o].loops().all(|m| m != l))
            && (1..=SUMS_IN_REGISTERS).contains(&sums.len())
            && all.len() <= LIGHT_POINT
            && all.iter().all(|&n| self.is_some_instructions(n))
            && (sums.iter()).all(|(_, sum)| {
                self.is_read_again((l, body), *sum, &own) && self.is_same_cheap(l, *sum, &own)
            })
    }

    /// Whether a node is an operation that a processor has, and needs no condition.
    fn is_some_instructions(&self, n: Node) -> bool {
        let s = &self.nest.nodes[n];
        let is_light = match &s.compute {
            Compute::Lit(_) | Compute::Index(_) => true,
            Compute::Read(_, at) => at.iter().all(|a| matches!(a, At::Affine(_))),
            Compute::Prim(p, _) => s.elem == Elem::Real && is_instruction(*p),
            Compute::Reduce(op, ..) => match op {
                ReduceOp::Sum | ReduceOp::Product | ReduceOp::Max | ReduceOp::Min => true,
                ReduceOp::LogSumExp => false,
            },
            Compute::ArgReduce(..) | Compute::Same(_) | Compute::Extreme(_) => false,
        };
        is_light && s.guard.is_none()
    }

    /// Whether what a sum reads along a loop is read for other values of loops around that, too, or
    /// lies side by side.
    fn is_read_again(&self, (l, body): (Loop, Node), sum: Node, own: &HashSet<Loop>) -> bool {
        let around = &self.nest.depends[body];
        self.reached(l, sum, true).into_iter().all(|n| {
            let Compute::Read(_, at) = &self.nest.nodes[n].compute else {
                return true;
            };
            let depends = &self.nest.depends[n];
            let is_again = around.iter().any(|m| !depends.contains(m));
            let mentions = |a: &At| match a {
                At::Affine(a) => own.iter().any(|o| a.coefficient(*o).is_some()),
                At::Node(_) => true,
            };
            let before = at.len().saturating_sub(1);
            is_again || self.nest.along(n, l).is_some() && !at[..before].iter().any(mentions)
        })
    }

    /// Whether what is the same for all elements, but not for all terms of a sum, is next to
    /// nothing.
    fn is_same_cheap(&self, l: Loop, sum: Node, own: &HashSet<Loop>) -> bool {
        let nest = self.nest;
        let (mut seen, mut open) = (HashSet::new(), vec![sum]);
        while let Some(n) = open.pop() {
            if !nest.depends[n].iter().any(|m| own.contains(m)) || !seen.insert(n) {
                continue;
            }
            if !self.varies(n, l) && !self.is_some_instructions(n) {
                return false;
            }
            if !self.varies(n, l) && matches!(nest.nodes[n].compute, Compute::Reduce(..)) {
                return false;
            }
            open.extend(nest.operands(n));
        }
        seen.len() <= LIGHT_POINT
    }
}

/// Whether a primitive is written as an operator or a conversion: what a processor does in an
/// instruction.
fn is_instruction(p: Prim) -> bool {
    match p.emission() {
        Emit::Infix(_) | Emit::Prefix(_) | Emit::Cast(_) | Emit::Wrap(_) => true,
        Emit::Method(_) | Emit::Call(_) | Emit::If => false,
    }
}
