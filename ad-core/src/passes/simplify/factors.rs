//! Rules about sums of tangents and cotangents: a factor that is the same for all terms is applied
//! once. Sums are distributed over, which programs as written must not be: they could overflow
//! elsewhere.

use super::products::{Factor, Product};
use super::triangle::is_wedge;
use super::{Rewrite, Rule, Simplifier};
use crate::ir::build::without;
use crate::ir::bulk::{Eq, Op, Var};
use crate::ir::core::ReduceOp;
use crate::ir::prims::Prim;
use crate::ir::ty::Elem;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "factor-of-sum",
        apply: factor_of_sum,
    },
    Rule {
        name: "divisor-of-sum",
        apply: divisor_of_sum,
    },
    Rule {
        name: "sum-at-hand",
        apply: sum_at_hand,
    },
    Rule {
        name: "sum-of-negated",
        apply: sum_of_negated,
    },
    Rule {
        name: "contract-repeated",
        apply: contract_repeated,
    },
];

/// The operand and the axes of a sum of reals, where nothing else uses the operand.
pub(super) fn sum_of(s: &Simplifier, eq: &Eq) -> Option<(Var, Vec<usize>)> {
    let Op::Reduce {
        op: ReduceOp::Sum,
        src,
        axes,
    } = &eq.op
    else {
        return None;
    };
    (eq.ty.elem == Elem::Real && s.used_once(*src)).then(|| (*src, axes.clone()))
}

/// `Σ_k c · t[k]  =  [n > 0] c · (Σ_k t[k])` for an axis k of length n that one factor does not
/// depend on, and `Σ_kl a[k] · b[k, l]  =  [n > 0] contract a, (Σ_l b)`. One of them is linear.
fn factor_of_sum(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let (src, axes) = sum_of(s, eq)?;
    let args = s.applied(src, Prim::Mul)?.to_vec();
    if !s.is_linear(src) {
        return None;
    }
    let (a, b) = (s.factor(args[0]), s.factor(args[1]));
    let rank = s.out.ty(src).rank();
    let out: Vec<u8> = (0..rank)
        .filter(|k| !axes.contains(k))
        .map(|k| k as u8)
        .collect();
    let has = |f: &Factor, k: usize| f.axes.contains(&(k as u8));
    let everywhere = (0..rank).all(|k| has(&a, k) || has(&b, k));
    let alone = axes.iter().any(|&k| !has(&a, k) || !has(&b, k));
    if !everywhere || !alone {
        return None;
    }
    let eq = s.contraction(Product { a, b, out }, eq.guard);
    Some(Rewrite::Eq(eq))
}

/// `Σ_k t[k] / c  =  [n > 0] (Σ_k t[k]) / c` for an axis k of length n that c does not depend on
fn divisor_of_sum(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let (src, axes) = sum_of(s, eq)?;
    let args = s.applied(src, Prim::Div)?.to_vec();
    if !s.is_linear(src) {
        return None;
    }
    let c = s.factor(args[1]);
    let shape = s.out.shape(src);
    let free: Vec<usize> = (axes.iter().copied())
        .filter(|&k| !c.axes.contains(&(k as u8)))
        .collect();
    if free.is_empty() {
        return None;
    }
    let small = without(&shape, &free);
    let renumbered = |k: usize| k - free.iter().filter(|&&f| f < k).count();
    let places: Vec<usize> = (c.axes.iter())
        .map(|&l| renumbered(usize::from(l)))
        .collect();
    let rest: Vec<usize> = (axes.iter())
        .filter(|k| !free.contains(k))
        .map(|&k| renumbered(k))
        .collect();
    let some = s.not_empty(free.iter().map(|&k| &shape[k]), &small);
    // Where all is summed, the guard of the sum is the one of the quotient.
    let own = eq.guard.filter(|_| rest.is_empty());
    let guard = s.both(own, some);
    let c = s.repeated(c.v, &places, &small);
    let t = sum(s, args[0], free, own, &small);
    let quotient = s.op(Elem::Real, &small, guard, Op::Map(Prim::Div, vec![t, c]));
    let op = ReduceOp::Sum;
    Some(if rest.is_empty() {
        Rewrite::Var(quotient)
    } else {
        Rewrite::Eq(Eq {
            op: Op::Reduce {
                op,
                src: quotient,
                axes: rest,
            },
            ..eq.clone()
        })
    })
}

