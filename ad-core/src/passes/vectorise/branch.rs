//! Branches: conditions that are known on entry, and shapes that depend on which side is taken.
//!
//! ```text
//! V[if c {a} else {b}]    = select(V[c], V[a] where V[c], V[b] where not V[c])
//! its shape               = select(p, shape of V[a], shape of V[b])    where c is p > 0
//! ```
//!
//! `p` is made of sizes if the condition compares sizes, integer arguments and flags; what a side
//! demands on entry is then demanded when it is taken. Otherwise `p` is a number that the program
//! computes, and relations between lengths are left to the place of use.

use super::{Space, Val, Vectoriser, is_short, on_entry};
use crate::ir::bulk::{Affine, Eq, Ix, Op, Relation, Var};
use crate::ir::core::{self, Expr};
use crate::ir::prims::Prim;
use crate::ir::ty::{Atom, Elem, Lit, Size};
use std::collections::HashMap;

impl Vectoriser {
    /// The parameters that are flags, as sizes.
    pub(super) fn note_flags(&mut self, params: &[core::Param]) {
        for (param, p) in params.iter().enumerate() {
            if p.ty == core::Ty::scalar(Elem::Bool) {
                let size = Size::atom(Atom::Int { param });
                self.conditions.insert(Var(param as u32), Some(size));
            }
        }
    }

    pub(super) fn is_flag(&self, v: Var) -> bool {
        self.out.ty(v).elem == Elem::Bool && self.out.ty(v).rank() == 0
    }

    /// What is positive if and only if a condition holds, if that is known on entry.
    pub(super) fn condition(&mut self, c: Var) -> Option<Size> {
        if let Some(known) = self.conditions.get(&c) {
            return known.clone();
        }
        let found = match self.out.eq(c).map(|eq| eq.op.clone()) {
            Some(Op::Fill(Lit::Bool(b))) => Some(Size::lit(i64::from(b))),
            Some(Op::Gather { src, .. }) if self.out.ty(src).rank() == 0 => self.condition(src),
            Some(Op::Map(p, args)) => self.compared(p, &args),
            Some(
                Op::Fill(_)
                | Op::Index(_)
                | Op::Gather { .. }
                | Op::Scatter(_)
                | Op::Reduce { .. }
                | Op::ArgReduce { .. }
                | Op::Recur { .. }
                | Op::Contract { .. }
                | Op::Update { .. }
                | Op::Loop { .. }
                | Op::Call { .. }
                | Op::Copy(_)
                | Op::Stop(_),
            )
            | None => None,
        };
        let found = found.filter(|p| on_entry(p, &[]) && is_short(p));
        self.conditions.insert(c, found.clone());
        found
    }

