//! The interpreter of Core: the meaning of the language, and the count of its real operations.

use super::core::{Binder, Expr, Extremum, Kind, Program, ReduceOp, Scatter, Sym};
use super::cost;
use super::prims::Prim;
use super::ty::{Elem, Lit};
use super::value::{Tensor, Value};
use std::rc::Rc;

/// A value on the way: scalars are not boxed.
#[derive(Clone)]
enum Val {
    Scalar(Lit),
    /// Of rank 1 at least.
    Array(Rc<Value>),
}

/// What a variable stands for.
#[derive(Clone)]
enum Slot<'a> {
    /// An index whose loop never turns: it has no value.
    Absent,
    Known(Val),
    /// A binding met while only a shape is sought: computed when its value is needed.
    Later(&'a Expr),
}

type Outcome<T> = Result<T, String>;

struct Machine<'a> {
    env: Vec<Slot<'a>>,
    ops: u64,
}

/// Runs a program that has passed [`super::core_check::check`] and counts its real operations: each
/// primitive, each step of a reduction or scatter of reals, as [`super::cost`] says. Only the
/// branch that is taken runs.
///
/// Indices out of bounds, negative extents, arrays that are not rectangular, and integer arithmetic
/// that overflows or divides by zero are errors, as are inputs that do not fit the parameters.
pub fn eval(program: &Program, inputs: &[Value]) -> Result<(Value, u64), String> {
    if program.params.len() != inputs.len() {
        let (n, m) = (program.params.len(), inputs.len());
        return Err(format!("{m} inputs for {n} parameters"));
    }
    let mut slots = 0;
    most(&program.body, &mut slots);
    for p in &program.params {
        slots = slots.max(p.sym.id as usize + 1);
    }
    let mut m = Machine {
        env: vec![Slot::Absent; slots],
        ops: 0,
    };
    for (p, v) in program.params.iter().zip(inputs) {
        if elem(v) != p.ty.elem || v.shape().len() != p.ty.rank {
            return Err(format!(
                "the input {v} does not fit the parameter `{}`",
                p.sym.hint
            ));
        }
        m.env[p.sym.id as usize] = Slot::Known(pack(v.clone()));
    }
    let result = m.eval(&program.body)?;
    Ok((unpack(&result), m.ops))
}

/// The smallest number above all symbols that are bound.
fn most(e: &Expr, n: &mut usize) {
    let mut see = |s: &Sym| *n = (*n).max(s.id as usize + 1);
    match &*e.kind {
        Kind::Let(s, a, b) => {
            see(s);
            most(a, n);
            most(b, n);
        }
        Kind::Build(b, body) | Kind::Reduce(_, b, body) | Kind::ArgReduce(_, b, body) => {
            see(&b.var);
            most(&b.extent, n);
            most(body, n);
        }
        Kind::Scatter(s) => {
            s.bound().for_each(&mut see);
            s.parts().for_each(|e| most(e, n));
        }
        Kind::Var(s) => see(s),
        Kind::Lit(_) => {}
        Kind::Prim(_, args) => args.iter().for_each(|e| most(e, n)),
        Kind::If(a, b, c) => {
            most(a, n);
            most(b, n);
            most(c, n);
        }
        Kind::Index(a, at) => {
            most(a, n);
            at.iter().flatten().for_each(|e| most(e, n));
        }
        Kind::Dim(a, _) | Kind::Stop(a) => most(a, n),
    }
}

fn elem(v: &Value) -> Elem {
    match v {
        Value::Real(_) => Elem::Real,
        Value::Int(_) => Elem::Int,
        Value::Bool(_) => Elem::Bool,
    }
}

fn element(v: &Value, at: usize) -> Lit {
    match v {
        Value::Real(t) => Lit::Real(t.data[at]),
        Value::Int(t) => Lit::Int(t.data[at]),
        Value::Bool(t) => Lit::Bool(t.data[at]),
    }
}

fn pack(v: Value) -> Val {
    if v.shape().is_empty() {
        Val::Scalar(element(&v, 0))
    } else {
        Val::Array(Rc::new(v))
    }
}

fn unpack(v: &Val) -> Value {
    match v {
        Val::Scalar(Lit::Real(x)) => Value::Real(Tensor::scalar(*x)),
        Val::Scalar(Lit::Int(x)) => Value::Int(Tensor::scalar(*x)),
        Val::Scalar(Lit::Bool(x)) => Value::Bool(Tensor::scalar(*x)),
        Val::Array(v) => (**v).clone(),
    }
}

