//! Updates in loops that overwrite what no derivative reads.
//!
//! Reverse mode takes a loop that updates an array in place back step by step, so it keeps what
//! each update overwrites. An elimination
//!
//! ```text
//! for k { for i > k { for j > k { m[i, j] -= m[i, k] * m[k, j] } } }
//! ```
//!
//! overwrites n³ elements. But the product needs `m[i, k]` and `m[k, j]` alone, and these places
//! are not written any more: the array at the end serves. So the update is marked as *unread*:
//! no earlier step reads, in a way that a derivative needs, a place that this update writes. Then
//! nothing is kept and nothing is put back.
//!
//! If a factor is `cos(m[i, k])`, and j starts at k, the number `m[i, k]` is read before it is
//! overwritten. These are n² numbers, and keeping each where it is read leaves the n³ elements
//! unread. So a read of single numbers does not count, but where one meets a write, all such reads
//! of the array in loops as deep as its own are kept (`Marks::parts`). So are rows if the writes
//! overwrite more elements: `m[k, _]` is n numbers in a step over k, and the loops over i and j
//! overwrite n².
//!
//! A value is needed if a partial derivative reads it, or if something is computed of it again.
//! Places are polynomials of the indices of the loops around. A read and a later write meet if
//! their places can be equal in iterations of this order, which is a system of linear relations
//! between integers (`unread/system.rs`). What is not known may be equal.
//!
//! The marks do not hold if the derivative runs a whole loop again, since what that collects has no
//! length known before (`pad.rs`). Then the function is linearised without marks.

mod stride;
mod system;

use super::undo::{Parts, before, is_fixed, reads_part};
use crate::ir::bulk::{Affine, Eq, Ix, Loop, Looped, Marks, Op, Program, Run, Var, translated};
use crate::ir::core::ReduceOp;
use crate::ir::prims::{Partial, Prim, Scalars};
use crate::ir::ty::{Atom, Elem, Lit, Size};
use std::collections::{HashMap, HashSet};
use system::System;

/// So many pairs of a read and a write of one state are looked at.
const MOST_PAIRS: usize = 4096;

/// Indices of loops and positions in parts are unknowns from here on, those of a write from the
/// second.
const FIRST_UNKNOWN: u32 = 1 << 24;
const SECOND_UNKNOWN: u32 = 1 << 28;

/// Equations by their positions: those of loops, from the outside, then one in the last body.
type Path = Vec<usize>;

/// The program with its updates marked.
pub(super) fn marked(program: &Program) -> Program {
    let mut found = Found::default();
    found.visit(program, &[]);
    match found.updates.is_empty() {
        true => program.clone(),
        false => with_marks(program, &found.updates, &[]),
    }
}

/// The program without marks.
pub(super) fn unmarked(program: &Program) -> Program {
    let mut out = program.clone();
    for eq in &mut out.eqs {
        if let Op::Update { marks, .. } = &mut eq.op {
            *marks = Marks::default();
        }
    }
    out.change_loops(&|looped| looped.map(&unmarked));
    out
}

/// The program with marks at these updates.
fn with_marks(program: &Program, found: &HashMap<Path, Marks>, path: &[usize]) -> Program {
    let mut out = program.clone();
    for (j, eq) in out.eqs.iter_mut().enumerate() {
        if let Op::Update { marks, .. } = &mut eq.op {
            *marks = found.get(&at(path, j)).copied().unwrap_or_default();
        } else if let Op::Loop { looped, .. } = &mut eq.op {
            let path = at(path, first_of(program, j));
            if found.keys().any(|p| p.starts_with(&path)) {
                *looped = Looped::new(Loop {
                    body: with_marks(&looped.body, found, &path),
                    ..(**looped).clone()
                });
            }
        }
    }
    out
}

/// The path of an equation in the program with a path.
fn at(path: &[usize], j: usize) -> Path {
    path.iter().copied().chain([j]).collect()
}

/// The first equation of the loop that an equation gives a result of.
fn first_of(program: &Program, j: usize) -> usize {
    let run = program.eqs[j].loop_result().map(|(run, _)| run);
    let same = |eq: &Eq| eq.loop_result().map(|(run, _)| run) == run;
    program.eqs.iter().position(same).unwrap_or(j)
}

/// What has been found of a program.
#[derive(Default)]
struct Found {
    updates: HashMap<Path, Marks>,
    /// States of inner loops that are states of an outer loop too.
    seen: HashSet<(Path, usize)>,
}

