//! The interpreter of Core: the meaning of the language, and the count of its real operations.

mod linear;
mod loops;
mod sequence;
mod shape;
#[cfg(test)]
mod tests;

use self::loops::extremum;
use super::core::{Block, Bound, Call, Expr, Extremum, Kind, Program, ReduceOp, Sym};
use super::cost;
use super::prims::Prim;
use super::ty::{Elem, Lit};
use super::unit::{Called, Rule};
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
    /// What a loop computes, while only a shape is sought.
    Shape(Vec<usize>),
}

type Outcome<T> = Result<T, String>;

struct Machine<'a> {
    env: Vec<Slot<'a>>,
    ops: u64,
    /// The expressions evaluated, elementwise ones once for each element.
    steps: u64,
    /// The last call of a unit: its results are asked for one after another.
    called: Option<Outside>,
}

/// A call of a unit, with all it gave.
struct Outside {
    unit: Called,
    rule: Rule,
    args: Vec<Value>,
    results: Vec<Value>,
}

/// Runs a program that has passed [`super::core_check::check`] and counts its real operations: each
/// primitive, each step of a reduction or scatter of reals, as [`super::cost`] says. Only the
/// branch that is taken runs.
///
/// The results are those of the program, in order. Indices out of bounds, negative extents, arrays
/// that are not rectangular, and integer arithmetic that overflows or divides by zero are errors,
/// as are inputs that do not fit the parameters.
pub fn eval(program: &Program, inputs: &[Value]) -> Result<(Vec<Value>, u64), String> {
    counted(program, inputs).map(|(results, Counted { operations, .. })| (results, operations))
}

/// What running a program as written takes.
#[derive(Clone, Copy, Debug)]
pub struct Counted {
    /// Real operations.
    pub operations: u64,
    /// The iterations of binders, primitives and reads, of arrays once for each element.
    pub steps: u64,
}

