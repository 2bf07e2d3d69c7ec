//! What does not depend on an axis of the index space is computed without that axis.
//!
//! ```text
//! V[e]            over n × m, e over n    =  V[e] where 0 < m        over n, repeated along m
//! V[e] where g    over n × m, e over n    =  V[e] where ∃ j. g       over n, repeated along m
//! ```
//!
//! This is for what loops (reductions, scatters, recurrences, sequential loops, calls), and for
//! bindings that need work. The condition keeps laziness: what no element asks for is not
//! evaluated, and fails only where it failed before. Arithmetic without a name follows in the
//! simplifier (`map-of-repeated`).

use super::sequence::mentioned;
use super::{Axis, Known, Space, Vectoriser};
use crate::ir::build::without;
use crate::ir::bulk::{Affine, Eq, Ix, Op, Type, Var};
use crate::ir::core::{Expr, Kind, Sym};
use crate::ir::prims::Prim;
use crate::ir::ty::{Lit, Size};
use std::collections::HashMap;

impl Vectoriser {
    /// The axes that variables depend on.
    pub(super) fn on(&self, vars: &[Sym]) -> Vec<Axis> {
        let mut on: Vec<Axis> = vec![];
        for known in vars.iter().filter_map(|s| self.env.get(s)) {
            on.extend(known.on());
        }
        on.sort_unstable();
        on.dedup();
        on
    }

    /// Does something in a space without some axes, where the variables that depend on the others
    /// alone are known over these.
    pub(super) fn rebound<T>(
        &mut self,
        vars: &[Sym],
        inner: &Space,
        what: impl FnOnce(&mut Self) -> Result<T, String>,
    ) -> Result<T, String> {
        let mut wider = vec![];
        self.rebind(vars, inner, &mut wider)?;
        let done = what(self);
        self.env.extend(wider);
        done
    }

    fn rebind(
        &mut self,
        vars: &[Sym],
        inner: &Space,
        wider: &mut Vec<(Sym, Known)>,
    ) -> Result<(), String> {
        for s in vars {
            let Some(known) = self.env.get(s).cloned() else {
                continue;
            };
            let Some((_, bound)) = &known.less else {
                continue;
            };
            if known.over.iter().all(|axis| inner.ids.contains(axis)) {
                continue;
            }
            self.rebind(&mentioned([&**bound]), inner, wider)?;
            let val = self.expr(bound, inner)?;
            self.know(s, val, inner);
            wider.push((s.clone(), known));
        }
        Ok(())
    }

    /// The space without the axes that none of these variables depends on, if there are such.
    pub(super) fn without_others(&mut self, vars: &[Sym], space: &Space) -> Option<Space> {
        let on = self.on(vars);
        let depth = space.axes.len();
        let lost: Vec<usize> = (0..depth)
            .filter(|&k| !on.contains(&space.ids[k]))
            .collect();
        if lost.is_empty() {
            return None;
        }
        let mut inner = Space {
            axes: without(&space.axes, &lost),
            ids: (space.ids.iter().copied())
                .filter(|id| on.contains(id))
                .collect(),
            guard: None,
            when: space.when.clone(),
            masked: space.masked,
            ends: vec![],
            conditional: space.conditional,
            unsure: space.unsure,
        };
        for (k, end) in &space.ends {
            let mentions = |&j: &usize| end.coefs.get(j).is_some_and(|c| !c.is(0));
            if lost.contains(k) || lost.iter().any(mentions) {
                (inner.masked, inner.conditional) = (true, true);
                continue;
            }
            let gone = |j: &usize| *j < *k;
            let at = k - lost.iter().filter(|j| gone(j)).count();
            let coefs = without(&end.coefs, &lost);
            let constant = end.constant.clone();
            inner.ends.push((at, Affine { coefs, constant }));
        }
        // Lengths that the guard does not ask for by itself.
        let mut asked: Vec<usize> = vec![];
        if let Some(g) = space.guard {
            let rank = self.out.ty(g).rank();
            let (of, _) = lost.split_at(lost.partition_point(|k| *k < rank));
            inner.guard = Some(self.somewhere(g, of, &mut asked));
            if !asked.is_empty() {
                (inner.masked, inner.conditional) = (true, true);
            }
        }
        let shape = inner.guard.map_or(vec![], |g| self.out.shape(g));
        for k in lost {
            let n = &space.axes[k];
            if asked.contains(&k) || n.at_least(1) {
                continue;
            }
            inner.when.push(n.clone());
            let constant = |n: &Size| Affine::constant(shape.len(), n.clone());
            let some = (self.out).less(constant(&Size::lit(0)), constant(n), &shape);
            inner.guard = self.out.both(inner.guard, Some(some));
        }
        Some(inner)
    }

