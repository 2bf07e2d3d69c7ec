//! Arrays with some of their elements replaced or added to.
//!
//! Where the old array is not needed any more it is changed in place. For that, what else is read
//! of it must have been read before: elements that are needed later are stored, and so is what the
//! new elements are made of, if they are made of the old ones.

use super::NestBuilder;
use super::narrow::{Skips, narrow};
use crate::ir::bulk::{Ix, Op, Part, Program, Var};
use crate::ir::kernel::{Affine, Contribution, Source, Work, reads_in_time};
use crate::ir::ty::Elem;
use std::collections::HashSet;

/// Which arrays a program may take: those that it computes, and of its parameters the states of a
/// loop.
#[derive(Clone, Debug)]
pub(super) struct Owned {
    /// Those among the parameters.
    pub(super) params: std::ops::Range<usize>,
    /// Whether it is a part of a loop.
    pub(super) is_inner: bool,
    /// Whether it is the body of one, which stacks its last results.
    pub(super) is_body: bool,
}

impl Owned {
    /// By a function: nothing of its parameters.
    pub(super) fn by_function() -> Owned {
        Owned {
            params: 0..0,
            is_inner: false,
            is_body: false,
        }
    }

    /// By the body of a loop that is given so many arrays: its states.
    pub(super) fn by_body(given: usize, states: usize) -> Owned {
        Owned {
            params: given..given + states,
            is_inner: true,
            is_body: true,
        }
    }

    /// By the condition of a loop: nothing of its parameters.
    pub(super) fn by_condition() -> Owned {
        Owned {
            params: 0..0,
            is_inner: true,
            is_body: false,
        }
    }

    /// By a branch of this program: nothing of its parameters.
    pub(super) fn by_branch(&self) -> Owned {
        Owned {
            params: 0..0,
            is_inner: self.is_inner,
            is_body: false,
        }
    }

    fn has(&self, program: &Program, v: Var) -> bool {
        program.ty(v).rank() > 0
            && (v.index() >= program.params.len() || self.params.contains(&v.index()))
    }
}

/// The array that an equation changes, and which part of a scatter that is.
pub(super) fn changed(program: &Program, owned: &Owned, k: usize) -> Option<(Var, Option<usize>)> {
    let eq = &program.eqs[k];
    let rank = eq.ty.rank();
    let parts = match &eq.op {
        Op::Update { src, .. } => return Some((*src, None)),
        Op::Scatter(parts) if eq.guard.is_none() && rank > 0 && parts.len() > 1 => parts,
        Op::Scatter(_)
        | Op::Fill(_)
        | Op::Index(_)
        | Op::Map(..)
        | Op::Gather { .. }
        | Op::Reduce { .. }
        | Op::ArgReduce { .. }
        | Op::Recur { .. }
        | Op::Contract { .. }
        | Op::Call { .. }
        | Op::Loop { .. }
        | Op::Copy(_)
        | Op::Stop(_) => return None,
    };
    let is_whole = |p: &Part| {
        program.ty(p.src).shape == eq.ty.shape
            && (p.index.iter().enumerate())
                .all(|(k, i)| matches!(i, Ix::Affine(a) if a.as_axis() == Some(k)))
    };
    // What is computed element by element is made together with other arrays, and changed where it
    // lies, if the rest is added to few of its elements.
    let adds_little = || {
        let is_fixed = |i: &Ix| matches!(i, Ix::Affine(a) if a.is_constant());
        let is_little = |p: &Part| program.ty(p.src).rank() < rank || p.index.iter().all(is_fixed);
        owned.is_body && parts[1..].iter().all(is_little) && is_whole(&parts[0])
    };
    let is_elementwise = |v: Var| {
        let eq = program.eq(v).filter(|e| e.guard.is_none());
        eq.is_some_and(|e| matches!(e.op, Op::Map(..)))
    };
    let may_be_taken = |v: Var| {
        let is_sequence = |op: &Op| matches!(op, Op::Loop { .. } | Op::Update { .. });
        let op = program.eq(v).map(|e| &e.op);
        owned.has(program, v)
            && (op.is_none_or(is_sequence)
                || is_elementwise(v) && adds_little()
                || owned.is_inner
                    && op.is_some_and(|op| matches!(op, Op::Scatter(p) if p.len() > 1)))
    };
    let at = (parts.iter()).position(|p| is_whole(p) && may_be_taken(p.src))?;
    Some((parts[at].src, Some(at)))
}

/// The variables that are stored so that an array they read can be changed.
pub(super) fn read_before(program: &Program, owned: &Owned) -> Vec<bool> {
    let params = program.params.len();
    let count = params + program.eqs.len();
    let mut stored = vec![false; count];
    let mut uses: Option<Vec<Vec<usize>>> = None;
    for k in 0..program.eqs.len() {
        let Some((src, _)) = changed(program, owned, k) else {
            continue;
        };
        stored[src.index()] = true;
        if !owned.has(program, src) {
            continue;
        }
        // The equations that use each variable.
        let uses = uses.get_or_insert_with(|| {
            let mut uses = vec![vec![]; count];
            for (k, eq) in program.eqs.iter().enumerate() {
                eq.visit(&mut |v| uses[v.index()].push(k));
            }
            uses
        });
        let after = reached(program, uses, k);
        for &reader in &uses[src.index()] {
            let v = program.var_of(reader);
            let is_larger = program.ty(v).rank() > program.ty(src).rank();
            if reader == k || after.contains(&reader) || is_larger || stored[v.index()] {
                continue;
            }
            match made_of(program, uses, (k, &after), reader) {
                None => stored[v.index()] = true,
                Some(all) => {
                    for u in all {
                        stored[program.var_of(u).index()] = true;
                    }
                }
            }
        }
    }
    stored
}

