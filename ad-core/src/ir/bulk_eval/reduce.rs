//! Reductions: sums over any axes, all others along one.

use super::Slot;
use super::domain::{Domain, each, strides};
use crate::ir::core::{Extremum, ReduceOp};
use crate::ir::cost;
use crate::ir::value::Value;

/// The numbers of positions before, along and after an axis.
fn around(d: &Domain<'_>, shape: &[usize], axis: usize) -> Result<(usize, usize, usize), String> {
    let Some(&n) = shape.get(axis) else {
        return Err(format!("no axis {axis} in the shape {shape:?}"));
    };
    let (before, after) = (&shape[..axis], &shape[axis + 1..]);
    d.needs(&[before, after].concat())?;
    Ok((before.iter().product(), n, after.iter().product()))
}

/// Calls `f` with each position of the result and the positions that are reduced to it.
fn along(
    d: &Domain<'_>,
    shape: &[usize],
    axis: usize,
    mut f: impl FnMut(usize, &mut dyn Iterator<Item = usize>) -> Result<(), String>,
) -> Result<u64, String> {
    let (before, n, after) = around(d, shape, axis)?;
    for i in 0..before {
        for k in 0..after {
            let p = i * after + k;
            if d.on(p) {
                f(p, &mut (0..n).map(|j| (i * n + j) * after + k))?;
            }
        }
    }
    Ok(n as u64)
}

pub(super) fn reduce(
    d: &Domain<'_>,
    op: ReduceOp,
    src: &Slot,
    axes: &[usize],
) -> Result<(Slot, u64), String> {
    if op == ReduceOp::Sum {
        return sum(d, src, axes);
    }
    let &[axis] = axes else {
        return Err(format!("`{}` over {} axes", op.name(), axes.len()));
    };
    if let (ReduceOp::Product, Value::Int(t)) = (op, &src.value) {
        let mut out = vec![0; d.len];
        along(d, &t.shape, axis, |p, from| {
            out[p] = 1i64;
            for q in from {
                out[p] = out[p].wrapping_mul(t.data[q]);
            }
            Ok(())
        })?;
        return Ok((d.slot(d.int(out)), 0));
    }
    if let (ReduceOp::Max | ReduceOp::Min, Value::Int(t)) = (op, &src.value) {
        let mut out = vec![0; d.len];
        along(d, &t.shape, axis, |p, from| {
            let all = from.map(|q| t.data[q]);
            out[p] = if op == ReduceOp::Max {
                all.fold(i64::MIN, i64::max)
            } else {
                all.fold(i64::MAX, i64::min)
            };
            Ok(())
        })?;
        return Ok((d.slot(d.int(out)), 0));
    }
    let x = src.real()?;
    let mut out = vec![0.0; d.len];
    let n = along(d, src.shape(), axis, |p, from| {
        let mut from = from.map(|q| x[q]);
        out[p] = match op {
            ReduceOp::Sum => from.fold(0.0, |a, b| a + b),
            ReduceOp::Product => from.fold(1.0, |a, b| a * b),
            ReduceOp::Max => largest(&mut from),
            ReduceOp::Min => from.fold(f64::INFINITY, |a, b| if b < a { b } else { a }),
            ReduceOp::LogSumExp => {
                let terms: Vec<f64> = from.collect();
                log_sum_exp(&terms)
            }
        };
        Ok(())
    })?;
    Ok((d.slot(d.real(out)), d.count() * cost::reduce(op, n)))
}

fn largest(x: &mut dyn Iterator<Item = f64>) -> f64 {
    x.fold(f64::NEG_INFINITY, |a, b| if b > a { b } else { a })
}

fn log_sum_exp(x: &[f64]) -> f64 {
    if x.iter().any(|e| e.is_nan()) {
        return f64::NAN;
    }
    let m = largest(&mut x.iter().copied());
    if m.is_infinite() {
        return m;
    }
    m + x.iter().map(|e| (e - m).exp()).sum::<f64>().ln()
}

fn sum(d: &Domain<'_>, src: &Slot, axes: &[usize]) -> Result<(Slot, u64), String> {
    let shape = src.shape();
    let ascending = axes.windows(2).all(|w| w[0] < w[1]);
    if !ascending || axes.iter().any(|&k| k >= shape.len()) {
        return Err(format!("a sum over the axes {axes:?} of {shape:?}"));
    }
    let kept: Vec<usize> = (0..shape.len()).filter(|k| !axes.contains(k)).collect();
    d.needs(&kept.iter().map(|&k| shape[k]).collect::<Vec<_>>())?;
    let mut step = vec![0; shape.len()];
    for (&k, s) in kept.iter().zip(strides(&d.shape)) {
        step[k] = s;
    }
    let mut terms = vec![0u64; d.len];
    let mut add = |take: &mut dyn FnMut(usize, usize) -> Result<(), String>| {
        each(shape, |p, index| {
            let to = index.iter().zip(&step).map(|(i, s)| i * s).sum();
            if src.has(p) && d.on(to) {
                take(p, to)?;
                terms[to] += 1;
            }
            Ok(())
        })
    };
    let (value, real) = match &src.value {
        Value::Real(t) => {
            let mut out = vec![0.0; d.len];
            add(&mut |p, to| {
                out[to] += t.data[p];
                Ok(())
            })?;
            (d.real(out), true)
        }
        Value::Int(t) => {
            let mut out = vec![0i64; d.len];
            add(&mut |p, to| {
                out[to] = out[to].wrapping_add(t.data[p]);
                Ok(())
            })?;
            (d.int(out), false)
        }
        Value::Bool(_) => return Err("a sum of truth values".into()),
    };
    let cost = (terms.iter())
        .map(|&k| cost::reduce(ReduceOp::Sum, k))
        .sum::<u64>();
    let slot = d.slot_where(value, |p| terms[p] > 0);
    Ok((slot, if real { cost } else { 0 }))
}

pub(super) fn arg_reduce(
    d: &Domain<'_>,
    op: Extremum,
    src: &Slot,
    axis: usize,
) -> Result<(Slot, u64), String> {
    let x = src.real()?;
    let mut out = vec![0i64; d.len];
    let n = along(d, src.shape(), axis, |p, from| {
        let mut best = match op {
            Extremum::Max => f64::NEG_INFINITY,
            Extremum::Min => f64::INFINITY,
        };
        for (k, q) in from.enumerate() {
            let better = match op {
                Extremum::Max => x[q] > best,
                Extremum::Min => x[q] < best,
            };
            if better {
                best = x[q];
                out[p] = k as i64;
            }
        }
        Ok(())
    })?;
    Ok((d.slot(d.int(out)), d.count() * cost::arg_reduce(n)))
}
