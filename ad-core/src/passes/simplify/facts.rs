//! What a guard says about positions: where it holds, some affine functions are not negative.

use super::{Simplifier, all_affine};
use crate::ir::build::without;
use crate::ir::bulk::{Affine, Eq, Ix, Op, Var};
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Size};
use std::collections::{HashMap, HashSet};

impl Simplifier {
    /// The members of a conjunction, each once.
    pub(super) fn members(&self, guard: Var) -> Vec<Var> {
        let mut out: Vec<Var> = vec![];
        let mut seen = HashSet::from([guard]);
        let mut stack = vec![guard];
        while let Some(g) = stack.pop() {
            match self.applied(g, Prim::And) {
                Some(args) => stack.extend(args.iter().rev().filter(|a| seen.insert(**a))),
                None => out.push(g),
            }
        }
        out
    }

    /// Whether each member of a guard is a member of one of the others.
    pub(super) fn is_implied(&self, guard: Var, others: &[Var]) -> bool {
        let said: Vec<Var> = others.iter().flat_map(|&g| self.members(g)).collect();
        self.members(guard).iter().all(|m| said.contains(m))
    }

    /// Affine functions that are not negative where a comparison of positions holds.
    #[allow(
        clippy::wildcard_enum_match_arm,
        reason = "only comparisons of integers say something"
    )]
    pub(super) fn not_negative(&self, comparison: Var) -> Vec<Affine> {
        let Some(Op::Map(p, args)) = self.plain(comparison) else {
            return vec![];
        };
        let &[a, b] = &args[..] else { return vec![] };
        let (Some(a), Some(b)) = (self.affine(a), self.affine(b)) else {
            return vec![];
        };
        let up = b.add_scaled(&a, &Size::lit(-1));
        let down = a.add_scaled(&b, &Size::lit(-1));
        let less_one = |mut a: Affine| {
            a.constant = a.constant.plus(-1);
            a
        };
        // Two different integers, one of which is never below the other: it is above.
        let shape = self.out.shape(comparison);
        let never_negative =
            |a: &Affine| (a.range(&shape)).is_some_and(|(low, _)| low.at_least_given(0, &shape));
        match p {
            Prim::ILt => vec![less_one(up)],
            Prim::ILe => vec![up],
            Prim::IGt => vec![less_one(down)],
            Prim::IGe => vec![down],
            Prim::IEq => vec![up, down],
            Prim::INe if never_negative(&down) => vec![less_one(down)],
            Prim::INe if never_negative(&up) => vec![less_one(up)],
            _ => vec![],
        }
    }

    /// Whether an index is in `0..n` wherever a guard over the shape holds.
    pub(super) fn inside(&self, a: &Affine, shape: &[Size], guard: Option<Var>, n: &Size) -> bool {
        if a.inside(shape, n) {
            return true;
        }
        let Some(guard) = guard else { return false };
        let facts = self.facts(Some(guard));
        let holds = |a: &Affine| {
            let low = |a: &Affine| {
                a.range(shape)
                    .is_some_and(|(low, _)| low.at_least_given(0, shape))
            };
            low(a) || facts.iter().any(|f| low(&a.add_scaled(f, &Size::lit(-1))))
        };
        holds(a) && holds(&room(a, n))
    }

    /// What a guard says, without axes on which none of it depends, if it compares positions.
    pub(super) fn guard_without(&mut self, guard: Var, axes: &[usize]) -> Option<Option<Var>> {
        let shape = self.out.shape(guard);
        let small = without(&shape, axes);
        let mut next = 0..small.len();
        let to: Vec<Affine> = (0..shape.len())
            .map(|k| match axes.contains(&k) {
                true => Affine::constant(small.len(), Size::lit(0)),
                false => Affine::axis(small.len(), next.next().expect("as many as are left")),
            })
            .collect();
        let mut out = None;
        for m in self.members(guard) {
            let Some(Op::Map(_, args)) = self.plain(m) else {
                return None;
            };
            let same = |a: &Affine| axes.iter().all(|&k| a.coefs[k].is(0));
            if !args
                .iter()
                .all(|&v| self.affine(v).is_some_and(|a| same(&a)))
            {
                return None;
            }
            let there = self.moved(m, &to, &small)?;
            out = self.both(out, Some(there));
        }
        Some(out)
    }

    /// What is not negative wherever a guard holds.
    pub(super) fn facts(&self, guard: Option<Var>) -> Vec<Affine> {
        let members = guard.map_or(vec![], |g| self.members(g)).into_iter();
        members.flat_map(|m| self.not_negative(m)).collect()
    }

    /// Whether an index over a shape that is not empty is in `0..n` by what is demanded on entry,
    /// where some affine integers are not negative.
    pub(super) fn is_demanded_inside(
        &self,
        a: &Affine,
        shape: &[Size],
        facts: &[Affine],
        n: &Size,
    ) -> bool {
        // The largest value of what is not negative is not, either.
        let high = |f: &Affine| Some(f.range(shape)?.1.plus(1));
        let positive: Vec<Size> = (shape.iter().cloned())
            .chain(facts.iter().filter_map(high))
            .collect();
        let low_enough = |x: &Size| x.at_least_given(0, &positive);
        let demanded = |x: &Size| {
            low_enough(x)
                || self.out.requires().iter().any(|r| {
                    let is_positive =
                        |w: &Size| positive.contains(w) || w.at_least_given(1, &positive);
                    r.when.iter().all(is_positive) && low_enough(&x.sub(&r.left.sub(&r.right)))
                })
        };
        let low = |a: &Affine| a.range(shape).is_some_and(|(low, _)| demanded(&low));
        let holds =
            |a: &Affine| low(a) || facts.iter().any(|f| low(&a.add_scaled(f, &Size::lit(-1))));
        holds(a) && holds(&room(a, n))
    }

    /// What a guard says of lengths alone.
    pub(super) fn facts_of_lengths(&self, guard: Option<Var>) -> Vec<Affine> {
        let mut facts = self.facts(guard);
        facts.retain(Affine::is_constant);
        facts
    }

    /// What a guard says at the places of a read. Comparisons of positions are total, so that they
    /// can be moved to any place; other members are read, under the guard of the read where it may
    /// reach out of bounds. Without `all` those are left out.
    pub(super) fn guard_at(
        &mut self,
        guard: Var,
        index: &[Ix],
        read: &Eq,
        all: bool,
    ) -> Option<Var> {
        let of = self.out.shape(guard);
        let shape = &read.ty.shape;
        let affine: Option<Vec<Affine>> =
            all_affine(index).map(|i| i.into_iter().cloned().collect());
        let inside = affine
            .as_ref()
            .is_some_and(|i| i.iter().zip(&of).all(|(a, n)| a.inside(shape, n)));
        if let Some(to) = &affine
            && let Some(there) = self.moved(guard, to, shape)
        {
            return self.both(None, Some(there));
        }
        let mut out = None;
        for m in self.members(guard) {
            let moved = match &affine {
                Some(i) => self.moved(m, i, shape),
                None => self.restated(m, shape),
            };
            let there = match moved {
                Some(there) => there,
                None if inside || read.guard.is_none() => {
                    self.gather(m, index.to_vec(), shape, None)
                }
                None if all => self.gather(m, index.to_vec(), shape, read.guard),
                None => continue,
            };
            out = self.both(out, Some(there));
        }
        out
    }

    /// A condition that is the same everywhere, such as that a length is positive, over another
    /// shape.
    pub(super) fn restated(&mut self, v: Var, shape: &[Size]) -> Option<Var> {
        let old = self.out.ty(v).rank();
        let constant = |s: &Simplifier, v: Var| s.affine(v).is_some_and(|a| a.is_constant());
        let is_constant = match self.plain(v)? {
            Op::Map(Prim::And | Prim::Or | Prim::Not, args) => {
                let args = args.clone();
                args.iter().all(|&a| self.is_restatable(a))
            }
            Op::Map(_, args) => args.iter().all(|&a| constant(self, a)),
            Op::Fill(_) => true,
            Op::Index(_)
            | Op::Gather { .. }
            | Op::Scatter(_)
            | Op::Reduce { .. }
            | Op::ArgReduce { .. }
            | Op::Recur { .. }
            | Op::Update { .. }
            | Op::Call { .. }
            | Op::Loop { .. }
            | Op::Contract { .. }
            | Op::Copy(_)
            | Op::Stop(_) => false,
        };
        let anywhere = vec![Affine::constant(shape.len(), Size::lit(0)); old];
        is_constant.then(|| self.moved(v, &anywhere, shape))?
    }

    fn is_restatable(&self, v: Var) -> bool {
        let constant = |v: &Var| self.affine(*v).is_some_and(|a| a.is_constant());
        matches!(self.plain(v), Some(Op::Map(p, args)) if p.cost() == 0 && args.iter().all(constant))
    }

    /// A comparison of positions, or what is joined of such, at other places.
    pub(super) fn moved(&mut self, v: Var, to: &[Affine], shape: &[Size]) -> Option<Var> {
        let place = (to.to_vec(), shape.to_vec());
        let mut known = self.moved.remove(&place).unwrap_or_default();
        let out = self.moved_once(v, to, shape, &mut known);
        self.moved.insert(place, known);
        out
    }

    /// The same, with what has been moved there: conditions share operands.
    fn moved_once(
        &mut self,
        v: Var,
        to: &[Affine],
        shape: &[Size],
        known: &mut HashMap<Var, Option<Var>>,
    ) -> Option<Var> {
        if let Some(moved) = known.get(&v) {
            return *moved;
        }
        let moved = self.moved_anew(v, to, shape, known);
        known.insert(v, moved);
        moved
    }

    fn moved_anew(
        &mut self,
        v: Var,
        to: &[Affine],
        shape: &[Size],
        known: &mut HashMap<Var, Option<Var>>,
    ) -> Option<Var> {
        let op = self.plain(v)?.clone();
        let Op::Map(p, args) = op else { return None };
        if p.cost() > 0 || p.is_partial() {
            return None;
        }
        let args = (args.iter())
            .map(|&a| match self.plain(a)? {
                Op::Index(f) => {
                    let f = f.compose(to, shape.len());
                    Some(self.op(Elem::Int, shape, None, Op::Index(f)))
                }
                Op::Fill(l) => {
                    let l = *l;
                    Some(self.fill(l, shape))
                }
                Op::Map(
                    Prim::And
                    | Prim::Or
                    | Prim::Not
                    | Prim::ILt
                    | Prim::ILe
                    | Prim::IGt
                    | Prim::IGe
                    | Prim::IEq
                    | Prim::INe,
                    _,
                ) => self.moved_once(a, to, shape, known),
                Op::Map(..)
                | Op::Gather { .. }
                | Op::Scatter(_)
                | Op::Reduce { .. }
                | Op::ArgReduce { .. }
                | Op::Recur { .. }
                | Op::Update { .. }
                | Op::Call { .. }
                | Op::Loop { .. }
                | Op::Contract { .. }
                | Op::Copy(_)
                | Op::Stop(_) => None,
            })
            .collect::<Option<Vec<Var>>>()?;
        Some(self.map(p, &args, None))
    }

    /// `a >= 0` over a shape, written as `minus < plus + 1` with positive terms on both sides.
    pub(super) fn at_least_zero(&mut self, a: &Affine, shape: &[Size]) -> Var {
        let (mut plus, mut minus) = sides(a);
        if minus.constant.constant() >= 1 {
            minus.constant = minus.constant.plus(-1);
        } else {
            plus.constant = plus.constant.plus(1);
        }
        self.compare(Prim::ILt, minus, plus, shape)
    }

    /// `a = 0` over a shape, with positive terms on both sides.
    pub(super) fn equals_zero(&mut self, a: &Affine, shape: &[Size]) -> Var {
        let (plus, minus) = sides(a);
        self.compare(Prim::IEq, plus, minus, shape)
    }

    fn compare(&mut self, p: Prim, a: Affine, b: Affine, shape: &[Size]) -> Var {
        let [a, b] = [a, b].map(|x| self.op(Elem::Int, shape, None, Op::Index(x)));
        self.map(p, &[a, b], None)
    }

    /// The guard that says that an index is in `0..n`, as far as that is not evident.
    pub(super) fn bounds(&mut self, a: &Affine, shape: &[Size], n: &Size) -> Option<Var> {
        let mut all = None;
        for a in [a.clone(), room(a, n)] {
            let holds = self.at_least_zero(&a, shape);
            if self.lit(holds) != Some(crate::ir::ty::Lit::Bool(true)) {
                all = self.both(all, Some(holds));
            }
        }
        all
    }
}

/// How far an index is from the last of n: `n - 1 - a`.
fn room(a: &Affine, n: &Size) -> Affine {
    Affine::constant(a.coefs.len(), n.plus(-1)).add_scaled(a, &Size::lit(-1))
}

/// `a = plus - minus`, each with the terms of one sign.
fn sides(a: &Affine) -> (Affine, Affine) {
    let zero = Affine::constant(a.coefs.len(), Size::lit(0));
    let (mut plus, mut minus) = (zero.clone(), zero);
    for (k, c) in a.coefs.iter().enumerate() {
        if c.neg().at_least(0) {
            minus.coefs[k] = c.neg();
        } else {
            plus.coefs[k] = c.clone();
        }
    }
    for (m, c) in a.constant.terms() {
        let term = (m.iter()).fold(Size::lit(c.abs()), |p, a| p.mul(&Size::atom(a.clone())));
        let side = if c > 0 { &mut plus } else { &mut minus };
        side.constant = side.constant.add(&term);
    }
    (plus, minus)
}
