//! The interpreter of kernels. What they mean, not how fast they are: a scalar is remembered until
//! one of the loops it depends on moves on.

mod branch;
mod contract;
mod family;
mod memory;
mod sequence;
mod tiles;

use super::build::without;
use super::bulk::{self, Feed, Type, Var};
use super::bulk_eval;
use super::core::{Extremum, ReduceOp};
use super::cost::{self, Cost};
use super::kernel::{
    Affine, At, Compute, Loop, Nest, Node, Operand, Program, Step, UnitCall, Work,
};
use super::ty::{Atom, Elem, Lit, Size};
use super::value::{Tensor, Value};
use memory::{Memory, bytes, elements};
use std::rc::Rc;

/// Runs a program, and counts what that takes.
///
/// # Errors
/// If a read or write is out of bounds, or an integer operation fails. Relations between sizes are
/// not checked here: that is for the interpreter of Bulk.
pub fn eval(program: &Program, args: &[Value]) -> Result<(Vec<Value>, Cost), String> {
    let args: Vec<Rc<Value>> = args.iter().cloned().map(Rc::new).collect();
    let mut run = Run::new(program, &args);
    run.values[..args.len()].clone_from_slice(&args.iter().cloned().map(Some).collect::<Vec<_>>());
    run.steps()?;
    let results = (program.results.iter())
        .map(|r| run.value(*r).cloned())
        .collect::<Result<_, _>>()?;
    Ok((results, run.cost))
}

/// Which elements of an array are not structural zeros, as far as that is known.
type Mask = Option<Rc<Vec<bool>>>;

struct Run<'a> {
    program: &'a Program,
    values: Vec<Option<Rc<Value>>>,
    /// Adding to a structural zero is no operation.
    masks: Vec<Mask>,
    /// The arguments of the function, which sizes are made of.
    args: &'a [Rc<Value>],
    cost: Cost,
    memory: Memory,
    /// What was a result before it was taken.
    kept: Vec<(Var, Rc<Value>)>,
    /// Where the last scatter added something.
    hit: Mask,
}

impl<'a> Run<'a> {
    fn new(program: &'a Program, args: &'a [Rc<Value>]) -> Self {
        let vars = program.steps.iter().flat_map(|s| s.defines());
        let count = vars.map(|(v, _)| v.index() + 1).max().unwrap_or(0);
        Run {
            program,
            values: vec![None; count.max(program.params.len())],
            masks: vec![None; count.max(program.params.len())],
            args,
            cost: Cost::default(),
            memory: Memory::of(program),
            kept: vec![],
            hit: None,
        }
    }

    /// Computes everything.
    fn steps(&mut self) -> Result<(), String> {
        for (k, step) in self.program.steps.iter().enumerate() {
            for s in step.sources() {
                if s.taken {
                    self.memory.free(s.array);
                } else {
                    self.cost.stored += elements(self.value(s.array)?);
                }
            }
            self.step(step)
                .map_err(|e| format!("v{}: {e}", step.out.0))?;
            for (v, _) in step.defines() {
                let bytes = bytes(self.value(v)?);
                self.memory.allocate(v, bytes);
            }
            self.cost.peak = self.cost.peak.max(self.memory.live);
            for v in std::mem::take(&mut self.memory.gone[k]) {
                self.memory.free(v);
                self.memory.gone[k].push(v);
            }
        }
        Ok(())
    }

    fn value(&self, v: Var) -> Result<&Value, String> {
        let value = self.values.get(v.index()).and_then(|v| v.as_deref());
        value.ok_or_else(|| format!("v{} is not computed yet", v.0))
    }

    fn size(&self, s: &Size) -> Result<i64, String> {
        let mut of = |a: &Atom| match a {
            Atom::Dim { param, axis } => {
                let v = self.args.get(*param)?;
                i64::try_from(*v.shape().get(*axis)?).ok()
            }
            Atom::Int { param } => self.args.get(*param)?.as_size(),
            Atom::Value(v) => Some(self.values[*v as usize].as_ref()?.int().data[0]),
            Atom::Quot(..) | Atom::Rem(..) | Atom::Min(..) | Atom::Max(..) | Atom::Select(..) => {
                None
            }
        };
        s.eval(&mut of)
            .ok_or_else(|| format!("size {s} is not known"))
    }

