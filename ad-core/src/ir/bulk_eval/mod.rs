//! The interpreter of Bulk: what a program means, and how many real operations it takes.
//!
//! Written for clarity and as a reference; nothing is shared with the runtime. Where an equation's
//! guard is false, the element is a structural zero: it is stored as zero, marked absent, and
//! nothing was read, computed or counted for it.

mod domain;
mod elementwise;
mod linear;
mod places;
mod reduce;
mod sequence;
#[cfg(test)]
mod tests;
mod unit;

use std::rc::Rc;

use self::domain::{Domain, kind, volume};
use super::bulk::{Eq, Op, Program, Relation, Var};
use super::ty::{Atom, Size};
use super::value::Value;

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
    let costs = machine.run()?;
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

fn mentions_value(size: &Size) -> bool {
    let mut found = false;
    size.visit(&mut |a| found |= matches!(a, Atom::Value(_)));
    found
}

/// What the sizes of a function are made of: its arguments.
struct Sizes {
    shapes: Vec<Vec<usize>>,
    ints: Vec<Option<i64>>,
}

impl Sizes {
    fn new(args: &[Value]) -> Sizes {
        Sizes {
            shapes: args.iter().map(|v| v.shape().to_vec()).collect(),
            ints: args.iter().map(Value::as_size).collect(),
        }
    }
}

struct Machine<'a> {
    program: &'a Program,
    slots: Vec<Slot>,
    /// Those of the function, also inside of a loop.
    sizes: Rc<Sizes>,
    /// What the loops of the program gave.
    loops: Vec<sequence::Ran<'a>>,
    calls: Vec<unit::Asked<'a>>,
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
        let machine = Machine {
            program,
            slots,
            sizes: Rc::new(Sizes::new(args)),
            loops: vec![],
            calls: vec![],
        };
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

    /// Computes all equations; gives the number of real operations of each.
    fn run(&mut self) -> Result<Vec<u64>, String> {
        let program = self.program;
        let mut costs = Vec::with_capacity(program.eqs.len());
        for (k, eq) in program.eqs.iter().enumerate() {
            let at = |e| format!("v{}: {e}", program.var_of(k).0);
            let (slot, cost) = if matches!(eq.op, Op::Loop { .. }) {
                self.looped(eq).map_err(at)?
            } else if matches!(eq.op, Op::Call { .. }) {
                self.called(eq).map_err(at)?
            } else {
                self.step(eq).map_err(at)?
            };
            self.slots.push(slot);
            costs.push(cost);
        }
        Ok(costs)
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
                let is_reached = w.is_positive(&mut |a| self.leaf(a));
                if !is_reached.ok_or_else(|| format!("the size {w} has no value"))? {
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
        size.eval(&mut |a| self.leaf(a))
            .ok_or_else(|| format!("the size {size} has no value"))
    }

    fn leaf(&self, a: &Atom) -> Option<i64> {
        match a {
            Atom::Dim { param, axis } => {
                let n = *self.sizes.shapes.get(*param)?.get(*axis)?;
                i64::try_from(n).ok()
            }
            Atom::Int { param } => *self.sizes.ints.get(*param)?,
            Atom::Value(v) => match &self.slots.get(*v as usize)?.value {
                Value::Int(t) if t.shape.is_empty() => t.data.first().copied(),
                Value::Int(_) | Value::Real(_) | Value::Bool(_) => None,
            },
            Atom::Quot(..) | Atom::Rem(..) | Atom::Min(..) | Atom::Max(..) | Atom::Select(..) => {
                None
            }
        }
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
            Op::Fill(lit) => (elementwise::fill(&d, *lit)?, 0),
            Op::Index(affine) => (self.index(&d, affine)?, 0),
            Op::Map(prim, args) => {
                let args: Vec<&Slot> = args
                    .iter()
                    .map(|v| self.slot(*v))
                    .collect::<Result<_, _>>()?;
                elementwise::map(&d, *prim, &args)?
            }
            Op::Gather { src, index } => (self.gather(&d, self.slot(*src)?, index)?, 0),
            Op::Scatter(parts) => self.scatter(&d, parts)?,
            Op::Reduce { op, src, axes } => reduce::reduce(&d, *op, self.slot(*src)?, axes)?,
            Op::ArgReduce { op, src, axis } => {
                reduce::arg_reduce(&d, *op, self.slot(*src)?, *axis)?
            }
            Op::Recur {
                a,
                mask,
                b,
                axis,
                reverse,
            } => {
                let mask = mask.map(|v| self.slot(v)).transpose()?;
                let start = b.var().map(|v| self.slot(v)).transpose()?;
                let factors = linear::Factors {
                    a: self.slot(*a)?,
                    mask,
                    axis: *axis,
                    reverse: *reverse,
                };
                linear::recur(&d, &factors, *b, start)?
            }
            Op::Contract {
                a,
                b,
                a_axes,
                b_axes,
                out_axes,
            } => linear::contract(
                &d,
                (self.slot(*a)?, a_axes),
                (self.slot(*b)?, b_axes),
                out_axes,
            )?,
            Op::Update {
                src, part, when, ..
            } => {
                let when = when.map(|v| self.slot(v)).transpose()?;
                (self.update(&d, self.slot(*src)?, part, when)?, 0)
            }
            Op::Loop { .. } | Op::Call { .. } => {
                return Err("loops and calls run by themselves".into());
            }
            Op::Copy(src) | Op::Stop(src) => (places::copy(&d, self.slot(*src)?)?, 0),
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
}
