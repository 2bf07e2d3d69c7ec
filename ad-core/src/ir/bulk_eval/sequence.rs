//! Loops.

use std::rc::Rc;

use super::domain::kind;
use super::{Machine, Slot};
use crate::ir::bulk::{Eq, Loop, Looped, Op, Program, Type, Var};
use crate::ir::ty::{Elem, Size};
use crate::ir::value::{Tensor, Value};

/// What one loop gave: it runs once for all of its results.
pub(super) struct Ran<'a> {
    looped: &'a Looped,
    steps: &'a Option<Size>,
    given: &'a [Var],
    init: &'a [Var],
    /// The states after the last step.
    states: Vec<Slot>,
    /// What was stacked in each step, and the number of steps.
    stacks: Vec<Vec<Slot>>,
    count: usize,
    reverse: bool,
}

impl<'a> Machine<'a> {
    /// One result of a loop, and what running it cost if it had not run before.
    pub(super) fn looped(&mut self, eq: &'a Eq) -> Result<(Slot, u64), String> {
        let Op::Loop {
            looped,
            steps,
            given,
            init,
            out,
        } = &eq.op
        else {
            return Err("this is no loop".into());
        };
        if eq.guard.is_some() {
            return Err("a loop has no guard".into());
        }
        let known = self.loops.iter().position(|r| {
            (r.looped, r.steps, r.given, r.init) == (looped, steps, &given[..], &init[..])
        });
        let (at, cost) = match known {
            Some(at) => (at, 0),
            None => {
                let mut ran = Ran {
                    looped,
                    steps,
                    given,
                    init,
                    states: vec![],
                    stacks: vec![vec![]; looped.stacks()],
                    count: 0,
                    reverse: looped.reverse,
                };
                let cost = self.run_loop(looped, &mut ran)?;
                self.loops.push(ran);
                (self.loops.len() - 1, cost)
            }
        };
        let slot = self.result(&self.loops[at], *out, &eq.ty)?;
        if kind(&slot.value) != eq.ty.elem {
            return Err(format!(
                "gives {} where {} is declared",
                kind(&slot.value),
                eq.ty.elem
            ));
        }
        Ok((slot, cost))
    }

    /// Runs a loop; gives the number of real operations.
    fn run_loop(&self, looped: &'a Loop, ran: &mut Ran<'a>) -> Result<u64, String> {
        let slots = |vars: &[Var]| -> Result<Vec<Slot>, String> {
            vars.iter().map(|v| self.slot(*v).cloned()).collect()
        };
        let (given, mut states) = (slots(ran.given)?, slots(ran.init)?);
        let steps = match ran.steps {
            Some(n) => Some(usize::try_from(self.size(n)?).unwrap_or(0)),
            None => None,
        };
        let mut body = self.inside(&looped.body, given.clone());
        let mut condition = looped.goes_on.as_ref().map(|c| self.inside(c, given));
        let mut cost = 0;
        loop {
            let step = ran.count;
            if steps.is_some_and(|n| step >= n) {
                break;
            }
            let index = match steps {
                Some(n) if looped.reverse => n - 1 - step,
                Some(_) | None => step,
            };
            if let Some(c) = &mut condition {
                cost += c.once(ran.given.len(), &states, index)?;
                let holds = c.slot(c.program.results[0])?.bool()?;
                if holds != [true] {
                    break;
                }
            }
            cost += body.once(ran.given.len(), &states, index)?;
            let mut results = vec![];
            for v in &looped.body.results {
                results.push(body.slot(*v)?.clone());
            }
            let stacked = results.split_off(looped.states);
            for (k, (old, new)) in states.iter().zip(&results).enumerate() {
                if old.shape() != new.shape() {
                    return Err(format!("the shape of state {k} changes"));
                }
            }
            states = results;
            for (stack, slot) in ran.stacks.iter_mut().zip(stacked) {
                stack.push(slot);
            }
            ran.count += 1;
        }
        ran.states = states;
        Ok(cost)
    }

