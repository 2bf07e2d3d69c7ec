//! Binomial checkpointing: a loop that collects something for a loop in the other direction keeps
//! few states instead, and the other one runs it again from these.
//!
//! With `c(y)` for what is collected of a step, and S for a stack of k states:
//!
//! ```text
//! y ← f(y), collecting c(y)            y ← f(y), S ← S with y on top, if this step is kept
//! z ← g(z, c[t]), backwards     ─▶     y ← top of S, and f as often as it takes to step t,
//!                                        putting more states onto S on the way,
//!                                      z ← g(z, c(y)), S ← S without the state of step t
//! ```
//!
//! Nothing else may read what is collected, and the second loop reads only the row of its own step.
//! The first loop is marked by `Keep::Few(k)`. `schedule.rs` says which states are kept. The pass
//! runs when nothing is differentiated any more: before, such loops keep the states of all steps.

mod nest;
mod schedule;

use crate::ir::build::{Builder, translate_ix, translate_size};
use crate::ir::bulk::{Affine, Eq, Ix, Op, Program, Run, Type, Uses, Var};
use crate::ir::core::Keep;
use crate::ir::live::live;
use crate::ir::prims::Prim;
use crate::ir::ty::{Atom, Size};
use nest::{Inside, Made, Nest, Way};
use schedule::{Ints, Kept, places};

/// The program with few states kept of the loops that say so, also inside of loops; `None` if
/// there is none.
pub fn checkpoints(program: &Program) -> Option<Program> {
    let mut done: Option<Program> = None;
    let inner = |p: &Program| checkpoints(p).unwrap_or_else(|| p.clone());
    if program.loops().any(|l| has_marked_loops(&l.body)) {
        let mut changed = program.clone();
        changed.change_loops(&|looped| looped.map(&inner));
        done = Some(changed);
    }
    while let Some(next) = rewritten(done.as_ref().unwrap_or(program)) {
        done = Some(next);
    }
    done
}

fn has_marked_loops(program: &Program) -> bool {
    let mut loops = program.loops();
    loops.any(|l| matches!(l.keep, Keep::Few(_)) || has_marked_loops(&l.body))
}

/// The program with one of these loops rewritten.
fn rewritten(program: &Program) -> Option<Program> {
    let uses = program.uses();
    let mut runs = program.eqs.iter().filter_map(Eq::loop_result);
    let pair = runs.find_map(|(run, _)| Pair::of(program, &uses, run))?;
    Some(live(&pair.rewrite(program)))
}

/// The only loop that is given a variable, if nothing else uses that.
fn only<'a>(program: &'a Program, uses: &Uses, v: Var) -> Option<Run<'a>> {
    if uses.is_result[v.index()] {
        return None;
    }
    let mut only = None;
    for &j in &uses.by[v.index()] {
        let (run, _) = program.eqs[j].loop_result()?;
        if only.is_some_and(|o| o != run) {
            return None;
        }
        only = Some(run);
    }
    let times = |run: Run<'_>| run.given.iter().filter(|g| **g == v).count();
    only.filter(|run| times(*run) == 1 && !run.init.contains(&v))
}

/// What one loop collects for the other.
struct Stack {
    /// The result of the first loop.
    out: usize,
    /// The place among what the second one is given.
    at: usize,
}

/// A loop that collects, and one that reads that.
struct Pair<'a> {
    first: Run<'a>,
    second: Run<'a>,
    stacks: Vec<Stack>,
    /// How many states may be kept.
    most: i64,
    /// The states from which the first loop can be run again.
    moved: Vec<usize>,
}

