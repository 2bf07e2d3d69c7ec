//! Linear loops backwards: the body is transposed, the steps run in the other direction. What the
//! states carry are the cotangents of the states; what is given to the loop and linear gets the sum
//! of what comes back in all steps, which is one more state:
//!
//! ```text
//! y ← A[k] y + B[k] g, collecting C[k] y
//!
//! ȳ ← A[k]ᵀ ȳ + C[k]ᵀ c̄[k],    ḡ ← ḡ + B[k]ᵀ ȳ
//! ```
//!
//! A state whose cotangent is zero in all steps is left out.

use super::{Contribution, Transposer};
use crate::ir::bulk::{Affine, Eq, Ix, Loop, Looped, Op, Param, Program, Run, Type, Var};
use crate::ir::ty::{Atom, Elem, Lit, Size};
use std::collections::HashMap;
use std::ops::Range;

/// The equations of each linear loop, under the first of them.
pub(super) fn runs(program: &Program, linear: &[bool]) -> HashMap<usize, Vec<usize>> {
    let mut first: HashMap<Run<'_>, usize> = HashMap::new();
    let mut out: HashMap<usize, Vec<usize>> = HashMap::new();
    for (k, eq) in program.eqs.iter().enumerate() {
        let run = eq
            .loop_result()
            .filter(|_| linear[program.var_of(k).index()]);
        if let Some((run, _)) = run {
            let at = *first.entry(run).or_insert(k);
            out.entry(at).or_default().push(k);
        }
    }
    out
}

