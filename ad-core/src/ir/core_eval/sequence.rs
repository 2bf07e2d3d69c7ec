//! Sequential loops, and arrays with a part replaced.

use super::{Elements, Machine, Outcome, Slot, Val, elem, element, outside, shape_of_val, unpack};
use crate::ir::core::{Along, Loop, Trip, Update};
use crate::ir::ty::Lit;

impl<'a> Machine<'a> {
    /// Runs a loop and binds its results.
    pub(super) fn looped(&mut self, l: &'a Loop) -> Outcome<()> {
        let mut states = vec![];
        for (_, init) in &l.states {
            states.push(self.eval(init)?);
        }
        let times = match &l.trip {
            Trip::Times(n) => Some(self.int(n)?),
            Trip::While(_) => None,
        };
        let mut stacks: Vec<(Elements, Option<Vec<usize>>)> = (l.body.results[states.len()..]
            .iter())
        .map(|e| (Elements::new(e.ty.elem), None))
        .collect();
        let mut step = 0;
        loop {
            self.set(&l.index, Slot::Known(Val::Scalar(Lit::Int(step))));
            for ((s, _), v) in l.states.iter().zip(&states) {
                self.set(s, Slot::Known(v.clone()));
            }
            let goes_on = match (&l.trip, times) {
                (Trip::While(c), _) => self.scalar(c)? == Lit::Bool(true),
                (Trip::Times(_), n) => n.is_some_and(|n| step < n),
            };
            if !goes_on {
                break;
            }
            let mut results = self.block(&l.body)?;
            let now = results.split_off(states.len());
            for (((s, _), old), new) in l.states.iter().zip(&mut states).zip(results) {
                if shape_of_val(old) != shape_of_val(&new) {
                    return Err(format!("the shape of `{}` changes in a loop", s.hint));
                }
                *old = new;
            }
            for ((data, shape), v) in stacks.iter_mut().zip(now) {
                let is = shape_of_val(&v);
                if shape.get_or_insert_with(|| is.to_vec()) != is {
                    return Err("what a loop collects changes its shape".into());
                }
                data.push(&v);
            }
            step += 1;
            self.steps += 1;
        }
        for (s, v) in l.outs.iter().zip(states) {
            self.set(s, Slot::Known(v));
        }
        let stacked = l.body.results[l.states.len()..].iter();
        for ((s, e), (data, shape)) in (l.outs[l.states.len()..].iter().zip(stacked)).zip(stacks) {
            let mut all = vec![usize::try_from(step).unwrap_or(0)];
            match shape {
                Some(shape) => all.extend(shape),
                None => {
                    self.shapes_inside(l)?;
                    all.extend(self.shape(e)?);
                }
            }
            self.set(s, Slot::Known(data.finish(all)));
        }
        Ok(())
    }

    /// Binds shapes for what the body of a loop sees.
    pub(super) fn shapes_inside(&mut self, l: &'a Loop) -> Outcome<()> {
        self.set(&l.index, Slot::Absent);
        for (s, init) in &l.states {
            let shape = self.shape(init)?;
            self.set(s, Slot::Shape(shape));
        }
        for b in &l.body.lets {
            self.shape_bound(b)?;
        }
        Ok(())
    }

    /// The array with its part replaced.
    pub(super) fn update(&mut self, u: &'a Update) -> Outcome<Val> {
        let array = self.eval(&u.array)?;
        if let Some(c) = &u.when
            && self.scalar(c)? != Lit::Bool(true)
        {
            return Ok(array);
        }
        let mut from = vec![];
        for along in &u.at {
            from.push(match along.index() {
                Some(i) => self.int(i)?,
                None => 0,
            });
        }
        let value = self.eval(&u.value)?;
        let Val::Array(array) = array else {
            return Ok(value);
        };
        let shape = array.shape().to_vec();
        let is = shape_of_val(&value);
        let mut lengths = is.iter().copied();
        let mut offsets = vec![0];
        for ((&n, along), &begin) in shape.iter().zip(&u.at).zip(&from) {
            let count = match along {
                Along::At(_) => 1,
                Along::All | Along::From(_) => lengths.next().unwrap_or(0),
            };
            if matches!(along, Along::All) && count != n {
                return Err(format!(
                    "a part of an array of shape {shape:?} is replaced by one of {is:?}"
                ));
            }
            let begin = usize::try_from(begin).ok();
            let here: Vec<usize> = match begin.filter(|begin| begin + count <= n) {
                Some(begin) => (begin..begin + count).collect(),
                None if count == 0 => vec![],
                None => return Err(outside(&from, &shape)),
            };
            offsets = (offsets.iter())
                .flat_map(|o| here.iter().map(move |i| o * n + i))
                .collect();
        }
        self.steps += offsets.len() as u64;
        let value = unpack(&value);
        let mut new = Elements::new(elem(&array));
        let mut replaced: Vec<Option<usize>> = vec![None; shape.iter().product()];
        for (k, o) in offsets.into_iter().enumerate() {
            replaced[o] = Some(k);
        }
        for (k, by) in replaced.into_iter().enumerate() {
            new.push(&Val::Scalar(match by {
                Some(j) => element(&value, j),
                None => element(&array, k),
            }));
        }
        Ok(new.finish(shape))
    }
}
