//! Index maps with their numbers, and what goes by them: reading and writing at places.

use super::domain::{Domain, each};
use super::{Machine, Slot};
use crate::ir::bulk::{Affine, Ix, Part};
use crate::ir::cost;
use crate::ir::value::Value;

/// An affine function with its numbers.
struct Line {
    coefs: Vec<i64>,
    constant: i64,
}

impl Line {
    fn at(&self, index: &[usize]) -> i64 {
        let terms = self.coefs.iter().zip(index).map(|(c, &i)| c * i as i64);
        self.constant + terms.sum::<i64>()
    }
}

/// A component of an index map with its numbers.
enum Component<'a> {
    Line(Line),
    Data(&'a [i64]),
}

impl Component<'_> {
    fn at(&self, position: usize, index: &[usize]) -> i64 {
        match self {
            Component::Line(l) => l.at(index),
            Component::Data(d) => d[position],
        }
    }
}

/// The position in an array that an index map gives, or a message.
fn locate(
    components: &[Component<'_>],
    shape: &[usize],
    position: usize,
    index: &[usize],
) -> Result<usize, String> {
    let mut at = 0;
    for (axis, (c, &n)) in components.iter().zip(shape).enumerate() {
        let i = c.at(position, index);
        match usize::try_from(i) {
            Ok(i) if i < n => at = at * n + i,
            Ok(_) | Err(_) => {
                return Err(format!(
                    "index {i} is out of bounds for axis {axis} of length {n}, at {index:?}"
                ));
            }
        }
    }
    Ok(at)
}

/// Stands for the position of an absent element.
const NOWHERE: usize = usize::MAX;

impl Machine<'_> {
    fn line(&self, affine: &Affine, domain: &[usize]) -> Result<Line, String> {
        if affine.coefs.len() != domain.len() {
            return Err(format!(
                "an index map of {} axes over the shape {domain:?}",
                affine.coefs.len()
            ));
        }
        let line = Line {
            coefs: (affine.coefs.iter())
                .map(|c| self.size(c))
                .collect::<Result<_, _>>()?,
            constant: self.size(&affine.constant)?,
        };
        let (mut low, mut high) = (i128::from(line.constant), i128::from(line.constant));
        for (&c, &n) in line.coefs.iter().zip(domain) {
            let reach = i128::from(c) * n as i128;
            (low, high) = (low + reach.min(0), high + reach.max(0));
        }
        if low < i64::MIN.into() || high > i64::MAX.into() {
            return Err("an index overflows".into());
        }
        Ok(line)
    }

    fn components(
        &self,
        index: &[Ix],
        rank: usize,
        domain: &[usize],
    ) -> Result<Vec<Component<'_>>, String> {
        if index.len() != rank {
            return Err(format!("{} indices for {rank} axes", index.len()));
        }
        (index.iter())
            .map(|i| match i {
                Ix::Affine(a) => Ok(Component::Line(self.line(a, domain)?)),
                Ix::Data(v) => {
                    let slot = self.slot(*v)?;
                    if slot.shape() != domain {
                        return Err(format!(
                            "the indices v{} have the shape {:?}, not {domain:?}",
                            v.0,
                            slot.shape()
                        ));
                    }
                    Ok(Component::Data(slot.int()?))
                }
            })
            .collect()
    }

    pub(super) fn index(&self, d: &Domain<'_>, affine: &Affine) -> Result<Slot, String> {
        let mut data = vec![0; d.len];
        if d.any() {
            let line = self.line(affine, &d.shape)?;
            each(&d.shape, |p, index| {
                if d.on(p) {
                    data[p] = line.at(index);
                }
                Ok(())
            })?;
        }
        Ok(d.slot(d.int(data)))
    }

    pub(super) fn gather(&self, d: &Domain<'_>, src: &Slot, index: &[Ix]) -> Result<Slot, String> {
        let mut from = vec![NOWHERE; d.len];
        if d.any() {
            let components = self.components(index, src.shape().len(), &d.shape)?;
            each(&d.shape, |p, index| {
                if d.on(p) {
                    from[p] = locate(&components, src.shape(), p, index)?;
                }
                Ok(())
            })?;
        }
        Ok(select_from(d, src, &from))
    }

    pub(super) fn scatter(&self, d: &Domain<'_>, parts: &[Part]) -> Result<(Slot, u64), String> {
        let mut data = vec![0.0; d.len];
        let mut hit = vec![false; d.len];
        let (mut hits, mut distinct) = (0, 0);
        for part in parts {
            let src = self.slot(part.src)?;
            let reals = src.real()?;
            if !(0..reals.len()).any(|p| src.has(p)) {
                continue;
            }
            let components = self.components(&part.index, d.shape.len(), src.shape())?;
            let is_whole = part.index == Ix::identity(d.shape.len()) && src.shape() == d.shape;
            each(src.shape(), |p, index| {
                if !src.has(p) {
                    return Ok(());
                }
                let to = locate(&components, &d.shape, p, index)?;
                if d.on(to) {
                    // What is added to a whole array is added to its elements, a zero's sign kept.
                    data[to] = match is_whole && !hit[to] {
                        true => reals[p],
                        false => data[to] + reals[p],
                    };
                    hits += 1;
                    distinct += u64::from(!hit[to]);
                    hit[to] = true;
                }
                Ok(())
            })?;
        }
        // As with a sum over nothing: where nothing arrives, the zero is structural.
        let slot = d.slot_where(d.real(data), |p| hit[p]);
        Ok((slot, cost::scatter(hits, distinct)))
    }
}

