//! The shape of an array, without its elements.

use super::{Machine, Outcome, Slot, shape_of_val};
use crate::ir::core::{Bound, Call, Expr, Kind, Loop, Trip};
use crate::ir::ty::Lit;
use crate::ir::unit::{Given, Length};

impl<'a> Machine<'a> {
    /// The shape of an expression, without its elements: also where the loop around it never turns.
    /// Counts nothing.
    pub(super) fn shape(&mut self, e: &'a Expr) -> Outcome<Vec<usize>> {
        let counts = (self.ops, self.steps);
        let shape = self.shape_uncounted(e);
        (self.ops, self.steps) = counts;
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
                Slot::Shape(shape) => Ok(shape.clone()),
                Slot::Absent => Err(format!("`{}` has no shape here", s.hint)),
            },
            Kind::Lit(_) | Kind::ArgReduce(..) | Kind::Dim(..) => Ok(vec![]),
            // All arguments have one shape.
            Kind::Prim(_, args) => self.shape_uncounted(&args[0]),
            Kind::Let(s, bound, body) => {
                self.set(s, Slot::Later(bound));
                self.shape_uncounted(body)
            }
            Kind::Loop(l, body) => {
                self.shape_loop(l)?;
                self.shape_uncounted(body)
            }
            Kind::Update(u) => self.shape_uncounted(&u.array),
            // Where the condition has no value, as in a loop that never turns, both have one shape.
            Kind::If(c, a, b) => match self.scalar(c) {
                Ok(Lit::Bool(false)) => self.shape_uncounted(b),
                Ok(_) | Err(_) => self.shape_uncounted(a),
            },
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
            Kind::Stop(a) | Kind::Demand(_, a) => self.shape_uncounted(a),
            Kind::Where(..) => Ok(vec![]),
            Kind::Call(c) => match self.shape_given(c)? {
                Some(shape) => Ok(shape),
                None => Ok(shape_of_val(&self.eval(e)?).to_vec()),
            },
            Kind::Recur(r) => {
                let mut shape = self.shape_uncounted(&r.factors)?;
                shape[r.axis] += 1;
                Ok(shape)
            }
        }
    }

    /// The shape of a result of a unit, if it is known before the call. A unit that calls itself
    /// must not run only for that.
    fn shape_given(&mut self, c: &'a Call) -> Outcome<Option<Vec<usize>>> {
        let result = match c.unit.given(c.rule, c.out) {
            Given::Result(k) => k,
            Given::Derivative(k) => match c.unit.tangent_of(c.rule, k) {
                Some(k) => k,
                None => return Ok(Some(self.shape_uncounted(&c.args[c.unit.real_args()[k]])?)),
            },
            Given::Length(..) | Given::Place | Given::Residual => return Ok(None),
        };
        let mut shape = vec![];
        for n in &c.unit.results[result].lengths {
            shape.push(match *n {
                Length::Fixed(n) => usize::try_from(n).unwrap_or(0),
                Length::Axis { arg, axis } => self.shape_uncounted(&c.args[arg])?[axis],
                Length::Open => return Ok(None),
            });
        }
        Ok(Some(shape))
    }

    pub(super) fn shape_bound(&mut self, b: &'a Bound) -> Outcome<()> {
        match b {
            Bound::Let(s, bound) => {
                self.set(s, Slot::Later(bound));
                Ok(())
            }
            Bound::Loop(l) => self.shape_loop(l),
        }
    }

    /// Binds the shapes of the results of a loop, which does not run if the number of its steps is
    /// known.
    fn shape_loop(&mut self, l: &'a Loop) -> Outcome<()> {
        let stacks = l.outs.len() > l.states.len();
        let steps = match &l.trip {
            // In a loop that never turns, the number may have no value.
            Trip::Times(n) if stacks => {
                let steps = self.int(n).ok();
                steps.and_then(|n| usize::try_from(n).ok()).unwrap_or(0)
            }
            Trip::While(_) if stacks => return self.looped(l),
            Trip::Times(_) | Trip::While(_) => 0,
        };
        self.shapes_inside(l)?;
        let mut shapes = vec![];
        for (_, init) in &l.states {
            shapes.push(self.shape(init)?);
        }
        for e in &l.body.results[l.states.len()..] {
            let mut shape = vec![steps];
            shape.extend(self.shape(e)?);
            shapes.push(shape);
        }
        for (s, shape) in l.outs.iter().zip(shapes) {
            self.set(s, Slot::Shape(shape));
        }
        Ok(())
    }
}
