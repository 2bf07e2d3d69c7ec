//! Loops in forward mode.
//!
//! The body is linearised as a program of its own, with respect to what has a tangent. Then values
//! and tangents are computed
//!
//! - together, in one loop over both: `(y, ẏ) ← (f(y), f'(y) ẏ)`,
//! - or apart: one loop computes values, and collects what the linear equations of its body need,
//!   the residuals `r`; a second one is linear:
//!
//! ```text
//! y ← f(y), collecting r(y)         ẏ ← r[k] ẏ
//! ```
//!
//! What is cheap to find again from what the loop is given is no residual, nor is what cannot be
//! collected, because its size differs from step to step: the second loop computes it again. What
//! the values do not need is computed by the second loop alone, if that needs the operands anyway
//! (`later.rs`). If the loop says so, everything is computed again but the states. A state that is
//! an array of which little changes in a step is not kept either, nor are parts of it: `undo.rs`
//! says how it is found.

use super::later::Later;
use super::pad::{self, Padded};
use super::preaccumulate::preaccumulated;
use super::undo::{Chains, Known, Undo, values, visit_all};
use super::{Lineariser, Loops, Shared, linearised};
use crate::ir::build::{Builder, translate_size};
use crate::ir::bulk::{Affine, Eq, Ix, Loop, Looped, Op, Param, Program, Type, Var};
use crate::ir::core::Keep;
use crate::ir::linear::Linearised;
use crate::ir::ty::{Atom, Elem, Lit, Size};
use std::collections::BTreeSet;
use std::rc::Rc;

/// A loop that is done: what it was, and each result with its tangent.
pub(super) struct Done {
    looped: Looped,
    steps: Option<Size>,
    given: Vec<Var>,
    init: Vec<Var>,
    results: Vec<(Var, Option<Var>)>,
}

/// What a loop equation says, in terms of the result.
#[derive(Clone)]
pub(super) struct Run {
    pub(super) looped: Looped,
    pub(super) steps: Option<Size>,
    pub(super) given: Vec<Var>,
    pub(super) init: Vec<Var>,
    /// The tangents.
    pub(super) given_t: Vec<Option<Var>>,
    pub(super) init_t: Vec<Option<Var>>,
    /// Which of what is given is the same in all steps of a loop that may have several.
    invariant: Vec<bool>,
    /// How many states, which are the last ones, hold what inner loops collect (`ragged.rs`).
    pub(super) stores: usize,
}

/// A linearised body: which of what it is given and of the states have tangents, in this order.
#[derive(Clone)]
pub(super) struct Active {
    pub(super) body: Linearised,
    given: Vec<usize>,
    states: Vec<usize>,
}

impl Lineariser {
    /// A result of a loop and its tangent.
    pub(super) fn looped(&mut self, eq: &Eq) -> (Var, Option<Var>) {
        let Op::Loop {
            looped,
            steps,
            given,
            init,
            out,
        } = &eq.op
        else {
            unreachable!("asked for loops only")
        };
        let same = |d: &&Done| {
            d.looped == *looped && d.steps == *steps && d.given == *given && d.init == *init
        };
        if let Some(done) = self.done.iter().find(same) {
            return done.results[*out];
        }
        let new = &self.new;
        let run = Run {
            looped: looped.clone(),
            steps: (steps.as_ref()).map(|s| translate_size(s, &mut |v| new[v.index()])),
            given: given.iter().map(|v| new[v.index()]).collect(),
            init: init.iter().map(|v| new[v.index()]).collect(),
            given_t: given.iter().map(|v| self.t(*v)).collect(),
            init_t: init.iter().map(|v| self.t(*v)).collect(),
            invariant: self.invariant_inside(steps.as_ref(), given),
            stores: 0,
        };
        let results = self.both(&run);
        let result = results[*out];
        self.done.push(Done {
            looped: looped.clone(),
            steps: steps.clone(),
            given: given.clone(),
            init: init.clone(),
            results,
        });
        result
    }