impl Found {
    /// Looks at all loops, those outside first.
    fn visit(&mut self, program: &Program, path: &[usize]) {
        for (j, eq) in program.eqs.iter().enumerate() {
            let Some((run, _)) = eq.loop_result() else {
                continue;
            };
            if first_of(program, j) != j {
                continue;
            }
            let path = at(path, j);
            for state in 0..run.looped.states {
                if !self.seen.contains(&(path.clone(), state)) {
                    self.state(run, state, &path);
                }
            }
            self.visit(&run.looped.body, &path);
        }
    }

    /// Marks the updates of a state, if all that happens to it is known.
    fn state(&mut self, run: Run<'_>, state: usize, path: &[usize]) {
        let mut accesses = Accesses::default();
        let outside = |v: &Var| Some(Size::atom(Atom::Value(v.0)));
        let given: Vec<Option<Size>> = run.given.iter().map(outside).collect();
        let steps = run.steps.cloned();
        let inner = Inner {
            run,
            steps,
            given,
            path,
            state: Some(state),
        };
        let param = Var((run.given.len() + state) as u32);
        if !accesses.of_loop(&inner, param, &[]) {
            return;
        }
        self.seen.extend(accesses.states);
        if accesses.reads.len() * accesses.writes.len() > MOST_PAIRS {
            return;
        }
        let mut all = vec![];
        // How deep the parts are read that have to be kept.
        let mut deepest = None;
        for (write, path) in accesses.writes {
            let reads = || accesses.reads.iter();
            let is_kept = |read: &Access| read.is_kept_rather_than(&write);
            let unread = !reads().any(|read| !is_kept(read) && read.may_meet(&write));
            let met = reads().filter(|read| unread && is_kept(read) && read.may_meet(&write));
            deepest = deepest.max(met.map(|read| read.turns.len()).max());
            all.push((path, unread, write.turns.len()));
        }
        for (path, unread, depth) in all {
            let parts = deepest.map(|deepest: usize| depth.saturating_sub(deepest));
            if unread || parts.is_some() {
                self.updates.insert(path, Marks { unread, parts });
            }
        }
    }
}

/// A loop, with what is known around it.
struct Inner<'a> {
    run: Run<'a>,
    /// The number of steps.
    steps: Option<Size>,
    /// The integers that it is given.
    given: Vec<Option<Size>>,
    path: &'a [usize],
    /// Which of its states is followed, if it changes what is followed.
    state: Option<usize>,
}

/// Where and when a state is read or written.
#[derive(Clone)]
struct Access {
    /// The loops around, from the outside.
    turns: Vec<Turn>,
    /// A component for each axis; `None` where it is not known.
    place: Vec<Option<Size>>,
    /// What is at least 0: bounds of positions in a part.
    bounds: Vec<Size>,
    /// How much is read or written.
    parts: Parts,
    /// A read that can be kept where it happens.
    can_be_kept: bool,
}

/// The place of an access in a loop.
#[derive(Clone)]
struct Turn {
    /// The index of the loop.
    index: u32,
    /// The number of steps, if it is known.
    steps: Option<Size>,
    reverse: bool,
    /// When in a step: 2k + 1 is while the state has its version k, 2k when it gets that.
    time: usize,
}

impl Access {
    /// Whether what is read is kept rather than what a write overwrites.
    fn is_kept_rather_than(&self, write: &Access) -> bool {
        self.can_be_kept && self.parts.are_less_than(write.parts)
    }

    /// Whether this can happen before another access, at the same place.
    fn may_meet(&self, later: &Access) -> bool {
        let mut same = System::default();
        for (access, unknowns) in [(self, 0), (later, SECOND_UNKNOWN)] {
            let mut at_least_zero = |s: &Size| same.at_least_zero(&renamed(s, unknowns));
            access.bounds.iter().for_each(&mut at_least_zero);
            for turn in &access.turns {
                let index = Size::atom(Atom::Value(turn.index));
                at_least_zero(&index);
                if let Some(steps) = &turn.steps {
                    at_least_zero(&steps.sub(&index).plus(-1));
                }
            }
        }
        for (a, b) in self.place.iter().zip(&later.place) {
            if let (Some(a), Some(b)) = (a, b) {
                let apart = renamed(a, 0).sub(&renamed(b, SECOND_UNKNOWN));
                stride::parts(&apart, &same, FIRST_UNKNOWN)
                    .iter()
                    .for_each(|d| same.zero(d));
            }
        }
        for (a, b) in self.turns.iter().zip(&later.turns) {
            let index = Size::atom(Atom::Value(a.index));
            let after = renamed(&index, SECOND_UNKNOWN).sub(&index);
            let apart = match a.reverse {
                true => after.neg(),
                false => after.clone(),
            };
            let mut before = same.clone();
            before.at_least_zero(&apart.plus(-1));
            if !before.excludes() {
                return true;
            }
            same.zero(&after);
            if a.time != b.time {
                return a.time < b.time && !same.excludes();
            }
        }
        false
    }
}

