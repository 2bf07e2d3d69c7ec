//! Sums of products over a triangle or a band: `Σ_p [p < k] l(j, k, p) · x(i, p)` is a product of
//! matrices one of which is a triangle, however its elements are found.

use super::factors::sum_of;
use super::{Rewrite, Rule, Simplifier};
use crate::ir::bulk::{Affine, Eq, Ix, Op, Type, Var};
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Size};
use std::collections::HashMap;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "sum-of-triangle",
        apply: sum_of_triangle,
    },
    Rule {
        name: "copy-of-contract",
        apply: copy_of_contract,
    },
];

/// `Σ_p [g] a · b  =  contract [g] a', [∃k g] b'` where g says of two axes k and p how far one may
/// be ahead of the other, a has both and not the axis i of the result, and b has i and not k; a'
/// and b' are computed without the axes that they do not depend on, whatever they are made of, at
/// the same places and so with the same failures. Every summed axis occurs in both, so that this is
/// a product of matrices. What is computed for other uses as well stays there.
fn sum_of_triangle(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let (src, axes) = sum_of(s, eq)?;
    let product = s.out.eq(src)?.clone();
    let Op::Map(Prim::Mul, args) = &product.op else {
        return None;
    };
    let members = s.members(product.guard?);
    let wedge = wedge(s, &members)?;
    let rank = product.ty.rank();
    let mut of = Dependence {
        members: &members,
        known: HashMap::new(),
    };
    let has = [of.axes(s, args[0]), of.axes(s, args[1])];
    let summed = |k: usize| axes.contains(&k);
    let alone = |x: &[bool], y: &[bool]| (0..rank).any(|k| !summed(k) && x[k] && !y[k]);
    let is_product = |a: &[bool], b: &[bool]| {
        let joined = |k: usize| {
            if summed(k) {
                a[k] && b[k]
            } else {
                a[k] || b[k]
            }
        };
        let is_triangle = wedge.iter().all(|&k| a[k]) && !wedge.iter().all(|&k| summed(k));
        (0..rank).all(joined) && is_triangle && alone(a, b) && alone(b, a)
    };
    if !is_product(&has[0], &has[1]) && !is_product(&has[1], &has[0]) {
        return None;
    }
    let mut factors = vec![];
    for (&v, has) in args.iter().zip(&has) {
        let keep: Vec<usize> = (0..rank).filter(|&k| has[k]).collect();
        let mut smaller = Smaller::new(s, &product.ty.shape, &keep, &members)?;
        let v = smaller.of(s, v)?;
        factors.push((v, keep.iter().map(|&k| k as u8).collect::<Vec<u8>>()));
    }
    let out_axes = (0..rank)
        .filter(|k| !axes.contains(k))
        .map(|k| k as u8)
        .collect();
    let (b, b_axes) = factors.pop()?;
    let (a, a_axes) = factors.pop()?;
    Some(Rewrite::Eq(Eq {
        op: Op::Contract {
            a,
            b,
            a_axes,
            b_axes,
            out_axes,
        },
        ..eq.clone()
    }))
}

/// The two axes that all of these compare, if each says how far one may be ahead of the other, and
/// no two exclude each other: then what is within each of them at the ends of an axis is within all
/// of them somewhere.
fn wedge(s: &Simplifier, members: &[Var]) -> Option<[usize; 2]> {
    let mut pair = None;
    let mut known: Vec<Affine> = vec![];
    for &m in members {
        let facts = s.not_negative(m);
        let [fact] = &facts[..] else { return None };
        let axes: Vec<usize> = (0..fact.coefs.len())
            .filter(|&k| !fact.coefs[k].is(0))
            .collect();
        let &[x, y] = &axes[..] else { return None };
        let steps = [&fact.coefs[x], &fact.coefs[y]];
        let opposite = steps.iter().any(|c| c.is(1)) && steps.iter().any(|c| c.is(-1));
        if !opposite || pair.is_some_and(|p| p != [x, y]) {
            return None;
        }
        // Of two bounds in opposite directions only the constants are left.
        let meets = |other: &Affine| {
            let sum = fact.add_scaled(other, &Size::lit(1));
            !sum.is_constant() || sum.constant.at_least(0)
        };
        if !known.iter().all(meets) {
            return None;
        }
        known.push(fact.clone());
        pair = Some([x, y]);
    }
    pair
}