    fn both(&mut self, run: &Run) -> Vec<(Var, Option<Var>)> {
        let mut active = run.active(self.loops, &self.shared);
        if active.given.is_empty() && active.states.is_empty() {
            let all = self.results(run, &run.looped);
            return all.into_iter().map(|v| (v, None)).collect();
        }
        match self.loops {
            Loops::Together => self.together(run, &active),
            Loops::Apart => self.apart(run, &mut active),
        }
    }

    /// All results of a loop.
    fn results(&mut self, run: &Run, looped: &Looped) -> Vec<Var> {
        (self.out).run(looped, run.steps.as_ref(), &run.given, &run.init)
    }

    fn zeros_like(&mut self, v: Var) -> Var {
        let shape = self.out.shape(v);
        self.out.fill(Lit::Real(0.0), &shape)
    }

    /// One loop over values and tangents.
    fn together(&mut self, run: &Run, active: &Active) -> Vec<(Var, Option<Var>)> {
        let (body, looped) = (&active.body.program, &run.looped);
        let (given, states) = (run.given.len(), looped.states);
        let old = given + states + 1;
        let tangent = |k: usize| body.params[old + k].clone();
        let (more, moving) = (active.given.len(), active.states.len());
        // What is given, its tangents, the states, their tangents, the index.
        let mut params = body.params[..given].to_vec();
        params.extend((0..more).map(tangent));
        params.extend_from_slice(&body.params[given..given + states]);
        params.extend((more..more + moving).map(tangent));
        params.push(body.params[old - 1].clone());
        let place = |k: usize| {
            Var(match k {
                k if k < given => k,
                k if k < given + states => k + more,
                k if k == old - 1 => old - 1 + more + moving,
                k if k < old + more => given + k - old,
                k => given + more + states + (k - old - more),
            } as u32)
        };
        let of: Vec<Var> = (0..body.params.len()).map(place).collect();
        let tangents = &active.body.result_tangents;
        let primal = |k: usize| Wanted::Is(body.results[k]);
        let moved = active.states.iter().map(|&s| match tangents[s] {
            Some(t) => Wanted::Is(t),
            None => Wanted::Zeros(body.results[s]),
        });
        let stacked = (states..tangents.len()).filter_map(|k| Some((k, tangents[k]?)));
        let stacked: Vec<(usize, Var)> = stacked.collect();
        let wanted: Vec<Wanted> = (0..states)
            .map(primal)
            .chain(moved)
            .chain((states..tangents.len()).map(primal))
            .chain(stacked.iter().map(|(_, t)| Wanted::Is(*t)))
            .collect();
        let program = rebuilt(body, &params, &of, &wanted);
        let goes_on = looped.goes_on.as_ref().map(|c| {
            let results: Vec<Wanted> = c.results.iter().map(|r| Wanted::Is(*r)).collect();
            rebuilt(c, &params, &of[..old], &results)
        });
        let both = Looped::new(Loop {
            body: program,
            states: states + moving,
            goes_on,
            reverse: looped.reverse,
            keep: looped.keep,
        });
        let mut all_given = run.given.clone();
        all_given.extend(active.given.iter().filter_map(|&k| run.given_t[k]));
        let mut init = run.init.clone();
        for &s in &active.states {
            init.push(match run.init_t[s] {
                Some(t) => t,
                None => self.zeros_like(run.init[s]),
            });
        }
        let all = (self.out).run(&both, run.steps.as_ref(), &all_given, &init);
        let mut results: Vec<(Var, Option<Var>)> = (0..tangents.len())
            .map(|k| (all[if k < states { k } else { k + moving }], None))
            .collect();
        for (k, &s) in active.states.iter().enumerate() {
            results[s].1 = Some(all[states + k]);
        }
        for (j, (k, _)) in stacked.iter().enumerate() {
            results[*k].1 = Some(all[tangents.len() + moving + j]);
        }
        results.push((all[all.len() - 1], None));
        results
    }