/// `Σ_k e[k] · c  =  [n > 0] S · c` and `Σ_k e[k] / c  =  [n > 0] S / c`, for axes k of which c
/// depends on none, if `S = Σ_k e[k]` is computed anyway and the terms are, too. They are linear.
///
/// It saves a sum; and where the terms are shares of the whole, their sum is 1 but for one
/// rounding, whatever their number is.
fn sum_at_hand(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Reduce {
        op: ReduceOp::Sum,
        src,
        axes,
    } = &eq.op
    else {
        return None;
    };
    if eq.ty.elem != Elem::Real || s.used_once(*src) || !s.is_linear(*src) {
        return None;
    }
    let (prim, args) = match (s.applied(*src, Prim::Mul), s.applied(*src, Prim::Div)) {
        (Some(args), _) => (Prim::Mul, args.to_vec()),
        (None, Some(args)) => (Prim::Div, args.to_vec()),
        (None, None) => return None,
    };
    let mut orders = vec![(args[0], args[1])];
    if prim == Prim::Mul {
        orders.push((args[1], args[0]));
    }
    for (terms, c) in orders {
        let whole = s.out.find(&Eq {
            op: Op::Reduce {
                op: ReduceOp::Sum,
                src: terms,
                axes: axes.clone(),
            },
            ..eq.clone()
        });
        let c = s.factor(c);
        let Some(whole) = whole.filter(|_| !axes.iter().any(|&k| c.axes.contains(&(k as u8))))
        else {
            continue;
        };
        let shape = &eq.ty.shape;
        let renumbered = |k: usize| k - axes.iter().filter(|&&f| f < k).count();
        let places: Vec<usize> = (c.axes.iter())
            .map(|&l| renumbered(usize::from(l)))
            .collect();
        let lengths = s.out.shape(*src);
        let some = s.not_empty(axes.iter().map(|&k| &lengths[k]), shape);
        let guard = s.both(eq.guard, some);
        let c = s.repeated(c.v, &places, shape);
        return Some(Rewrite::Eq(Eq {
            guard,
            op: Op::Map(prim, vec![whole, c]),
            ..eq.clone()
        }));
    }
    None
}

fn sum(
    s: &mut Simplifier,
    src: Var,
    axes: Vec<usize>,
    guard: Option<Var>,
    shape: &[crate::ir::ty::Size],
) -> Var {
    let op = ReduceOp::Sum;
    s.op(Elem::Real, shape, guard, Op::Reduce { op, src, axes })
}

/// `Σ -t  =  -(Σ t)` and `Σ -a · b  =  -(Σ a · b)`.
///
/// Under a guard g that does not depend on k,
/// `Σ_k [g] -t  =  [g] -(Σ_k [g] copy t)`; where g is a triangle or a band,
/// `Σ_k [g] -t  =  -(Σ_k [g] copy t)`.
fn sum_of_negated(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let (src, axes) = sum_of(s, eq)?;
    if !s.is_linear(src) || axes.is_empty() {
        return None;
    }
    let negated = s.out.eq(src)?.clone();
    let Op::Map(prim, args) = &negated.op else {
        return None;
    };
    let under = |v: Var| {
        let of = s.out.eq(v).filter(|_| s.used_once(v))?;
        let Op::Map(Prim::Neg, args) = &of.op else {
            return None;
        };
        (of.guard == negated.guard).then(|| args[0])
    };
    let positive = match (prim, &args[..]) {
        (Prim::Neg, &[a]) => Op::Copy(a),
        (Prim::Mul | Prim::Div, &[a, b]) => {
            let args = match (under(a), under(b)) {
                (Some(a), _) => vec![a, b],
                (None, Some(b)) => vec![a, b],
                (None, None) => return None,
            };
            Op::Map(*prim, args)
        }
        _ => return None,
    };
    let mut guard = eq.guard;
    if let Some(g) = negated.guard {
        match s.guard_without(g, &axes) {
            Some(outside) => guard = s.both(guard, outside),
            None if is_wedge(s, g) => {}
            None => return None,
        }
    }
    let t = match (&positive, negated.guard) {
        (Op::Copy(t), None) => *t,
        _ => s.push(Eq {
            op: positive,
            ..negated
        }),
    };
    let t = sum(s, t, axes, guard, &eq.ty.shape);
    Some(Rewrite::Eq(Eq {
        guard,
        op: Op::Map(Prim::Neg, vec![t]),
        ..eq.clone()
    }))
}

/// `contract a[..], b  =  [n > 0] contract a, (Σ_l b)` where a is repeated along the summed label l
/// of length n, if one of the two is linear; along a label that b and the result have, a need not
/// be repeated.
fn contract_repeated(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    if !matches!(eq.op, Op::Contract { .. }) || eq.guard.is_some() {
        return None;
    }
    let mut p = s.product(eq)?;
    let linear = s.is_linear(p.a.v) || s.is_linear(p.b.v);
    let mut changed = false;
    for turn in 0..2 {
        let (f, other) = if turn == 0 {
            (&p.a, &p.b)
        } else {
            (&p.b, &p.a)
        };
        let bare = s.factor(f.v);
        let axes: Vec<u8> = (bare.axes.iter())
            .map(|&k| f.axes[usize::from(k)])
            .collect();
        let mut lost = f.axes.iter().filter(|l| !axes.contains(l)).peekable();
        if lost.peek().is_none()
            || !lost.all(|l| other.axes.contains(l) && (linear || p.out.contains(l)))
        {
            continue;
        }
        changed = true;
        let f = Factor { axes, ..bare };
        if turn == 0 {
            p.a = f;
        } else {
            p.b = f;
        }
    }
    changed.then(|| Rewrite::Eq(s.contraction(p, None)))
}
