//! Memory that is given back before the end.

use crate::ir::bulk::{Type, Var};
use crate::ir::kernel::{Program, Step, Work};
use std::collections::HashMap;

/// For each step the arrays that nobody needs after it, if an array of the same type is made later: that one gets the
/// memory, and so a function holds no more such arrays than it needs at once.
pub(super) fn gone(program: &Program) -> Vec<Vec<Var>> {
    let mut last: HashMap<Var, usize> = HashMap::new();
    for (k, step) in program.steps.iter().enumerate() {
        for v in step.reads() {
            last.insert(v, k);
        }
    }
    // What is taken or copied is with who does that.
    let sources = program.steps.iter().flat_map(Step::sources);
    let kept: Vec<Var> = (sources.map(|s| s.array))
        .chain(program.results.iter().copied())
        .collect();
    let mut out = vec![vec![]; program.steps.len()];
    let mut later: Vec<&Type> = vec![];
    for (k, step) in program.steps.iter().enumerate().rev() {
        // Those of this step's reads that are the last ones.
        let mut reads = step.reads();
        reads.sort_unstable();
        reads.dedup();
        for v in reads {
            let made = program.steps[..k].iter().find(|s| s.out == v && makes(s));
            if let Some(made) = made
                && last[&v] == k
                && !kept.contains(&v)
                && later.contains(&&made.ty)
            {
                out[k].push(v);
            }
        }
        if makes(step) {
            later.push(&step.ty);
        }
    }
    out
}

/// Whether a step makes a new array that may be large: one of several axes.
fn makes(step: &Step) -> bool {
    let new = match &step.work {
        Work::Nest(_) | Work::Scatter(_) | Work::Contract { .. } => true,
        Work::Recur { .. } | Work::Change { .. } | Work::Loop(_) | Work::Call(_) => false,
    };
    new && step.ty.rank() > 1
}
