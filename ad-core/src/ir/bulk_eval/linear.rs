//! Recurrences and contractions.

use super::Slot;
use super::domain::{Domain, each, strides, volume};
use crate::ir::bulk::Feed;
use crate::ir::cost;

/// What a recurrence multiplies with.
pub(super) struct Factors<'a> {
    pub(super) a: &'a Slot,
    pub(super) mask: Option<&'a Slot>,
    pub(super) axis: usize,
    pub(super) reverse: bool,
}

/// The state of a recurrence.
#[derive(Clone, Copy)]
enum State {
    /// A structural zero.
    Absent,
    /// The 1 that running products start from.
    One,
    /// A number.
    Real(f64),
}

/// `fed`: the array of the feed, if it has one.
pub(super) fn recur(
    d: &Domain<'_>,
    f: &Factors<'_>,
    b: Feed,
    fed: Option<&Slot>,
) -> Result<(Slot, u64), String> {
    let shape = f.a.shape();
    let Some(&n) = shape.get(f.axis) else {
        return Err(format!("no axis {} in the shape {shape:?}", f.axis));
    };
    let (before, after) = (&shape[..f.axis], &shape[f.axis + 1..]);
    d.needs(&[before, &[n + 1], after].concat())?;
    if d.guard.is_some() {
        return Err("a recurrence with a guard".into());
    }
    let a = f.a.real()?;
    let mask = f.mask.map(Slot::bool).transpose()?;
    if mask.is_some_and(|m| m.len() != a.len()) {
        return Err("the mask does not fit the factors".into());
    }
    let rows = before.iter().chain(after).product::<usize>();
    let expected = match b {
        Feed::One => 0,
        Feed::First(_) => rows,
        Feed::Each(_) => a.len(),
        Feed::All(_) => d.len,
    };
    let entering = match fed {
        Some(slot) => slot.real()?,
        None => &[],
    };
    if entering.len() != expected {
        return Err("what enters does not fit the recurrence".into());
    }
    let enters = |p: usize| match fed {
        Some(slot) if slot.has(p) => State::Real(entering[p]),
        Some(_) | None => State::Absent,
    };
    let step: usize = after.iter().product();
    let mut out = vec![0.0; d.len];
    let mut present = vec![true; d.len];
    let mut cost = 0;
    for row in 0..rows {
        let (outer, inner) = (row / step, row % step);
        let state_at = |k: usize| (outer * (n + 1) + k) * step + inner;
        let factor_at = |k: usize| (outer * n + k) * step + inner;
        let mut state = State::Absent;
        for k in 0..=n {
            let at = state_at(if f.reverse { n - k } else { k });
            let q = factor_at(if f.reverse { n - k } else { k.max(1) - 1 });
            if k > 0 {
                let there = mask.is_none_or(|m| m[q]);
                state = match state {
                    State::One if there => State::Real(a[q]),
                    State::Real(x) if there => {
                        cost += 1;
                        State::Real(a[q] * x)
                    }
                    State::Absent | State::One | State::Real(_) => state,
                };
            }
            let entering = match b {
                Feed::One if k == 0 => State::One,
                Feed::First(_) if k == 0 => enters(row),
                Feed::Each(_) if k > 0 => enters(q),
                Feed::One | Feed::First(_) | Feed::Each(_) => State::Absent,
                Feed::All(_) => enters(at),
            };
            state = match (state, entering) {
                (State::Absent, x) | (x, State::Absent) => x,
                (x, y) => {
                    cost += 1;
                    State::Real(x.number() + y.number())
                }
            };
            out[at] = state.number();
            present[at] = !matches!(state, State::Absent);
        }
    }
    Ok((d.slot_where(d.real(out), |p| present[p]), cost))
}

impl State {
    fn number(self) -> f64 {
        match self {
            State::Absent => 0.0,
            State::One => 1.0,
            State::Real(x) => x,
        }
    }
}

pub(super) fn contract(
    d: &Domain<'_>,
    (a, a_axes): (&Slot, &[u8]),
    (b, b_axes): (&Slot, &[u8]),
    out_axes: &[u8],
) -> Result<(Slot, u64), String> {
    /// A label with its extent and how far it moves in either operand.
    struct Label {
        name: u8,
        extent: usize,
        step: [usize; 2],
    }
    let mut labels: Vec<Label> = vec![];
    for (side, (slot, axes)) in [(a, a_axes), (b, b_axes)].into_iter().enumerate() {
        if axes.len() != slot.shape().len() {
            return Err(format!("{} labels for {:?}", axes.len(), slot.shape()));
        }
        for ((&name, &extent), step) in axes.iter().zip(slot.shape()).zip(strides(slot.shape())) {
            match labels.iter_mut().find(|l| l.name == name) {
                None => {
                    let mut l = Label {
                        name,
                        extent,
                        step: [0; 2],
                    };
                    l.step[side] = step;
                    labels.push(l);
                }
                Some(l) if l.extent != extent => {
                    return Err(format!(
                        "contracts axes of lengths {} and {extent}",
                        l.extent
                    ));
                }
                Some(l) => l.step[side] += step,
            }
        }
    }
    let mut out: Vec<Label> = vec![];
    for &name in out_axes {
        match labels.iter().position(|l| l.name == name) {
            Some(k) => out.push(labels.remove(k)),
            None => return Err("an axis of the result is in no operand, or twice".into()),
        }
    }
    d.needs(&out.iter().map(|l| l.extent).collect::<Vec<_>>())?;
    let move_by = |labels: &[Label], index: &[usize], side: usize| -> usize {
        let steps = labels.iter().zip(index);
        steps.map(|(l, i)| l.step[side] * i).sum()
    };
    let inner: Vec<usize> = labels.iter().map(|l| l.extent).collect();
    let mut pairs = Vec::with_capacity(volume(&inner)?);
    each(&inner, |_, index| {
        pairs.push((move_by(&labels, index, 0), move_by(&labels, index, 1)));
        Ok(())
    })?;
    let (x, y) = (a.real()?, b.real()?);
    let mut data = vec![0.0; d.len];
    let mut some = vec![false; d.len];
    let mut cost = 0;
    each(&d.shape, |p, index| {
        if d.on(p) {
            let (i, j) = (move_by(&out, index, 0), move_by(&out, index, 1));
            let mut present = 0;
            for (k, l) in &pairs {
                if a.has(i + k) && b.has(j + l) {
                    data[p] += x[i + k] * y[j + l];
                    present += 1;
                }
            }
            some[p] = present > 0;
            cost += cost::contract(present);
        }
        Ok(())
    })?;
    Ok((d.slot_where(d.real(data), |p| some[p]), cost))
}