/// Whether a guard leaves a triangle or a band of two axes.
pub(super) fn is_wedge(s: &Simplifier, guard: Var) -> bool {
    wedge(s, &s.members(guard)).is_some()
}

/// On which axes values depend, apart from where these guards hold.
struct Dependence<'a> {
    members: &'a [Var],
    known: HashMap<Var, Vec<bool>>,
}

impl Dependence<'_> {
    fn axes(&mut self, s: &Simplifier, v: Var) -> Vec<bool> {
        if let Some(known) = self.known.get(&v) {
            return known.clone();
        }
        let all = vec![true; s.out.ty(v).rank()];
        let mut axes = vec![false; all.len()];
        let mut join = |other: &[bool]| axes.iter_mut().zip(other).for_each(|(a, o)| *a |= *o);
        let occur = |a: &Affine| a.coefs.iter().map(|c| !c.is(0)).collect::<Vec<_>>();
        match s.out.eq(v) {
            Some(eq) if self.guards(s, eq.guard) => match &eq.op {
                Op::Fill(_) => {}
                Op::Index(a) => join(&occur(a)),
                Op::Map(_, args) => {
                    for &a in &args.clone() {
                        join(&self.axes(s, a));
                    }
                }
                Op::Copy(x) => join(&self.axes(s, *x)),
                Op::Gather { index, .. } => {
                    for i in index {
                        match i {
                            Ix::Affine(a) => join(&occur(a)),
                            Ix::Data(d) => join(&self.axes(s, *d)),
                        }
                    }
                }
                Op::Scatter(_)
                | Op::Reduce { .. }
                | Op::ArgReduce { .. }
                | Op::Recur { .. }
                | Op::Update { .. }
                | Op::Call { .. }
                | Op::Loop { .. }
                | Op::Contract { .. }
                | Op::Stop(_) => join(&all),
            },
            Some(_) | None => join(&all),
        }
        self.known.insert(v, axes.clone());
        axes
    }

    fn guards(&self, s: &Simplifier, guard: Option<Var>) -> bool {
        guard.is_none_or(|g| s.members(g).iter().all(|m| self.members.contains(m)))
    }
}

/// Where, over the axes that are kept, something not negative is largest along the others, on which
/// it depends with coefficients 1 and -1: there is an index for which it holds if it holds there.
pub(super) fn best_places(fact: &Affine, whole: &[Size], keep: &[usize]) -> Vec<Affine> {
    let rank = keep.len();
    let place = |k: usize| match keep.iter().position(|&x| x == k) {
        Some(at) => Affine::axis(rank, at),
        None if fact.coefs[k].is(1) => Affine::constant(rank, whole[k].plus(-1)),
        None => Affine::constant(rank, Size::lit(0)),
    };
    (0..whole.len()).map(place).collect()
}

/// What arrays are without axes that their values do not depend on.
struct Smaller<'a> {
    members: &'a [Var],
    /// The place of each axis in the smaller space; an end of the axis, if it is left out.
    to: Vec<Vec<Affine>>,
    keep: &'a [usize],
    shape: Vec<Size>,
    /// That the axes that are left out are not empty.
    some: Option<Var>,
    known: HashMap<Var, Var>,
}