    /// A loop for the values, and one that is linear.
    fn apart(&mut self, run: &Run, active: &mut Active) -> Vec<(Var, Option<Var>)> {
        let stored = run.end_to_end(&mut self.out, active);
        let run = stored.as_ref().unwrap_or(run);
        if stored.is_none() {
            run.factor(active);
        }
        let looped = &run.looped;
        let (given, states) = (run.given.len(), looped.states);
        let old = given + states + 1;
        let padded = Padded::of(run, active);
        let known = Known::of(run, active);
        let chains = Chains::of(run, &known, &padded);
        let residuals = Residuals::of(run, active, &known, &chains, &padded);
        if residuals.run_again_from(active, &chains) {
            self.shared.marks_mislead.set(true);
        }
        let restored = &residuals.restored;
        let undo = Undo::of(run, active, chains, &padded, restored);
        let (unchanged, restored): (Vec<Var>, Vec<Var>) = restored
            .iter()
            .partition(|v| undo.state_at_the_end(**v).is_some());
        let restored = &restored;
        let active = &*active;
        let (body, linear) = (&active.body.program, &active.body.linear);
        let mut collected = residuals.kept.clone();
        let more = undo.kept.iter().filter(|v| !residuals.kept.contains(v));
        collected.extend(more);

        // The values, and what is kept of them.
        let count = active.body.result_tangents.len();
        let mut results: Vec<Wanted> =
            (body.results[..count].iter().map(|r| Wanted::Is(*r))).collect();
        results.extend(collected.iter().map(|v| Wanted::Is(*v)));
        let program = part_of(body, &body.params[..old], |v| !linear[v.index()], &results);
        let values = Looped::new(Loop {
            body: program,
            states,
            goes_on: looped.goes_on.clone(),
            reverse: looped.reverse,
            keep: looped.keep,
        });
        let all = self.results(run, &values);
        let counted = all[all.len() - 1];
        let stack_of = |v: &Var| {
            let at = collected.iter().position(|c| c == v);
            all[count + at.expect("collected")]
        };
        let mut kept: Vec<Var> = residuals.kept.iter().map(stack_of).collect();

        // The tangents.
        let steps = (run.steps.clone()).unwrap_or_else(|| Size::atom(Atom::Value(counted.0)));
        let mut sizes: Vec<Var> = vec![];
        steps.visit(&mut |a| {
            if let Atom::Value(v) = a
                && !run.given.contains(&Var(*v))
                && !sizes.contains(&Var(*v))
            {
                sizes.push(Var(*v));
            }
        });
        let mut outside: Vec<Var> = run.given.clone();
        outside.extend(&sizes);
        let steps_inside = translate_size(&steps, &mut |v| {
            let at = outside.iter().position(|g| *g == v);
            Var(at.expect("given") as u32)
        });
        let mut params = body.params[..given].to_vec();
        let size_params: Vec<Param> = sizes.iter().map(|_| scalar("size")).collect();
        params.extend_from_slice(&size_params);

        // The states as they were.
        let mut can_give = outside.clone();
        can_give.extend(undo.kept.iter().map(stack_of));
        can_give.extend(&all[states - run.stores..states]);
        let sizes_and_steps = (&size_params[..], &steps_inside);
        let mut stacks: Vec<(Var, Var)> = vec![];
        for back in undo.loops(run, active, &padded, sizes_and_steps, restored) {
            let given: Vec<Var> = back.given.iter().map(|&k| can_give[k]).collect();
            let s = back.state;
            for (k, v) in back.restored.iter().enumerate() {
                let ty = body.ty(*v);
                let own = ty.shape.iter().map(|s| run.outside(s));
                let ty = Type {
                    elem: ty.elem,
                    shape: std::iter::once(steps.clone()).chain(own).collect(),
                };
                let op = Op::Loop {
                    looped: back.looped.clone(),
                    steps: Some(steps.clone()),
                    given: given.clone(),
                    init: vec![all[s]],
                    out: 1 + k,
                };
                let guard = None;
                let stack = self.out.push(Eq { ty, guard, op });
                self.restored.push(stack);
                stacks.push((*v, stack));
            }
            let undone = back.undone(all[s], &steps, given);
            self.undone.push(undone);
        }
        let stack_of_version = |v: &Var| stacks.iter().find(|(w, _)| w == v).map(|(_, s)| *s);
        kept.extend(restored.iter().filter_map(stack_of_version));
        let residuals_of_step: Vec<Var> =
            (residuals.kept.iter()).chain(restored).copied().collect();

        let first_kept = params.len();
        for v in &residuals_of_step {
            params.push(residual(body.ty(*v), &steps_inside));
        }
        let first_unchanged = params.len();
        for v in &unchanged {
            let state = undo.state_at_the_end(*v).expect("unchanged");
            params.push(body.params[given + state].clone());
            kept.push(all[state]);
        }
        let first_tangent = params.len();
        params.extend_from_slice(&body.params[old..]);
        params.push(body.params[old - 1].clone());
        let index = params.len() - 1;
        let mut out = Builder::new("step", params);
        let mut new: Vec<Option<Var>> = vec![None; body.params.len() + body.eqs.len()];
        for (k, v) in new.iter_mut().enumerate().take(given) {
            *v = Some(Var(k as u32));
        }
        new[old - 1] = Some(Var(index as u32));
        for (k, v) in unchanged.iter().enumerate() {
            new[v.index()] = Some(Var((first_unchanged + k) as u32));
        }
        for (k, v) in new[old..body.params.len()].iter_mut().enumerate() {
            *v = Some(Var((first_tangent + k) as u32));
        }
        let read = |out: &mut Builder, new: &[Option<Var>], v: Var, k: usize| {
            let shape: Vec<Size> = (body.ty(v).shape.iter())
                .map(|s| translate_size(s, &mut |v| new[v.index()].expect("sizes are given")))
                .collect();
            let from = Var((first_kept + k) as u32);
            row(out, from, Var(index as u32), &shape)
        };
        for (k, v) in residuals_of_step.iter().enumerate() {
            if v.index() < body.params.len() {
                new[v.index()] = Some(read(&mut out, &new, *v, k));
            }
        }
        for (j, eq) in body.eqs.iter().enumerate() {
            let v = body.var_of(j);
            if unchanged.contains(&v) {
                continue;
            }
            let at = |v: Var| residuals_of_step.iter().position(|r| *r == v);
            if let Some((k, p)) = padded.get(v).and_then(|p| Some((at(p)?, p))) {
                let whole = read(&mut out, &new, p, k);
                let shape: Vec<Size> = (eq.ty.shape.iter())
                    .map(|s| translate_size(s, &mut |v| new[v.index()].expect("a size")))
                    .collect();
                new[v.index()] = Some(pad::part(&mut out, whole, &shape));
            } else if let Some(k) = at(v) {
                new[v.index()] = Some(read(&mut out, &new, v, k));
            } else if linear[v.index()] || residuals.again.contains(&v) {
                let w = out.copy(eq, &mut |v| new[v.index()].expect("kept or found again"));
                new[v.index()] = Some(w);
            }
        }
        let tangents = &active.body.result_tangents;
        let mut next = vec![];
        for (j, &s) in active.states.iter().enumerate() {
            next.push(match tangents[s] {
                Some(t) => new[t.index()].expect("linear"),
                None => {
                    let like = Var((first_tangent + active.given.len() + j) as u32);
                    let shape = out.shape(like);
                    out.fill(Lit::Real(0.0), &shape)
                }
            });
        }
        let stacked = (states..count).filter_map(|k| Some((k, tangents[k]?)));
        let stacked: Vec<(usize, Var)> = stacked.collect();
        next.extend(stacked.iter().map(|(_, t)| new[t.index()].expect("linear")));
        let linear_loop = Looped::new(Loop {
            body: out.finish(next),
            states: active.states.len(),
            goes_on: None,
            reverse: looped.reverse,
            keep: looped.keep,
        });
        let mut all_given = outside;
        all_given.extend(kept);
        all_given.extend(active.given.iter().filter_map(|&k| run.given_t[k]));
        let mut init = vec![];
        for &s in &active.states {
            init.push(match run.init_t[s] {
                Some(t) => t,
                None => self.zeros_like(run.init[s]),
            });
        }
        let op = |out: usize| Op::Loop {
            looped: linear_loop.clone(),
            steps: Some(steps.clone()),
            given: all_given.clone(),
            init: init.clone(),
            out,
        };
        let mut results: Vec<(Var, Option<Var>)> =
            all[..count].iter().map(|v| (*v, None)).collect();
        results.push((counted, None));
        let guard = None;
        for (j, &s) in active.states.iter().enumerate() {
            let (ty, op) = (self.out.ty(all[s]).clone(), op(j));
            results[s].1 = Some(self.out.push(Eq { ty, guard, op }));
        }
        for (j, (k, _)) in stacked.iter().enumerate() {
            let (ty, op) = (self.out.ty(all[*k]).clone(), op(active.states.len() + j));
            results[*k].1 = Some(self.out.push(Eq { ty, guard, op }));
        }
        results.drain(states - run.stores..states);
        results
    }
}

