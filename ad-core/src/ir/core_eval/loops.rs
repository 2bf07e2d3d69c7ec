//! What binds an index: arrays by their elements, reductions, scatters.

use super::{Elements, Machine, Outcome, Slot, Val, element, outside, real, shape_of_val};
use crate::ir::core::{Binder, Expr, Kind, ReduceOp, Scatter};
use crate::ir::cost;
use crate::ir::ty::{Elem, Lit};
use crate::ir::value::{Tensor, Value};
use std::rc::Rc;

/// The largest of `xs` and its position, by the rule of the language: from −∞ at position 0 on, an
/// element wins if it is strictly larger. `sign` is −1 for the smallest.
pub(super) fn extremum(xs: &[f64], sign: f64) -> (f64, usize) {
    let (mut best, mut at) = (f64::NEG_INFINITY, 0);
    for (k, &x) in xs.iter().enumerate() {
        if sign * x > best {
            (best, at) = (sign * x, k);
        }
    }
    (sign * best, at)
}

/// `ln Σ exp x`. A NaN makes it NaN; else, an infinite largest is the result itself.
fn log_sum_exp(xs: &[f64]) -> f64 {
    if xs.iter().any(|x| x.is_nan()) {
        return f64::NAN;
    }
    let (m, _) = extremum(xs, 1.0);
    if m.is_infinite() {
        return m;
    }
    let sum: f64 = xs.iter().map(|x| (x - m).exp()).sum();
    m + sum.ln()
}

impl<'a> Machine<'a> {
    /// The scalars that a body takes on over a binder.
    pub(super) fn reals(&mut self, b: &'a Binder, body: &'a Expr) -> Outcome<Vec<f64>> {
        let n = self.extent(&b.extent)?;
        let mut xs = vec![];
        for i in 0..n {
            self.set_index(&b.var, i);
            xs.push(real(self.scalar(body)?));
        }
        Ok(xs)
    }

    pub(super) fn build(&mut self, b: &'a Binder, body: &'a Expr) -> Outcome<Val> {
        let n = self.extent(&b.extent)?;
        let mut data = Elements::new(body.ty.elem);
        let mut shape = vec![n];
        if n == 0 {
            self.set(&b.var, Slot::Absent);
            shape.extend(self.shape(body)?);
        }
        for i in 0..n {
            self.set_index(&b.var, i);
            let v = self.eval(body)?;
            let inner = shape_of_val(&v);
            if i == 0 {
                shape.extend(inner);
            } else if inner != &shape[1..] {
                let first = &shape[1..];
                return Err(format!(
                    "a row of shape {inner:?} after one of shape {first:?}"
                ));
            }
            data.push(&v);
        }
        Ok(data.finish(shape))
    }

    /// Sums and products, of scalars and of arrays.
    pub(super) fn accumulate(
        &mut self,
        op: ReduceOp,
        b: &'a Binder,
        body: &'a Expr,
    ) -> Outcome<Val> {
        let n = self.extent(&b.extent)?;
        let start = op.identity(body.ty.elem);
        if body.ty.rank == 0 {
            let mut acc = start;
            for i in 0..n {
                self.set_index(&b.var, i);
                let x = self.scalar(body)?;
                acc = combine(op, acc, x)?;
            }
            self.charge(op, body.ty.elem, n, 1);
            return Ok(Val::Scalar(acc));
        }
        if n == 0 {
            self.set(&b.var, Slot::Absent);
            let shape = self.shape(body)?;
            let v = match start {
                Lit::Real(x) => Value::Real(Tensor::filled(&shape, x)),
                Lit::Int(x) => Value::Int(Tensor::filled(&shape, x)),
                Lit::Bool(x) => Value::Bool(Tensor::filled(&shape, x)),
            };
            return Ok(Val::Array(Rc::new(v)));
        }
        let mut acc: Vec<Lit> = vec![];
        let mut shape = vec![];
        for i in 0..n {
            self.set_index(&b.var, i);
            let v = self.eval(body)?;
            let Val::Array(v) = v else {
                unreachable!("the verifier excludes a scalar here")
            };
            if i == 0 {
                shape = v.shape().to_vec();
                acc = vec![start; shape.iter().product()];
            } else if v.shape() != shape {
                let now = v.shape();
                return Err(format!(
                    "a term of shape {now:?} after one of shape {shape:?}"
                ));
            }
            for (k, a) in acc.iter_mut().enumerate() {
                *a = combine(op, *a, element(&v, k))?;
            }
        }
        self.charge(op, body.ty.elem, n, acc.len());
        let mut data = Elements::new(body.ty.elem);
        acc.into_iter().for_each(|x| data.push(&Val::Scalar(x)));
        Ok(data.finish(shape))
    }