    fn extent(&self, s: &Size) -> Result<usize, String> {
        Ok(usize::try_from(self.size(s)?).unwrap_or(0))
    }

    fn shape(&self, ty: &Type) -> Result<Vec<usize>, String> {
        ty.shape.iter().map(|s| self.extent(s)).collect()
    }

    fn step(&mut self, step: &'a Step) -> Result<(), String> {
        let (value, mask) = match &step.work {
            Work::Family(f) => return self.family(f),
            Work::Loop(s) => return self.sequence(s),
            Work::Call(c) => return self.call(c),
            Work::Tiles(t) => return self.tiles(t),
            Work::Branch(b) => return self.branch(b),
            Work::Change { of, adds, parts } => self.change(of, *adds, parts)?,
            Work::Nest(nest) => {
                let root = &nest.nodes[nest.root];
                let zeros = root.compute == Compute::Lit(Lit::Real(0.0)) && root.guard.is_none();
                let value = self.array(step)?;
                let len = value.shape().iter().product();
                (value, zeros.then(|| Rc::new(vec![false; len])))
            }
            Work::Scatter(_) => {
                let value = self.array(step)?;
                (value, self.hit.take())
            }
            Work::Contract { .. } | Work::Recur { .. } => (self.array(step)?, None),
        };
        self.masks[step.out.index()] = mask;
        self.values[step.out.index()] = Some(Rc::new(value));
        Ok(())
    }

    fn call(&mut self, c: &UnitCall) -> Result<(), String> {
        let mut args = vec![];
        let onto = c.onto.iter().map(|source| &source.array);
        for v in c.args.iter().chain(onto) {
            args.push(self.value(*v)?.clone());
        }
        let (results, cost) = c.unit.run(c.rule, &args)?;
        self.cost.operations += cost;
        self.cost.visits += cost;
        for o in &c.outs {
            let value = results[o.result].clone();
            self.cost.stored += elements(&value);
            self.masks[o.var.index()] = None;
            self.values[o.var.index()] = Some(Rc::new(value));
        }
        // The lengths that the types mention are among the results.
        for o in &c.outs {
            let (found, wanted) = (results[o.result].shape(), self.shape(&o.ty)?);
            if found != wanted {
                return Err(format!("a call gives the shape {found:?}, not {wanted:?}"));
            }
        }
        Ok(())
    }

