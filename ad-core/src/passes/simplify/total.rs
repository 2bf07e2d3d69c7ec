//! Which equations have a value whatever their operands are, so that they may be computed in vain.
//!
//! A loop has one if it counts its steps and each equation of its body has one. There, a read or
//! write is inside of its array for all indices of the loops between.

use crate::ir::bulk::{Affine, Eq, Ix, Op, Part, Program, Run, Var, translated};
use crate::ir::ty::{Atom, Elem, Size};

/// A program, and what is known of its integers in terms of the outermost program.
pub(super) struct Total<'a> {
    program: &'a Program,
    known: Vec<Option<Size>>,
    /// The indices of the loops between, from the outermost, and how many steps these take.
    indices: Vec<(Atom, Size)>,
    /// A variable that the outermost program does not have.
    free: u32,
}

impl<'a> Total<'a> {
    /// The outermost program.
    pub(super) fn of(program: &'a Program) -> Total<'a> {
        let count = (program.params.len() + program.eqs.len()) as u32;
        Total {
            program,
            known: (0..count)
                .map(|v| Some(Size::atom(Atom::Value(v))))
                .collect(),
            indices: vec![],
            free: count,
        }
    }

    /// Whether an equation of the program has a value in any case.
    pub(super) fn has_value(&self, eq: &Eq) -> bool {
        match &eq.op {
            Op::Fill(_) | Op::Index(_) | Op::Stop(_) | Op::Copy(_) => true,
            Op::Reduce { .. } | Op::ArgReduce { .. } | Op::Recur { .. } | Op::Contract { .. } => {
                true
            }
            Op::Map(..) => eq.ty.elem != Elem::Int,
            Op::Gather { src, index } => self.inside(index, &eq.ty.shape, *src),
            Op::Update { src, part, .. } => self.writes(part, *src),
            Op::Loop { .. } => eq.loop_result().is_some_and(|(run, _)| self.ends(run)),
            Op::Scatter(_) | Op::Call { .. } => false,
        }
    }

    fn writes(&self, part: &Part, array: Var) -> bool {
        self.inside(&part.index, &self.program.ty(part.src).shape, array)
    }

    /// Whether a loop ends, and each of its equations has a value.
    fn ends(&self, run: Run<'_>) -> bool {
        let body = &run.looped.body;
        let Some(steps) = run.steps.filter(|_| run.looped.goes_on.is_none()) else {
            return false;
        };
        let Some(steps) = translated(&self.known, steps) else {
            return false;
        };
        let index = Atom::Value(self.free);
        let given = run.given.iter().map(|v| self.known[v.index()].clone());
        let mut params: Vec<Option<Size>> = given.collect();
        params.resize(body.params.len() - 1, None);
        params.push(Some(Size::atom(index.clone())));
        let mut indices = self.indices.clone();
        indices.push((index, steps));
        let inside = Total {
            program: body,
            known: body.integers(params),
            indices,
            free: self.free + 1,
        };
        let mut eqs = body.eqs.iter().enumerate();
        eqs.all(|(j, eq)| inside.has_value(eq) || inside.is_position(body.var_of(j)))
    }

    /// Whether an integer is a sum of lengths and indices, which does not overflow.
    fn is_position(&self, v: Var) -> bool {
        let Some(s) = &self.known[v.index()] else {
            return false;
        };
        let mut all = true;
        s.visit(&mut |a| {
            let is_index = self.indices.iter().any(|(index, _)| index == a);
            all &= is_index || matches!(a, Atom::Dim { .. });
        });
        all
    }

    /// Whether an index over a domain is inside of an array.
    fn inside(&self, index: &[Ix], domain: &[Size], array: Var) -> bool {
        let shape = &self.program.ty(array).shape;
        index.iter().zip(shape).all(|(i, n)| {
            let a = match i {
                Ix::Affine(a) => a.clone(),
                Ix::Data(_) if !domain.is_empty() => return false,
                Ix::Data(v) => Affine::constant(0, Size::atom(Atom::Value(v.0))),
            };
            if a.inside(domain, n) {
                return true;
            }
            let Some((low, high)) = a.range(domain) else {
                return false;
            };
            let known = |s: &Size| translated(&self.known, s);
            let Some(((low, high), n)) = known(&low).zip(known(&high)).zip(known(n)) else {
                return false;
            };
            let at_least = |s: Size, k: i64| self.least(s).is_some_and(|s| s.at_least(k));
            at_least(low, 0) && at_least(n.sub(&high), 1)
        })
    }

    /// A bound from below in which no index occurs.
    fn least(&self, mut s: Size) -> Option<Size> {
        for (index, steps) in self.indices.iter().rev() {
            let mut occurs = false;
            s.visit(&mut |a| occurs |= a == index);
            if !occurs {
                continue;
            }
            let (c, rest) = s.linear_in(index)?;
            s = if c.at_least(0) {
                rest
            } else if c.neg().at_least(0) {
                rest.add(&c.mul(&steps.plus(-1)))
            } else {
                return None;
            };
        }
        Some(s)
    }
}