/// Runs a program as [`eval`] does, and counts its steps as well.
///
/// # Errors
/// As [`eval`].
pub fn counted(program: &Program, inputs: &[Value]) -> Result<(Vec<Value>, Counted), String> {
    if program.params.len() != inputs.len() {
        let (n, m) = (program.params.len(), inputs.len());
        return Err(format!("{m} inputs for {n} parameters"));
    }
    let mut slots = 0;
    for e in program.body.parts() {
        most(e, &mut slots);
    }
    for s in program.body.syms() {
        slots = slots.max(s.id as usize + 1);
    }
    for p in &program.params {
        slots = slots.max(p.sym.id as usize + 1);
    }
    let mut m = Machine {
        env: vec![Slot::Absent; slots],
        ops: 0,
        steps: 0,
        called: None,
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
    let results = m.block(&program.body)?;
    let (operations, steps) = (m.ops, m.steps);
    let results = results.iter().map(unpack).collect();
    Ok((results, Counted { operations, steps }))
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
        Kind::Loop(l, body) => {
            l.syms().into_iter().for_each(&mut see);
            l.parts().into_iter().for_each(|e| most(e, n));
            most(body, n);
        }
        Kind::Update(u) => u.parts().into_iter().for_each(|e| most(e, n)),
        Kind::Index(a, at) => {
            most(a, n);
            at.iter().flatten().for_each(|e| most(e, n));
        }
        Kind::Dim(a, _) | Kind::Stop(a) => most(a, n),
        Kind::Where(a, b) => {
            most(a, n);
            most(b, n);
        }
        Kind::Recur(r) => r.parts().for_each(|e| most(e, n)),
        Kind::Call(c) => c.args.iter().for_each(|e| most(e, n)),
        Kind::Demand(d, a) => d.parts().chain([a]).for_each(|e| most(e, n)),
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
        self.steps += 1;
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

    fn eval(&mut self, e: &'a Expr) -> Outcome<Val> {
        match &*e.kind {
            Kind::Var(s) => match &self.env[s.id as usize] {
                Slot::Known(v) => Ok(v.clone()),
                Slot::Later(e) => {
                    let e = *e;
                    self.eval(e)
                }
                Slot::Absent | Slot::Shape(_) => Err(format!("`{}` has no value here", s.hint)),
            },
            Kind::Lit(l) => Ok(Val::Scalar(*l)),
            Kind::Prim(p, args) if e.ty.rank == 0 => self.prim(*p, args),
            Kind::Prim(p, args) => self.prim_of_arrays(*p, args, e.ty.elem),
            Kind::Let(s, bound, body) => {
                let v = self.eval(bound)?;
                self.set(s, Slot::Known(v));
                self.eval(body)
            }
            Kind::Loop(l, body) => {
                self.looped(l)?;
                self.eval(body)
            }
            Kind::Update(u) => self.update(u),
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
            Kind::Where(c, a) => {
                if self.scalar(c)? == Lit::Bool(true) {
                    return self.eval(a);
                }
                Ok(Val::Scalar(Lit::zero(a.ty.elem)))
            }
            Kind::Recur(r) => self.recur(r),
            Kind::Call(c) => self.call(c),
            Kind::Demand(d, a) => {
                self.demand(d)?;
                self.eval(a)
            }
        }
    }

    /// A result of a unit, which runs once for all of them.
    fn call(&mut self, c: &'a Call) -> Outcome<Val> {
        let mut args = vec![];
        for a in &c.args {
            args.push(unpack(&self.eval(a)?));
        }
        let same = |o: &Outside| (&o.unit, o.rule, &o.args) == (&c.unit, c.rule, &args);
        if !self.called.as_ref().is_some_and(same) {
            let (results, ops) = c.unit.run(c.rule, &args)?;
            self.ops += ops;
            self.steps += ops;
            self.called = Some(Outside {
                unit: c.unit.clone(),
                rule: c.rule,
                args,
                results,
            });
        }
        let result = self.called.as_ref().and_then(|o| o.results.get(c.out));
        let result = result.ok_or_else(|| format!("`{}` gives fewer results", c.unit.name()))?;
        Ok(pack(result.clone()))
    }

    fn block(&mut self, block: &'a Block) -> Outcome<Vec<Val>> {
        for b in &block.lets {
            self.bound(b)?;
        }
        block.results.iter().map(|e| self.eval(e)).collect()
    }

    fn bound(&mut self, b: &'a Bound) -> Outcome<()> {
        match b {
            Bound::Let(s, bound) => {
                let v = self.eval(bound)?;
                self.set(s, Slot::Known(v));
                Ok(())
            }
            Bound::Loop(l) => self.looped(l),
        }
    }

    fn prim(&mut self, p: Prim, args: &'a [Expr]) -> Outcome<Val> {
        let mut xs = [Lit::Bool(false); 3];
        for (x, a) in xs.iter_mut().zip(args) {
            *x = self.scalar(a)?;
        }
        self.apply(p, &xs[..args.len()]).map(Val::Scalar)
    }

    /// Elementwise.
    fn prim_of_arrays(&mut self, p: Prim, args: &'a [Expr], elem: Elem) -> Outcome<Val> {
        let mut arrays = vec![];
        for a in args {
            arrays.push(unpack(&self.eval(a)?));
        }
        let shape = arrays[0].shape().to_vec();
        if let Some(other) = arrays.iter().find(|a| a.shape() != shape) {
            let other = other.shape();
            return Err(format!(
                "`{}` of arrays of the shapes {shape:?} and {other:?}",
                p.name()
            ));
        }
        let mut data = Elements::new(elem);
        for k in 0..shape.iter().product() {
            let xs: Vec<Lit> = arrays.iter().map(|a| element(a, k)).collect();
            data.push(&Val::Scalar(self.apply(p, &xs)?));
        }
        Ok(data.finish(shape))
    }

    fn apply(&mut self, p: Prim, xs: &[Lit]) -> Outcome<Lit> {
        self.ops += p.cost();
        self.steps += 1;
        // These two have no value for the smallest integer.
        let edge = matches!(p, Prim::INeg | Prim::IAbs) && xs == [Lit::Int(i64::MIN)];
        let y = if edge { None } else { p.eval(xs) };
        let failed = || {
            let xs: Vec<String> = xs.iter().map(Lit::to_string).collect();
            format!("`{}` of {} has no value", p.name(), xs.join(" and "))
        };
        y.ok_or_else(failed)
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
        self.steps += kept.iter().map(|(n, _)| *n as u64).product::<u64>();
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
}

fn outside(at: &[i64], shape: &[usize]) -> String {
    format!("the index {at:?} is outside the shape {shape:?}")
}