/// A size in which the unknowns of one access are distinct from those of another.
fn renamed(s: &Size, by: u32) -> Size {
    s.substitute(&mut |a| {
        let mut a = a.clone();
        if let Atom::Value(v) = &mut a
            && *v >= FIRST_UNKNOWN
        {
            *v += by;
        }
        Size::atom(a)
    })
}

/// The accesses to one state of a loop, in the loops inside of it too.
#[derive(Default)]
struct Accesses {
    /// Those that a derivative needs.
    reads: Vec<Access>,
    /// With the update that each is.
    writes: Vec<(Access, Path)>,
    /// States of inner loops that are the same array.
    states: Vec<(Path, usize)>,
    unknowns: u32,
}

impl Accesses {
    fn unknown(&mut self) -> u32 {
        self.unknowns += 1;
        FIRST_UNKNOWN + self.unknowns
    }

    /// Collects the accesses of a loop to one of its parameters. Returns whether all that happens
    /// to it is known.
    fn of_loop(&mut self, inner: &Inner<'_>, param: Var, turns: &[Turn]) -> bool {
        let body = &inner.run.looped.body;
        let mut versions = vec![param];
        if let Some(state) = inner.state {
            if inner.run.looped.keep.recomputes() {
                return false;
            }
            match versions_of(body, param, body.results[state]) {
                Some(all) => versions = all,
                None => return false,
            }
        }
        let index = self.unknown();
        let step = Step {
            known: known(inner, index),
            needed: needed(inner.run, inner.state),
            versions,
            body,
            given: inner.run.given.len(),
            path: inner.path,
        };
        let turn = |time| {
            let (steps, reverse) = (inner.steps.clone(), inner.run.looped.reverse);
            let turn = Turn {
                index,
                steps,
                reverse,
                time,
            };
            turns.iter().cloned().chain([turn]).collect::<Vec<_>>()
        };
        for (k, version) in step.versions.iter().enumerate() {
            let mut results = body.results.iter().enumerate();
            if results.any(|(r, v)| v == version && Some(r) != inner.state) {
                self.read_anywhere(turn(2 * k + 1));
            }
        }
        (0..body.eqs.len()).all(|j| self.of_equation(&step, j, &turn))
    }

    /// The accesses of one equation of a step.
    fn of_equation(
        &mut self,
        step: &Step<'_>,
        j: usize,
        turn: &dyn Fn(usize) -> Vec<Turn>,
    ) -> bool {
        let (eq, result) = (&step.body.eqs[j], step.body.var_of(j));
        let version = |v: Var| step.versions.iter().position(|w| *w == v);
        let is_needed = step.needed[result.index()];
        match &eq.op {
            Op::Gather { src, index } => {
                if let Some(k) = version(*src)
                    && is_needed
                {
                    let mut read = self.access(step, index, &eq.ty.shape, turn(2 * k + 1));
                    let is_part = reads_part(step.body, eq, step.given);
                    read.can_be_kept = step.versions.len() > 1 && is_part;
                    self.reads.push(read);
                }
                true
            }
            Op::Update { src, part, .. } => {
                if let Some(k) = version(part.src) {
                    self.read_anywhere(turn(2 * k + 1));
                }
                match (version(result), version(*src)) {
                    (Some(k), _) => {
                        let shape = &step.body.ty(part.src).shape;
                        let write = self.access(step, &part.index, shape, turn(2 * k));
                        self.writes.push((write, at(step.path, j)));
                    }
                    (None, Some(k)) => self.read_anywhere(turn(2 * k + 1)),
                    (None, None) => {}
                }
                true
            }
            Op::Loop { .. } if first_of(step.body, j) != j => true,
            Op::Loop { .. } => self.of_inner(step, j, turn),
            Op::Copy(_) | Op::Stop(_) if version(result).is_some() => true,
            op @ (Op::Fill(_)
            | Op::Index(_)
            | Op::Map(..)
            | Op::Scatter(_)
            | Op::Reduce { .. }
            | Op::ArgReduce { .. }
            | Op::Recur { .. }
            | Op::Contract { .. }
            | Op::Call { .. }
            | Op::Copy(_)
            | Op::Stop(_)) => {
                // Of whole arrays, none is known to be linear in a scalar operation.
                if is_needed || !is_linear(op) {
                    let mut read = vec![];
                    eq.visit(&mut |v| read.extend(version(v)));
                    read.into_iter()
                        .for_each(|k| self.read_anywhere(turn(2 * k + 1)));
                }
                true
            }
        }
    }

