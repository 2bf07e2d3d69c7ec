//! What derivatives are made of besides what users write: recurrences, and demands on sizes.

use super::{Machine, Outcome, Val, unpack};
use crate::ir::bulk::Relation;
use crate::ir::core::{Demand, Feed, Recur};
use crate::ir::ty::Lit;
use crate::ir::value::{Tensor, Value};
use std::rc::Rc;

impl<'a> Machine<'a> {
    /// An error if the relation does not hold.
    pub(super) fn demand(&mut self, d: &'a Demand) -> Outcome<()> {
        for condition in &d.when {
            if self.scalar(condition)? == Lit::Bool(false) {
                return Ok(());
            }
        }
        let (left, right) = (self.int(&d.left)?, self.int(&d.right)?);
        let holds = match d.relation {
            Relation::AtLeast => left >= right,
            Relation::Equal => left == right,
        };
        if holds {
            return Ok(());
        }
        Err(format!("sizes do not fit: {left} and {right}"))
    }

    /// One state after the other: `state = factor * state + what enters`. Each factor counts as one
    /// operation and so does each addition, but none to what is zero by construction.
    pub(super) fn recur(&mut self, r: &'a Recur) -> Outcome<Val> {
        let factors = unpack(&self.eval(&r.factors)?);
        let mask = match &r.mask {
            Some(mask) => Some(unpack(&self.eval(mask)?)),
            None => None,
        };
        let fed = match &r.feed {
            Feed::One => None,
            Feed::First(e) | Feed::Each(e) | Feed::All(e) => Some(unpack(&self.eval(e)?)),
        };
        let shape = factors.shape().to_vec();
        let n = shape[r.axis];
        let inner: usize = shape[r.axis + 1..].iter().product();
        let outer: usize = shape[..r.axis].iter().product();
        let mut out = vec![0.0; outer * (n + 1) * inner];
        for row in 0..outer * inner {
            let at = |length: usize, k: usize| (row / inner * length + k) * inner + row % inner;
            // A structural zero is no number.
            let mut state: Option<f64> = None;
            // Running products start from a 1 that nothing is multiplied with.
            let mut untouched = false;
            for k in 0..=n {
                let place = at(n + 1, if r.reverse { n - k } else { k });
                let step = (k > 0).then(|| at(n, if r.reverse { n - k } else { k - 1 }));
                if let (Some(step), Some(before)) = (step, state)
                    && mask.as_ref().is_none_or(|m| m.bool().data[step])
                {
                    let factor = factors.real().data[step];
                    state = Some(if untouched { factor } else { factor * before });
                    self.ops += u64::from(!untouched);
                    untouched = false;
                }
                let enters = match (&r.feed, &fed, step) {
                    (Feed::One, _, None) => {
                        untouched = true;
                        Some(1.0)
                    }
                    (Feed::First(_), Some(b), None) => Some(b.real().data[row]),
                    (Feed::Each(_), Some(b), Some(step)) => Some(b.real().data[step]),
                    (Feed::All(_), Some(b), _) => Some(b.real().data[place]),
                    (Feed::One | Feed::First(_) | Feed::Each(_) | Feed::All(_), _, _) => None,
                };
                if let Some(x) = enters {
                    self.ops += u64::from(state.is_some());
                    state = Some(state.map_or(x, |s| s + x));
                }
                out[place] = state.unwrap_or(0.0);
            }
        }
        self.steps += out.len() as u64;
        let mut shape = shape;
        shape[r.axis] = n + 1;
        Ok(Val::Array(Rc::new(Value::Real(Tensor::new(shape, out)))))
    }
}