    /// A machine for a program of a loop.
    fn inside(&self, program: &'a Program, given: Vec<Slot>) -> Machine<'a> {
        Machine {
            program,
            slots: given,
            sizes: self.sizes.clone(),
            loops: vec![],
            calls: vec![],
        }
    }

    /// Runs a program of a loop for one step; gives the number of real operations.
    fn once(&mut self, given: usize, states: &[Slot], index: usize) -> Result<u64, String> {
        self.slots.truncate(given);
        self.loops.clear();
        self.calls.clear();
        self.slots.extend_from_slice(states);
        self.slots.push(Slot {
            value: Value::Int(Tensor::scalar(index as i64)),
            present: None,
        });
        let first = if index == 0 { 0 } else { given };
        for k in first..self.slots.len() {
            self.check_param(k)?;
        }
        Ok(self.run()?.iter().sum())
    }

    fn result(&self, ran: &Ran<'_>, out: usize, ty: &Type) -> Result<Slot, String> {
        let states = ran.states.len();
        if let Some(slot) = ran.states.get(out) {
            return Ok(slot.clone());
        }
        if out - states == ran.stacks.len() {
            return Ok(Slot {
                value: Value::Int(Tensor::scalar(ran.count as i64)),
                present: None,
            });
        }
        let stack = ran.stacks.get(out - states);
        let stack = stack.ok_or_else(|| format!("the loop has no result {out}"))?;
        // The leading size may be that of the loop's own count; the others are known.
        let mut shape = vec![ran.count];
        shape.extend(self.shape(&ty.shape[1..])?);
        if let Some(s) = stack.iter().find(|s| s.shape() != &shape[1..]) {
            return Err(format!(
                "stacks the shape {:?} where {:?} is declared",
                s.shape(),
                &shape[1..]
            ));
        }
        let ordered = || {
            let (mut forward, mut backward) = (stack.iter(), stack.iter().rev());
            std::iter::from_fn(move || {
                if ran.reverse {
                    backward.next()
                } else {
                    forward.next()
                }
            })
        };
        fn all<T: Clone>(
            parts: impl Iterator<Item = Result<Vec<T>, String>>,
        ) -> Result<Vec<T>, String> {
            let mut out = vec![];
            for p in parts {
                out.extend(p?);
            }
            Ok(out)
        }
        let value = match ty.elem {
            Elem::Real => {
                let data = all(ordered().map(|s| s.real().map(<[f64]>::to_vec)))?;
                Value::Real(Tensor::new(shape, data))
            }
            Elem::Int => {
                let data = all(ordered().map(|s| s.int().map(<[i64]>::to_vec)))?;
                Value::Int(Tensor::new(shape, data))
            }
            Elem::Bool => {
                let data = all(ordered().map(|s| s.bool().map(<[bool]>::to_vec)))?;
                Value::Bool(Tensor::new(shape, data))
            }
        };
        let mask: Vec<bool> = ordered()
            .flat_map(|s| (0..s.shape().iter().product()).map(|p| s.has(p)))
            .collect();
        let present = mask.contains(&false).then(|| Rc::new(mask));
        Ok(Slot { value, present })
    }
}

#[cfg(test)]
mod tests {
    use crate::ir::bulk_eval::eval;
    use crate::ir::bulk_text::parse;
    use crate::ir::value::{Tensor, Value};

    fn ints(data: &[i64]) -> Value {
        Value::Int(Tensor::new(vec![data.len()], data.to_vec()))
    }

    fn reals(data: &[f64]) -> Value {
        Value::Real(Tensor::new(vec![data.len()], data.to_vec()))
    }