impl Machine<'_> {
    /// `src` with elements replaced.
    pub(super) fn update(
        &self,
        d: &Domain<'_>,
        src: &Slot,
        part: &Part,
        when: Option<&Slot>,
    ) -> Result<Slot, String> {
        d.needs(src.shape())?;
        let new = self.slot(part.src)?;
        let shape = new.shape();
        let holds = match when {
            Some(w) if w.shape() != shape => {
                return Err(format!(
                    "the condition has the shape {:?}, not {shape:?}",
                    w.shape()
                ));
            }
            Some(w) => Some(w.bool()?),
            None => None,
        };
        // For each element where its new value is.
        let mut from = vec![NOWHERE; d.len];
        if (0..shape.iter().product()).any(|p| holds.is_none_or(|h| h[p])) {
            let components = self.components(&part.index, d.shape.len(), shape)?;
            each(shape, |p, index| {
                if holds.is_none_or(|h| h[p]) {
                    let to = locate(&components, &d.shape, p, index)?;
                    if from[to] != NOWHERE {
                        return Err(format!("writes the element {to} twice"));
                    }
                    from[to] = p;
                }
                Ok(())
            })?;
        }
        fn write<T: Copy>(old: &[T], new: &[T], from: &[usize]) -> Vec<T> {
            let of = |(&old, &p): (&T, &usize)| if p == NOWHERE { old } else { new[p] };
            old.iter().zip(from).map(of).collect()
        }
        let value = match &src.value {
            Value::Real(t) => d.real(write(&t.data, new.real()?, &from)),
            Value::Int(t) => d.int(write(&t.data, new.int()?, &from)),
            Value::Bool(t) => d.bool(write(&t.data, new.bool()?, &from)),
        };
        Ok(d.slot_where(value, |p| match from[p] {
            NOWHERE => src.has(p),
            q => new.has(q),
        }))
    }
}

/// The elements of `src` at some positions.
fn select_from(d: &Domain<'_>, src: &Slot, from: &[usize]) -> Slot {
    fn pick<T: Copy>(data: &[T], from: &[usize], zero: T) -> Vec<T> {
        (from.iter())
            .map(|&p| if p == NOWHERE { zero } else { data[p] })
            .collect()
    }
    let value = match &src.value {
        Value::Real(t) => d.real(pick(&t.data, from, 0.0)),
        Value::Int(t) => d.int(pick(&t.data, from, 0)),
        Value::Bool(t) => d.bool(pick(&t.data, from, false)),
    };
    d.slot_where(value, |p| src.has(from[p]))
}

pub(super) fn copy(d: &Domain<'_>, src: &Slot) -> Result<Slot, String> {
    d.needs(src.shape())?;
    if d.guard.is_none() {
        return Ok(src.clone());
    }
    let from: Vec<usize> = (0..d.len)
        .map(|p| if d.on(p) { p } else { NOWHERE })
        .collect();
    Ok(select_from(d, src, &from))
}
