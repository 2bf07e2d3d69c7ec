//! Memory that is given back before the end.

use super::small;
use crate::ir::bulk::{Type, Var};
use crate::ir::kernel::{Fill, Program, Step, Work};
use std::collections::{HashMap, HashSet};

/// For each step the arrays that it is the last to read, if a later step makes an array of the same
/// type. That array takes the memory, so a function holds only as many arrays as live at once.
pub(super) fn gone(program: &Program) -> Vec<Vec<Var>> {
    // Who reads a part of an array reads the array.
    let taken = program.taken();
    let mut whole: HashMap<Var, Var> = HashMap::new();
    let mut reads: Vec<Vec<Var>> = vec![];
    for step in &program.steps {
        let mut all = step.reads();
        for v in &mut all {
            *v = *whole.get(v).unwrap_or(v);
        }
        all.sort_unstable();
        all.dedup();
        if let Some((of, _)) = program.part(&taken, step) {
            whole.insert(step.out, *whole.get(&of).unwrap_or(&of));
        }
        reads.push(all);
    }
    let mut last: HashMap<Var, usize> = HashMap::new();
    for (k, reads) in reads.iter().enumerate() {
        last.extend(reads.iter().map(|v| (*v, k)));
    }
    // What is taken or copied is with who does that.
    let sources = program.steps.iter().flat_map(Step::sources);
    let kept: HashSet<Var> = (sources.map(|s| s.array))
        .chain(program.results.iter().copied())
        .collect();
    let mut made: HashMap<Var, &Type> = HashMap::new();
    for step in &program.steps {
        makes(step, &mut |v, ty| {
            made.insert(v, ty);
        });
    }
    let mut out = vec![vec![]; program.steps.len()];
    let mut later: HashSet<&Type> = HashSet::new();
    for (k, step) in program.steps.iter().enumerate().rev() {
        // Those of this step's reads that are the last ones.
        for &v in reads[k].iter().filter(|v| last[v] == k) {
            if made.get(&v).is_some_and(|ty| later.contains(*ty)) && !kept.contains(&v) {
                out[k].push(v);
            }
        }
        // A part is none.
        if !whole.contains_key(&step.out) {
            makes(step, &mut |_, ty| {
                later.insert(ty);
            });
        }
    }
    out
}

/// Calls `f` with the new arrays of a step that may be large: those of several axes, and not on the
/// stack.
fn makes<'p>(step: &'p Step, f: &mut dyn FnMut(Var, &'p Type)) {
    let mut large = |v: Var, ty: &'p Type| {
        if ty.rank() > 1 && small::len(ty).is_none() {
            f(v, ty);
        }
    };
    match &step.work {
        Work::Nest(_) | Work::Scatter(_) | Work::Contract { .. } => large(step.out, &step.ty),
        Work::Family(family) => {
            let is_new = |fill: &Fill| !matches!(fill, Fill::At { to: Some(_), .. });
            let new = family.members.iter().filter(|m| is_new(&m.fill));
            new.for_each(|m| large(m.var, &m.ty));
        }
        Work::Tiles(tiles) => tiles.outs.iter().for_each(|o| large(o.var, &o.ty)),
        Work::Branch(b) => b.outs.iter().for_each(|o| large(o.var, &o.ty)),
        Work::Recur { .. } | Work::Change { .. } | Work::Loop(_) | Work::Call(_) => {}
    }
}