fn shape_of_val(v: &Val) -> &[usize] {
    match v {
        Val::Scalar(_) => &[],
        Val::Array(v) => v.shape(),
    }
}

/// Elements one after another, of one kind.
enum Elements {
    Real(Vec<f64>),
    Int(Vec<i64>),
    Bool(Vec<bool>),
}

impl Elements {
    fn new(elem: Elem) -> Elements {
        match elem {
            Elem::Real => Elements::Real(vec![]),
            Elem::Int => Elements::Int(vec![]),
            Elem::Bool => Elements::Bool(vec![]),
        }
    }

    fn push(&mut self, v: &Val) {
        match (self, v) {
            (Elements::Real(d), Val::Scalar(Lit::Real(x))) => d.push(*x),
            (Elements::Int(d), Val::Scalar(Lit::Int(x))) => d.push(*x),
            (Elements::Bool(d), Val::Scalar(Lit::Bool(x))) => d.push(*x),
            (Elements::Real(d), Val::Array(a)) => d.extend(&a.real().data),
            (Elements::Int(d), Val::Array(a)) => d.extend(&a.int().data),
            (Elements::Bool(d), Val::Array(a)) => d.extend(&a.bool().data),
            (_, Val::Scalar(_)) => unreachable!("the verifier excludes mixed elements"),
        }
    }

    /// `shape` has one axis at least.
    fn finish(self, shape: Vec<usize>) -> Val {
        Val::Array(Rc::new(match self {
            Elements::Real(d) => Value::Real(Tensor::new(shape, d)),
            Elements::Int(d) => Value::Int(Tensor::new(shape, d)),
            Elements::Bool(d) => Value::Bool(Tensor::new(shape, d)),
        }))
    }
}

