//! Conditions that only say that a loop runs, inside of that loop.
//!
//! ```text
//! Σ k < n: [0 < n] f(k)   =   Σ k < n: f(k)
//! ```
//!
//! They come from reads that are there only if something else is not empty. Once what reads is
//! inside of the loop over that, the loop says the same.

use super::interchange::says_they_run;
use crate::ir::kernel::{Compute, Loop, Nest, Range};

/// A nest without them.
pub(super) fn without_running(mut nest: Nest) -> Nest {
    if nest.nodes.iter().all(|s| s.guard.is_none()) {
        return nest;
    }
    let around = around(&nest);
    for (n, around) in around.into_iter().enumerate() {
        let says = |g: usize, loops: &[Loop]| says_they_run(&nest, g, loops);
        if let Some(g) = nest.nodes[n].guard
            && around.is_some_and(|loops| says(g, &loops))
        {
            nest.nodes[n].guard = None;
        }
    }
    nest
}

/// The loops that are around every use of each node; `None` for what nothing uses.
fn around(nest: &Nest) -> Vec<Option<Vec<Loop>>> {
    let mut out: Vec<Option<Vec<Loop>>> = vec![None; nest.nodes.len()];
    let outer: Vec<Loop> = (0..nest.outer).collect();
    out[nest.root] = Some(outer);
    // Where a loop ends is computed outside of it.
    for n in nest.ranges.iter().flat_map(Range::nodes) {
        out[n] = Some(vec![]);
    }
    for n in (0..nest.nodes.len()).rev() {
        let Some(here) = out[n].clone() else { continue };
        let s = &nest.nodes[n];
        let body = match &s.compute {
            Compute::Reduce(_, _, body) | Compute::ArgReduce(_, _, body) => Some(*body),
            Compute::Lit(_)
            | Compute::Index(_)
            | Compute::Read(..)
            | Compute::Prim(..)
            | Compute::Same(_)
            | Compute::Extreme(_) => None,
        };
        for o in s.operands() {
            let mut loops = here.clone();
            if Some(o) == body && s.guard != Some(o) {
                loops.extend(s.own());
            }
            out[o] = Some(match out[o].take() {
                None => loops,
                Some(before) => before.into_iter().filter(|l| loops.contains(l)).collect(),
            });
        }
    }
    out
}