    /// Where a guard holds somewhere along some of its axes, which are lost. Notes those of which
    /// it is known then that they are not empty.
    fn somewhere(&mut self, g: Var, lost: &[usize], asked: &mut Vec<usize>) -> Var {
        let mut same = HashMap::new();
        if let Some(g) = self.same_along(g, lost, &mut same) {
            return g;
        }
        if let Some(Eq {
            op: Op::Map(Prim::And, args),
            guard: None,
            ..
        }) = self.out.eq(g).cloned()
        {
            for (a, b) in [(args[0], args[1]), (args[1], args[0])] {
                if let Some(a) = self.same_along(a, lost, &mut same) {
                    let b = self.somewhere(b, lost, asked);
                    return self.out.both(Some(a), Some(b)).expect("two guards");
                }
            }
        }
        asked.extend(lost);
        let shape = self.out.shape(g);
        let [one, none] = [1, 0].map(|i| self.out.fill(Lit::Int(i), &shape));
        let counted = self.out.map(Prim::Select, &[g, one, none], None);
        let count = self.out.sum(counted, lost, None);
        let none = self.out.fill(Lit::Int(0), &without(&shape, lost));
        self.out.map(Prim::ILt, &[none, count], None)
    }

    /// Whether an integer is seen to be at least 1, so that a division by it cannot fail.
    fn is_positive(&self, v: Var) -> bool {
        let eq = self.out.eq(v).filter(|eq| eq.guard.is_none());
        eq.is_some_and(|eq| {
            matches!(eq.op, Op::Fill(Lit::Int(1..)))
                || matches!(&eq.op, Op::Index(a) if a.is_constant() && a.constant.at_least(1))
        })
    }

    /// What is evidently the same along some axes, without them.
    fn same_along(
        &mut self,
        v: Var,
        lost: &[usize],
        known: &mut HashMap<Var, Option<Var>>,
    ) -> Option<Var> {
        if let Some(found) = known.get(&v) {
            return *found;
        }
        known.insert(v, None);
        let eq = self.out.eq(v)?.clone();
        let guard = match eq.guard {
            Some(g) => Some(self.same_along(g, lost, known)?),
            None => None,
        };
        let narrow = |a: &Affine| {
            (lost.iter().all(|&k| a.coefs[k].is(0))).then(|| Affine {
                coefs: without(&a.coefs, lost),
                constant: a.constant.clone(),
            })
        };
        let op = match eq.op {
            Op::Fill(lit) => Op::Fill(lit),
            Op::Index(a) => Op::Index(narrow(&a)?),
            // Without the lost axes it is computed even if these are empty, and may fail.
            Op::Map(p, ref args) if p.is_partial() && !self.is_positive(*args.last()?) => {
                return None;
            }
            Op::Map(p, args) => {
                let args = args.into_iter().map(|a| self.same_along(a, lost, known));
                Op::Map(p, args.collect::<Option<_>>()?)
            }
            Op::Gather { src, index } => {
                // The same holds for what it reads.
                let of = &self.out.ty(src).shape;
                let index = index.iter().zip(of).map(|(i, n)| match i {
                    Ix::Affine(a) if a.inside(&eq.ty.shape, n) => narrow(a).map(Ix::Affine),
                    Ix::Affine(_) | Ix::Data(_) => None,
                });
                let index = index.collect::<Option<_>>()?;
                Op::Gather { src, index }
            }
            Op::Scatter(_)
            | Op::Reduce { .. }
            | Op::ArgReduce { .. }
            | Op::Recur { .. }
            | Op::Contract { .. }
            | Op::Update { .. }
            | Op::Loop { .. }
            | Op::Call { .. }
            | Op::Copy(_)
            | Op::Stop(_) => return None,
        };
        let ty = Type {
            elem: eq.ty.elem,
            shape: without(&eq.ty.shape, lost),
        };
        let v_narrow = self.out.push(Eq { ty, guard, op });
        known.insert(v, Some(v_narrow));
        Some(v_narrow)
    }
}

/// Whether an expression runs a loop of its own over scalars. Sequential loops and calls look for
/// their spaces themselves.
pub(super) fn loops(e: &Expr) -> bool {
    match &*e.kind {
        Kind::Reduce(..) | Kind::ArgReduce(..) | Kind::Scatter(_) | Kind::Recur(_) => true,
        Kind::Var(_)
        | Kind::Lit(_)
        | Kind::Prim(..)
        | Kind::Let(..)
        | Kind::Loop(..)
        | Kind::If(..)
        | Kind::Build(..)
        | Kind::Index(..)
        | Kind::Update(_)
        | Kind::Dim(..)
        | Kind::Stop(_)
        | Kind::Where(..)
        | Kind::Demand(..)
        | Kind::Call(_) => false,
    }
}

/// Whether an expression has loops in it, or with `arithmetic` real operations. Under a condition
/// other than about lengths, arithmetic alone is not worth a look at where the condition holds.
pub(super) fn works(e: &Expr, arithmetic: bool) -> bool {
    let here = match &*e.kind {
        Kind::Prim(p, _) => arithmetic && p.cost() > 0,
        Kind::Loop(..) | Kind::Build(..) | Kind::Call(_) => true,
        Kind::Reduce(..) | Kind::ArgReduce(..) | Kind::Scatter(_) | Kind::Recur(_) => true,
        Kind::Var(_)
        | Kind::Lit(_)
        | Kind::Let(..)
        | Kind::If(..)
        | Kind::Index(..)
        | Kind::Update(_)
        | Kind::Dim(..)
        | Kind::Stop(_)
        | Kind::Where(..)
        | Kind::Demand(..) => false,
    };
    here || e.parts().into_iter().any(|part| works(part, arithmetic))
}