    /// Extrema and logarithms of sums of exponentials, of scalars and of arrays.
    pub(super) fn pick(&mut self, op: ReduceOp, b: &'a Binder, body: &'a Expr) -> Outcome<Val> {
        let one = |xs: &[f64]| match op {
            ReduceOp::Min => extremum(xs, -1.0).0,
            ReduceOp::LogSumExp => log_sum_exp(xs),
            ReduceOp::Max | ReduceOp::Sum | ReduceOp::Product => extremum(xs, 1.0).0,
        };
        if body.ty.elem == Elem::Int {
            return self.extreme_int(op, b, body);
        }
        if body.ty.rank == 0 {
            let xs = self.reals(b, body)?;
            self.charge(op, Elem::Real, xs.len(), 1);
            return Ok(Val::Scalar(Lit::Real(one(&xs))));
        }
        let Val::Array(rows) = self.build(b, body)? else {
            unreachable!("the verifier excludes a scalar here")
        };
        let shape = rows.shape()[1..].to_vec();
        let n = rows.shape()[0];
        let count = shape.iter().product();
        let data = &rows.real().data;
        let column = |k: usize| (0..n).map(|i| data[i * count + k]).collect::<Vec<_>>();
        let best = (0..count).map(|k| one(&column(k))).collect();
        self.charge(op, Elem::Real, n, count);
        Ok(Val::Array(Rc::new(Value::Real(Tensor::new(shape, best)))))
    }

    /// The largest or smallest integer.
    fn extreme_int(&mut self, op: ReduceOp, b: &'a Binder, body: &'a Expr) -> Outcome<Val> {
        let n = self.extent(&b.extent)?;
        let mut all = vec![];
        for i in 0..n {
            self.set_index(&b.var, i);
            all.push(self.int(body)?);
        }
        let best = match op {
            ReduceOp::Min => all.into_iter().min(),
            ReduceOp::Max | ReduceOp::Sum | ReduceOp::Product | ReduceOp::LogSumExp => {
                all.into_iter().max()
            }
        };
        let best = best.map_or(op.identity(Elem::Int), Lit::Int);
        Ok(Val::Scalar(best))
    }

    pub(super) fn charge(&mut self, op: ReduceOp, elem: Elem, n: usize, elements: usize) {
        self.steps += (n * elements) as u64;
        if elem == Elem::Real {
            self.ops += cost::reduce(op, n as u64) * elements as u64;
        }
    }

    pub(super) fn scatter(&mut self, s: &'a Scatter) -> Outcome<Val> {
        let mut shape = vec![];
        for n in &s.extents {
            shape.push(self.extent(n)?);
        }
        let mut made = Scattered {
            hit: vec![false; shape.iter().product()],
            out: Tensor::filled(&shape, 0.0),
            added: 0,
        };
        self.scatter_inside(s, &s.binders, &mut made)?;
        let distinct = made.hit.iter().filter(|&&h| h).count();
        self.ops += cost::scatter(made.added, distinct as u64);
        Ok(Val::Array(Rc::new(Value::Real(made.out))))
    }

    /// Runs through the binders that are left, the last one fastest.
    fn scatter_inside(
        &mut self,
        s: &'a Scatter,
        binders: &'a [Binder],
        made: &mut Scattered,
    ) -> Outcome<()> {
        if let Some((b, inner)) = binders.split_first() {
            for i in 0..self.extent(&b.extent)? {
                self.set_index(&b.var, i);
                self.scatter_inside(s, inner, made)?;
            }
            return Ok(());
        }
        for b in &s.lets {
            self.bound(b)?;
        }
        // What is structurally zero is not added, and has no place.
        if let Kind::Where(c, _) = &*s.value.kind
            && self.scalar(c)? != Lit::Bool(true)
        {
            return Ok(());
        }
        made.added += 1;
        let mut at = vec![];
        for k in &s.index {
            at.push(self.int(k)?);
        }
        let x = real(self.scalar(&s.value)?);
        let at = (made.out.offset(&at)).ok_or_else(|| outside(&at, &made.out.shape))?;
        made.out.data[at] += x;
        made.hit[at] = true;
        Ok(())
    }
}

/// A sum by index while it is made.
struct Scattered {
    out: Tensor<f64>,
    /// Where something has been added, and how often.
    hit: Vec<bool>,
    added: u64,
}

fn combine(op: ReduceOp, a: Lit, b: Lit) -> Outcome<Lit> {
    let product = op == ReduceOp::Product;
    match (a, b) {
        (Lit::Real(a), Lit::Real(b)) => Ok(Lit::Real(if product { a * b } else { a + b })),
        (Lit::Int(a), Lit::Int(b)) => {
            let c = if product {
                a.checked_mul(b)
            } else {
                a.checked_add(b)
            };
            let overflow = || format!("a {} of integers overflows at {a} and {b}", op.name());
            c.map(Lit::Int).ok_or_else(overflow)
        }
        _ => unreachable!("the verifier excludes mixed terms"),
    }
}
