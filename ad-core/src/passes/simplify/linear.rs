//! Rules of vector spaces, for tangents and cotangents: what both terms of a sum are multiplied
//! with is applied once, and so are constants.

use super::{Rewrite, Rule, Simplifier};
use crate::ir::bulk::{Eq, Op, Var};
use crate::ir::prims::Prim;
use crate::ir::ty::Lit;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "common-factor",
        apply: common_factor,
    },
    Rule {
        name: "common-contraction",
        apply: common_contraction,
    },
    Rule {
        name: "negated-multiple",
        apply: negated_multiple,
    },
    Rule {
        name: "quotient-of-quotient",
        apply: quotient_of_quotient,
    },
];

/// The two terms of a sum or a difference of tangents or cotangents that nothing else uses, with
/// their equations. Both have the guard of the sum.
fn terms<'a>(s: &'a mut Simplifier, eq: &Eq) -> Option<(Prim, [&'a Eq; 2])> {
    let Op::Map(p @ (Prim::Add | Prim::Sub), args) = &eq.op else {
        return None;
    };
    let &[x, y] = &args[..] else { return None };
    if x == y || !s.is_linear(x) || !s.is_linear(y) || !s.used_once(x) || !s.used_once(y) {
        return None;
    }
    let (a, b) = (s.out.eq(x)?, s.out.eq(y)?);
    (a.guard == eq.guard && b.guard == eq.guard).then_some((*p, [a, b]))
}

/// `a · x + a · y  =  a · (x + y)`, `x / a + y / a  =  (x + y) / a`, `-x + -y  =  -(x + y)`, and
/// the same for differences
fn common_factor(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let (p, [a, b]) = terms(s, eq)?;
    let (Op::Map(q, xs), Op::Map(r, ys)) = (&a.op, &b.op) else {
        return None;
    };
    if q != r {
        return None;
    }
    let (q, xs, ys) = (*q, xs.clone(), ys.clone());
    let mut sum = |x: Var, y: Var| s.map(p, &[x, y], eq.guard);
    let args = match (q, &xs[..], &ys[..]) {
        (Prim::Mul, &[a, x], &[b, y]) if a == b => vec![a, sum(x, y)],
        (Prim::Mul, &[a, x], &[y, b]) if a == b => vec![a, sum(x, y)],
        (Prim::Mul, &[x, a], &[b, y]) if a == b => vec![a, sum(x, y)],
        (Prim::Mul, &[x, a], &[y, b]) if a == b => vec![a, sum(x, y)],
        (Prim::Div, &[x, a], &[y, b]) if a == b => vec![sum(x, y), a],
        (Prim::Neg, &[x], &[y]) => vec![sum(x, y)],
        _ => return None,
    };
    Some(Rewrite::Eq(Eq {
        op: Op::Map(q, args),
        ..eq.clone()
    }))
}

/// `contract a, x + contract a, y  =  contract a, (x + y)`, and the same for differences; x and y
/// may differ in the order of their labels
fn common_contraction(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let (p, [first, second]) = terms(s, eq)?;
    if !matches!(
        (&first.op, &second.op),
        (Op::Contract { .. }, Op::Contract { .. })
    ) {
        return None;
    }
    let (first, second) = (first.clone(), second.clone());
    let (first, second) = (s.product(&first)?, s.product(&second)?);
    for (a, x) in first.both_ways() {
        for (b, y) in second.both_ways() {
            // The labels of the second as they are in the first.
            let same = |l: u8| {
                let k = second.out.iter().position(|&o| o == l);
                let in_b = b.axes.iter().position(|&o| o == l);
                k.map(|k| first.out[k]).or_else(|| in_b.map(|k| a.axes[k]))
            };
            if a.v != b.v || x.axes.len() != y.axes.len() {
                continue;
            }
            let renamed = |axes: &[u8]| axes.iter().map(|&l| same(l)).collect::<Option<Vec<u8>>>();
            let (Some(b_axes), Some(y_axes)) = (renamed(&b.axes), renamed(&y.axes)) else {
                continue;
            };
            if b_axes != a.axes || a.axes.len() + x.axes.len() == first.out.len() {
                continue;
            }
            // The axes of y in the order of x; of a matrix that is no tangent, its transpose as
            // well would be read just to be added.
            let Some(order) = (y_axes.iter())
                .map(|l| x.axes.iter().position(|k| k == l))
                .collect::<Option<Vec<usize>>>()
            else {
                continue;
            };
            let (shape, of) = (s.out.shape(x.v), s.out.shape(y.v));
            let fits = order.iter().zip(&of).all(|(&k, n)| shape[k] == *n);
            if !fits || (y_axes != x.axes && !s.is_linear(x.v)) {
                continue;
            }
            let y = s.repeated(y.v, &order, &shape);
            let mut sum = x.clone();
            sum.v = s.map(p, &[x.v, y], None);
            let out = first.out.clone();
            let product = super::products::Product { a, b: sum, out };
            return Some(Rewrite::Eq(s.contraction(product, eq.guard)));
        }
    }
    None
}

/// `-(a · t)  =  (-a) · t`, `-(t / a)  =  t / (-a)` for a literal a
fn negated_multiple(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Map(Prim::Neg, args) = &eq.op else {
        return None;
    };
    let v = args[0];
    let inner = s.out.eq(v)?;
    let Op::Map(p @ (Prim::Mul | Prim::Div), args) = &inner.op else {
        return None;
    };
    let (p, &[a, b]) = (*p, &args[..]) else {
        return None;
    };
    if inner.guard != eq.guard || !s.used_once(v) || !s.is_linear(v) {
        return None;
    }
    let negated = |s: &mut Simplifier, v: Var| {
        let Some(Lit::Real(x)) = s.lit(v) else {
            return None;
        };
        Some(s.fill(Lit::Real(-x), &eq.ty.shape))
    };
    let args = match negated(s, b) {
        Some(b) => vec![a, b],
        None if p == Prim::Mul => vec![negated(s, a)?, b],
        None => return None,
    };
    Some(Rewrite::Eq(Eq {
        op: Op::Map(p, args),
        ..eq.clone()
    }))
}

/// `t / a / b  =  t / (a · b)`, `a · (t / b)  =  t · (a / b)`, `(a · t) / b  =  t · (a / b)` where
/// neither a nor b depends on some axis: they are joined in the smaller space
fn quotient_of_quotient(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Map(outer @ (Prim::Mul | Prim::Div), args) = &eq.op else {
        return None;
    };
    let places: &[(usize, usize)] = if *outer == Prim::Div {
        &[(0, 1)]
    } else {
        &[(0, 1), (1, 0)]
    };
    for &(x, b) in places {
        let (x, b) = (args[x], args[b]);
        let Some(inner) = s.out.eq(x).filter(|e| e.guard == eq.guard).cloned() else {
            continue;
        };
        let Op::Map(p @ (Prim::Mul | Prim::Div), of) = &inner.op else {
            continue;
        };
        if (*p, *outer) == (Prim::Mul, Prim::Mul) || !s.used_once(x) || !s.is_linear(x) {
            continue;
        }
        let (t, a) = if s.is_linear(of[0]) {
            (of[0], of[1])
        } else if *p == Prim::Mul {
            (of[1], of[0])
        } else {
            continue;
        };
        if s.is_linear(b) || s.is_linear(a) {
            continue;
        }
        let (join, apply, factors) = match (*p, *outer) {
            (Prim::Div, Prim::Div) => (Prim::Mul, Prim::Div, [a, b]),
            (Prim::Div, _) => (Prim::Div, Prim::Mul, [b, a]),
            _ => (Prim::Div, Prim::Mul, [a, b]),
        };
        let joined = s.map(join, &factors, None);
        // Repeated, or a literal: it was made in a smaller space.
        if matches!(s.plain(joined), Some(Op::Gather { .. } | Op::Fill(_))) {
            return Some(Rewrite::Eq(Eq {
                op: Op::Map(apply, vec![t, joined]),
                ..eq.clone()
            }));
        }
    }
    None
}