impl Run {
    /// The linearised body. A state has a tangent if it begins with one or gets one in some step.
    fn active(&self, loops: Loops, shared: &Rc<Shared>) -> Active {
        let looped = &self.looped;
        let count = self.given.len();
        let given: Vec<usize> = (0..count).filter(|&k| self.given_t[k].is_some()).collect();
        let mut states: Vec<usize> = (0..looped.states)
            .filter(|&k| self.init_t[k].is_some())
            .collect();
        loop {
            let wrt: Vec<usize> = (given.iter().copied())
                .chain(states.iter().map(|s| count + s))
                .collect();
            let mut invariant = self.invariant.clone();
            // States and the index.
            invariant.resize(looped.body.params.len(), false);
            let key = (looped.clone(), wrt, invariant);
            let known = shared.bodies.borrow().get(&key).cloned();
            let body = known.unwrap_or_else(|| {
                let body = linearised(&looped.body, (&key.1, &key.2), loops, shared);
                shared.bodies.borrow_mut().insert(key, body.clone());
                body
            });
            let more: Vec<usize> = (0..looped.states)
                .filter(|s| body.result_tangents[*s].is_some() || states.contains(s))
                .collect();
            if more == states {
                return Active {
                    body,
                    given,
                    states,
                };
            }
            states = more;
        }
    }