    /// The accesses of a loop in a step, the first equation of which this is.
    fn of_inner(&mut self, step: &Step<'_>, j: usize, turn: &dyn Fn(usize) -> Vec<Turn>) -> bool {
        let Some((run, _)) = step.body.eqs[j].loop_result() else {
            return true;
        };
        let version = |v: Var| step.versions.iter().position(|w| *w == v);
        let path = at(step.path, j);
        let mut inner = Inner {
            run,
            steps: run.steps.and_then(|s| step.size(s)),
            given: run
                .given
                .iter()
                .map(|v| step.known[v.index()].clone())
                .collect(),
            path: &path,
            state: None,
        };
        // Which state is the array, and the version after the loop.
        let changed = (step.versions.iter().enumerate()).find_map(|(k, v)| {
            let (other, out) = step.body.eq(*v)?.loop_result()?;
            (other == run).then_some((k, out))
        });
        if run.looped.keep.recomputes() {
            let taken = run.given.iter().chain(run.init).filter_map(|v| version(*v));
            taken.for_each(|k| self.read_anywhere(turn(2 * k + 1)));
        }
        for (slot, v) in run.given.iter().enumerate() {
            if let Some(k) = version(*v)
                && !self.of_loop(&inner, Var(slot as u32), &turn(2 * k + 1))
            {
                return false;
            }
        }
        for (state, v) in run.init.iter().enumerate() {
            if let Some(k) = version(*v)
                && changed.is_none_or(|(_, out)| out != state)
            {
                self.read_anywhere(turn(2 * k + 1));
            }
        }
        let Some((k, out)) = changed else {
            return true;
        };
        self.states.push((path.clone(), out));
        inner.state = Some(out);
        self.of_loop(&inner, Var((run.given.len() + out) as u32), &turn(2 * k))
    }

    fn read_anywhere(&mut self, turns: Vec<Turn>) {
        let (place, bounds) = (vec![], vec![]);
        let parts = Parts::of(turns.len(), &[]);
        self.reads.push(Access {
            turns,
            place,
            bounds,
            parts,
            can_be_kept: false,
        });
    }

    /// An access at the places that an index map over a shape says.
    fn access(
        &mut self,
        step: &Step<'_>,
        index: &[Ix],
        shape: &[Size],
        turns: Vec<Turn>,
    ) -> Access {
        let axes: Vec<Size> = shape
            .iter()
            .map(|_| Size::atom(Atom::Value(self.unknown())))
            .collect();
        let mut bounds = axes.clone();
        for (axis, n) in axes.iter().zip(shape) {
            bounds.extend(step.size(occupied(n)).map(|n| n.sub(axis).plus(-1)));
        }
        let place = index.iter().map(|i| match i {
            Ix::Affine(a) => step.affine(a, &axes),
            Ix::Data(v) => match step.body.eq(*v) {
                Some(Eq {
                    op: Op::Index(a), ..
                }) => step.affine(a, &axes),
                _ if axes.is_empty() => step.known[v.index()].clone(),
                _ => None,
            },
        });
        Access {
            place: place.collect(),
            bounds,
            parts: Parts::of(turns.len(), shape),
            turns,
            can_be_kept: false,
        }
    }
}

/// What is known of a step of a loop.
struct Step<'a> {
    body: &'a Program,
    /// How many variables the body is given.
    given: usize,
    path: &'a [usize],
    /// The integers, as far as they are polynomials of indices.
    known: Vec<Option<Size>>,
    /// Whether a derivative may need the elements of a variable.
    needed: Vec<bool>,
    /// The state as it is in the step, from the first to the last.
    versions: Vec<Var>,
}

impl Step<'_> {
    /// A size of the body, if it is known outside.
    fn size(&self, s: &Size) -> Option<Size> {
        translated(&self.known, s)
    }

    fn affine(&self, a: &Affine, axes: &[Size]) -> Option<Size> {
        let mut sum = self.size(&a.constant)?;
        for (c, axis) in a.coefs.iter().zip(axes) {
            sum = sum.add(&self.size(c)?.mul(axis));
        }
        Some(sum)
    }
}