impl Transposer<'_> {
    /// Hands the cotangents of the results of a linear loop to what it is given and begins with.
    pub(super) fn looped(&mut self, eq: &Eq, members: &[usize]) {
        let Op::Loop {
            looped,
            steps: Some(steps),
            given,
            init,
            ..
        } = &eq.op
        else {
            unreachable!("the number of steps of a linear loop is known: {:?}", eq.op)
        };
        let body = &looped.body;
        let (count, states) = (given.len(), looped.states);
        let mut results: Vec<Option<Var>> = vec![None; body.results.len()];
        for &k in members {
            let Op::Loop { out, .. } = self.program.eqs[k].op else {
                continue;
            };
            results[out] = self.collect(self.program.var_of(k));
        }
        if results.iter().all(Option::is_none) {
            return;
        }
        let given_linear: Vec<bool> = given.iter().map(|v| self.is_linear(*v)).collect();
        let summed: Vec<usize> = (0..count).filter(|&k| given_linear[k]).collect();
        let stacked: Vec<usize> = (states..results.len())
            .filter(|&k| results[k].is_some())
            .collect();
        let seeds = given_linear.iter().copied();
        let seeds = seeds.chain((0..states).map(|_| true)).chain([false]);
        let linear = body.dependent(seeds.collect());
        let reached = reached(body, &linear, &results, count..count + states);
        let carried: Vec<usize> = (0..states).filter(|&k| reached[count + k]).collect();
        if carried.is_empty() && !summed.iter().any(|&k| reached[k]) {
            return;
        }

        // What is given: all that is not linear, and the cotangents of what is stacked. Computed
        // sizes in their shapes have names inside already, those of the steps get them.
        let mut params: Vec<Param> = vec![];
        let mut new: Vec<Option<Var>> = vec![None; body.params.len()];
        let mut outside = vec![];
        for (k, v) in given.iter().enumerate() {
            if !given_linear[k] {
                new[k] = Some(Var(params.len() as u32));
                params.push(body.params[k].clone());
                outside.push(self.primal(*v));
            }
        }
        let steps = self.size(steps);
        steps.visit(&mut |a| {
            if let Atom::Value(v) = a
                && !outside.contains(&Var(*v))
            {
                params.push(param("size", Elem::Int, vec![]));
                outside.push(Var(*v));
            }
        });
        let steps_inside = crate::ir::build::translate_size(&steps, &mut |v| {
            let at = outside.iter().position(|g| *g == v);
            Var(at.expect("given") as u32)
        });
        let first_stacked = params.len();
        let renamed = |shape: &[Size], new: &[Option<Var>]| -> Vec<Size> {
            let mut of = |v: Var| new[v.index()].expect("sizes are given");
            (shape.iter())
                .map(|s| crate::ir::build::translate_size(s, &mut of))
                .collect()
        };
        for &k in &stacked {
            let own = renamed(&body.ty(body.results[k]).shape, &new);
            let mut shape = vec![steps_inside.clone()];
            shape.extend(own);
            params.push(param("cotangent", Elem::Real, shape));
            outside.extend(results[k]);
        }
        let first_state = params.len();
        for &k in &carried {
            let p = &body.params[count + k];
            let shape = renamed(&p.ty.shape, &new);
            params.push(param(&cotangent_of(&p.name), Elem::Real, shape));
        }
        for &k in &summed {
            let p = &body.params[k];
            let shape = renamed(&p.ty.shape, &new);
            params.push(param(&cotangent_of(&p.name), Elem::Real, shape));
        }
        let index = Var(params.len() as u32);
        params.push(body.params[count + states].clone());
        new[count + states] = Some(index);
        for (k, _) in given.iter().enumerate().filter(|(k, _)| !given_linear[*k]) {
            let at = new[k].expect("given");
            let shape = renamed(&body.params[k].ty.shape, &new);
            params[at.index()].ty.shape = shape;
        }

        let mut t = Transposer::new(body, &linear, params, new);
        t.forwards();
        for (j, &k) in carried.iter().enumerate() {
            let next = body.results[k];
            if linear[next.index()] {
                let ct = Var((first_state + j) as u32);
                t.incoming[next.index()].push(Contribution::Whole(ct));
            }
        }
        for (j, &k) in stacked.iter().enumerate() {
            let r = body.results[k];
            if !linear[r.index()] {
                continue;
            }
            let shape = t.shape(r);
            let rank = shape.len();
            let at = Size::atom(Atom::Value(index.0));
            let place = std::iter::once(Affine::constant(rank, at))
                .chain((0..rank).map(|k| Affine::axis(rank, k)))
                .map(Ix::Affine)
                .collect();
            let from = Var((first_stacked + j) as u32);
            let ct = t.out.gather(from, place, &shape, None);
            t.incoming[r.index()].push(Contribution::Whole(ct));
        }
        for (j, &k) in summed.iter().enumerate() {
            let sum = Var((first_state + carried.len() + j) as u32);
            t.incoming[k].push(Contribution::Whole(sum));
        }
        t.backwards();
        let mut next = vec![];
        for &k in &carried {
            let v = Var((count + k) as u32);
            let shape = t.shape(v);
            let ct = t.collect(v);
            next.push(ct.unwrap_or_else(|| t.out.fill(Lit::Real(0.0), &shape)));
        }
        for &k in &summed {
            let sum = t.collect(Var(k as u32));
            next.push(sum.expect("it begins with what came before"));
        }
        let only_where = self.only_where(&results, &carried, &summed, given);
        let back = Looped::new(Loop {
            body: t.out.finish(next),
            states: carried.len() + summed.len(),
            goes_on: None,
            reverse: !looped.reverse,
            keep: looped.keep,
        });
        let mut starts = vec![];
        for &k in &carried {
            let shape = self.shape(init[k]);
            let last = results[k];
            starts.push(last.unwrap_or_else(|| self.out.fill(Lit::Real(0.0), &shape)));
        }
        // The sums go on from what has come back already.
        for &k in &summed {
            let shape = self.shape(given[k]);
            let before = self.collect(given[k]);
            starts.push(before.unwrap_or_else(|| self.out.fill(Lit::Real(0.0), &shape)));
        }
        let targets = carried.iter().map(|&k| (init[k], self.is_linear(init[k])));
        let targets = targets.chain(summed.iter().map(|&k| (given[k], true)));
        for (out, (v, is_linear)) in targets.collect::<Vec<_>>().into_iter().enumerate() {
            if !is_linear {
                continue;
            }
            let ty = Type {
                elem: Elem::Real,
                shape: self.shape(v),
            };
            let op = Op::Loop {
                looped: back.clone(),
                steps: Some(steps.clone()),
                given: outside.clone(),
                init: starts.clone(),
                out,
            };
            let guard = None;
            let ct = self.out.push(Eq { ty, guard, op });
            let guard = only_where.map(|g| {
                let shape = self.shape(v);
                self.out.spread(g, &[], &shape)
            });
            let ct = self.out.masked(ct, guard);
            self.give(v, ct);
        }
    }

    /// The condition under which cotangents come into a loop, if it is the same for all of them and
    /// everywhere. Where it does not hold, none come out: the loop adds to none that came before.
    ///
    /// ```text
    /// ḡ = Σ_k B[k]ᵀ [c] c̄[k]   =   [c] Σ_k B[k]ᵀ [c] c̄[k]
    /// ```
    fn only_where(
        &mut self,
        results: &[Option<Var>],
        carried: &[usize],
        summed: &[usize],
        given: &[Var],
    ) -> Option<Var> {
        let begins = |t: &Self, v: Var| !t.incoming[v.index()].is_empty();
        if !carried.is_empty() || summed.iter().any(|&k| begins(self, given[k])) {
            return None;
        }
        let mut all = None;
        for ct in results.iter().flatten() {
            let guard = self.out.guard(*ct)?;
            let guard = self.out.uniform(guard)?;
            if all.is_some_and(|other| other != guard) {
                return None;
            }
            all = Some(guard);
        }
        all
    }
}

/// The variables of a body that get cotangents, if these results of the loop have some.
fn reached(
    body: &Program,
    linear: &[bool],
    results: &[Option<Var>],
    states: Range<usize>,
) -> Vec<bool> {
    let mut reached = vec![false; linear.len()];
    loop {
        let before = reached[states.clone()].to_vec();
        for (k, r) in body.results.iter().enumerate() {
            let goes_on = before.get(k).is_some_and(|is| *is);
            reached[r.index()] |= linear[r.index()] && (goes_on || results[k].is_some());
        }
        for (k, eq) in body.eqs.iter().enumerate().rev() {
            if reached[body.var_of(k).index()] {
                eq.visit(&mut |v| reached[v.index()] |= linear[v.index()]);
            }
        }
        for (k, result) in results[..states.len()].iter().enumerate() {
            reached[states.start + k] |= result.is_some();
        }
        if reached[states.clone()] == before {
            return reached;
        }
    }
}

/// What the cotangent is called that belongs to a tangent.
fn cotangent_of(tangent: &str) -> String {
    format!(
        "{}_bar",
        tangent.strip_suffix("_tangent").unwrap_or(tangent)
    )
}

fn param(name: &str, elem: Elem, shape: Vec<Size>) -> Param {
    Param {
        name: name.to_owned(),
        ty: Type { elem, shape },
    }
}
