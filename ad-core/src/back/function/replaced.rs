//! Arrays that are made in the memory of another one.
//!
//! An elementwise operation that is the last to read an array writes its result over it: each
//! element is read before it is replaced. So the function holds one array less, and writes to
//! memory that is in the cache already.

use super::small;
use crate::back::nest::{Bound, Writer};
use crate::ir::bulk::{Type, Var};
use crate::ir::kernel::{
    Affine, At, Compute, Fill, Member, Nest, Node, Program, Range, Step, Work,
};
use crate::thresholds::ARRAYS_FILLED_TOGETHER;
use std::collections::{HashMap, HashSet};

/// For each step the array that its new one may replace.
pub(super) fn replaced(program: &Program) -> Vec<Option<Var>> {
    // Who reads a part of an array reads the array.
    let taken = program.taken();
    let parts = program.steps.iter().map(|s| program.part(&taken, s));
    let parts: Vec<Option<Var>> = parts.map(|p| p.map(|(of, _)| of)).collect();
    let sources = program.steps.iter().flat_map(Step::sources);
    // What is taken or copied is with who does that; and a part stays where it is.
    let kept: HashSet<Var> = (sources.map(|s| s.array))
        .chain(program.results.iter().copied())
        .chain(parts.iter().copied().flatten())
        .collect();
    let mut last: HashMap<Var, usize> = HashMap::new();
    for (k, step) in program.steps.iter().enumerate() {
        last.extend(step.reads().into_iter().map(|v| (v, k)));
    }
    let mut made: HashMap<Var, &Type> = HashMap::new();
    let mut out = vec![];
    for (k, step) in program.steps.iter().enumerate() {
        let is_new = parts[k].is_none() && small::len(&step.ty).is_none();
        let replaced = new(step).filter(|_| is_new).and_then(|nest| {
            let mut reads = vec![];
            nest.reads(&mut reads);
            reads.into_iter().find(|v| {
                made.get(v) == Some(&&step.ty)
                    && last[v] == k
                    && !kept.contains(v)
                    && is_read_first(nest, *v)
                    && is_only_there(step, *v)
            })
        });
        out.push(replaced);
        if parts[k].is_some() {
            continue;
        }
        match &step.work {
            Work::Nest(_) | Work::Scatter(_) | Work::Contract { .. } => {
                made.insert(step.out, &step.ty);
            }
            Work::Family(family) => {
                let each = |m: &&Member| matches!(m.fill, Fill::Each(_));
                let new = family
                    .members
                    .iter()
                    .filter(each)
                    .take(ARRAYS_FILLED_TOGETHER);
                let zeros = |m: &&Member| matches!(m.fill, Fill::At { to: None, .. });
                let sums = family.members.iter().filter(zeros);
                made.extend(new.chain(sums).map(|m| (m.var, &m.ty)));
            }
            Work::Tiles(tiles) => made.extend(tiles.outs.iter().map(|o| (o.var, &o.ty))),
            Work::Branch(b) => made.extend(b.outs.iter().map(|o| (o.var, &o.ty))),
            // The last states of a loop are its own. What it has collected is not made as one
            // array.
            Work::Loop(s) => {
                let states = s.outs.iter().filter(|o| o.result < s.states);
                made.extend(states.map(|o| (o.var, &o.ty)));
            }
            Work::Recur { .. } | Work::Change { .. } | Work::Call(_) => {}
        }
    }
    out
}

/// The nest of a new array that is computed element by element, if nothing is reduced for them.
fn new(step: &Step) -> Option<&Nest> {
    let nest = match &step.work {
        Work::Nest(nest) => nest,
        Work::Scatter(parts) => {
            let first = parts.first()?;
            is_here(&first.at).then_some(&first.nest)?
        }
        Work::Contract { .. }
        | Work::Recur { .. }
        | Work::Family(_)
        | Work::Change { .. }
        | Work::Loop(_)
        | Work::Branch(_)
        | Work::Call(_)
        | Work::Tiles(_) => return None,
    };
    let is_whole = nest.outer > 0
        && nest.loops.len() == nest.outer
        && nest.loops == step.ty.shape
        && nest.ranges.iter().all(Range::is_whole);
    is_whole.then_some(nest)
}

/// Whether a place is that of the outer loops.
fn is_here(at: &[At]) -> bool {
    let mut places = at.iter().enumerate();
    places.all(|(k, a)| matches!(a, At::Affine(a) if *a == Affine::of(k)))
}

/// The nodes that read an array, and where.
fn reads(nest: &Nest, v: Var) -> impl Iterator<Item = (Node, &[At])> {
    (nest.nodes.iter().enumerate()).filter_map(move |(n, s)| match &s.compute {
        Compute::Read(w, at) if *w == v => Some((n, &at[..])),
        Compute::Read(..)
        | Compute::Lit(_)
        | Compute::Index(_)
        | Compute::Prim(..)
        | Compute::Reduce(..)
        | Compute::ArgReduce(..)
        | Compute::Extreme(_)
        | Compute::Same(_) => None,
    })
}

/// Whether each element of an array is read only for the new one in its place.
fn is_read_first(nest: &Nest, v: Var) -> bool {
    reads(nest, v)
        .all(|(n, at)| at.len() == nest.outer && is_here(at) && nest.nodes[n].guard.is_none())
}

/// Whether what is added to the new array later does not read it.
fn is_only_there(step: &Step, v: Var) -> bool {
    match &step.work {
        Work::Scatter(parts) => parts.iter().skip(1).all(|p| {
            let mut reads = vec![];
            p.nest.reads(&mut reads);
            !reads.contains(&v)
        }),
        Work::Nest(_)
        | Work::Family(_)
        | Work::Contract { .. }
        | Work::Recur { .. }
        | Work::Change { .. }
        | Work::Loop(_)
        | Work::Branch(_)
        | Work::Call(_)
        | Work::Tiles(_) => true,
    }
}

/// Lets the elements of an array be what a closure is given; by this name.
pub(super) fn given(w: &mut Writer<'_>, v: Var) -> proc_macro2::Ident {
    let nodes: Vec<Node> = reads(w.nest, v).map(|(n, _)| n).collect();
    let wish = nodes.first().map_or_else(String::new, |n| w.wish(*n));
    let name = w.name(&wish);
    for n in nodes {
        w.bound.insert(n, Bound::Value(name.clone()));
    }
    name
}