/// A length that is the same where there are positions: `n` for `max(0, n)`.
fn occupied(n: &Size) -> &Size {
    let is_nothing = |s: &Size| s.neg().at_least(0);
    if let Some(Atom::Max(a, b)) = n.as_atom() {
        if is_nothing(a) {
            return b;
        }
        if is_nothing(b) {
            return a;
        }
    }
    n
}

/// The versions of a state in a step, if each comes from the one before.
fn versions_of(body: &Program, first: Var, last: Var) -> Option<Vec<Var>> {
    let mut all = vec![last];
    let mut at = last;
    while at != first {
        at = before(body, at)?;
        all.push(at);
    }
    all.reverse();
    Some(all)
}

/// The integers of a step, in terms of what is known outside and of the loop's index.
fn known(inner: &Inner<'_>, index: u32) -> Vec<Option<Size>> {
    let body = &inner.run.looped.body;
    let mut params = inner.given.clone();
    params.resize(body.params.len() - 1, None);
    params.push(Some(Size::atom(Atom::Value(index))));
    body.integers(params)
}

/// The variables of a body whose elements a derivative may need. Results count but for the state
/// that is followed.
fn needed(run: Run<'_>, state: Option<usize>) -> Vec<bool> {
    let body = &run.looped.body;
    let mut needed = vec![false; body.params.len() + body.eqs.len()];
    // What has a cotangent: a real number that a result depends on by more than comparisons.
    let mut live = vec![false; needed.len()];
    let states = run.given.len()..body.params.len() - 1;
    let states = (0..body.params.len()).map(|k| states.contains(&k));
    let carried = body.dependent(states.collect());
    for (k, r) in body.results.iter().enumerate() {
        needed[r.index()] |= Some(k) != state;
        live[r.index()] = body.ty(*r).elem == Elem::Real;
    }
    for (j, eq) in body.eqs.iter().enumerate().rev() {
        let is_kept = eq.ty.shape.iter().all(|s| is_fixed(s, run.given.len()));
        let v = body.var_of(j).index();
        eq.guard.iter().for_each(|g| needed[g.index()] = true);
        if let Op::Map(p, args) = &eq.op {
            let read = if live[v] {
                read_by_partials(*p, args.len())
            } else {
                0
            };
            let is_read = |k: usize| read >> k & 1 == 1;
            // What costs nothing and needs no state is computed again, though it could be kept.
            let is_kept = is_kept && (carried[v] || p.cost() > 0);
            let again = (needed[v] || is_read(args.len())) && !is_kept;
            for (k, arg) in args.iter().enumerate() {
                needed[arg.index()] |= again || is_read(k);
                live[arg.index()] |= live[v] && eq.ty.elem == Elem::Real;
            }
            continue;
        }
        let needs = needed[v] || !is_linear(&eq.op);
        let has_cotangent = live[v] || matches!(eq.op, Op::Loop { .. } | Op::Call { .. });
        eq.visit(&mut |w| {
            // Where a tangent is read and written, the derivative asks too.
            needed[w.index()] |= needs || body.ty(w).elem != Elem::Real;
            live[w.index()] |= has_cotangent;
        });
    }
    needed
}

/// Which operands the partial derivatives of a primitive read, as bits; the last one is the result.
fn read_by_partials(p: Prim, arity: usize) -> u64 {
    struct Reads;
    impl Scalars<u64> for Reads {
        fn lit(&mut self, _: Lit) -> u64 {
            0
        }
        fn prim(&mut self, _: Prim, args: &[u64]) -> u64 {
            args.iter().fold(0, |all, a| all | a)
        }
    }
    if p == Prim::Select {
        return 1;
    }
    let operands: Vec<u64> = (0..arity).map(|k| 1 << k).collect();
    let partials = p.partials(&mut Reads, &operands, &(1 << arity), &vec![false; arity]);
    partials.into_iter().fold(0, |all, partial| match partial {
        Partial::Zero | Partial::One | Partial::MinusOne => all,
        Partial::Times(x) | Partial::Over(x) | Partial::Where(x) => all | x,
    })
}

/// Whether a derivative needs the operands of an operation only if it needs the result.
fn is_linear(op: &Op) -> bool {
    match op {
        Op::Reduce { op, .. } => *op == ReduceOp::Sum,
        Op::Gather { .. } | Op::Scatter(_) | Op::Update { .. } | Op::Copy(_) | Op::Stop(_) => true,
        Op::Map(..)
        | Op::Fill(_)
        | Op::Index(_)
        | Op::ArgReduce { .. }
        | Op::Recur { .. }
        | Op::Contract { .. }
        | Op::Loop { .. }
        | Op::Call { .. } => false,
    }
}