impl<'a> Pair<'a> {
    fn of(program: &'a Program, uses: &Uses, first: Run<'a>) -> Option<Pair<'a>> {
        let Keep::Few(most) = first.looped.keep else {
            return None;
        };
        let mut second: Option<Run<'a>> = None;
        let mut stacks = vec![];
        for (j, eq) in program.eqs.iter().enumerate() {
            let v = program.var_of(j);
            let result = eq.loop_result().filter(|(run, _)| *run == first);
            let Some((_, out)) = result else {
                continue;
            };
            let is_stack = (first.looped.states..first.looped.count()).contains(&out);
            let Some(reader) = only(program, uses, v).filter(|_| is_stack) else {
                continue;
            };
            let at = reader.given.iter().position(|g| *g == v)?;
            let fits = second.is_none_or(|s| s == reader)
                && is_opposite(program, first, reader)
                && reads_rows(reader, at);
            if fits {
                second = Some(reader);
                stacks.push(Stack { out, at });
            }
        }
        let wanted: Vec<Var> = (stacks.iter())
            .map(|s| first.looped.body.results[s.out])
            .collect();
        Some(Pair {
            first,
            second: second?,
            moved: moved(first, wanted),
            stacks,
            most,
        })
    }
}

/// The states on which some variables of the body depend, by way of earlier steps as well.
fn moved(run: Run<'_>, mut wanted: Vec<Var>) -> Vec<usize> {
    let (body, given) = (&run.looped.body, run.given.len());
    loop {
        let used = used(body, &wanted);
        let states = (0..run.looped.states).filter(|k| used[given + k]);
        let states: Vec<usize> = states.collect();
        let before = wanted.len();
        for &k in &states {
            if !wanted.contains(&body.results[k]) {
                wanted.push(body.results[k]);
            }
        }
        if wanted.len() == before {
            return states;
        }
    }
}

/// What some variables are made of.
fn used(program: &Program, wanted: &[Var]) -> Vec<bool> {
    let mut used = vec![false; program.params.len() + program.eqs.len()];
    for v in wanted {
        used[v.index()] = true;
    }
    for (j, eq) in program.eqs.iter().enumerate().rev() {
        if used[program.var_of(j).index()] {
            eq.visit(&mut |v| used[v.index()] = true);
            eq.visit_sizes(&mut |n| values(n, &mut |v| used[v.index()] = true));
        }
    }
    used
}

fn values(n: &Size, f: &mut dyn FnMut(Var)) {
    n.visit(&mut |a| {
        if let Atom::Value(v) = a {
            f(Var(*v));
        }
    });
}

/// Whether two loops take as many steps, in different directions.
fn is_opposite(program: &Program, first: Run<'_>, second: Run<'_>) -> bool {
    let is_count = |n: &Size| match n.as_atom() {
        Some(Atom::Value(v)) => {
            let counted = program.eq(Var(*v)).and_then(Eq::loop_result);
            counted.is_some_and(|(run, out)| run == first && out == first.looped.count())
        }
        Some(_) | None => false,
    };
    let as_many = match (first.steps, second.steps) {
        (_, None) => false,
        (Some(a), Some(b)) => a == b,
        (None, Some(b)) => is_count(b),
    };
    as_many && first.looped.reverse != second.looped.reverse
}

/// Whether a loop reads of what it is given only the row of its own step.
fn reads_rows(run: Run<'_>, at: usize) -> bool {
    let (body, param) = (&run.looped.body, Var(at as u32));
    let index = Var((run.given.len() + run.looped.states) as u32);
    let is_row = |eq: &Eq| {
        let mut times = 0;
        eq.visit(&mut |v| times += usize::from(v == param));
        let own = match &eq.op {
            Op::Gather { src, index: map } => {
                let rank = eq.ty.rank();
                let here = Affine::constant(rank, Size::atom(Atom::Value(index.0)));
                usize::from(*src == param && map.first() == Some(&Ix::Affine(here)))
            }
            Op::Fill(_)
            | Op::Index(_)
            | Op::Map(..)
            | Op::Scatter(_)
            | Op::Reduce { .. }
            | Op::ArgReduce { .. }
            | Op::Recur { .. }
            | Op::Contract { .. }
            | Op::Update { .. }
            | Op::Loop { .. }
            | Op::Call { .. }
            | Op::Copy(_)
            | Op::Stop(_) => 0,
        };
        times == own
    };
    body.eqs.iter().all(is_row) && !body.results.contains(&param)
}