    fn array(&mut self, step: &Step) -> Result<Value, String> {
        let shape = self.shape(&step.ty)?;
        match &step.work {
            Work::Family(_)
            | Work::Loop(_)
            | Work::Branch(_)
            | Work::Call(_)
            | Work::Tiles(_)
            | Work::Change { .. } => Err("this is not one new array".into()),
            Work::Nest(nest) => {
                let mut out = vec![Lit::zero(step.ty.elem); shape.iter().product()];
                let mut frame = Frame::new(self, nest)?;
                let outer: Vec<Loop> = (0..nest.outer).collect();
                frame.each(&outer, &mut |frame| {
                    let index = frame.loops.iter().zip(&shape);
                    let at = index.fold(0, |at, (i, n)| at * n + *i as usize);
                    out[at] = frame.node(nest.root)?;
                    Ok(())
                })?;
                let work = frame.work;
                self.cost.nest(work);
                let value = collect(step.ty.elem, shape, &out);
                self.cost.stored += elements(&value);
                Ok(value)
            }
            Work::Scatter(contributions) => {
                let mut out = Tensor::filled(&shape, 0.0);
                let mut hit = vec![false; out.data.len()];
                let mut work = vec![];
                let (mut added, mut again) = (0, 0);
                for c in contributions {
                    let mut frame = Frame::new(self, &c.nest)?;
                    let outer: Vec<Loop> = (0..c.nest.outer).collect();
                    frame.each(&outer, &mut |frame| {
                        if !frame.present(c.nest.root)? {
                            return Ok(());
                        }
                        let place = frame.place(&c.at)?;
                        let x = frame.real(c.nest.root)?;
                        let at = (out.offset(&place))
                            .ok_or_else(|| format!("{place:?} is outside of {:?}", out.shape))?;
                        added += 1;
                        again += u64::from(hit[at]);
                        hit[at] = true;
                        out.data[at] += x;
                        Ok(())
                    })?;
                    work.push(frame.work);
                }
                work.into_iter().for_each(|w| self.cost.nest(w));
                self.cost.operations += again;
                self.cost.stored += added + out.data.len() as u64;
                self.hit = Some(Rc::new(hit));
                Ok(Value::Real(out))
            }
            Work::Contract {
                a,
                b,
                a_axes,
                b_axes,
                out_axes,
                within,
                onto: None,
            } => self.contract((a, a_axes), (b, b_axes), out_axes, within),
            Work::Contract {
                a,
                b,
                a_axes,
                b_axes,
                out_axes,
                within,
                onto: Some(of),
            } => {
                let [plain_a, plain_b] = [a, b].map(|o| Operand {
                    negated: false,
                    ..o.clone()
                });
                let operands = ((&plain_a, &a_axes[..]), (&plain_b, &b_axes[..]));
                let product = self.contract(operands.0, operands.1, out_axes, within)?;
                let mut out = self.value(of.array)?.real().clone();
                let sign = if a.negated == b.negated { 1.0 } else { -1.0 };
                for (x, p) in out.data.iter_mut().zip(&product.real().data) {
                    *x += sign * p;
                }
                // Nothing is added to what is missing.
                self.cost.operations += match &self.masks[of.array.index()] {
                    Some(there) => there.iter().filter(|x| **x).count() as u64,
                    None => out.data.len() as u64,
                };
                Ok(Value::Real(out))
            }
            Work::Recur {
                a,
                mask,
                b,
                axis,
                reverse,
            } => {
                let factors = self.value(*a)?.clone();
                let shape = own_shape(0, &factors);
                let mut out = shape.clone();
                out[*axis] = bulk::states(&shape[*axis]);
                let mut operands = vec![(factors, shape.clone())];
                let mut next = |v: Var, shape: Vec<Size>| -> Result<Var, String> {
                    operands.push((self.value(v)?.clone(), shape));
                    Ok(Var(operands.len() as u32 - 1))
                };
                let mask = mask.map(|m| next(m, shape.clone())).transpose()?;
                let b = match b {
                    Feed::One => Feed::One,
                    Feed::First(v) => Feed::First(next(*v, without(&shape, &[*axis]))?),
                    Feed::Each(v) => Feed::Each(next(*v, shape.clone())?),
                    Feed::All(v) => Feed::All(next(*v, out.clone())?),
                };
                self.cost.visits += elements(self.value(*a)?);
                let op = bulk::Op::Recur {
                    a: Var(0),
                    mask,
                    b,
                    axis: *axis,
                    reverse: *reverse,
                };
                self.bulk(operands, out, op)
            }
        }
    }

    /// What a matrix product reads, with its sign.
    fn operand(&self, o: &Operand) -> Result<Value, String> {
        let value = self.unsigned(o)?;
        if !o.negated {
            return Ok(value);
        }
        let x = value.real();
        let data = x.data.iter().map(|x| -x).collect();
        Ok(Value::Real(Tensor::new(x.shape.clone(), data)))
    }

    /// The same without the sign. Elements outside of the array are NaN: nobody may look at them.
    fn unsigned(&self, o: &Operand) -> Result<Value, String> {
        let array = self.value(o.array)?;
        let Some(part) = &o.part else {
            return Ok(array.clone());
        };
        let array = array.real();
        let start = (part.iter())
            .map(|(s, _)| self.size(s))
            .collect::<Result<Vec<_>, _>>()?;
        let shape = (part.iter())
            .map(|(_, n)| self.extent(n))
            .collect::<Result<Vec<_>, _>>()?;
        let mut out = vec![];
        for_each(&shape, &mut |index| {
            let place: Vec<i64> = index.iter().zip(&start).map(|(i, s)| i + s).collect();
            out.push(array.offset(&place).map_or(f64::NAN, |at| array.data[at]));
            Ok(())
        })?;
        Ok(Value::Real(Tensor::new(shape, out)))
    }

