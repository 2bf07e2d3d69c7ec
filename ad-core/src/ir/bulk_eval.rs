//! The interpreter of Bulk: what a program means, and how many real operations it takes.
//!
//! Written for clarity and as a reference; nothing is shared with the runtime. Where an equation's
//! guard is false, the element is a structural zero: it is stored as zero, marked absent, and nothing
//! was read, computed or counted for it.

use std::rc::Rc;

use super::bulk::{Affine, Eq, Ix, Op, Part, Program, Relation, Var};
use super::core::{Extremum, ReduceOp};
use super::cost;
use super::prims::{Eval, Prim};
use super::ty::{Atom, Elem, Lit, Size};
use super::value::{Tensor, Value};

/// What a program returns, and what that took.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// One per result.
    pub results: Vec<Value>,
    /// The number of real operations.
    pub cost: u64,
}

/// The value of a variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Slot {
    /// The array, with zeros for absent elements.
    pub value: Value,
    /// Which elements are not structural zeros; all of them if there is no list.
    pub present: Option<Rc<Vec<bool>>>,
}

/// Everything that was computed.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// One per variable.
    pub slots: Vec<Slot>,
    /// The number of real operations of each equation.
    pub costs: Vec<u64>,
}

/// Runs a program.
///
/// # Errors
/// If the arguments do not fit the program, or an equation reads or writes outside an array,
/// overflows, or is not well-formed. The message names the equation.
pub fn eval(program: &Program, args: &[Value]) -> Result<Outcome, String> {
    let trace = eval_all(program, args)?;
    let results = (program.results.iter())
        .map(|v| match trace.slots.get(v.index()) {
            Some(slot) => Ok(slot.value.clone()),
            None => Err(format!("the result v{} is not defined", v.0)),
        })
        .collect::<Result<_, _>>()?;
    Ok(Outcome {
        results,
        cost: trace.costs.iter().sum(),
    })
}

/// Runs a program and keeps the value of every variable.
///
/// # Errors
/// As [`eval`].
pub fn eval_all(program: &Program, args: &[Value]) -> Result<Trace, String> {
    let mut machine = Machine::start(program, args)?;
    let mut costs = Vec::with_capacity(program.eqs.len());
    for (k, eq) in program.eqs.iter().enumerate() {
        let at = |e| format!("v{}: {e}", program.var_of(k).0);
        let (slot, cost) = machine.step(eq).map_err(at)?;
        machine.slots.push(slot);
        costs.push(cost);
    }
    // Axes of parameters that are as long as a computed value says.
    for (k, p) in program.params.iter().enumerate() {
        if p.ty.shape.iter().any(mentions_value) {
            machine.check_param(k)?;
        }
    }
    Ok(Trace {
        slots: machine.slots,
        costs,
    })
}

/// Arrays larger than this are not attempted.
const LARGEST: usize = 1 << 31;

fn mentions_value(size: &Size) -> bool {
    let mut found = false;
    size.visit(&mut |a| found |= matches!(a, Atom::Value(_)));
    found
}

fn kind(value: &Value) -> Elem {
    match value {
        Value::Real(_) => Elem::Real,
        Value::Int(_) => Elem::Int,
        Value::Bool(_) => Elem::Bool,
    }
}

fn volume(shape: &[usize]) -> Result<usize, String> {
    (shape.iter())
        .try_fold(1usize, |n, &k| n.checked_mul(k))
        .filter(|&n| n <= LARGEST)
        .ok_or_else(|| format!("the shape {shape:?} is too large"))
}

fn strides(shape: &[usize]) -> Vec<usize> {
    let mut out = vec![1; shape.len()];
    for k in (1..shape.len()).rev() {
        out[k - 1] = out[k] * shape[k];
    }
    out
}

/// Calls `f` with each position of a shape, in order, and its index.
fn each(
    shape: &[usize],
    mut f: impl FnMut(usize, &[usize]) -> Result<(), String>,
) -> Result<(), String> {
    let mut index = vec![0; shape.len()];
    for p in 0..shape.iter().product() {
        f(p, &index)?;
        for k in (0..shape.len()).rev() {
            index[k] += 1;
            if index[k] < shape[k] {
                break;
            }
            index[k] = 0;
        }
    }
    Ok(())
}

impl Slot {
    /// Whether the element at a position is not a structural zero.
    pub fn has(&self, position: usize) -> bool {
        self.present.as_ref().is_none_or(|m| m[position])
    }

    fn shape(&self) -> &[usize] {
        self.value.shape()
    }

    fn real(&self) -> Result<&[f64], String> {
        match &self.value {
            Value::Real(t) => Ok(&t.data),
            Value::Int(_) | Value::Bool(_) => Err(self.unlike(Elem::Real)),
        }
    }

    fn int(&self) -> Result<&[i64], String> {
        match &self.value {
            Value::Int(t) => Ok(&t.data),
            Value::Real(_) | Value::Bool(_) => Err(self.unlike(Elem::Int)),
        }
    }

