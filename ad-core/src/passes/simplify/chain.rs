//! The order of products of three factors, by symbolic cost. Only for tangents and cotangents: a
//! different order gives other infinities.

use super::products::{Factor, Product, cheaper, cheaper_from};
use super::{Rewrite, Rule, Simplifier};
use crate::ir::bulk::{Eq, Op, Var};
use crate::ir::prims::Prim;
use crate::ir::ty::{Lit, Size};

pub(super) const RULES: &[Rule] = &[Rule {
    name: "chain",
    apply: chain,
}];

/// What is not known to be short is taken to be this long, where it makes no difference but for a
/// few elements.
const LONG: i64 = 8;

/// `Σ (Σ p · q) · t  =  Σ p · (Σ q · t)`, with every label summed as soon as nothing else has it,
/// where one of the three is linear, nothing else uses the inner product, and fewer operations are
/// counted for all lengths from 2 on. Both products may be elementwise: `u_i M_ij v_j t` is a
/// product of a matrix and a vector, then scaled, and `c · (d · t)` is `(c · d) · t` where c and d
/// are the smaller ones. `-t` is `(-1) · t` inside of another.
///
/// `Σ_a (p_ac · q_ab) · t_ad  =  Σ_a p_ac · (q_ab · t_ad)`, as many products in the sum, is
/// preferred where the array in between is smaller for all lengths from `LONG` on: less is stored.
/// For shorter ones it may have some elements more, but fewer than the sum has products.
fn chain(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let outer = s.product(eq).filter(|_| s.holds_or_not(eq.guard))?;
    let mut best: Option<(Size, Factor, Product, Option<Var>)> = None;
    for (x, t) in outer.both_ways() {
        if !x.once {
            continue;
        }
        let Some((inner, guard)) = s.uniform(x.v) else {
            continue;
        };
        let Some(inner) = s.product(&inner).or_else(|| negated(s, &inner)) else {
            continue;
        };
        if ![inner.a.v, inner.b.v, t.v].iter().any(|&v| s.is_linear(v)) {
            continue;
        }
        let old = s.cost(&inner).add(&s.cost(&outer));
        let inner = relabelled(&inner, &x, &outer);
        let sums = outer.labels().len() > outer.out.len();
        for (p, q) in inner.both_ways() {
            let Some(first) = first_of(&q, &t, &p, &outer.out) else {
                continue;
            };
            let rest = Product {
                a: p.clone(),
                b: Factor {
                    v: q.v,
                    axes: first.out.clone(),
                    once: true,
                },
                out: outer.out.clone(),
            };
            let new = s.cost(&first).add(&cost_of_rest(s, &rest, &first));
            let is_elementwise = |p: &Product| p.labels().len() == p.out.len();
            let is_smaller = sums && is_elementwise(&inner) && is_elementwise(&first);
            let from = if is_smaller { LONG } else { 2 };
            if cheaper_from(from, &new, &old)
                && best.as_ref().is_none_or(|(b, ..)| cheaper(&new, b))
            {
                best = Some((new, p, first, guard));
            }
        }
    }
    let (_, p, first, inner) = best?;
    let inner = s.elsewhere(inner, &eq.ty.shape);
    let outside = s.both(eq.guard, inner);
    let axes = first.out.clone();
    let guard = in_use(s, &first, &p);
    let first = s.contraction(first, guard);
    let v = s.push(first);
    let b = Factor {
        v,
        axes,
        once: true,
    };
    let out = outer.out;
    Some(Rewrite::Eq(
        s.contraction(Product { a: p, b, out }, outside),
    ))
}

/// `-t  =  (-1) · t`
fn negated(s: &mut Simplifier, eq: &Eq) -> Option<Product> {
    let Op::Map(Prim::Neg, args) = &eq.op else {
        return None;
    };
    let (a, b) = (s.literal(Lit::Real(-1.0)), s.factor(args[0]));
    let out: Vec<u8> = (0..eq.ty.rank()).map(|k| k as u8).collect();
    (b.axes.len() == out.len()).then_some(Product { a, b, out })
}

/// The guard of a first product that is elementwise: nothing is computed for an outer one that is
/// empty.
fn in_use(s: &mut Simplifier, first: &Product, p: &Factor) -> Option<Var> {
    let elementwise = first.labels().len() == first.out.len();
    let shape: Vec<Size> = first.out.iter().map(|&l| s.length(first, l)).collect();
    let lengths: Vec<Size> = (p.axes.iter().zip(s.out.shape(p.v)))
        .filter(|(l, _)| elementwise && !first.out.contains(l))
        .map(|(_, n)| n)
        .collect();
    s.not_empty(lengths.iter(), &shape)
}

/// The inner product with the labels that its result has as a factor of the outer one, and new ones
/// for those that it sums over.
fn relabelled(inner: &Product, x: &Factor, outer: &Product) -> Product {
    let used = outer.labels();
    let sums: Vec<u8> = (inner.labels().into_iter())
        .filter(|l| !inner.out.contains(l))
        .collect();
    let free: Vec<u8> = (0..=u8::MAX).filter(|l| !used.contains(l)).collect();
    inner.renamed(&|l| {
        if let Some(k) = inner.out.iter().position(|&o| o == l) {
            return x.axes[k];
        }
        let k = sums.iter().position(|&o| o == l);
        free[k.expect("summed, if not in the result")]
    })
}

/// The product of q and t, summed over what neither p nor the result has; `None` if one of them has
/// such a label alone.
fn first_of(q: &Factor, t: &Factor, p: &Factor, out: &[u8]) -> Option<Product> {
    let product = Product {
        a: q.clone(),
        b: t.clone(),
        out: vec![],
    };
    let stays = |l: &u8| out.contains(l) || p.axes.contains(l);
    let all = product.labels();
    if !(all
        .iter()
        .all(|l| stays(l) || (q.axes.contains(l) && t.axes.contains(l))))
    {
        return None;
    }
    // In the order of the result, so that equal products are equal equations.
    let in_result = out.iter().filter(|l| all.contains(l));
    let others = all.iter().filter(|l| !out.contains(l) && stays(l));
    Some(Product {
        out: in_result.chain(others).copied().collect(),
        ..product
    })
}

/// What the outer product counts for, whose second factor has yet to be made.
fn cost_of_rest(s: &Simplifier, rest: &Product, first: &Product) -> Size {
    let length = |l: u8| {
        if first.out.contains(&l) {
            s.length(first, l)
        } else {
            let k = rest.a.axes.iter().position(|&x| x == l);
            s.out.ty(rest.a.v).shape[k.expect("a label of a factor")].clone()
        }
    };
    let volume =
        |labels: &mut dyn Iterator<Item = u8>| labels.fold(Size::lit(1), |n, l| n.mul(&length(l)));
    let out = volume(&mut rest.out.iter().copied());
    let summed = rest.labels().into_iter().filter(|l| !rest.out.contains(l));
    out.mul(&volume(&mut summed.into_iter()).scale(2).plus(-1))
}