    /// An operation that kernels have in common with Bulk, as a Bulk program of its own: of
    /// operands with their shapes, which are made of their axes.
    fn bulk(
        &mut self,
        operands: Vec<(Value, Vec<Size>)>,
        shape: Vec<Size>,
        op: bulk::Op,
    ) -> Result<Value, String> {
        let ty = |elem, shape| Type { elem, shape };
        let mut args = vec![];
        let mut params = vec![];
        for (k, (value, shape)) in operands.into_iter().enumerate() {
            let elem = match value {
                Value::Real(_) => Elem::Real,
                Value::Int(_) => Elem::Int,
                Value::Bool(_) => Elem::Bool,
            };
            params.push(bulk::Param {
                name: format!("operand{k}"),
                ty: ty(elem, shape),
            });
            args.push(value);
        }
        let program = bulk::Program {
            name: self.program.name.clone(),
            results: vec![Var(params.len() as u32)],
            params,
            eqs: vec![bulk::Eq {
                ty: ty(Elem::Real, shape),
                guard: None,
                op,
            }],
            requires: vec![],
        };
        let mut outcome = bulk_eval::eval(&program, &args)?;
        self.cost.operations += outcome.cost;
        let value = &outcome.results[0];
        self.cost.stored += elements(value);
        Ok(outcome.results.remove(0))
    }
}

/// The axes of an operand as sizes.
fn own_shape(operand: usize, value: &Value) -> Vec<Size> {
    let axes = 0..value.shape().len();
    axes.map(|axis| Size::dim(operand, axis)).collect()
}

fn collect(elem: Elem, shape: Vec<usize>, lits: &[Lit]) -> Value {
    match elem {
        Elem::Real => Value::Real(Tensor::new(
            shape,
            lits.iter()
                .map(|l| match l {
                    Lit::Real(x) => *x,
                    Lit::Int(_) | Lit::Bool(_) => f64::NAN,
                })
                .collect(),
        )),
        Elem::Int => Value::Int(Tensor::new(
            shape,
            lits.iter()
                .map(|l| match l {
                    Lit::Int(x) => *x,
                    Lit::Real(_) | Lit::Bool(_) => i64::MIN,
                })
                .collect(),
        )),
        Elem::Bool => Value::Bool(Tensor::new(
            shape,
            lits.iter().map(|l| *l == Lit::Bool(true)).collect(),
        )),
    }
}

/// Every index of a shape, in order.
fn for_each(
    shape: &[usize],
    f: &mut dyn FnMut(&[i64]) -> Result<(), String>,
) -> Result<(), String> {
    if shape.contains(&0) {
        return Ok(());
    }
    let mut index = vec![0i64; shape.len()];
    loop {
        f(&index)?;
        let mut k = shape.len();
        loop {
            if k == 0 {
                return Ok(());
            }
            k -= 1;
            index[k] += 1;
            if (index[k] as usize) < shape[k] {
                break;
            }
            index[k] = 0;
        }
    }
}

/// What a node was at some values of the loops that it depends on: zero without anything having
/// been evaluated where `present` is false.
#[derive(Clone)]
struct Memo {
    loops: Vec<i64>,
    value: Lit,
    present: bool,
}

/// What evaluating a nest takes.
#[derive(Clone, Copy, Default)]
struct NestWork {
    operations: u64,
    visits: u64,
}

impl Cost {
    fn nest(&mut self, w: NestWork) {
        self.operations += w.operations;
        self.visits += w.visits;
    }

    /// Adds what a program takes that runs inside of another one.
    fn inner(&mut self, of: Cost) {
        self.operations += of.operations;
        self.visits += of.visits;
        self.stored += of.stored;
        self.peak = self.peak.max(of.peak);
    }
}

/// The evaluation of one nest.
struct Frame<'a> {
    run: &'a Run<'a>,
    nest: &'a Nest,
    extents: Vec<usize>,
    loops: Vec<i64>,
    memo: Vec<Option<Memo>>,
    work: NestWork,
}