impl<'a> Smaller<'a> {
    fn new(
        s: &mut Simplifier,
        whole: &[Size],
        keep: &'a [usize],
        members: &'a [Var],
    ) -> Option<Smaller<'a>> {
        let shape: Vec<Size> = keep.iter().map(|&k| whole[k].clone()).collect();
        let lost: Vec<&Size> = (0..whole.len())
            .filter(|k| !keep.contains(k) && !shape.contains(&whole[*k]))
            .map(|k| &whole[k])
            .collect();
        let some = s.not_empty(lost.into_iter(), &shape);
        let mut to = vec![];
        for &m in members {
            let facts = s.not_negative(m);
            let [fact] = &facts[..] else { return None };
            to.push(best_places(fact, whole, keep));
        }
        Some(Smaller {
            members,
            to,
            keep,
            shape,
            some,
            known: HashMap::new(),
        })
    }

    /// The guard of what is smaller: where it is needed for some index along the axes that are left
    /// out.
    fn guard(&mut self, s: &mut Simplifier, guard: Option<Var>) -> Option<Option<Var>> {
        let mut out = self.some;
        for m in guard.map_or(vec![], |g| s.members(g)) {
            let at = self.members.iter().position(|x| *x == m)?;
            let moved = s.moved(m, &self.to[at].clone(), &self.shape)?;
            out = s.both(out, Some(moved));
        }
        Some(out)
    }

    fn affine(&self, a: &Affine) -> Affine {
        Affine {
            coefs: self.keep.iter().map(|&k| a.coefs[k].clone()).collect(),
            constant: a.constant.clone(),
        }
    }

    fn of(&mut self, s: &mut Simplifier, v: Var) -> Option<Var> {
        if let Some(&known) = self.known.get(&v) {
            return Some(known);
        }
        if self.keep.len() == s.out.ty(v).rank() {
            return Some(v);
        }
        let eq = s.out.eq(v)?.clone();
        let mut guard = self.guard(s, eq.guard)?;
        let op = match &eq.op {
            // What cannot fail needs no guard, unless it has one.
            Op::Fill(l) => {
                guard = eq.guard.and(guard);
                Op::Fill(*l)
            }
            Op::Index(a) => {
                guard = eq.guard.and(guard);
                Op::Index(self.affine(a))
            }
            Op::Map(p, args) => {
                if p.cost() > 0 && !s.used_once(v) {
                    return None;
                }
                let args = (args.iter())
                    .map(|&a| self.of(s, a))
                    .collect::<Option<_>>()?;
                Op::Map(*p, args)
            }
            Op::Copy(x) => Op::Copy(self.of(s, *x)?),
            Op::Gather { src, index } => {
                let index = (index.iter())
                    .map(|i| {
                        Some(match i {
                            Ix::Affine(a) => Ix::Affine(self.affine(a)),
                            Ix::Data(d) => Ix::Data(self.of(s, *d)?),
                        })
                    })
                    .collect::<Option<_>>()?;
                Op::Gather { src: *src, index }
            }
            Op::Scatter(_)
            | Op::Reduce { .. }
            | Op::ArgReduce { .. }
            | Op::Recur { .. }
            | Op::Update { .. }
            | Op::Call { .. }
            | Op::Loop { .. }
            | Op::Contract { .. }
            | Op::Stop(_) => return None,
        };
        let (elem, shape) = (eq.ty.elem, self.shape.clone());
        let new = s.push(Eq {
            ty: Type { elem, shape },
            guard,
            op,
        });
        self.known.insert(v, new);
        Some(new)
    }
}

/// `[g] copy (contract a, b)  =  [g] contract a, b` where g says how far one axis may be ahead of
/// another, and nothing else uses the contraction: only what is needed is computed.
fn copy_of_contract(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Copy(x) = eq.op else { return None };
    let inner = s.out.eq(x)?.clone();
    if !matches!(inner.op, Op::Contract { .. }) || !s.used_once(x) || inner.ty.elem != Elem::Real {
        return None;
    }
    let members = s.members(eq.guard?);
    if !members.iter().any(|&m| wedge(s, &[m]).is_some()) {
        return None;
    }
    let guard = s.both(eq.guard, inner.guard);
    Some(Rewrite::Eq(Eq { guard, ..inner }))
}