    /// Makes one factor of what leads from one tangent to another, if that keeps fewer residuals.
    fn factor(&self, active: &mut Active) {
        if self.looped.keep != Keep::Residuals {
            return;
        }
        if let Some(body) = preaccumulated(&active.body) {
            let factored = Active {
                body,
                ..active.clone()
            };
            if Residuals::count(self, factored.clone()) < Residuals::count(self, active.clone()) {
                *active = factored;
            }
        }
    }

    /// A size of the body, in the program around it. Sizes that are computed there are given.
    pub(super) fn outside(&self, s: &Size) -> Size {
        translate_size(s, &mut |v| self.given[v.index()])
    }
}

/// What the linear equations of a body need of the others.
struct Residuals {
    /// These are collected.
    kept: Vec<Var>,
    /// These are computed again.
    again: BTreeSet<Var>,
    /// These are states as they were at some time in the step, and are taken back to that.
    restored: Vec<Var>,
}

impl Active {
    /// Adds an equation to the body.
    pub(super) fn append(&mut self, elem: Elem, shape: &[Size], guard: Option<Var>, op: Op) -> Var {
        let program = &mut self.body.program;
        let shape = shape.to_vec();
        let ty = Type { elem, shape };
        program.eqs.push(Eq { ty, guard, op });
        self.body.linear.push(false);
        program.var_of(program.eqs.len() - 1)
    }
}

impl Residuals {
    /// Parts of a state that can be taken back are read from what it was, unless they are few.
    fn of(
        run: &Run,
        active: &Active,
        known: &Known<'_>,
        chains: &Chains,
        padded: &Padded,
    ) -> Residuals {
        let first = Residuals::reading(run, active, known, chains, padded, &[]);
        if first.restored.is_empty() {
            return first;
        }
        // What is at hand anyway is not kept, however little is read of it.
        Residuals::reading(run, active, known, chains, padded, &first.restored)
    }