/// The largest of `xs` and its position, by the rule of the language: from −∞ at position 0 on, an
/// element wins if it is strictly larger. `sign` is −1 for the smallest.
fn extremum(xs: &[f64], sign: f64) -> (f64, usize) {
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

fn real(l: Lit) -> f64 {
    match l {
        Lit::Real(x) => x,
        Lit::Int(_) | Lit::Bool(_) => unreachable!("the verifier excludes a `{l}` here"),
    }
}

impl<'a> Machine<'a> {
    fn set(&mut self, s: &Sym, v: Slot<'a>) {
        self.env[s.id as usize] = v;
    }

    fn set_index(&mut self, s: &Sym, i: usize) {
        self.set(s, Slot::Known(Val::Scalar(Lit::Int(i as i64))));
    }

    fn scalar(&mut self, e: &'a Expr) -> Outcome<Lit> {
        match self.eval(e)? {
            Val::Scalar(l) => Ok(l),
            Val::Array(_) => unreachable!("the verifier excludes an array here"),
        }
    }

    fn int(&mut self, e: &'a Expr) -> Outcome<i64> {
        match self.scalar(e)? {
            Lit::Int(i) => Ok(i),
            Lit::Real(_) | Lit::Bool(_) => {
                unreachable!("the verifier excludes this for an integer")
            }
        }
    }

    fn extent(&mut self, e: &'a Expr) -> Outcome<usize> {
        let n = self.int(e)?;
        usize::try_from(n).map_err(|_| format!("the extent {n} is negative"))
    }

    /// The scalars that a body takes on over a binder.
    fn reals(&mut self, b: &'a Binder, body: &'a Expr) -> Outcome<Vec<f64>> {
        let n = self.extent(&b.extent)?;
        let mut xs = vec![];
        for i in 0..n {
            self.set_index(&b.var, i);
            xs.push(real(self.scalar(body)?));
        }
        Ok(xs)
    }

    fn eval(&mut self, e: &'a Expr) -> Outcome<Val> {
        match &*e.kind {
            Kind::Var(s) => match &self.env[s.id as usize] {
                Slot::Known(v) => Ok(v.clone()),
                Slot::Later(e) => {
                    let e = *e;
                    self.eval(e)
                }
                Slot::Absent => Err(format!("`{}` has no value here", s.hint)),
            },
            Kind::Lit(l) => Ok(Val::Scalar(*l)),
            Kind::Prim(p, args) => self.prim(*p, args),
            Kind::Let(s, bound, body) => {
                let v = self.eval(bound)?;
                self.set(s, Slot::Known(v));
                self.eval(body)
            }
            Kind::If(c, a, b) => {
                let taken = if self.scalar(c)? == Lit::Bool(true) {
                    a
                } else {
                    b
                };
                self.eval(taken)
            }
            Kind::Build(b, body) => self.build(b, body),
            Kind::Reduce(op, b, body) => match op {
                ReduceOp::Sum | ReduceOp::Product => self.accumulate(*op, b, body),
                ReduceOp::Max | ReduceOp::Min | ReduceOp::LogSumExp => self.pick(*op, b, body),
            },
            Kind::ArgReduce(op, b, body) => {
                let xs = self.reals(b, body)?;
                self.ops += cost::arg_reduce(xs.len() as u64);
                let sign = match op {
                    Extremum::Max => 1.0,
                    Extremum::Min => -1.0,
                };
                Ok(Val::Scalar(Lit::Int(extremum(&xs, sign).1 as i64)))
            }
            Kind::Scatter(s) => self.scatter(s),
            Kind::Index(a, at) => self.index(a, at),
            Kind::Dim(a, axis) => Ok(Val::Scalar(Lit::Int(self.shape(a)?[*axis] as i64))),
            Kind::Stop(a) => self.eval(a),
        }
    }

    fn prim(&mut self, p: Prim, args: &'a [Expr]) -> Outcome<Val> {
        let mut xs = [Lit::Bool(false); 3];
        for (x, a) in xs.iter_mut().zip(args) {
            *x = self.scalar(a)?;
        }
        let xs = &xs[..args.len()];
        self.ops += p.cost();
        // These two have no value for the smallest integer.
        let edge = matches!(p, Prim::INeg | Prim::IAbs) && xs == [Lit::Int(i64::MIN)];
        let y = if edge { None } else { p.eval(xs) };
        let failed = || {
            let xs: Vec<String> = xs.iter().map(Lit::to_string).collect();
            format!("`{}` of {} has no value", p.name(), xs.join(" and "))
        };
        y.map(Val::Scalar).ok_or_else(failed)
    }

    fn build(&mut self, b: &'a Binder, body: &'a Expr) -> Outcome<Val> {
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
    fn accumulate(&mut self, op: ReduceOp, b: &'a Binder, body: &'a Expr) -> Outcome<Val> {
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
    fn pick(&mut self, op: ReduceOp, b: &'a Binder, body: &'a Expr) -> Outcome<Val> {
        let one = |xs: &[f64]| match op {
            ReduceOp::Min => extremum(xs, -1.0).0,
            ReduceOp::LogSumExp => log_sum_exp(xs),
            ReduceOp::Max | ReduceOp::Sum | ReduceOp::Product => extremum(xs, 1.0).0,
        };
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

    fn charge(&mut self, op: ReduceOp, elem: Elem, n: usize, elements: usize) {
        if elem == Elem::Real {
            self.ops += cost::reduce(op, n as u64) * elements as u64;
        }
    }

    fn scatter(&mut self, s: &'a Scatter) -> Outcome<Val> {
        let mut shape = vec![];
        for n in &s.extents {
            shape.push(self.extent(n)?);
        }
        let mut turns = vec![];
        for b in &s.binders {
            turns.push(self.extent(&b.extent)?);
        }
        let mut out = Tensor::filled(&shape, 0.0);
        let mut hit = vec![false; out.data.len()];
        let count = turns.iter().product::<usize>();
        for turn in 0..count {
            // The last binder runs fastest.
            let mut rest = turn;
            for (b, n) in s.binders.iter().zip(&turns).rev() {
                self.set_index(&b.var, rest % n);
                rest /= n;
            }
            for (sym, bound) in &s.lets {
                let v = self.eval(bound)?;
                self.set(sym, Slot::Known(v));
            }
            let mut at = vec![];
            for k in &s.index {
                at.push(self.int(k)?);
            }
            let x = real(self.scalar(&s.value)?);
            let at = out.offset(&at).ok_or_else(|| outside(&at, &shape))?;
            out.data[at] += x;
            hit[at] = true;
        }
        let distinct = hit.iter().filter(|&&h| h).count();
        self.ops += cost::scatter(count as u64, distinct as u64);
        Ok(Val::Array(Rc::new(Value::Real(out))))
    }

    fn index(&mut self, a: &'a Expr, at: &'a [Option<Expr>]) -> Outcome<Val> {
        let array = self.eval(a)?;
        let mut fixed = vec![];
        for i in at {
            fixed.push(match i {
                Some(i) => Some(self.int(i)?),
                None => None,
            });
        }
        let Val::Array(array) = array else {
            // A scalar has no axes: there is nothing to choose.
            return Ok(array);
        };
        let shape = array.shape();
        let mut start = 0;
        // The kept axes with their strides.
        let mut kept: Vec<(usize, usize)> = vec![];
        let mut stride = 1;
        for (k, i) in fixed.iter().enumerate().rev() {
            match i {
                Some(i) => {
                    let i = usize::try_from(*i).ok().filter(|&i| i < shape[k]);
                    let Some(i) = i else {
                        let at: Vec<i64> = fixed.iter().map(|i| i.unwrap_or(0)).collect();
                        return Err(outside(&at, shape));
                    };
                    start += i * stride;
                }
                None => kept.insert(0, (shape[k], stride)),
            }
            stride *= shape[k];
        }
        if kept.is_empty() {
            return Ok(Val::Scalar(element(&array, start)));
        }
        let mut offsets = vec![start];
        for &(n, stride) in &kept {
            offsets = (offsets.iter())
                .flat_map(|o| (0..n).map(move |i| o + i * stride))
                .collect();
        }
        let mut data = Elements::new(elem(&array));
        for o in offsets {
            data.push(&Val::Scalar(element(&array, o)));
        }
        Ok(data.finish(kept.iter().map(|k| k.0).collect()))
    }

    /// The shape of an expression, without its elements: also where the loop around it never turns.
    /// Counts no operations.
    fn shape(&mut self, e: &'a Expr) -> Outcome<Vec<usize>> {
        let ops = self.ops;
        let shape = self.shape_uncounted(e);
        self.ops = ops;
        shape
    }

    fn shape_uncounted(&mut self, e: &'a Expr) -> Outcome<Vec<usize>> {
        if e.ty.rank == 0 {
            return Ok(vec![]);
        }
        match &*e.kind {
            Kind::Var(s) => match &self.env[s.id as usize] {
                Slot::Known(v) => Ok(shape_of_val(v).to_vec()),
                Slot::Later(e) => {
                    let e = *e;
                    self.shape_uncounted(e)
                }
                Slot::Absent => Err(format!("`{}` has no shape here", s.hint)),
            },
            Kind::Lit(_) | Kind::Prim(..) | Kind::ArgReduce(..) | Kind::Dim(..) => Ok(vec![]),
            Kind::Let(s, bound, body) => {
                self.set(s, Slot::Later(bound));
                self.shape_uncounted(body)
            }
            // All branches have one shape.
            Kind::If(_, a, _) => self.shape_uncounted(a),
            Kind::Build(b, body) => {
                let mut shape = vec![self.extent(&b.extent)?];
                self.set(&b.var, Slot::Absent);
                shape.extend(self.shape_uncounted(body)?);
                Ok(shape)
            }
            Kind::Reduce(_, b, body) => {
                self.set(&b.var, Slot::Absent);
                self.shape_uncounted(body)
            }
            Kind::Scatter(s) => s.extents.iter().map(|n| self.extent(n)).collect(),
            Kind::Index(a, at) => {
                let shape = self.shape_uncounted(a)?;
                let kept = shape.iter().zip(at).filter(|(_, i)| i.is_none());
                Ok(kept.map(|(n, _)| *n).collect())
            }
            Kind::Stop(a) => self.shape_uncounted(a),
        }
    }
}

fn outside(at: &[i64], shape: &[usize]) -> String {
    format!("the index {at:?} is outside the shape {shape:?}")
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::core_check::check;
    use crate::ir::core_text::parse;
    use crate::ir::generate;

    fn reals(shape: &[usize], data: &[f64]) -> Value {
        Value::Real(Tensor::new(shape.to_vec(), data.to_vec()))
    }
    fn ints(shape: &[usize], data: &[i64]) -> Value {
        Value::Int(Tensor::new(shape.to_vec(), data.to_vec()))
    }
    fn run(text: &str, inputs: &[Value]) -> Result<(Value, u64), String> {
        let p = parse(text).unwrap();
        check(&p).unwrap();
        eval(&p, inputs)
    }
    fn vector(data: &[f64]) -> Value {
        reals(&[data.len()], data)
    }

    #[test]
    fn operations_are_counted() {
        let dot = "fn dot(x.0: real[_], y.1: real[_]) -> real {
            sum(i.3 < dim(x.0, 0) => mul(x.0[i.3], y.1[i.3])) }";
        let got = run(dot, &[vector(&[1.0, 2.0, 3.0]), vector(&[4.0, 5.0, 6.0])]);
        assert_eq!(got, Ok((reals(&[], &[32.0]), 5)));
        let got = run(dot, &[vector(&[]), vector(&[])]);
        assert_eq!(got, Ok((reals(&[], &[0.0]), 0)));
        // A sum of rows of 2: one addition fewer than rows, for each element.
        let rows = "fn f(x.0: real[_, _]) -> real[_] { sum(i.1 < dim(x.0, 0) => x.0[i.1, _]) }";
        let got = run(rows, &[reals(&[3, 2], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])]);
        assert_eq!(got, Ok((vector(&[9.0, 12.0]), 4)));
        // Integers count nothing.
        let got = run("fn f() -> int { sum(i.0 < 5 => imul(i.0, i.0)) }", &[]);
        assert_eq!(got, Ok((ints(&[], &[30]), 0)));
        // Three hits at two places.
        let scatter = "fn f(k.0: int[_]) -> real[_] {
            scatter([4]; i.1 < dim(k.0, 0) => [k.0[i.1]] += 1.5) }";
        let got = run(scatter, &[ints(&[3], &[2, 0, 2])]);
        assert_eq!(got, Ok((vector(&[1.5, 0.0, 3.0, 0.0]), 1)));
    }

    #[test]
    fn only_the_taken_branch_runs() {
        let text = "fn f(x.0: real[_]) -> real[_] {
            build(i.1 < dim(x.0, 0) => if igt(i.1, 0) { sin(x.0[isub(i.1, 1)]) } else { x.0[i.1] }) }";
        let (v, ops) = run(text, &[vector(&[2.0, 0.0])]).unwrap();
        assert_eq!((v, ops), (vector(&[2.0, 2.0f64.sin()]), 1));
    }

    #[test]
    fn extrema_start_from_nothing() {
        let text = "fn f(x.0: real[_]) -> real[_] {
            let n.1 = dim(x.0, 0);
            let a.2 = maximum(i.3 < n.1 => x.0[i.3]);
            let b.4 = minimum(i.5 < n.1 => x.0[i.5]);
            let c.6 = int_to_real(argmax(i.7 < n.1 => x.0[i.7]));
            let d.8 = int_to_real(argmin(i.9 < n.1 => x.0[i.9]));
            build(i.10 < 4 => if ieq(i.10, 0) { a.2 } else {
              if ieq(i.10, 1) { b.4 } else { if ieq(i.10, 2) { c.6 } else { d.8 } } }) }";
        let of = |x: &[f64]| run(text, &[vector(x)]).unwrap().0;
        let inf = f64::INFINITY;
        assert_eq!(
            of(&[1.0, 3.0, 3.0, -2.0, -2.0]),
            vector(&[3.0, -2.0, 1.0, 3.0])
        );
        assert_eq!(of(&[f64::NAN, 3.0, 4.0]), vector(&[4.0, 3.0, 2.0, 1.0]));
        assert_eq!(of(&[]), vector(&[-inf, inf, 0.0, 0.0]));
        assert_eq!(of(&[-inf, -inf]), vector(&[-inf, -inf, 0.0, 0.0]));
    }

    #[test]
    fn log_sum_exp_survives_the_extremes() {
        let text = "fn f(x.0: real[_]) -> real { logsumexp(i.1 < dim(x.0, 0) => x.0[i.1]) }";
        let of = |x: &[f64]| run(text, &[vector(x)]).unwrap().0.real().data[0];
        let inf = f64::INFINITY;
        assert_eq!(of(&[1000.0, 1000.0]), 1000.0 + 2.0f64.ln());
        assert_eq!(of(&[]), -inf);
        assert_eq!(of(&[-inf, -inf]), -inf);
        assert_eq!(of(&[inf, 1.0]), inf);
        assert!(of(&[f64::NAN, 1.0]).is_nan());
        assert!(of(&[1.0, f64::NAN]).is_nan());
        assert_eq!(run(text, &[vector(&[1.0, 2.0])]).unwrap().1, 7);
    }

    #[test]
    fn empty_loops_have_shapes() {
        let text = "fn f(x.0: real[_, _], m.1: int) -> real[_, _, _] {
            build(i.2 < dim(x.0, 0) => let k.3 = iadd(m.1, 1); let r.4 = x.0[i.2, _];
              build(j.5 < k.3 => if igt(i.2, 0) { r.4 } else { stop(r.4) })) }";
        let m = ints(&[], &[4]);
        let got = run(text, &[reals(&[0, 3], &[]), m.clone()]).unwrap();
        assert_eq!(got, (reals(&[0, 5, 3], &[]), 0));
        let sum = "fn f(x.0: real[_, _], m.1: int) -> real[_, _] {
            sum(i.2 < dim(x.0, 0) => build(j.3 < m.1 => x.0[i.2, _])) }";
        let got = run(sum, &[reals(&[0, 2], &[]), m.clone()]).unwrap();
        assert_eq!(got, (reals(&[4, 2], &[0.0; 8]), 0));
        let product = sum.replace("sum", "product");
        let got = run(&product, &[reals(&[0, 2], &[]), m]).unwrap();
        assert_eq!(got, (reals(&[4, 2], &[1.0; 8]), 0));
    }

    #[test]
    fn lengths_are_known_without_elements() {
        // The array would be out of bounds if it were computed.
        let text = "fn f(x.0: real[_]) -> int { dim(build(i.1 < 7 => sin(x.0[i.1])), 0) }";
        assert_eq!(run(text, &[vector(&[])]), Ok((ints(&[], &[7]), 0)));
    }

    #[test]
    fn what_has_no_value_is_an_error() {
        let errors = [
            (
                "fn f(x.0: real[_]) -> real { x.0[2] }",
                "outside the shape [2]",
            ),
            (
                "fn f(x.0: real[_]) -> real { x.0[-1] }",
                "outside the shape [2]",
            ),
            (
                "fn f(x.0: real[_]) -> int { idiv(1, isub(dim(x.0, 0), 2)) }",
                "`idiv` of 1 and 0",
            ),
            (
                "fn f(x.0: real[_]) -> int { ineg(-9223372036854775808) }",
                "`ineg`",
            ),
            (
                "fn f(x.0: real[_]) -> int { iabs(-9223372036854775808) }",
                "`iabs`",
            ),
            (
                "fn f(x.0: real[_]) -> int { imul(9223372036854775807, 2) }",
                "`imul`",
            ),
            (
                "fn f(x.0: real[_]) -> int { sum(i.1 < 2 => 9223372036854775807) }",
                "overflows",
            ),
            (
                "fn f(x.0: real[_]) -> real { sum(i.1 < -1 => 1.0) }",
                "the extent -1 is negative",
            ),
            (
                "fn f(x.0: real[_]) -> real[_] { scatter([1]; i.1 < 2 => [i.1] += 1.0) }",
                "outside the shape [1]",
            ),
            (
                "fn f(x.0: real[_]) -> real[_, _] { build(i.1 < 2 => if igt(i.1, 0)
                   { x.0 } else { build(j.2 < 1 => 1.0) }) }",
                "a row of shape [2] after one of shape [1]",
            ),
            (
                "fn f(x.0: real[_]) -> real[_] { sum(i.1 < 2 => if igt(i.1, 0)
                   { x.0 } else { build(j.2 < 1 => 1.0) }) }",
                "a term of shape [2] after one of shape [1]",
            ),
        ];
        for (text, message) in errors {
            let got = run(text, &[vector(&[1.0, 2.0])]).unwrap_err();
            assert!(got.contains(message), "{text}\n{got}");
        }
        let p = parse("fn f(x.0: real) -> real { x.0 }").unwrap();
        assert!(eval(&p, &[]).is_err());
        assert!(eval(&p, &[vector(&[1.0])]).is_err());
    }

    #[test]
    fn parts_keep_their_axes() {
        let text = "fn f(x.0: real[_, _, _]) -> real[_, _] { x.0[_, 1, _] }";
        let x = reals(&[2, 2, 2], &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
        assert_eq!(
            run(text, &[x]).unwrap().0,
            reals(&[2, 2], &[2.0, 3.0, 6.0, 7.0])
        );
    }

    #[test]
    fn generated_programs_run() {
        for seed in 0..2000 {
            let (p, inputs) = generate::program(seed, 10 + seed as usize % 50);
            let (v, _) = eval(&p, &inputs).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{p}"));
            assert!(
                v.real().data.iter().all(|x| x.is_finite()),
                "seed {seed}: {v}\n{p}"
            );
        }
    }
}
