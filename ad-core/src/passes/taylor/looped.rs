//! Loops with the coefficients of their states: one loop over all of them, beside the states.

use super::{Orders, Series};
use crate::ir::build::{Builder, translate_size};
use crate::ir::bulk::{Loop, Looped, Param, Program, Run, Type, Var};
use crate::ir::ty::{Elem, Size};

/// Of which orders there are coefficients.
struct Moves {
    /// Of what the loop is given.
    given: Vec<Orders>,
    /// Of its results, without the count.
    results: Vec<Orders>,
}

impl Series {
    /// All results of a loop, whose coefficients are known from then on.
    pub(super) fn looped(&mut self, run: Run<'_>) -> Result<Vec<Var>, String> {
        let new = &self.new;
        let steps = (run.steps).map(|s| translate_size(s, &mut |v| new[v.index()]));
        let given: Vec<Var> = run.given.iter().map(|v| new[v.index()]).collect();
        let init: Vec<Var> = run.init.iter().map(|v| new[v.index()]).collect();
        let (looped, states) = (run.looped, run.looped.states);
        let moves = self.moves(looped, &given, &init);
        if moves.results.iter().all(Vec::is_empty) {
            return Ok(self.out.run(looped, steps.as_ref(), &given, &init));
        }
        let key = [&moves.given[..], &moves.results[..]].concat();
        let key = (looped.clone(), key);
        let known = self.loops.borrow().get(&key).cloned();
        let all = match known {
            Some(all) => all,
            None => {
                let all = self.with_coefficients(looped, &moves)?;
                self.loops.borrow_mut().insert(key, all.clone());
                all
            }
        };
        let given = self.and_coefficients(&given, &moves.given);
        let init = self.and_coefficients(&init, &moves.results);
        let found = self.out.run(&all, steps.as_ref(), &given, &init);
        // As in the body: states, their coefficients, stacks, their coefficients, the count.
        let mut at = 0;
        let mut own = vec![];
        for part in [&moves.results[..states], &moves.results[states..]] {
            own.extend_from_slice(&found[at..at + part.len()]);
            at += part.len();
            for (v, orders) in own[own.len() - part.len()..].iter().zip(part) {
                self.begin(*v, orders, &found[at..]);
                at += orders.len();
            }
        }
        own.push(found[at]);
        Ok(own)
    }

    fn moves(&self, looped: &Looped, given: &[Var], init: &[Var]) -> Moves {
        let orders = |all: &[Var]| all.iter().map(|v| self.orders(*v)).collect::<Vec<Orders>>();
        let any = |all: &[Orders]| all.iter().map(|o| !o.is_empty()).collect::<Vec<bool>>();
        let given = orders(given);
        let init = any(&orders(init));
        let dependent = looped.dependent(&any(&given), &init);
        // What depends by way of an integer alone has coefficients that are zero.
        let results = looped.body.results.iter().enumerate().map(|(k, r)| {
            let moves = dependent[k] || init.get(k).is_some_and(|moves| *moves);
            match moves && looped.body.ty(*r).elem == Elem::Real {
                true => (1..=self.order).collect(),
                false => vec![],
            }
        });
        Moves {
            results: results.collect(),
            given,
        }
    }

    /// The orders of which a variable has a coefficient.
    fn orders(&self, v: Var) -> Orders {
        let has = |k: &usize| matches!(self.known.get(&(v, *k)), Some(Some(_)));
        (1..=self.order).filter(has).collect()
    }

    /// Variables, then their coefficients of some orders.
    fn and_coefficients(&mut self, of: &[Var], moves: &[Orders]) -> Vec<Var> {
        let mut all = of.to_vec();
        for (v, orders) in of.iter().zip(moves) {
            all.extend(orders.iter().map(|k| self.or_zeros(*v, *k)));
        }
        all
    }

    /// A loop over values and coefficients.
    fn with_coefficients(&self, looped: &Looped, moves: &Moves) -> Result<Looped, String> {
        let (body, states) = (&looped.body, looped.states);
        // What is given, its coefficients, the states, their coefficients, the index. For each
        // parameter the one that it is a coefficient of, for each of these its place.
        let mut of: Vec<usize> = vec![];
        let mut places: Vec<Var> = vec![];
        let mut coefficients: Vec<(Var, &Orders, usize)> = vec![];
        for part in [&moves.given[..], &moves.results[..states]] {
            let first = places.len();
            for k in first..first + part.len() {
                places.push(Var(of.len() as u32));
                of.push(k);
            }
            for (k, orders) in part.iter().enumerate() {
                coefficients.push((places[first + k], orders, of.len()));
                of.extend(orders.iter().map(|_| first + k));
            }
        }
        let index = places.len();
        places.push(Var(of.len() as u32));
        of.push(index);
        let size = |s: &Size| translate_size(s, &mut |v| places[v.index()]);
        let params = of.iter().map(|&k| {
            let Param { name, ty } = &body.params[k];
            let ty = Type {
                elem: ty.elem,
                shape: ty.shape.iter().map(size).collect(),
            };
            let name = name.clone();
            Param { name, ty }
        });
        let params: Vec<Param> = params.collect();
        let count = params.len();
        let out = Builder::new(&body.name, params.clone());
        let mut inner = Series::new(out, self.order, places.clone());
        inner.loops = self.loops.clone();
        for (v, orders, at) in coefficients {
            let all: Vec<Var> = (at..count).map(|at| Var(at as u32)).collect();
            inner.begin(v, orders, &all);
        }
        inner.equations(body)?;
        let new: Vec<Var> = (body.results.iter())
            .map(|v| inner.new[v.index()])
            .collect();
        let mut results = inner.and_coefficients(&new[..states], &moves.results);
        let states = results.len();
        let stacked = &moves.results[looped.states..];
        results.extend(inner.and_coefficients(&new[looped.states..], stacked));
        let goes_on = looped.goes_on.as_ref();
        Ok(Looped::new(Loop {
            body: inner.out.finish(results),
            states,
            goes_on: goes_on.map(|condition| copied(condition, params, places)),
            reverse: looped.reverse,
            keep: looped.keep,
        }))
    }
}

/// The same equations with other parameters; `new` says which is which.
fn copied(program: &Program, params: Vec<Param>, mut new: Vec<Var>) -> Program {
    let mut out = Builder::new(&program.name, params);
    for eq in &program.eqs {
        let v = out.copy(eq, &mut |v| new[v.index()]);
        new.push(v);
    }
    let results = program.results.iter().map(|r| new[r.index()]).collect();
    out.finish(results)
}