    #[test]
    fn a_loop_runs_once_for_all_of_its_results() {
        let text = "fn f(x: real[d0.0])
            v1: real[] = fill 1.0
            loop 0 with 1 states
                fn step(x: real[d0.0], s: real[], i: int[])
                v3: real[] = gather v0[(v2)]
                v4: real[] = mul(v1, v3)
                v5: int[] = iadd(v2, v2)
                return v4, v1, v5
            v2: real[] = loop 0 out 0 given [v0] from [v1] for d0.0
            v3: real[d0.0] = loop 0 out 1 given [v0] from [v1] for d0.0
            v4: int[d0.0] = loop 0 out 2 given [v0] from [v1] for d0.0
            v5: int[] = loop 0 out 3 given [v0] from [v1] for d0.0
            return v2, v3, v4, v5";
        let run = |text: &str| eval(&parse(text).unwrap(), &[reals(&[2.0, 3.0, 5.0])]).unwrap();
        let outcome = run(text);
        let scalar = |x| Value::Real(Tensor::scalar(x));
        let count = Value::Int(Tensor::scalar(3));
        let wanted = vec![
            scalar(30.0),
            reals(&[1.0, 2.0, 6.0]),
            ints(&[0, 2, 4]),
            count.clone(),
        ];
        assert_eq!((outcome.results, outcome.cost), (wanted, 3));
        let outcome = run(&text.replace("1 states", "1 states reverse"));
        let wanted = vec![
            scalar(30.0),
            reals(&[15.0, 5.0, 1.0]),
            ints(&[0, 2, 4]),
            count,
        ];
        assert_eq!((outcome.results, outcome.cost), (wanted, 3));
    }

    #[test]
    fn a_loop_goes_on_while_a_condition_holds() {
        let text = "fn f(x: real[])
            loop 0 with 1 states
                fn step(s: real[], i: int[])
                v2: real[] = fill 0.5
                v3: real[] = mul(v0, v2)
                return v3, v0
            while
                fn condition(s: real[], i: int[])
                v2: real[] = fill 1.0
                v3: bool[] = gt(v0, v2)
                return v3
            v1: int[] = loop 0 out 2 given [] from [v0]
            v2: real[] = loop 0 out 0 given [] from [v0]
            v3: real[v1] = loop 0 out 1 given [] from [v0]
            return v1, v2, v3";
        let run = |x: f64| eval(&parse(text).unwrap(), &[Value::Real(Tensor::scalar(x))]).unwrap();
        let wanted = |n: i64, x: f64, all: &[f64]| {
            let (n, x) = (Tensor::scalar(n), Tensor::scalar(x));
            vec![Value::Int(n), Value::Real(x), reals(all)]
        };
        assert_eq!(run(5.0).results, wanted(3, 0.625, &[5.0, 2.5, 1.25]));
        assert_eq!(run(1.0).results, wanted(0, 1.0, &[]));
    }

    #[test]
    fn structural_zeros_stay_so_in_states() {
        // Only the sums of two elements that are there count.
        let text = "fn f(at: int[d0.0])
            v1: real[3] = scatter nothing
            v2: real[] = fill 2.0
            loop 0 with 1 states
                fn step(at: int[d0.0], one: real[], s: real[3], i: int[])
                v4: int[] = gather v0[(v3)]
                v5: real[3] = scatter v2[i0] + v1[v4]
                return v5
            v3: real[3] = loop 0 out 0 given [v0, v2] from [v1] for d0.0
            return v3";
        let outcome = eval(&parse(text).unwrap(), &[ints(&[2, 0, 2])]).unwrap();
        assert_eq!(outcome.results, vec![reals(&[2.0, 0.0, 4.0])]);
        assert_eq!(outcome.cost, 1);
    }

    #[test]
    fn an_update_replaces_elements() {
        let text = "fn f(x: real[d0.0], at: int[d1.0], b: bool[d1.0])
            v3: real[d1.0] = fill 7.0
            v4: real[d0.0] = update v0 with v3[v1] where v2
            return v4";
        let run = |at: &[i64], b: &[bool]| {
            let b = Value::Bool(Tensor::new(vec![b.len()], b.to_vec()));
            eval(
                &parse(text).unwrap(),
                &[reals(&[1.0, 2.0, 3.0]), ints(at), b],
            )
        };
        let wanted = vec![reals(&[7.0, 2.0, 3.0])];
        assert_eq!(run(&[0, 9], &[true, false]).unwrap().results, wanted);
        let outside = run(&[0, 9], &[true, true]).unwrap_err();
        assert!(outside.contains("index 9 is out of bounds"), "{outside}");
        let twice = run(&[1, 1], &[true, true]).unwrap_err();
        assert_eq!(twice, "v4: writes the element 1 twice");
    }
}