    /// How many residuals are kept.
    fn count(run: &Run, mut active: Active) -> usize {
        let padded = Padded::of(run, &mut active);
        let known = Known::of(run, &active);
        let chains = Chains::of(run, &known, &padded);
        let residuals = Residuals::of(run, &active, &known, &chains, &padded);
        residuals.kept.len() + residuals.restored.len()
    }

    /// Whether a whole loop is computed again from an array in which something is not put back.
    fn run_again_from(&self, active: &Active, chains: &Chains) -> bool {
        let body = &active.body.program;
        self.again.iter().any(|v| {
            let mut changed = false;
            if let Some(eq) = body.eq(*v)
                && matches!(eq.op, Op::Loop { .. })
                && !active.body.restored.contains(v)
            {
                eq.visit(&mut |w| changed |= chains.leaves_out(body, w));
            }
            changed
        })
    }

    fn reading(
        run: &Run,
        active: &Active,
        known: &Known<'_>,
        chains: &Chains,
        padded: &Padded,
        at_hand: &[Var],
    ) -> Residuals {
        let (body, linear) = (&active.body.program, &active.body.linear);
        let (given, states) = (run.given.len(), run.looped.states);
        let index = given + states;
        let is_given = |v: Var| v.index() < given || v.index() == index;
        // What depends on no state is at hand, or can be.
        let mut needed = vec![false; linear.len()];
        let need = |eq: &Eq, needed: &mut Vec<bool>| {
            visit_all(eq, &mut |v| needed[v.index()] = true);
        };
        for (j, eq) in body.eqs.iter().enumerate() {
            if linear[body.var_of(j).index()] {
                need(eq, &mut needed);
            }
        }
        let (mut kept, mut again, mut restored) = (vec![], BTreeSet::new(), vec![]);
        let mut later = Later::of(active);
        for (j, eq) in body.eqs.iter().enumerate().rev() {
            let v = body.var_of(j);
            if linear[v.index()] || !needed[v.index()] {
                continue;
            }
            if chains.is_version(v) {
                restored.push(v);
                continue;
            }
            if chains.keeps(body, eq, given) {
                kept.push(v);
                continue;
            }
            let cheap = match &eq.op {
                Op::Fill(_) | Op::Index(_) | Op::Stop(_) | Op::Copy(_) => true,
                Op::Gather { src, .. } => {
                    !known.is_carried(*src)
                        || body.ty(*src).rank() < eq.ty.rank()
                        || at_hand.contains(src)
                        || is_shifted(body, eq, &|v| !known.is_carried(v))
                        || chains.is_version(*src) && !chains.is_little(*src, &eq.ty.shape)
                }
                Op::Map(p, _) => !known.is_carried(v) && p.cost() == 0,
                // Loops that take states back compute nothing.
                Op::Loop { .. } => active.body.restored.contains(&v),
                Op::Scatter(_)
                | Op::Reduce { .. }
                | Op::ArgReduce { .. }
                | Op::Recur { .. }
                | Op::Contract { .. }
                | Op::Update { .. }
                | Op::Call { .. } => false,
            };
            if !run.looped.keep.recomputes()
                && !cheap
                && let Some(p) = padded.get(v)
            {
                kept.push(p);
                for s in &eq.ty.shape {
                    values(s, &mut |v| needed[v.index()] = true);
                }
                continue;
            }
            if run.looped.keep.recomputes()
                || !known.is_fixed(&eq.ty.shape)
                || cheap
                || later.has(v, &needed, (&is_given, &|v| known.is_carried(v)))
            {
                again.insert(v);
                need(eq, &mut needed);
            } else {
                kept.push(v);
            }
        }
        for k in (given..index).rev() {
            let v = Var(k as u32);
            if needed[k] && !is_given(v) {
                match chains.is_version(v) {
                    true => restored.push(v),
                    false => kept.push(v),
                }
            }
        }
        kept.reverse();
        restored.reverse();
        Residuals {
            kept,
            again,
            restored,
        }
    }
}