/// What has to be stored of what is made of `reader`, so that nothing after the change `k` needs
/// it: only what has a lower rank. If something else does, the reader itself has to be stored.
fn made_of(
    program: &Program,
    uses: &[Vec<usize>],
    (k, after): (usize, &HashSet<usize>),
    reader: usize,
) -> Option<Vec<usize>> {
    let is_late = |u: usize| {
        let later = reached(program, uses, u);
        later.iter().any(|l| *l != k && after.contains(l))
    };
    let rank = program.eqs[reader].ty.rank();
    let (mut all, mut seen) = (vec![], HashSet::new());
    let mut stack = vec![reader];
    while let Some(e) = stack.pop() {
        for &u in &uses[program.var_of(e).index()] {
            if u == k || !seen.insert(u) {
                continue;
            }
            if after.contains(&u) {
                return None;
            }
            if is_late(u) {
                match program.eqs[u].ty.rank() < rank {
                    true => all.push(u),
                    false => stack.push(u),
                }
            }
        }
    }
    Some(all)
}

/// The equations that depend on one.
fn reached(program: &Program, uses: &[Vec<usize>], k: usize) -> HashSet<usize> {
    let mut out = HashSet::new();
    let mut stack = vec![k];
    while let Some(k) = stack.pop() {
        for &u in &uses[program.var_of(k).index()] {
            if out.insert(u) {
                stack.push(u);
            }
        }
    }
    out
}

/// What an equation that changes an array is computed by; or, if that would read what it has
/// changed already, the variables that have to be stored before.
pub(super) fn change(
    program: &Program,
    owned: &Owned,
    stored: &[bool],
    k: usize,
) -> Option<Result<Work, Vec<Var>>> {
    let (src, whole) = changed(program, owned, k)?;
    let eq = &program.eqs[k];
    let mut operands = vec![];
    let mut add_operands = |p: &Part| {
        operands.push(p.src);
        operands.extend(p.index.iter().filter_map(|i| match i {
            Ix::Data(v) => Some(*v),
            Ix::Affine(_) => None,
        }));
        operands.extend(program.eq(p.src).and_then(|e| e.guard));
    };
    let (parts, adds) = match &eq.op {
        Op::Update { part, when, .. } => {
            add_operands(part);
            operands.extend(when);
            (vec![replacing(program, stored, part, *when)], false)
        }
        Op::Scatter(parts) => {
            let others = parts.iter().enumerate();
            let others = others.filter(|(k, _)| Some(*k) != whole).map(|(_, p)| p);
            let parts = others.map(|p| {
                add_operands(p);
                adding(program, stored, p)
            });
            (parts.collect(), true)
        }
        Op::Fill(_)
        | Op::Index(_)
        | Op::Map(..)
        | Op::Gather { .. }
        | Op::Reduce { .. }
        | Op::ArgReduce { .. }
        | Op::Recur { .. }
        | Op::Contract { .. }
        | Op::Call { .. }
        | Op::Loop { .. }
        | Op::Copy(_)
        | Op::Stop(_) => return None,
    };
    let late = !reads_in_time(&parts, src, adds) && owned.has(program, src);
    if late {
        operands.sort_unstable();
        operands.dedup();
        operands.retain(|v| !stored[v.index()] && is_made_of(program, stored, *v, src));
        if !operands.is_empty() {
            return Some(Err(operands));
        }
    }
    let of = Source {
        array: src,
        taken: false,
    };
    Some(Ok(Work::Change { of, adds, parts }))
}

/// Whether a variable is computed from an array by equations that are not stored.
fn is_made_of(program: &Program, stored: &[bool], v: Var, array: Var) -> bool {
    let (mut stack, mut seen) = (vec![v], HashSet::new());
    while let Some(v) = stack.pop() {
        if v == array {
            return true;
        }
        if let Some(eq) = program.eq(v).filter(|_| !stored[v.index()]) {
            eq.visit(&mut |v| {
                if seen.insert(v) {
                    stack.push(v);
                }
            });
        }
    }
    false
}

fn nest<'a>(program: &'a Program, stored: &'a [bool], v: Var) -> (NestBuilder<'a>, Vec<Affine>) {
    let shape = &program.ty(v).shape;
    let place = (0..shape.len()).map(Affine::of).collect();
    (NestBuilder::new(program, stored, shape), place)
}

/// A part of a scatter.
pub(super) fn adding(program: &Program, stored: &[bool], p: &Part) -> Contribution {
    let (mut nest, place) = nest(program, stored, p.src);
    let root = nest.contribution(p.src, &place);
    let at = p.index.iter().map(|i| nest.at(i, &place)).collect();
    let (nest, at) = narrow(nest.finish(root), at, Skips::Absent);
    Contribution { nest, at }
}

/// The part of an update.
fn replacing(program: &Program, stored: &[bool], p: &Part, when: Option<Var>) -> Contribution {
    let (mut nest, place) = nest(program, stored, p.src);
    let elem: Elem = program.ty(p.src).elem;
    let when = when.map(|w| nest.value(w, &place));
    let value = nest.value(p.src, &place);
    let root = nest.replacement(elem, value, when);
    let at = p.index.iter().map(|i| nest.at(i, &place)).collect();
    let (nest, at) = narrow(nest.finish(root), at, Skips::Absent);
    Contribution { nest, at }
}
