//! Recurrences and contractions.

use super::Slot;
use super::domain::{Domain, each, strides, volume};
use crate::ir::cost;

pub(super) fn recur(
    d: &Domain<'_>,
    a: &Slot,
    b: &Slot,
    axis: usize,
    reverse: bool,
) -> Result<(Slot, u64), String> {
    d.needs(a.shape())?;
    d.needs(b.shape())?;
    let (x, y) = (a.real()?, b.real()?);
    let Some(&n) = d.shape.get(axis) else {
        return Err(format!("no axis {axis} in the shape {:?}", d.shape));
    };
    let step: usize = d.shape[axis + 1..].iter().product();
    let mut out = vec![0.0; d.len];
    let mut cost = 0;
    for p in 0..d.len / n.max(1) {
        let first = p / step * n * step + p % step;
        let mut last = 0.0;
        for k in 0..n {
            let at = first + step * if reverse { n - 1 - k } else { k };
            if !d.on(at) {
                last = 0.0;
                continue;
            }
            if k == 0 {
                out[at] = y[at];
            } else {
                // Without the addition of what is absent.
                cost += cost::recur(2) - u64::from(!b.has(at));
                out[at] = x[at] * last + y[at];
            }
            last = out[at];
        }
    }
    Ok((d.slot(d.real(out)), cost))
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