/// Whether all that is read of an array is as large as the array, and lies side by side as there: a
/// stack of the array takes no more room, is read at any time, and serves whatever else is read of
/// it. What guards the read has to be at hand.
fn is_shifted(body: &Program, eq: &Eq, at_hand: &dyn Fn(Var) -> bool) -> bool {
    let Op::Gather { src, index } = &eq.op else {
        return false;
    };
    let is_shift = |(k, i): (usize, &Ix)| match i {
        Ix::Affine(a) => {
            let apart = a.add_scaled(&Affine::axis(a.coefs.len(), k), &Size::lit(-1));
            apart.is_constant()
        }
        Ix::Data(_) => false,
    };
    body.ty(*src).shape == eq.ty.shape
        && index.iter().enumerate().all(is_shift)
        && eq.guard.is_none_or(at_hand)
}

/// What is collected in each step, as a parameter; in terms of the parameters.
pub(super) fn residual(ty: &Type, steps: &Size) -> Param {
    let mut shape = vec![steps.clone()];
    shape.extend(ty.shape.iter().cloned());
    Param {
        name: "residual".into(),
        ty: Type {
            elem: ty.elem,
            shape,
        },
    }
}

/// An integer, as a parameter.
pub(super) fn scalar(name: &str) -> Param {
    Param {
        name: name.into(),
        ty: Type {
            elem: Elem::Int,
            shape: vec![],
        },
    }
}

/// What was collected in one step.
pub(super) fn row(out: &mut Builder, from: Var, index: Var, shape: &[Size]) -> Var {
    let rank = shape.len();
    let at = Size::atom(Atom::Value(index.0));
    let place = std::iter::once(Affine::constant(rank, at))
        .chain((0..rank).map(|k| Affine::axis(rank, k)))
        .map(Ix::Affine)
        .collect();
    out.gather(from, place, shape, None)
}

/// A result of a program to be.
pub(super) enum Wanted {
    /// A variable.
    Is(Var),
    /// Zeros of the shape of a variable.
    Zeros(Var),
}

/// The same equations with other parameters and results; `of` says which parameter is which.
fn rebuilt(program: &Program, params: &[Param], of: &[Var], results: &[Wanted]) -> Program {
    let mut new = of.to_vec();
    let renamed = params.iter().map(|p| Param {
        name: p.name.clone(),
        ty: Type {
            elem: p.ty.elem,
            shape: (p.ty.shape.iter())
                .map(|s| translate_size(s, &mut |v| of[v.index()]))
                .collect(),
        },
    });
    let mut out = Builder::new(&program.name, renamed.collect());
    for eq in &program.eqs {
        let v = out.copy(eq, &mut |v| new[v.index()]);
        new.push(v);
    }
    let results = results.iter().map(|w| match w {
        Wanted::Is(v) => new[v.index()],
        Wanted::Zeros(v) => {
            let shape = out.shape(new[v.index()]);
            out.fill(Lit::Real(0.0), &shape)
        }
    });
    let results = results.collect();
    out.finish(results)
}

/// Some of the equations, closed under what they use.
pub(super) fn part_of(
    program: &Program,
    params: &[Param],
    wanted: impl Fn(Var) -> bool,
    results: &[Wanted],
) -> Program {
    let mut out = Builder::new(&program.name, params.to_vec());
    let mut new: Vec<Option<Var>> = (0..program.params.len())
        .map(|k| (k < params.len()).then_some(Var(k as u32)))
        .collect();
    for (j, eq) in program.eqs.iter().enumerate() {
        let v = wanted(program.var_of(j))
            .then(|| out.copy(eq, &mut |v| new[v.index()].expect("closed")));
        new.push(v);
    }
    let results = results.iter().map(|w| match w {
        Wanted::Is(v) => new[v.index()].expect("closed"),
        Wanted::Zeros(v) => {
            let shape = out.shape(new[v.index()].expect("closed"));
            out.fill(Lit::Real(0.0), &shape)
        }
    });
    let results = results.collect();
    out.finish(results)
}
