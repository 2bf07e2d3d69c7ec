//! Operations on each element by itself.

use super::Slot;
use super::domain::{Domain, kind};
use crate::ir::prims::{Eval, Prim};
use crate::ir::ty::Lit;
use crate::ir::value::Value;

pub(super) fn fill(d: &Domain<'_>, lit: Lit) -> Result<Slot, String> {
    let value = match lit {
        Lit::Real(x) => d.real(d.fill(0.0, |_| Ok(x))?),
        Lit::Int(x) => d.int(d.fill(0, |_| Ok(x))?),
        Lit::Bool(x) => d.bool(d.fill(false, |_| Ok(x))?),
    };
    Ok(d.slot(value))
}

pub(super) fn map(d: &Domain<'_>, prim: Prim, args: &[&Slot]) -> Result<(Slot, u64), String> {
    if args.len() != prim.arity() {
        return Err(format!("{} operands for `{}`", args.len(), prim.name()));
    }
    for a in args {
        d.needs(a.shape())?;
    }
    let everywhere = args.iter().all(|a| a.present.is_none());
    match (prim, args) {
        (Prim::Add | Prim::Sub, [a, b]) if !everywhere => return sum_of_two(d, prim, a, b),
        (Prim::Neg, [a]) if !everywhere => {
            let x = a.real()?;
            let data = d.fill(0.0, |p| Ok(-x[p]))?;
            let cost = (0..d.len).filter(|&p| d.on(p) && a.has(p)).count() as u64;
            return Ok((d.slot_where(d.real(data), |p| a.has(p)), cost));
        }
        (Prim::Select, [c, a, b]) => {
            let c = c.bool()?;
            let value = match (&a.value, &b.value) {
                (Value::Real(x), Value::Real(y)) => d.real(choose(d, c, &x.data, &y.data, 0.0)?),
                (Value::Int(x), Value::Int(y)) => d.int(choose(d, c, &x.data, &y.data, 0)?),
                (Value::Bool(x), Value::Bool(y)) => d.bool(choose(d, c, &x.data, &y.data, false)?),
                (x, y) => {
                    return Err(format!("selects between {} and {}", kind(x), kind(y)));
                }
            };
            let slot = d.slot_where(value, |p| if c[p] { a.has(p) } else { b.has(p) });
            return Ok((slot, 0));
        }
        _ => {}
    }
    let value = match prim.evaluation() {
        Eval::R(f) => {
            let a = args[0].real()?;
            d.real(d.fill(0.0, |p| Ok(f(a[p])))?)
        }
        Eval::RR(f) => {
            let (a, b) = (args[0].real()?, args[1].real()?);
            d.real(d.fill(0.0, |p| Ok(f(a[p], b[p])))?)
        }
        Eval::RRR(f) => {
            let (a, b, c) = (args[0].real()?, args[1].real()?, args[2].real()?);
            d.real(d.fill(0.0, |p| Ok(f(a[p], b[p], c[p])))?)
        }
        Eval::RI(f) => {
            let (a, b) = (args[0].real()?, args[1].int()?);
            d.real(d.fill(0.0, |p| Ok(f(a[p], b[p])))?)
        }
        Eval::I(_) => {
            let a = args[0].int()?;
            d.int(d.fill(0, |p| integer(prim, &[a[p]]))?)
        }
        Eval::II(_) => {
            let (a, b) = (args[0].int()?, args[1].int()?);
            d.int(d.fill(0, |p| integer(prim, &[a[p], b[p]]))?)
        }
        Eval::B(f) => {
            let a = args[0].bool()?;
            d.bool(d.fill(false, |p| Ok(f(a[p])))?)
        }
        Eval::BB(f) => {
            let (a, b) = (args[0].bool()?, args[1].bool()?);
            d.bool(d.fill(false, |p| Ok(f(a[p], b[p])))?)
        }
        Eval::RRtoB(f) => {
            let (a, b) = (args[0].real()?, args[1].real()?);
            d.bool(d.fill(false, |p| Ok(f(a[p], b[p])))?)
        }
        Eval::IItoB(f) => {
            let (a, b) = (args[0].int()?, args[1].int()?);
            d.bool(d.fill(false, |p| Ok(f(a[p], b[p])))?)
        }
        Eval::ItoR(f) => {
            let a = args[0].int()?;
            d.real(d.fill(0.0, |p| Ok(f(a[p])))?)
        }
        Eval::RtoI(f) => {
            let a = args[0].real()?;
            d.int(d.fill(0, |p| Ok(f(a[p])))?)
        }
        Eval::BtoI(f) => {
            let a = args[0].bool()?;
            d.int(d.fill(0, |p| Ok(f(a[p])))?)
        }
        Eval::Select => return Err("a selection of another form".into()),
    };
    Ok((d.slot(value), prim.cost() * d.count()))
}

fn choose<T: Copy>(
    d: &Domain<'_>,
    c: &[bool],
    a: &[T],
    b: &[T],
    zero: T,
) -> Result<Vec<T>, String> {
    d.fill(zero, |p| Ok(if c[p] { a[p] } else { b[p] }))
}

fn integer(prim: Prim, args: &[i64]) -> Result<i64, String> {
    let lits: Vec<Lit> = args.iter().copied().map(Lit::Int).collect();
    match prim.eval_wrapping(&lits) {
        Some(Lit::Int(n)) => Ok(n),
        Some(Lit::Real(_) | Lit::Bool(_)) | None => {
            let args: Vec<String> = args.iter().map(i64::to_string).collect();
            Err(format!("{}({}) fails", prim.name(), args.join(", ")))
        }
    }
}

/// Addition or subtraction where operands have structural zeros: what is there is the result, or is
/// subtracted from 0.
fn sum_of_two(d: &Domain<'_>, prim: Prim, a: &Slot, b: &Slot) -> Result<(Slot, u64), String> {
    let (x, y) = (a.real()?, b.real()?);
    let sign = if prim == Prim::Sub { -1.0 } else { 1.0 };
    let mut cost = 0;
    let data = d.fill(0.0, |p| {
        Ok(match (a.has(p), b.has(p)) {
            (true, true) => {
                cost += 1;
                x[p] + sign * y[p]
            }
            (true, false) => x[p],
            (false, true) => {
                cost += u64::from(prim == Prim::Sub);
                if prim == Prim::Sub { 0.0 - y[p] } else { y[p] }
            }
            (false, false) => 0.0,
        })
    })?;
    let slot = d.slot_where(d.real(data), |p| a.has(p) || b.has(p));
    Ok((slot, cost))
}
