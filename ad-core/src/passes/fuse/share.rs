//! Steps over many indices are divided into shares, one for each thread.
//!
//! ```text
//! for i { t[i] = f(i); s[p(i)] += g(i) }    ─▶    shares of i { for i { t[i] = f(i); s'[p(i)] += g(i) } }
//!                                                 s = Σ s'
//! ```
//!
//! Only with the feature `parallel`, as each thread has sums of its own, which are added in the
//! end. What runs in tiles is divided there, and large products are by the runtime.

use super::tile::body::shared;
use crate::ir::bulk::Type;
use crate::ir::kernel::{Compute, Contribution, Fill, Nest, Program, Range, Step, Work};
use crate::ir::prims::Emit;
use crate::ir::ty::Size;
use crate::thresholds::{ARRAYS_IN_SHARES, OPERATIONS_OF_CALL, OPERATIONS_OF_SHARED_INDEX};
use std::collections::HashMap;

/// Divides what is worth it.
pub(super) fn shares(mut program: Program) -> Program {
    if !cfg!(feature = "parallel") {
        return program;
    }
    let params = program.params.iter().enumerate();
    let mut types: HashMap<_, Type> = params
        .map(|(k, p)| (crate::ir::bulk::Var(k as u32), p.ty.clone()))
        .collect();
    for step in &program.steps {
        types.extend(step.defines().into_iter().map(|(v, ty)| (v, ty.clone())));
    }
    let taken = program.taken();
    let parts = program
        .steps
        .iter()
        .map(|s| program.part(&taken, s).is_some());
    let is_part: Vec<bool> = parts.collect();
    let steps = std::mem::take(&mut program.steps).into_iter();
    let divided = steps.zip(is_part).map(|(step, is_part)| match work(&step) {
        Some(work) if !is_part => shared(step, work, &types),
        Some(_) | None => step,
    });
    program.steps = divided.collect();
    program
}

/// How many operations a step takes for each index of its outermost loop, if it can be divided
/// there, and is worth it.
fn work(step: &Step) -> Option<Size> {
    let nest = match &step.work {
        Work::Nest(nest) => nest,
        Work::Scatter(parts) => match &parts[..] {
            [Contribution { nest, .. }] => nest,
            _ => return None,
        },
        Work::Family(f) => {
            let begins = |fill: &Fill| matches!(fill, Fill::At { to: Some(_), .. });
            if f.members.iter().any(|m| begins(&m.fill)) {
                return None;
            }
            &f.nest
        }
        Work::Contract { .. }
        | Work::Recur { .. }
        | Work::Change { .. }
        | Work::Loop(_)
        | Work::Branch(_)
        | Work::Call(_)
        | Work::Tiles(_) => return None,
    };
    let defines = step.defines();
    if defines.len() > ARRAYS_IN_SHARES {
        return None;
    }
    let scalars = defines.iter().any(|(_, ty)| ty.rank() == 0);
    let divisible = !scalars && nest.outer > 0 && nest.ranges.first().is_some_and(Range::is_whole);
    if !divisible || nest.loops[0].as_lit().is_some() || !nest.loops[0].is_total() {
        return None;
    }
    operations(nest)
}

/// The operations for each index of the outermost loop.
fn operations(nest: &Nest) -> Option<Size> {
    let (mut all, mut here) = (Size::lit(0), 0);
    for (s, depends) in nest.nodes.iter().zip(&nest.depends) {
        let cost = match &s.compute {
            Compute::Prim(p, _) if matches!(p.emission(), Emit::Call(_)) => OPERATIONS_OF_CALL,
            Compute::Prim(p, _) => p.cost() as i64,
            Compute::Read(..) => 1,
            Compute::Lit(_)
            | Compute::Index(_)
            | Compute::Reduce(..)
            | Compute::ArgReduce(..)
            | Compute::Extreme(_)
            | Compute::Same(_) => 0,
        };
        let loops = depends.iter().filter(|l| **l > 0).map(|l| &nest.loops[*l]);
        let times = loops.fold(Size::lit(cost), |all, n| all.mul(n));
        match times.as_lit() {
            Some(n) => here += n,
            None => all = all.add(&times),
        }
    }
    // Rows of elements with little to do for each are a matter of memory, too.
    let inner = nest.loops.len() > nest.outer;
    let elementwise: i64 = here.max(all.terms().map(|(_, c)| c).sum());
    (inner || elementwise >= OPERATIONS_OF_SHARED_INDEX).then(|| all.plus(here))
}
