//! Choices between an array and a changed version of it. The elements that change do so under the
//! condition, and no new array is made.

use super::scatter::is_whole;
use super::{Rewrite, Rule, Simplifier, all_affine};
use crate::ir::build::translate;
use crate::ir::bulk::{Affine, Eq, Ix, Op, Part, Var};
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Size};
use std::collections::{HashMap, HashSet};

pub(super) const RULES: &[Rule] = &[Rule {
    name: "choice-of-changed",
    apply: choice_of_changed,
}];

/// ```text
/// select(c, x with y at I where d, x)  =  x with y at I where d and c[I]
/// select(c, scatter x[..] + y[I], x)  =  scatter x[..] + ([c[I]] y)[I]
/// select(c, x with y at I, x with z at J)  =  x' with z at J where not c[J],
///                                             for x' = x with y at I where c[I]
/// ```
///
/// The same holds for a chain of changes, where each may read the results of earlier ones. `c` must not depend on a component of an index that data gives.
fn choice_of_changed(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Map(Prim::Select, args) = &eq.op else {
        return None;
    };
    let &[c, a, b] = &args[..] else { return None };
    if eq.guard.is_some() || eq.ty.elem == Elem::Bool {
        return None;
    }
    let (of_a, of_b) = (changes(s, a), changes(s, b));
    // The last array that both come from.
    let old = *of_a.iter().find(|v| of_b.contains(v))?;
    let since = |all: &[Var]| all.iter().take_while(|v| **v != old).copied().collect();
    let (of_a, of_b): (Vec<Var>, Vec<Var>) = (since(&of_a), since(&of_b));
    if of_a.is_empty() && of_b.is_empty() {
        return None;
    }
    let others = !of_a.is_empty();
    let a = Changes::of(s, of_a, old, c, false)?;
    let b = Changes::of(s, of_b, old, c, others)?;
    let chosen = a.made_where(s, (c, true), old)?;
    Some(Rewrite::Var(b.made_where(s, (c, false), chosen)?))
}

/// An array, the one that it is a changed version of, and so on.
fn changes(s: &Simplifier, v: Var) -> Vec<Var> {
    let before = |v: Var| {
        if let Some(Op::Scatter(parts)) = s.plain(v) {
            let old = added_to(s, &s.out.ty(v).shape, parts)?;
            return Some(parts[old].src);
        }
        let Some(Op::Update { src, .. }) = s.plain(v) else {
            return None;
        };
        Some(*src)
    };
    std::iter::successors(Some(v), |v| before(*v))
        .take(MOST + 1)
        .collect()
}

/// How many changes one after the other are looked at.
const MOST: usize = 16;

/// The part of a scatter that is the whole array to which the others are added.
fn added_to(s: &Simplifier, shape: &[Size], parts: &[Part]) -> Option<usize> {
    let is_old = |p: &Part| is_whole(s, p, shape) && s.out.guard(p.src).is_none();
    parts.iter().position(is_old).filter(|_| parts.len() > 1)
}

/// Changes of an array, and what is computed between them from changed versions.
struct Changes {
    old: Var,
    /// What the array becomes, the last first.
    versions: Vec<Var>,
    /// These, and what is computed from them for later ones, in order.
    steps: Vec<Var>,
}

impl Changes {
    /// The changes that lead from an old array to the first of `versions`. There are none if a
    /// condition cannot be put to one of them, or if a step between them is costly or may not end.
    /// If `others` change the array first, guarded reads of the old array become reads of their
    /// result, so that the old array need not be kept.
    fn of(
        s: &mut Simplifier,
        versions: Vec<Var>,
        old: Var,
        c: Var,
        others: bool,
    ) -> Option<Changes> {
        let mut changed = HashSet::new();
        let mut steps = vec![];
        let last = versions.first().map_or(0, |v| v.index() + 1);
        for v in (old.index() + 1..last).map(|k| Var(k as u32)) {
            let Some(eq) = s.out.eq(v) else { continue };
            let (mut of_changed, mut of_old) = (false, false);
            eq.visit(&mut |v| {
                of_changed |= changed.contains(&v);
                of_old |= v == old;
            });
            let is_read = others && of_old && eq.guard.is_some() && is_light(eq);
            if of_changed || is_read || versions.contains(&v) {
                changed.insert(v);
                steps.push(v);
            }
        }
        let mut needed: HashSet<Var> = versions.first().copied().into_iter().collect();
        for v in steps.iter().rev() {
            if let Some(eq) = s.out.eq(*v).filter(|_| needed.contains(v)) {
                eq.visit(&mut |v| {
                    needed.insert(v);
                });
            }
        }
        steps.retain(|v| needed.contains(v));
        let can = |v: &Var| match versions.contains(v) {
            true => takes_condition(s, *v, c),
            false => s.out.eq(*v).is_some_and(is_light),
        };
        steps.iter().all(can).then_some(Changes {
            old,
            versions,
            steps,
        })
    }