/// Writes what some variables of a program are made of into another one.
fn part(
    out: &mut Builder,
    program: &Program,
    param: &dyn Fn(usize) -> Option<Var>,
    wanted: &[Var],
) -> Vec<Var> {
    let used = used(program, wanted);
    let mut new: Vec<Option<Var>> = (0..program.params.len()).map(param).collect();
    for (j, eq) in program.eqs.iter().enumerate() {
        let is_used = used[program.var_of(j).index()];
        let v = is_used.then(|| out.copy(eq, &mut |v| new[v.index()].expect("at hand")));
        new.push(v);
    }
    let wanted = wanted.iter().map(|v| new[v.index()].expect("at hand"));
    wanted.collect()
}

/// The step with an index, or the index of a step: both count to `n`, in different directions.
fn turned(out: &mut Builder, at: Var, n: Option<Var>) -> Var {
    match n {
        None => at,
        Some(n) => {
            let last = out.plus(n, -1);
            out.two(Prim::ISub, last, at)
        }
    }
}

/// What an equation reads of a row.
fn of_row(
    out: &mut Builder,
    row: Var,
    (eq, index): (&Eq, &[Ix]),
    of: &mut dyn FnMut(Var) -> Var,
) -> Var {
    let index: Vec<Ix> = index.iter().map(|i| translate_ix(i, of)).collect();
    let shape = eq.ty.shape.iter().map(|n| translate_size(n, of));
    let shape: Vec<Size> = shape.collect();
    let guard = eq.guard.map(of);
    if guard.is_none() && index == Ix::identity(shape.len()) && out.shape(row) == shape {
        return row;
    }
    out.gather(row, index, &shape, guard)
}

/// What the new first loop leaves.
struct Checkpointed {
    made: Made,
    /// The states at its end, in the program around it.
    kept: Kept,
    /// The number of steps, if the loop runs backwards.
    turned: Option<Var>,
}