    fn bool(&self) -> Result<&[bool], String> {
        match &self.value {
            Value::Bool(t) => Ok(&t.data),
            Value::Real(_) | Value::Int(_) => Err(self.unlike(Elem::Bool)),
        }
    }

    fn unlike(&self, wanted: Elem) -> String {
        format!(
            "an operand is {} where {wanted} is needed",
            kind(&self.value)
        )
    }
}

/// Where an equation computes.
struct Domain<'a> {
    shape: Vec<usize>,
    len: usize,
    guard: Option<&'a [bool]>,
}

impl Domain<'_> {
    fn on(&self, p: usize) -> bool {
        self.guard.is_none_or(|g| g[p])
    }

    fn any(&self) -> bool {
        self.guard.map_or(self.len > 0, |g| g.contains(&true))
    }

    fn count(&self) -> u64 {
        match self.guard {
            None => self.len as u64,
            Some(g) => g.iter().filter(|&&x| x).count() as u64,
        }
    }

    fn real(&self, data: Vec<f64>) -> Value {
        Value::Real(Tensor::new(self.shape.clone(), data))
    }

    fn int(&self, data: Vec<i64>) -> Value {
        Value::Int(Tensor::new(self.shape.clone(), data))
    }

    fn bool(&self, data: Vec<bool>) -> Value {
        Value::Bool(Tensor::new(self.shape.clone(), data))
    }

    /// Elements where the guard holds, `zero` elsewhere.
    fn fill<T: Clone>(
        &self,
        zero: T,
        mut f: impl FnMut(usize) -> Result<T, String>,
    ) -> Result<Vec<T>, String> {
        let mut data = Vec::with_capacity(self.len);
        for p in 0..self.len {
            data.push(if self.on(p) { f(p)? } else { zero.clone() });
        }
        Ok(data)
    }

    /// A slot that is present where the guard holds.
    fn slot(&self, value: Value) -> Slot {
        self.slot_where(value, |_| true)
    }

    /// A slot that is present where the guard and a condition hold.
    fn slot_where(&self, value: Value, has: impl Fn(usize) -> bool) -> Slot {
        let mask: Vec<bool> = (0..self.len).map(|p| self.on(p) && has(p)).collect();
        let present = mask.contains(&false).then(|| Rc::new(mask));
        Slot { value, present }
    }

    fn needs(&self, shape: &[usize]) -> Result<(), String> {
        if shape == self.shape {
            return Ok(());
        }
        Err(format!(
            "the shape {shape:?} where {:?} is needed",
            self.shape
        ))
    }
}

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

struct Machine<'a> {
    program: &'a Program,
    slots: Vec<Slot>,
}

impl<'a> Machine<'a> {
    fn start(program: &'a Program, args: &[Value]) -> Result<Self, String> {
        if args.len() != program.params.len() {
            return Err(format!(
                "{} arguments for {} parameters",
                args.len(),
                program.params.len()
            ));
        }
        let slots = (args.iter().cloned())
            .map(|value| Slot {
                value,
                present: None,
            })
            .collect();
        let machine = Machine { program, slots };
        for (k, (p, arg)) in program.params.iter().zip(args).enumerate() {
            if kind(arg) != p.ty.elem || arg.shape().len() != p.ty.rank() {
                return Err(format!(
                    "v{k} ({}): {} of shape {:?} where {} of rank {} is needed",
                    p.name,
                    kind(arg),
                    arg.shape(),
                    p.ty.elem,
                    p.ty.rank()
                ));
            }
        }
        for (k, p) in program.params.iter().enumerate() {
            if !p.ty.shape.iter().any(mentions_value) {
                machine.check_param(k)?;
            }
        }
        machine.check_requires()?;
        Ok(machine)
    }

    fn check_param(&self, k: usize) -> Result<(), String> {
        let p = &self.program.params[k];
        let at = |e: String| format!("v{k} ({}): {e}", p.name);
        let wanted = self.shape(&p.ty.shape).map_err(at)?;
        if self.slots[k].shape() != wanted {
            let found = self.slots[k].shape();
            return Err(at(format!(
                "the shape {found:?} where {wanted:?} is needed"
            )));
        }
        Ok(())
    }