    /// What the changes make of `from` where a condition is true, or false; there it is the old
    /// array.
    fn made_where(&self, s: &mut Simplifier, (c, is): (Var, bool), from: Var) -> Option<Var> {
        let mut new = HashMap::from([(self.old, from)]);
        let mut last = from;
        for v in &self.steps {
            let mut eq = translate(s.out.eq(*v)?, &mut |v| *new.get(&v).unwrap_or(&v));
            if !self.versions.contains(v) {
                new.insert(*v, s.push(eq));
                continue;
            }
            let shape = eq.ty.shape.clone();
            if let Op::Update { part, when, .. } = &mut eq.op {
                let holds = condition_at(s, (c, is), part, &shape)?;
                *when = s.both(*when, Some(holds));
            } else if let Op::Scatter(parts) = &mut eq.op {
                let old = added_to(s, &shape, parts);
                for (_, p) in (parts.iter_mut().enumerate()).filter(|(k, _)| Some(*k) != old) {
                    let holds = condition_at(s, (c, is), p, &shape)?;
                    let (of, own) = (s.out.ty(p.src).clone(), s.out.guard(p.src));
                    let both = s.both(own, Some(holds));
                    if both != own {
                        p.src = s.op(of.elem, &of.shape, both, Op::Copy(p.src));
                    }
                }
            }
            last = s.push(eq);
            new.insert(*v, last);
        }
        Some(last)
    }
}

/// Whether a condition can be put to what a version changes.
fn takes_condition(s: &Simplifier, version: Var, c: Var) -> bool {
    let Some(eq) = s.out.eq(version) else {
        return false;
    };
    let shape = &eq.ty.shape;
    let takes = |p: &Part| read_at(s, c, p, shape).is_some();
    if let Op::Scatter(parts) = &eq.op {
        let old = added_to(s, shape, parts);
        return (parts.iter().enumerate()).all(|(k, p)| Some(k) == old || takes(p));
    }
    matches!(&eq.op, Op::Update { part, .. } if takes(part))
}

/// Whether a condition over a shape is true, or false, at the places of a part.
fn condition_at(s: &mut Simplifier, (c, is): (Var, bool), p: &Part, shape: &[Size]) -> Option<Var> {
    let (src, of) = read_at(s, c, p, shape)?;
    let domain = s.out.shape(p.src);
    let index = (of.iter())
        .map(|a| s.through(a, &p.index, &domain, None))
        .collect();
    let holds = s.gather(src, index, &domain, None);
    Some(match is {
        true => holds,
        false => s.map(Prim::Not, &[holds], None),
    })
}

/// What a condition reads where, if it depends only on components of the index of a part that are
/// affine, and inside for sure.
fn read_at(s: &Simplifier, c: Var, p: &Part, shape: &[Size]) -> Option<(Var, Vec<Affine>)> {
    let rank = shape.len();
    let mut read = (c, (0..rank).map(|k| Affine::axis(rank, k)).collect());
    if let Some(Op::Gather { src, index }) = s.plain(c)
        && let Some(index) = all_affine(index)
    {
        read = (*src, index.into_iter().cloned().collect());
    }
    let (src, of): (Var, Vec<Affine>) = read;
    let domain = &s.out.ty(p.src).shape;
    let is_known = |(i, n): (&Ix, &Size)| match i {
        Ix::Affine(a) => a.inside(domain, n),
        Ix::Data(_) => false,
    };
    let needs = |k: usize| of.iter().any(|a| !a.coefs[k].is(0));
    let mut axes = p.index.iter().zip(shape).enumerate();
    axes.all(|(k, at)| !needs(k) || is_known(at))
        .then_some((src, of))
}

/// Whether an equation is cheap to compute again, and ends for any operands.
fn is_light(eq: &Eq) -> bool {
    let is_heavy = matches!(
        eq.op,
        Op::Loop { .. } | Op::Call { .. } | Op::Recur { .. } | Op::Contract { .. }
    );
    !is_heavy
}