impl Pair<'_> {
    fn rewrite(&self, program: &Program) -> Program {
        let mut out = Builder::new(&program.name, program.params.clone());
        for r in &program.requires {
            out.require(r.clone());
        }
        let mut new: Vec<Option<Var>> = (0..program.params.len())
            .map(|k| Some(Var(k as u32)))
            .collect();
        let (mut forwards, mut backwards): (Option<Checkpointed>, Option<Made>) = (None, None);
        for eq in &program.eqs {
            let of = |v: Var| new[v.index()].expect("not collected");
            let ty = |eq: &Eq| Type {
                elem: eq.ty.elem,
                shape: (eq.ty.shape.iter().map(|n| schedule::renamed(n, &of))).collect(),
            };
            let v = match eq.loop_result() {
                Some((run, k)) if run == self.first => {
                    let made = forwards.get_or_insert_with(|| self.forwards(&mut out, &of));
                    let at = self.place(&made.made, k);
                    at.map(|at| made.made.result(&mut out, ty(eq), at))
                }
                Some((run, k)) if run == self.second => {
                    let first = forwards.as_ref().expect("it comes before");
                    let made =
                        backwards.get_or_insert_with(|| self.backwards(&mut out, first, &of));
                    Some(made.result(&mut out, ty(eq), self.place_of_second(k)))
                }
                Some(_) | None => Some(out.copy(eq, &mut |v| of(v))),
            };
            new.push(v);
        }
        let of = |v: Var| new[v.index()].expect("not collected");
        for (k, p) in program.params.iter().enumerate() {
            let shape = p.ty.shape.iter().map(|n| schedule::renamed(n, &of));
            out.set_param_shape(k, shape.collect());
        }
        let results = program.results.iter().map(|r| of(*r)).collect();
        out.finish(results)
    }

    /// Which result of the new first loop is one of the old.
    fn place(&self, made: &Made, out: usize) -> Option<usize> {
        let looped = self.first.looped;
        let (states, count) = made.counts();
        if out < looped.states {
            return Some(out);
        }
        if out == looped.count() {
            return Some(count);
        }
        let is_left = |k: usize| self.stacks.iter().all(|s| s.out != k);
        let before = (looped.states..out).filter(|k| is_left(*k)).count();
        is_left(out).then_some(states + before)
    }

    /// The same of the second one: stacks and the count come behind the new states.
    fn place_of_second(&self, out: usize) -> usize {
        let is_state = out < self.second.looped.states;
        out + if is_state { 0 } else { self.moved.len() + 2 }
    }

    /// The initial values or the present ones of the states from which the loop is run again.
    fn of_moved(&self, all: &[Var]) -> Vec<Var> {
        self.moved.iter().map(|&k| all[k]).collect()
    }

    /// The first loop, keeping few states.
    fn forwards(&self, out: &mut Builder, of: &dyn Fn(Var) -> Var) -> Checkpointed {
        let (run, body) = (self.first, &self.first.looped.body);
        let all = |vars: &[Var]| vars.iter().map(|v| of(*v)).collect::<Vec<Var>>();
        let (own, init) = (all(run.given), all(run.init));
        let steps = run.steps.map(|n| schedule::renamed(n, of));
        let end = steps.as_ref().map(|n| out.size(n));
        let room = places(self.most, steps.as_ref());
        let kept = Kept::nothing(out, &self.of_moved(&init), &room, end.is_some());
        let mut given = own.clone();
        given.extend(end);
        let starts = [init.clone(), kept.all()].concat();
        let states = init.len();
        let param = |inside: &Inside, k: usize| {
            let given = own.get(k).map(|v| inside.of(*v));
            let state = || inside.states[..states].get(k - own.len()).copied();
            Some(given.or_else(state).unwrap_or(inside.index))
        };
        let turned_by = end.filter(|_| run.looped.reverse);
        let stacks =
            (states..run.looped.count()).filter(|k| self.stacks.iter().all(|s| s.out != *k));
        let stacks: Vec<usize> = stacks.collect();
        let step: nest::Write<'_> = &mut |out, inside| {
            let now = self.of_moved(&inside.states);
            let q = turned(out, inside.index, turned_by.map(|n| inside.of(n)));
            let kept = Kept::of(&inside.states[states..], now.len());
            let kept = kept.keep(out, &now, (q, end.map(|n| inside.of(n))), self.most);
            let wanted: Vec<Var> = (0..states)
                .chain(stacks.iter().copied())
                .map(|k| body.results[k])
                .collect();
            let results = part(out, body, &|k| param(inside, k), &wanted);
            [&results[..states], &kept.all(), &results[states..]].concat()
        };
        let goes_on = run.looped.goes_on.as_ref();
        let condition: nest::Write<'_> = &mut |out, inside| {
            let c = goes_on.expect("a loop with a condition");
            part(out, c, &|k| param(inside, k), &c.results)
        };
        let way = Way {
            steps,
            reverse: run.looped.reverse,
            keep: Keep::Residuals,
        };
        let nest = Nest::new(out, &given, &starts);
        let made = nest.build(way, step, goes_on.map(|_| condition));
        let ends = made.states(out);
        Checkpointed {
            kept: Kept::of(&ends[states..], self.moved.len()),
            made,
            turned: turned_by,
        }
    }

    /// The second loop, which runs the first one again.
    fn backwards(&self, out: &mut Builder, first: &Checkpointed, of: &dyn Fn(Var) -> Var) -> Made {
        let (run, body) = (self.second, &self.second.looped.body);
        let is_read = |k: usize| self.stacks.iter().any(|s| s.at == k);
        let own: Vec<Option<Var>> = (run.given.iter().enumerate())
            .map(|(k, v)| (!is_read(k)).then(|| of(*v)))
            .collect();
        let again: Vec<Var> = self.first.given.iter().map(|v| of(*v)).collect();
        let mut given: Vec<Var> = own.iter().flatten().copied().collect();
        given.extend(&again);
        given.extend(first.turned);
        let mut init: Vec<Var> = run.init.iter().map(|v| of(*v)).collect();
        let states = init.len();
        init.extend(&first.kept.states);
        init.extend([first.kept.steps, first.kept.top]);
        let step: nest::Write<'_> = &mut |out, inside| {
            let n = first.turned.map(|n| inside.of(n));
            let t = turned(out, inside.index, n);
            let never = out.int(0);
            let kept = [&inside.states[states..], &[never]].concat();
            let kept = Kept::of(&kept, self.moved.len());
            let (now, kept) = self.again(out, &inside.all(&again), (t, n), &kept);
            // What was collected of this step.
            let wanted: Vec<Var> = (self.stacks.iter())
                .map(|s| self.first.looped.body.results[s.out])
                .collect();
            let index = inside.index;
            let all = inside.all(&again);
            let param = |k: usize| self.param_of_first(&all, &now, index, k);
            let rows = part(out, &self.first.looped.body, &param, &wanted);
            let mut new: Vec<Option<Var>> = own.iter().map(|v| v.map(|v| inside.of(v))).collect();
            new.extend(inside.states[..states].iter().map(|v| Some(*v)));
            new.push(Some(index));
            for eq in &body.eqs {
                let mut known = |v: Var| new[v.index()].expect("at hand");
                let v = match self.row_read(eq) {
                    Some((r, index)) => of_row(out, rows[r], (eq, index), &mut known),
                    None => out.copy(eq, &mut known),
                };
                new.push(Some(v));
            }
            let results: Vec<Var> = (body.results.iter())
                .map(|v| new[v.index()].expect("at hand"))
                .collect();
            let mut kept = kept.all();
            kept.pop();
            [&results[..states], &kept, &results[states..]].concat()
        };
        let way = Way {
            steps: run.steps.map(|n| schedule::renamed(n, of)),
            reverse: run.looped.reverse,
            keep: run.looped.keep,
        };
        Nest::new(out, &given, &init).build(way, step, None)
    }

    /// Which of the stacks an equation of the second loop reads, and where in its row.
    fn row_read<'e>(&self, eq: &'e Eq) -> Option<(usize, &'e [Ix])> {
        let Op::Gather { src, index } = &eq.op else {
            return None;
        };
        let stack = self.stacks.iter().position(|s| s.at == src.index());
        stack.map(|stack| (stack, &index[1..]))
    }

    /// A parameter of the body of the first loop.
    fn param_of_first(&self, given: &[Var], now: &[Var], index: Var, k: usize) -> Option<Var> {
        if k < given.len() {
            return Some(given[k]);
        }
        match k - given.len() {
            k if k == self.first.looped.states => Some(index),
            k => Some(now[self.moved.iter().position(|m| *m == k)?]),
        }
    }

    /// The states before step `t`, by the first loop from the last ones that are kept, and what is
    /// kept then: the states of steps before.
    fn again(
        &self,
        out: &mut Builder,
        given: &[Var],
        (t, n): (Var, Option<Var>),
        kept: &Kept,
    ) -> (Vec<Var>, Kept) {
        let body = &self.first.looped.body;
        let begin = kept.step(out);
        let end = out.plus(t, 1);
        let left = out.two(Prim::ISub, end, begin);
        let most = out.int(self.most);
        let room = out.two(Prim::ISub, most, kept.top);
        let m = schedule::split(out, left, room);
        let kept = Kept {
            next: out.two(Prim::IAdd, begin, m),
            ..kept.clone()
        };
        let now = kept.last(out);
        let count = now.len();
        let mut all_given = given.to_vec();
        all_given.extend([begin, end]);
        all_given.extend(n);
        let init = [now, kept.all()].concat();
        let wanted: Vec<Var> = self.moved.iter().map(|&k| body.results[k]).collect();
        let step: nest::Write<'_> = &mut |out, inside| {
            let q = out.two(Prim::IAdd, inside.of(begin), inside.index);
            let now = &inside.states[..count];
            let kept = Kept::of(&inside.states[count..], count);
            let kept = kept.keep(out, now, (q, Some(inside.of(end))), self.most);
            let index = turned(out, q, n.map(|n| inside.of(n)));
            let given = inside.all(given);
            let param = |k: usize| self.param_of_first(&given, now, index, k);
            let next = part(out, body, &param, &wanted);
            [next, kept.all()].concat()
        };
        let times = out.two(Prim::ISub, t, begin);
        let nest = Nest::new(out, &all_given, &init);
        let ends = nest.build(Way::times(times), step, None).states(out);
        let (now, kept) = (ends[..count].to_vec(), Kept::of(&ends[count..], count));
        // The state of step t itself is not needed any more.
        let at = kept.step(out);
        let is_own = out.two(Prim::IEq, at, t);
        let below = out.plus(kept.top, -1);
        let top = out.choose(is_own, below, kept.top);
        (now, Kept { top, ..kept })
    }
}