    fn check_requires(&self) -> Result<(), String> {
        'requires: for r in &self.program.requires {
            let sizes = || r.when.iter().chain([&r.left, &r.right]);
            // What is computed is not known on entry; the equation itself will complain.
            if sizes().any(mentions_value) {
                continue;
            }
            for w in &r.when {
                if self.size(w)? <= 0 {
                    continue 'requires;
                }
            }
            let (left, right) = (self.size(&r.left)?, self.size(&r.right)?);
            let (holds, sign) = match r.relation {
                Relation::AtLeast => (left >= right, ">="),
                Relation::Equal => (left == right, "=="),
            };
            if !holds {
                return Err(format!(
                    "requires {} {sign} {}, but these are {left} and {right}",
                    r.left, r.right
                ));
            }
        }
        Ok(())
    }

    fn size(&self, size: &Size) -> Result<i64, String> {
        if let Some(c) = size.as_lit() {
            return Ok(c);
        }
        let params = self.program.params.len();
        let scalar = |v: usize| match &self.slots.get(v)?.value {
            Value::Int(t) if t.shape.is_empty() => t.data.first().copied(),
            Value::Int(_) | Value::Real(_) | Value::Bool(_) => None,
        };
        size.eval(&mut |a| match a {
            Atom::Dim { param, axis } if *param < params => {
                let n = *self.slots.get(*param)?.shape().get(*axis)?;
                i64::try_from(n).ok()
            }
            Atom::Int { param } if *param < params => scalar(*param),
            Atom::Value(v) => scalar(*v as usize),
            Atom::Dim { .. } | Atom::Int { .. } => None,
            Atom::Quot(..) | Atom::Rem(..) | Atom::Min(..) | Atom::Max(..) => None,
        })
        .ok_or_else(|| format!("the size {size} has no value"))
    }

    fn shape(&self, shape: &[Size]) -> Result<Vec<usize>, String> {
        let shape: Vec<usize> = (shape.iter())
            .map(|s| {
                // A bound below zero is a loop that does not run.
                Ok(usize::try_from(self.size(s)?).unwrap_or(0))
            })
            .collect::<Result<_, String>>()?;
        volume(&shape)?;
        Ok(shape)
    }

    fn slot(&self, v: Var) -> Result<&Slot, String> {
        (self.slots.get(v.index())).ok_or_else(|| format!("v{} is not defined before", v.0))
    }

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
        let reach = (line.coefs.iter().zip(domain))
            .map(|(&c, &n)| i128::from(c).abs() * n as i128)
            .sum::<i128>()
            + i128::from(line.constant).abs();
        if reach > i128::from(i64::MAX) {
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

    fn step(&self, eq: &Eq) -> Result<(Slot, u64), String> {
        let shape = self.shape(&eq.ty.shape)?;
        let guard = match eq.guard {
            None => None,
            Some(g) => {
                let slot = self.slot(g)?;
                if slot.shape() != shape {
                    return Err(format!(
                        "the guard has the shape {:?}, not {shape:?}",
                        slot.shape()
                    ));
                }
                Some(slot.bool()?)
            }
        };
        let len = volume(&shape)?;
        let d = Domain { shape, len, guard };
        let (slot, cost) = match &eq.op {
            Op::Fill(lit) => (fill(&d, *lit)?, 0),
            Op::Index(affine) => (self.index(&d, affine)?, 0),
            Op::Map(prim, args) => {
                let args: Vec<&Slot> = args
                    .iter()
                    .map(|v| self.slot(*v))
                    .collect::<Result<_, _>>()?;
                map(&d, *prim, &args)?
            }
            Op::Gather { src, index } => (self.gather(&d, self.slot(*src)?, index)?, 0),
            Op::Scatter(parts) => self.scatter(&d, parts)?,
            Op::Reduce { op, src, axes } => reduce(&d, *op, self.slot(*src)?, axes)?,
            Op::ArgReduce { op, src, axis } => arg_reduce(&d, *op, self.slot(*src)?, *axis)?,
            Op::Recur {
                a,
                b,
                axis,
                reverse,
            } => recur(&d, self.slot(*a)?, self.slot(*b)?, *axis, *reverse)?,
            Op::Contract {
                a,
                b,
                a_axes,
                b_axes,
                out_axes,
            } => contract(
                &d,
                (self.slot(*a)?, a_axes),
                (self.slot(*b)?, b_axes),
                out_axes,
            )?,
            Op::Copy(src) | Op::Stop(src) => (copy(&d, self.slot(*src)?)?, 0),
        };
        if kind(&slot.value) != eq.ty.elem {
            return Err(format!(
                "gives {} where {} is declared",
                kind(&slot.value),
                eq.ty.elem
            ));
        }
        Ok((slot, cost))
    }

    fn index(&self, d: &Domain<'_>, affine: &Affine) -> Result<Slot, String> {
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

    fn gather(&self, d: &Domain<'_>, src: &Slot, index: &[Ix]) -> Result<Slot, String> {
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

    fn scatter(&self, d: &Domain<'_>, parts: &[Part]) -> Result<(Slot, u64), String> {
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
            each(src.shape(), |p, index| {
                if !src.has(p) {
                    return Ok(());
                }
                let to = locate(&components, &d.shape, p, index)?;
                if d.on(to) {
                    data[to] += reals[p];
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

fn fill(d: &Domain<'_>, lit: Lit) -> Result<Slot, String> {
    let value = match lit {
        Lit::Real(x) => d.real(d.fill(0.0, |_| Ok(x))?),
        Lit::Int(x) => d.int(d.fill(0, |_| Ok(x))?),
        Lit::Bool(x) => d.bool(d.fill(false, |_| Ok(x))?),
    };
    Ok(d.slot(value))
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

fn copy(d: &Domain<'_>, src: &Slot) -> Result<Slot, String> {
    d.needs(src.shape())?;
    if d.guard.is_none() {
        return Ok(src.clone());
    }
    let from: Vec<usize> = (0..d.len)
        .map(|p| if d.on(p) { p } else { NOWHERE })
        .collect();
    Ok(select_from(d, src, &from))
}

fn map(d: &Domain<'_>, prim: Prim, args: &[&Slot]) -> Result<(Slot, u64), String> {
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
            let data = d.fill(0.0, |p| Ok(if a.has(p) { -x[p] } else { 0.0 }))?;
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
    let name = prim.name();
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
        Eval::I(f) => {
            let a = args[0].int()?;
            d.int(d.fill(0, |p| {
                f(a[p]).ok_or_else(|| format!("{name}({}) fails", a[p]))
            })?)
        }
        Eval::II(f) => {
            let (a, b) = (args[0].int()?, args[1].int()?);
            d.int(d.fill(0, |p| {
                f(a[p], b[p]).ok_or_else(|| format!("{name}({}, {}) fails", a[p], b[p]))
            })?)
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

/// Addition or subtraction where operands have structural zeros: what is there is the result,
/// negated if it is subtracted.
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
                sign * y[p]
            }
            (false, false) => 0.0,
        })
    })?;
    let slot = d.slot_where(d.real(data), |p| a.has(p) || b.has(p));
    Ok((slot, cost))
}

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

fn reduce(d: &Domain<'_>, op: ReduceOp, src: &Slot, axes: &[usize]) -> Result<(Slot, u64), String> {
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
                out[p] = (out[p].checked_mul(t.data[q])).ok_or("an integer product overflows")?;
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
                out[to] = (out[to].checked_add(t.data[p])).ok_or("an integer sum overflows")?;
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

fn arg_reduce(
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

fn recur(
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

fn contract(
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
    each(&d.shape, |p, index| {
        if d.on(p) {
            let (i, j) = (move_by(&out, index, 0), move_by(&out, index, 1));
            data[p] = pairs.iter().fold(0.0, |s, (k, l)| s + x[i + k] * y[j + l]);
        }
        Ok(())
    })?;
    let cost = d.count() * cost::contract(pairs.len() as u64);
    Ok((d.slot(d.real(data)), cost))
}

#[cfg(test)]
mod tests {
    use super::super::{bulk_check, bulk_text};
    use super::*;

    fn reals(x: &[f64]) -> Value {
        Value::Real(Tensor::new(vec![x.len()], x.to_vec()))
    }

    fn matrix(rows: usize, x: &[f64]) -> Value {
        Value::Real(Tensor::new(vec![rows, x.len() / rows], x.to_vec()))
    }

    fn scalar(x: f64) -> Value {
        Value::Real(Tensor::scalar(x))
    }

    fn ints(x: &[i64]) -> Value {
        Value::Int(Tensor::new(vec![x.len()], x.to_vec()))
    }

    fn int(x: i64) -> Value {
        Value::Int(Tensor::scalar(x))
    }

    fn bools(x: &[bool]) -> Value {
        Value::Bool(Tensor::new(vec![x.len()], x.to_vec()))
    }

    fn program(text: &str) -> Program {
        let p = bulk_text::parse(text).unwrap();
        bulk_check::check(&p).unwrap();
        p
    }

    /// The only result, and the cost.
    fn run(text: &str, args: &[Value]) -> (Value, u64) {
        let mut out = eval(&program(text), args).unwrap();
        (out.results.pop().unwrap(), out.cost)
    }

    fn fails(text: &str, args: &[Value]) -> String {
        eval(&program(text), args).unwrap_err()
    }

    #[test]
    fn a_dot_product() {
        let text = "fn dot(x: real[d0.0], y: real[d1.0])
            require d1.0 >= d0.0 when d0.0
            v2: real[d0.0] = gather v1[i0]
            v3: real[d0.0] = mul(v0, v2)
            v4: real[] = sum v3 over [0]
            return v4";
        let (x, y) = (reals(&[1.0, 2.0, 3.0]), reals(&[4.0, 5.0, 6.0, 7.0]));
        assert_eq!(run(text, &[x.clone(), y]), (scalar(32.0), 5));
        assert_eq!(
            fails(text, &[x, reals(&[1.0])]),
            "requires d1.0 >= d0.0, but these are 1 and 3"
        );
        assert_eq!(run(text, &[reals(&[]), reals(&[])]), (scalar(0.0), 0));
    }

    #[test]
    fn maps_of_every_kind() {
        let text = "fn f(x: real[d0.0], k: int[d0.0])
            v2: real[d0.0] = int_to_real(v1)
            v3: real[d0.0] = powi(v0, v1)
            v4: real[d0.0] = mul_add(v0, v2, v3)
            v5: int[d0.0] = iadd(v1, v1)
            v6: bool[d0.0] = lt(v0, v4)
            v7: bool[d0.0] = ilt(v1, v5)
            v8: bool[d0.0] = xor(v6, v7)
            v9: bool[d0.0] = not(v8)
            v10: int[d0.0] = bool_to_int(v9)
            v11: int[d0.0] = ineg(v10)
            v12: int[d0.0] = real_to_int(v4)
            v13: int[d0.0] = select(v9, v11, v12)
            v14: bool[d0.0] = select(v9, v6, v7)
            v15: real[d0.0] = select(v14, v0, v3)
            return v13, v15";
        let args = [reals(&[2.0, -1.0]), ints(&[3, 2])];
        let out = eval(&program(text), &args).unwrap();
        assert_eq!(out.results, [ints(&[-1, -1]), reals(&[2.0, -1.0])]);
        assert_eq!(out.cost, 4);
    }

    #[test]
    fn guards_keep_everything_from_happening() {
        let text = "fn f(x: real[d0.0], k: int[d0.0], b: bool[d0.0])
            v3: real[d0.0] = [v2] gather v0[v1]
            v4: real[d0.0] = [v2] ln(v3)
            v5: int[d0.0] = [v2] idiv(v1, v1)
            v6: real[d0.0] = [v2] fill 2.0
            v7: int[d0.0] = [v2] index i0 + 5
            return v4";
        let args = [
            reals(&[1.0, 2.0, 3.0]),
            ints(&[0, 9, 1]),
            bools(&[true, false, true]),
        ];
        let p = program(text);
        let error = eval(&p, &args).unwrap_err();
        assert_eq!(error, "v5: idiv(0, 0) fails");
        let args = [args[0].clone(), ints(&[1, 9, 1]), args[2].clone()];
        let trace = eval_all(&p, &args).unwrap();
        assert_eq!(trace.slots[3].value, reals(&[2.0, 0.0, 2.0]));
        assert_eq!(trace.slots[6].value, reals(&[2.0, 0.0, 2.0]));
        assert_eq!(trace.slots[7].value, ints(&[5, 0, 7]));
        for slot in &trace.slots[3..] {
            assert_eq!(slot.present.as_deref(), Some(&vec![true, false, true]));
        }
        assert_eq!(trace.costs, [0, 2, 0, 0, 0]);
        // Nothing of the index map is looked at where no element is.
        let text = "fn f(n: int[], b: bool[d1.0])
            v2: int[d1.0] = [v1] index quot(1, n0)*i0
            return v2";
        let args = [int(0), bools(&[false])];
        assert_eq!(run(text, &args).0, ints(&[0]));
        let error = fails(text, &[int(0), bools(&[true])]);
        assert_eq!(error, "v2: the size quot(1, n0) has no value");
    }

    #[test]
    fn structural_zeros_are_free() {
        // x where b, y where c: present at 0 and 1, at 1 and 2, never at 3.
        let head = "fn f(x: real[d0.0], b: bool[d0.0], y: real[d0.0], c: bool[d0.0])
            v4: real[d0.0] = [v1] copy v0
            v5: real[d0.0] = [v3] copy v2\n";
        let args = [
            reals(&[1.0, 2.0, 3.0, 4.0]),
            bools(&[true, true, false, false]),
            reals(&[10.0, 20.0, 30.0, 40.0]),
            bools(&[false, true, true, false]),
        ];
        let slot = |op: &str| {
            let p = program(&format!("{head} v6: {op}\n return v6"));
            let mut trace = eval_all(&p, &args).unwrap();
            let slot = trace.slots.pop().unwrap();
            let n = slot.shape().iter().product();
            let present: Vec<bool> = (0..n).map(|p| slot.has(p)).collect();
            (slot.value, present, trace.costs.pop().unwrap())
        };
        let either = vec![true, true, true, false];
        assert_eq!(
            slot("real[d0.0] = add(v4, v5)"),
            (reals(&[1.0, 22.0, 30.0, 0.0]), either.clone(), 1)
        );
        assert_eq!(
            slot("real[d0.0] = sub(v4, v5)"),
            (reals(&[1.0, -18.0, -30.0, 0.0]), either, 2)
        );
        let first = vec![true, true, false, false];
        let negative = reals(&[-1.0, -2.0, 0.0, 0.0]);
        assert_eq!(slot("real[d0.0] = neg(v4)"), (negative, first.clone(), 2));
        let same = reals(&[1.0, 2.0, 0.0, 0.0]);
        assert_eq!(
            slot("real[d0.0] = copy v4"),
            (same.clone(), first.clone(), 0)
        );
        assert_eq!(slot("real[d0.0] = stop v4"), (same, first, 0));
        assert_eq!(
            slot("real[d0.0] = gather v4[-i0 + d0.0 - 1]"),
            (
                reals(&[0.0, 0.0, 2.0, 1.0]),
                vec![false, false, true, true],
                0
            )
        );
        assert_eq!(
            slot("real[d0.0] = select(v1, v4, v5)"),
            (
                reals(&[1.0, 2.0, 30.0, 0.0]),
                vec![true, true, true, false],
                0
            )
        );
        assert_eq!(
            slot("real[d0.0] = mul(v4, v5)"),
            (reals(&[0.0, 40.0, 0.0, 0.0]), vec![true; 4], 4)
        );
        assert_eq!(
            slot("real[] = sum v4 over [0]"),
            (scalar(3.0), vec![true], 1)
        );
        assert_eq!(
            slot("real[3] = scatter v4[0] + v5[i0 - 1]"),
            (reals(&[23.0, 30.0, 0.0]), vec![true, true, false], 2)
        );
        assert_eq!(
            slot("real[d0.0] = recur v0 * _ + v4 along 0"),
            (reals(&[1.0, 4.0, 12.0, 48.0]), vec![true; 4], 4)
        );
    }

    #[test]
    fn a_sum_of_nothing_is_a_structural_zero() {
        let text = "fn f(m: real[d0.0, d0.1], b: bool[d0.0, d0.1], y: real[d0.0])
            v3: real[d0.0, d0.1] = [v1] copy v0
            v4: real[d0.0] = sum v3 over [1]
            v5: real[d0.0] = add(v2, v4)
            return v5";
        let mask = vec![true, true, false, false];
        let args = [
            matrix(2, &[1.0, 2.0, f64::NAN, 4.0]),
            Value::Bool(Tensor::new(vec![2, 2], mask)),
            reals(&[10.0, 20.0]),
        ];
        assert_eq!(run(text, &args), (reals(&[13.0, 20.0]), 2));
    }

    #[test]
    fn reductions() {
        let x = matrix(2, &[1.0, 5.0, 2.0, f64::NAN, -1.0, 5.0]);
        let m = |op: &str, ty: &str, axis: usize| {
            let text = format!("fn f(m: real[2, 3])\nv1: {ty} = {op} {axis}\nreturn v1");
            run(&text, std::slice::from_ref(&x))
        };
        let over = |op: &str, axis: usize| {
            let text = format!(
                "fn f(m: real[2, 3])\nv1: real[{}] = {op} v0 over [{axis}]\nreturn v1",
                [3, 2][axis]
            );
            run(&text, std::slice::from_ref(&x))
        };
        assert_eq!(over("maximum", 0), (reals(&[1.0, 5.0, 5.0]), 3));
        assert_eq!(over("maximum", 1), (reals(&[5.0, 5.0]), 4));
        assert_eq!(over("minimum", 1), (reals(&[1.0, -1.0]), 4));
        let (sums, cost) = over("sum", 0);
        assert_eq!((&sums.real().data[1..], cost), ([4.0, 7.0].as_slice(), 3));
        let (products, cost) = over("product", 0);
        assert_eq!(
            (&products.real().data[1..], cost),
            ([-5.0, 10.0].as_slice(), 3)
        );
        assert_eq!(m("argmax v0 along", "int[2]", 1), (ints(&[1, 2]), 4));
        assert_eq!(m("argmin v0 along", "int[3]", 0), (ints(&[0, 1, 0]), 3));
        let (lse, cost) = over("logsumexp", 1);
        let expected = (1f64.exp() + 5f64.exp() + 2f64.exp()).ln();
        assert!((lse.real().data[0] - expected).abs() < 1e-12);
        assert!(lse.real().data[1].is_nan());
        assert_eq!(cost, 20);
    }

    #[test]
    fn reductions_over_several_axes_and_over_nothing() {
        let text = "fn f(m: real[d0.0, d0.1])
            v1: real[d0.1, d0.0, d0.1] = gather v0[i1, i2]
            v2: real[d0.0] = sum v1 over [0, 2]
            return v2";
        let x = matrix(2, &[1.0, 2.0, 3.0, 4.0]);
        assert_eq!(run(text, &[x]), (reals(&[6.0, 14.0]), 6));
        for (op, value) in [
            ("sum", 0.0),
            ("product", 1.0),
            ("maximum", f64::NEG_INFINITY),
            ("minimum", f64::INFINITY),
            ("logsumexp", f64::NEG_INFINITY),
        ] {
            let text = format!("fn f(x: real[d0.0])\nv1: real[] = {op} v0 over [0]\nreturn v1");
            assert_eq!(run(&text, &[reals(&[])]), (scalar(value), 0));
        }
        let text = "fn f(x: real[d0.0])\nv1: int[] = argmax v0 along 0\nreturn v1";
        assert_eq!(run(text, &[reals(&[])]), (int(0), 0));
        let text = "fn f(x: int[d0.0])
            v1: int[] = sum v0 over [0]
            v2: int[] = product v0 over [0]
            v3: int[] = isub(v2, v1)
            return v3";
        assert_eq!(run(text, &[ints(&[2, 3, 4])]), (int(15), 0));
    }

    #[test]
    fn extremes_of_logsumexp() {
        let text = "fn f(x: real[d0.0])\nv1: real[] = logsumexp v0 over [0]\nreturn v1";
        let of = |x: &[f64]| run(text, &[reals(x)]).0.real().data[0];
        let inf = f64::INFINITY;
        assert_eq!(of(&[-inf, -inf]), -inf);
        assert_eq!(of(&[inf, 1.0]), inf);
        assert_eq!(of(&[1000.0]), 1000.0);
        assert!(of(&[inf, f64::NAN]).is_nan());
        assert!(of(&[f64::NAN]).is_nan());
    }

    #[test]
    fn gathers_and_scatters() {
        let text = "fn f(m: real[d0.0, d0.1], k: int[d1.0])
            v2: real[d1.0] = gather v0[v1, 2*i0]
            v3: real[d0.0, d0.1] = scatter v2[v1, 2*i0] + v2[0, 0]
            return v3";
        let x = matrix(2, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        // 1 and 6 go back to where they are from, and both to the corner as well.
        let expected = matrix(2, &[8.0, 0.0, 0.0, 0.0, 0.0, 6.0]);
        assert_eq!(run(text, &[x.clone(), ints(&[0, 1])]), (expected, 2));
        assert_eq!(
            fails(text, &[x.clone(), ints(&[0, 2])]),
            "v2: index 2 is out of bounds for axis 0 of length 2, at [1]"
        );
        assert_eq!(
            fails(text, &[x, ints(&[0, 1, 0])]),
            "v2: index 4 is out of bounds for axis 1 of length 3, at [2]"
        );
        let text = "fn f(x: real[d0.0])
            v1: real[2] = scatter v0[i0 - 1]
            return v1";
        assert_eq!(
            fails(text, &[reals(&[1.0])]),
            "v1: index -1 is out of bounds for axis 0 of length 2, at [0]"
        );
        let text = "fn f(x: int[d0.0])
            v1: bool[d0.0] = ilt(v0, v0)
            v2: bool[d0.0, 2] = gather v1[i0]
            v3: int[2] = gather v0[d0.0 - 1]
            v4: real[2, 2] = scatter nothing
            return v2, v3, v4";
        let out = eval(&program(text), &[ints(&[7, 8])]).unwrap().results;
        assert_eq!(out[1..], [ints(&[8, 8]), matrix(2, &[0.0; 4])]);
        assert_eq!(out[0].shape(), [2, 2]);
    }

    #[test]
    fn contractions() {
        let head = "fn f(a: real[d0.0, d0.1], b: real[d0.1, d1.1])\n";
        let a = matrix(2, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let b = matrix(3, &[1.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
        let of = |op: &str| {
            run(
                &format!("{head} v2: {op}\n return v2"),
                &[a.clone(), b.clone()],
            )
        };
        assert_eq!(
            of("real[d0.0, d1.1] = contract v0[a, b] * v1[b, c] -> [a, c]"),
            (matrix(2, &[4.0, 5.0, 10.0, 11.0]), 4 * 5)
        );
        assert_eq!(
            of("real[d1.1, d0.0] = contract v0[a, b] * v1[b, c] -> [c, a]"),
            (matrix(2, &[4.0, 10.0, 5.0, 11.0]), 4 * 5)
        );
        assert_eq!(
            of("real[] = contract v0[a, b] * v0[a, b] -> []"),
            (scalar(91.0), 11)
        );
        assert_eq!(
            of("real[d0.1] = contract v0[a, b] * v1[b, c] -> [b]"),
            (reals(&[5.0, 7.0, 18.0]), 3 * 7)
        );
        assert_eq!(
            of("real[d0.0, d0.1] = contract v0[a, b] * v0[a, b] -> [a, b]"),
            (matrix(2, &[1.0, 4.0, 9.0, 16.0, 25.0, 36.0]), 6)
        );
    }

    #[test]
    fn recurrences() {
        let text = |rest: &str| {
            format!(
                "fn f(a: real[d0.0, d0.1], b: real[d0.0, d0.1])
                v2: real[d0.0, d0.1] = recur v0 * _ + v1 along {rest}
                return v2"
            )
        };
        let a = matrix(2, &[f64::NAN, 2.0, 3.0, f64::NAN, 4.0, 5.0]);
        let b = matrix(2, &[1.0, 1.0, 1.0, 2.0, 2.0, 2.0]);
        assert_eq!(
            run(&text("1"), &[a, b.clone()]),
            (matrix(2, &[1.0, 3.0, 10.0, 2.0, 10.0, 52.0]), 8)
        );
        let a = matrix(2, &[1.0, 2.0, 3.0, f64::NAN, f64::NAN, f64::NAN]);
        assert_eq!(
            run(&text("0 reverse"), &[a, b]),
            (matrix(2, &[3.0, 5.0, 7.0, 2.0, 2.0, 2.0]), 6)
        );
        let none = matrix(1, &[]);
        assert_eq!(run(&text("1"), &[none.clone(), none.clone()]), (none, 0));
    }

    #[test]
    fn sizes_come_from_arguments_and_from_values() {
        let text = "fn f(x: real[d0.0], n: int[], k: int[d2.0], t: real[v4])
            v4: int[] = sum v2 over [0]
            v5: real[v4] = gather v0[i0 + n1]
            v6: real[v4] = add(v3, v5)
            v7: real[quot(d0.0, 2)] = fill 1.0
            v8: int[v4 - 1] = index (v4)
            return v6";
        let args = |n, t: &[f64]| [reals(&[1.0, 2.0, 3.0]), int(n), ints(&[1, 1]), reals(t)];
        assert_eq!(
            run(text, &args(1, &[10.0, 20.0])),
            (reals(&[12.0, 23.0]), 2)
        );
        assert_eq!(
            fails(text, &args(2, &[10.0, 20.0])),
            "v5: index 3 is out of bounds for axis 0 of length 3, at [1]"
        );
        assert!(fails(text, &args(1, &[10.0])).starts_with("v6: the shape"));
        // A negative extent is none.
        let args = [reals(&[]), int(0), ints(&[]), reals(&[])];
        assert_eq!(run(text, &args), (reals(&[]), 0));
        // A parameter of computed length that nothing else looks at.
        let text = "fn f(t: real[v1])\nv1: int[] = fill 2\nreturn v1";
        assert_eq!(
            fails(text, &[reals(&[1.0])]),
            "v0 (t): the shape [1] where [2] is needed"
        );
    }

    #[test]
    fn arguments_must_fit() {
        let text = "fn f(x: real[d0.0], t: real[d0.0 + 1])\nreturn v0";
        let x = || reals(&[1.0]);
        assert_eq!(fails(text, &[x()]), "1 arguments for 2 parameters");
        assert_eq!(
            fails(text, &[x(), reals(&[1.0])]),
            "v1 (t): the shape [1] where [2] is needed"
        );
        assert_eq!(
            fails(text, &[x(), ints(&[1, 2])]),
            "v1 (t): int of shape [2] where real of rank 1 is needed"
        );
        assert_eq!(
            fails(text, &[scalar(1.0), x()]),
            "v0 (x): real of shape [] where real of rank 1 is needed"
        );
        let text = "fn f(x: real[d0.0], n: int[])
            require d0.0 == n1 when d0.0 - 1, n1
            return v1";
        assert_eq!(run(text, &[x(), int(5)]).0, int(5));
        let error = fails(text, &[reals(&[0.0; 3]), int(5)]);
        assert_eq!(error, "requires d0.0 == n1, but these are 3 and 5");
    }

    #[test]
    fn overflow_is_an_error() {
        let text = "fn f(n: int[], k: int[d1.0])\n";
        let of = |op: &str, n: i64| {
            let args = [int(n), ints(&[i64::MAX, 2])];
            fails(&format!("{text} v2: {op}\n return v2"), &args)
        };
        assert!(of("int[] = imul(v0, v0)", i64::MAX).starts_with("v2: imul("));
        assert!(of("int[] = irem(v0, v0)", 0).starts_with("v2: irem("));
        assert!(of("int[] = ineg(v0)", i64::MIN).starts_with("v2: ineg("));
        assert_eq!(
            of("int[] = sum v1 over [0]", 0),
            "v2: an integer sum overflows"
        );
        assert_eq!(
            of("int[] = product v1 over [0]", 0),
            "v2: an integer product overflows"
        );
        assert_eq!(
            of("int[3] = index n0*i0", i64::MAX),
            "v2: an index overflows"
        );
        assert!(of("int[n0, n0] = fill 0", 1 << 40).ends_with("is too large"));
    }

    #[test]
    fn programs_that_are_not_well_formed_do_not_panic() {
        for text in [
            "fn f(x: real[2])\nv1: real[2] = copy v1\nreturn v1",
            "fn f(x: real[2])\nv1: real[3] = copy v0\nreturn v1",
            "fn f(x: real[2])\nv1: int[2] = copy v0\nreturn v1",
            "fn f(x: real[2])\nv1: real[2] = [v0] copy v0\nreturn v1",
            "fn f(x: real[2])\nv1: real[2] = add(v0)\nreturn v1",
            "fn f(x: real[2])\nv1: real[2] = select(v0, v0, v0)\nreturn v1",
            "fn f(x: real[2])\nv1: real[2] = not(v0)\nreturn v1",
            "fn f(x: real[2])\nv1: real[2] = gather v0[]\nreturn v1",
            "fn f(x: real[2])\nv1: real[2] = gather v0[v0]\nreturn v1",
            "fn f(x: real[2])\nv1: real[] = sum v0 over [1]\nreturn v1",
            "fn f(x: real[2])\nv1: real[] = maximum v0 over []\nreturn v1",
            "fn f(x: real[2])\nv1: real[] = maximum v0 over [2]\nreturn v1",
            "fn f(x: real[2])\nv1: real[2] = recur v0 * _ + v0 along 1\nreturn v1",
            "fn f(x: real[2])\nv1: real[] = contract v0[] * v0[a] -> []\nreturn v1",
            "fn f(x: real[2])\nv1: real[2] = contract v0[a] * v0[a] -> [b]\nreturn v1",
            "fn f(x: real[2])\nv1: real[d1.0] = fill 1.0\nreturn v1",
            "fn f(x: real[2])\nreturn v1",
        ] {
            let p = bulk_text::parse(text).unwrap();
            assert!(eval(&p, &[reals(&[1.0, 2.0])]).is_err(), "{text}");
            assert!(bulk_check::check(&p).is_err(), "{text}");
        }
    }
}