    #[allow(
        clippy::wildcard_enum_match_arm,
        reason = "what is not listed compares no sizes, whatever primitives there are"
    )]
    fn compared(&mut self, p: Prim, args: &[Var]) -> Option<Size> {
        match p {
            Prim::Not => return Some(self.condition(args[0])?.not()),
            Prim::And => {
                let (a, b) = (self.condition(args[0])?, self.condition(args[1])?);
                return Some(a.smaller(&b));
            }
            Prim::Or => {
                let (a, b) = (self.condition(args[0])?, self.condition(args[1])?);
                return Some(a.larger(&b));
            }
            Prim::Select => {
                let [c, a, b] = [args[0], args[1], args[2]];
                let (a, b) = (self.condition(a)?, self.condition(b)?);
                return Some(Size::select(&self.condition(c)?, &a, &b));
            }
            Prim::ILt | Prim::ILe | Prim::IGt | Prim::IGe | Prim::IEq | Prim::INe => {}
            _ => return None,
        }
        let (a, b) = (self.size_of(args[0])?, self.size_of(args[1])?);
        Some(match p {
            Prim::ILt => b.sub(&a),
            Prim::ILe => b.sub(&a).plus(1),
            Prim::IGt => a.sub(&b),
            Prim::IGe => a.sub(&b).plus(1),
            Prim::IEq => a.is_equal_to(&b),
            _ => a.is_equal_to(&b).not(),
        })
    }

    /// An integer that is the same over the whole space, if it is known on entry.
    fn size_of(&self, v: Var) -> Option<Size> {
        match &self.out.eq(v)?.op {
            Op::Index(a) if a.is_constant() => Some(a.constant.clone()),
            Op::Fill(l) => l.as_size(),
            Op::Index(_)
            | Op::Map(..)
            | Op::Gather { .. }
            | Op::Scatter(_)
            | Op::Reduce { .. }
            | Op::ArgReduce { .. }
            | Op::Recur { .. }
            | Op::Contract { .. }
            | Op::Update { .. }
            | Op::Loop { .. }
            | Op::Call { .. }
            | Op::Copy(_)
            | Op::Stop(_) => None,
        }
    }

    /// What is positive if and only if a condition holds, if that is the same over the whole space.
    fn same_everywhere(&mut self, c: Var) -> Option<Size> {
        if let Some(p) = self.condition(c) {
            return Some(p);
        }
        let c = self.outside(c)?;
        let [yes, no] = [1, 0].map(|k| self.out.fill(Lit::Int(k), &[]));
        let p = self.out.map(Prim::Select, &[c, yes, no], None);
        Some(Size::atom(Atom::Value(p.0)))
    }

    /// The element of an array that is the same everywhere, outside of all binders.
    pub(super) fn outside(&mut self, v: Var) -> Option<Var> {
        self.outside_of(v, &mut HashMap::new())
    }

    fn outside_of(&mut self, v: Var, seen: &mut HashMap<Var, Option<Var>>) -> Option<Var> {
        if self.out.ty(v).rank() == 0 {
            return Some(v);
        }
        if let Some(known) = seen.get(&v) {
            return *known;
        }
        let one = self.element(v, seen);
        seen.insert(v, one);
        one
    }

    fn element(&mut self, v: Var, seen: &mut HashMap<Var, Option<Var>>) -> Option<Var> {
        // The place is read though the space may be empty.
        let constant = |v: &Self, i: &Ix, n: &Size| match i {
            Ix::Affine(a) if a.is_constant() => {
                let a = Affine::constant(0, a.constant.clone());
                let (whole, axes) = v.with_steps(&a, &[]);
                whole.inside(&axes, n).then_some(Ix::Affine(a))
            }
            Ix::Affine(_) | Ix::Data(_) => None,
        };
        match self.out.eq(v).cloned()? {
            Eq {
                op: Op::Gather { src, index },
                guard: None,
                ..
            } => {
                let shape = self.out.shape(src);
                let at = index.iter().zip(&shape).map(|(i, n)| constant(self, i, n));
                match at.collect::<Option<Vec<Ix>>>() {
                    Some(at) if !at.is_empty() => Some(self.out.gather(src, at, &[], None)),
                    _ => self.outside_of(src, seen),
                }
            }
            // Other arithmetic of integers fails for some, and the space may be empty.
            Eq {
                op: Op::Map(p, args),
                guard: None,
                ty,
            } if ty.elem != Elem::Int || matches!(p, Prim::IMax | Prim::IMin | Prim::Select) => {
                let args: Vec<Var> = (args.into_iter())
                    .map(|a| self.outside_of(a, seen))
                    .collect::<Option<_>>()?;
                Some(self.out.map(p, &args, None))
            }
            Eq {
                op: Op::Fill(l), ..
            } => Some(self.out.fill(l, &[])),
            Eq {
                op: Op::Index(a), ..
            } if a.is_constant() => {
                Some(self.out.index(Affine::constant(0, a.constant.clone()), &[]))
            }
            Eq {
                op:
                    Op::Gather { .. }
                    | Op::Map(..)
                    | Op::Index(_)
                    | Op::Scatter(_)
                    | Op::Reduce { .. }
                    | Op::ArgReduce { .. }
                    | Op::Recur { .. }
                    | Op::Contract { .. }
                    | Op::Update { .. }
                    | Op::Loop { .. }
                    | Op::Call { .. }
                    | Op::Copy(_)
                    | Op::Stop(_),
                ..
            } => None,
        }
    }

    /// The same space where a condition holds.
    pub(super) fn under(&mut self, holds: Var, space: &Space) -> Space {
        let outer = self.guard(space, &[]);
        let mut inner = space.clone();
        inner.guard = self.out.both(outer, Some(holds));
        match self.condition(holds) {
            Some(p) => inner.when.push(p),
            None => (inner.masked, inner.conditional) = (true, true),
        }
        inner
    }

    pub(super) fn branch(
        &mut self,
        c: &Expr,
        a: &Expr,
        b: &Expr,
        space: &Space,
    ) -> Result<Val, String> {
        let depth = space.axes.len();
        let c = self.whole(c, space)?;
        let not_c = self.out.map(Prim::Not, &[c], None);
        let sides = [c, not_c].map(|holds| self.under(holds, space));
        let (a, b) = (self.expr(a, &sides[0])?, self.expr(b, &sides[1])?);
        if let (Val::Affine(a), Val::Affine(b)) = (&a, &b)
            && a.is_constant()
            && b.is_constant()
            && let Some(p) = self.condition(c)
        {
            let size = self.named(Size::select(&p, &a.constant, &b.constant));
            return Ok(Val::Affine(Affine::constant(depth, size)));
        }
        let (a, b) = (self.array(a, &sides[0]), self.array(b, &sides[1]));
        if self.changes_where(c, b, a) {
            return Ok(Val::Array(a));
        }
        if self.changes_where(not_c, a, b) {
            return Ok(Val::Array(b));
        }
        let mut own = self.own(a, depth);
        for (m, n) in own.iter_mut().zip(self.own(b, depth)) {
            let difference = m.sub(&n);
            if difference.is(0) {
                continue;
            }
            if let Some(p) = self.same_everywhere(c) {
                *m = self.named(Size::select(&p, m, &n));
            } else if difference.as_lit().is_some() || !on_entry(&difference, &[]) {
                return Err(
                    "an `if` inside of a loop gives arrays of different lengths; the length of an \
                     array may depend on an `if` only if its condition is the same in all rounds: \
                     build both arrays with the larger length, or use each in its own branch"
                        .into(),
                );
            } else if space.is_sure() && on_entry(&difference, &space.axes) {
                self.out
                    .require_sign(&space.reached(), &difference, Relation::Equal);
            } else {
                // Not sure to be reached: what is shorter is read outside of its bounds.
                *m = self.named(m.larger(&n));
            }
        }
        let empty = [a, b].map(|v| self.own(v, depth).iter().any(|n| n.is(0)));
        // The shapes are equal from here on, whatever their expressions.
        let shape: Vec<Size> = space.axes.iter().chain(&own).cloned().collect();
        let outer_axes: Vec<usize> = (0..depth).collect();
        let [a, b] = [(a, 0), (b, 1)].map(|(v, side)| {
            if self.out.shape(v) == shape {
                return v;
            }
            let index = (0..shape.len())
                .map(|k| Ix::Affine(Affine::axis(shape.len(), k)))
                .collect();
            let guard = self.guard(&sides[side], &own);
            self.out.gather(v, index, &shape, guard)
        });
        // A side without elements gives none.
        match empty {
            [true, _] => return Ok(Val::Array(b)),
            [_, true] => return Ok(Val::Array(a)),
            [false, false] => {}
        }
        let c = self.out.spread(c, &outer_axes, &shape);
        let guard = self.guard(space, &own);
        Ok(Val::Array(self.out.map(Prim::Select, &[c, a, b], guard)))
    }
}