impl<'a> Frame<'a> {
    fn new(run: &'a Run<'a>, nest: &'a Nest) -> Result<Self, String> {
        let extents = (nest.loops.iter())
            .map(|s| run.extent(s))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Frame {
            run,
            nest,
            loops: vec![0; extents.len()],
            extents,
            memo: vec![None; nest.nodes.len()],
            work: NestWork::default(),
        })
    }

    /// Where a loop runs.
    fn range(&mut self, l: Loop) -> Result<std::ops::Range<i64>, String> {
        let extent = self.extents[l] as i64;
        let (mut from, mut to) = (0, extent);
        if extent > 0 {
            let range = &self.nest.ranges[l];
            for e in &range.from {
                from = from.max(self.affine(e)?);
            }
            for e in self.place(&range.to)? {
                to = to.min(e);
            }
        }
        Ok(from..to)
    }

    /// Every index of some loops, in order.
    fn each(
        &mut self,
        loops: &[Loop],
        f: &mut dyn FnMut(&mut Self) -> Result<(), String>,
    ) -> Result<(), String> {
        let Some((&l, rest)) = loops.split_first() else {
            return f(self);
        };
        for i in self.range(l)? {
            self.loops[l] = i;
            self.work.visits += 1;
            self.each(rest, f)?;
        }
        Ok(())
    }

    fn affine(&self, a: &Affine) -> Result<i64, String> {
        let mut sum = self.run.size(&a.constant)?;
        for (l, c) in &a.terms {
            sum += self.run.size(c)? * self.loops[*l];
        }
        Ok(sum)
    }

    fn place(&mut self, at: &[At]) -> Result<Vec<i64>, String> {
        at.iter()
            .map(|a| match a {
                At::Affine(a) => self.affine(a),
                At::Node(n) => match self.node(*n)? {
                    Lit::Int(i) => Ok(i),
                    l @ (Lit::Real(_) | Lit::Bool(_)) => Err(format!("{l} is no index")),
                },
            })
            .collect()
    }

    fn node(&mut self, n: Node) -> Result<Lit, String> {
        Ok(self.scalar(n)?.value)
    }

    fn present(&mut self, n: Node) -> Result<bool, String> {
        Ok(self.scalar(n)?.present)
    }

    fn real(&mut self, n: Node) -> Result<f64, String> {
        match self.node(n)? {
            Lit::Real(x) => Ok(x),
            l @ (Lit::Int(_) | Lit::Bool(_)) => Err(format!("{l} is no real")),
        }
    }

    fn scalar(&mut self, n: Node) -> Result<Memo, String> {
        let loops: Vec<i64> = self.nest.depends[n]
            .iter()
            .map(|&l| self.loops[l])
            .collect();
        if let Some(m) = &self.memo[n]
            && m.loops == loops
        {
            return Ok(m.clone());
        }
        let nest = self.nest;
        let s = &nest.nodes[n];
        let guarded_off = match s.guard {
            Some(g) => self.node(g)? != Lit::Bool(true),
            None => false,
        };
        let (value, present) = if guarded_off {
            (Lit::zero(s.elem), false)
        } else {
            self.compute(&s.compute, s.elem)?
        };
        let m = Memo {
            loops,
            value,
            present,
        };
        self.memo[n] = Some(m.clone());
        Ok(m)
    }

    fn compute(&mut self, c: &Compute, elem: Elem) -> Result<(Lit, bool), String> {
        let whole = |l: Lit| Ok((l, true));
        match c {
            Compute::Lit(l) => whole(*l),
            Compute::Index(a) => whole(Lit::Int(self.affine(a)?)),
            Compute::Same(n) => {
                let m = self.scalar(*n)?;
                Ok((m.value, m.present))
            }
            Compute::Read(v, at) => {
                let place = self.place(at)?;
                let outside = |shape: &[usize]| format!("{place:?} is outside of {shape:?}");
                let run = self.run;
                whole(match run.value(*v)? {
                    Value::Real(t) => {
                        let at = t.offset(&place).ok_or_else(|| outside(&t.shape))?;
                        Lit::Real(t.data[at])
                    }
                    Value::Int(t) => {
                        let at = t.offset(&place).ok_or_else(|| outside(&t.shape))?;
                        Lit::Int(t.data[at])
                    }
                    Value::Bool(t) => {
                        let at = t.offset(&place).ok_or_else(|| outside(&t.shape))?;
                        Lit::Bool(t.data[at])
                    }
                })
            }
            Compute::Prim(p, args) => {
                let mut lits = vec![];
                let mut present = vec![];
                for &a in args {
                    let m = self.scalar(a)?;
                    lits.push(m.value);
                    present.push(m.present);
                }
                use super::prims::Prim;
                // Adding a structural zero is no operation.
                match (p, &present[..]) {
                    (Prim::Add | Prim::Sub, &[false, false]) => return Ok((Lit::Real(0.0), false)),
                    (Prim::Add | Prim::Sub, &[_, false]) => return whole(lits[0]),
                    (Prim::Add, &[false, true]) => return whole(lits[1]),
                    _ => {}
                }
                // What is absent is negated for its sign alone.
                let is_absent = matches!((p, &present[..]), (Prim::Neg, &[false]));
                if !is_absent {
                    self.work.operations += p.cost();
                }
                let l = p
                    .eval_wrapping(&lits)
                    .ok_or_else(|| format!("`{}` of {lits:?} fails", p.name()))?;
                if is_absent { Ok((l, false)) } else { whole(l) }
            }
            Compute::Reduce(op, own, body) => self.reduce(*op, own, *body, elem),
            Compute::ArgReduce(op, own, body) => {
                let mut best = match op {
                    Extremum::Max => f64::NEG_INFINITY,
                    Extremum::Min => f64::INFINITY,
                };
                let (mut at, mut n) = (0, 0);
                for i in self.range(*own)? {
                    n += 1;
                    self.loops[*own] = i;
                    self.work.visits += 1;
                    let x = self.real(*body)?;
                    let better = match op {
                        Extremum::Max => x > best,
                        Extremum::Min => x < best,
                    };
                    if better {
                        (best, at) = (x, i);
                    }
                }
                self.work.operations += cost::arg_reduce(n);
                whole(Lit::Int(at))
            }
            Compute::Extreme(place) => {
                let at = match self.node(*place)? {
                    Lit::Int(at) => at,
                    l @ (Lit::Real(_) | Lit::Bool(_)) => return Err(format!("{l} is no index")),
                };
                let nest = self.nest;
                let Compute::ArgReduce(op, own, body) = &nest.nodes[*place].compute else {
                    return Err("an extremum without its position".into());
                };
                if !self.range(*own)?.contains(&at) {
                    return whole(Lit::Real(match op {
                        Extremum::Max => f64::NEG_INFINITY,
                        Extremum::Min => f64::INFINITY,
                    }));
                }
                // It has been computed to find the position.
                let work = self.work;
                self.loops[*own] = at;
                let x = self.real(*body)?;
                self.work = work;
                whole(Lit::Real(x))
            }
        }
    }

    fn reduce(
        &mut self,
        op: ReduceOp,
        own: &[usize],
        body: Node,
        elem: Elem,
    ) -> Result<(Lit, bool), String> {
        let mut all = vec![];
        self.each(own, &mut |frame| {
            let m = frame.scalar(body)?;
            if m.present || op != ReduceOp::Sum {
                all.push(m.value);
            }
            Ok(())
        })?;
        if elem == Elem::Real {
            self.work.operations += cost::reduce(op, all.len() as u64);
        }
        let present = op != ReduceOp::Sum || !all.is_empty() || elem != Elem::Real;
        let mut reals = vec![];
        let mut ints = vec![];
        for l in all {
            match l {
                Lit::Real(x) => reals.push(x),
                Lit::Int(i) => ints.push(i),
                Lit::Bool(_) => return Err("a reduction of bools".into()),
            }
        }
        let largest = |worse: fn(f64, f64) -> bool, start: f64| {
            (reals.iter()).fold(start, |a, &x| if worse(a, x) { x } else { a })
        };
        let lit = match (op, elem) {
            (ReduceOp::Sum, Elem::Real) => Lit::Real(reals.iter().sum::<f64>() + 0.0),
            (ReduceOp::Sum, _) => Lit::Int(ints.iter().sum()),
            (ReduceOp::Product, Elem::Real) => Lit::Real(reals.iter().product()),
            (ReduceOp::Product, _) => Lit::Int(ints.iter().product()),
            (ReduceOp::Max, Elem::Int) => Lit::Int(ints.into_iter().max().unwrap_or(i64::MIN)),
            (ReduceOp::Min, Elem::Int) => Lit::Int(ints.into_iter().min().unwrap_or(i64::MAX)),
            (ReduceOp::Max, _) => Lit::Real(largest(|a, x| x > a, f64::NEG_INFINITY)),
            (ReduceOp::Min, _) => Lit::Real(largest(|a, x| x < a, f64::INFINITY)),
            (ReduceOp::LogSumExp, _) => {
                let m = largest(|a, x| x > a, f64::NEG_INFINITY);
                Lit::Real(if reals.iter().any(|x| x.is_nan()) {
                    f64::NAN
                } else if m.is_infinite() {
                    m
                } else {
                    m + reals.iter().map(|x| (x - m).exp()).sum::<f64>().ln()
                })
            }
        };
        Ok((lit, present))
    }
}
