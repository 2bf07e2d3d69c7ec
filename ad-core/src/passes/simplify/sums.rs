//! Rules about reductions of what is the same along the reduced axis.

use super::{Rewrite, Rule, Simplifier, all_affine};
use crate::ir::bulk::{Affine, Eq, Ix, Op};
use crate::ir::core::ReduceOp;
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Lit, Size};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "reduce-nothing",
        apply: reduce_nothing,
    },
    Rule {
        name: "sum-of-repeated",
        apply: sum_of_repeated,
    },
    Rule {
        name: "sum-of-fill",
        apply: sum_of_fill,
    },
];

/// `reduce x over no axes  =  x`
fn reduce_nothing(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Reduce { src, axes, .. } = &eq.op else {
        return None;
    };
    axes.is_empty().then(|| s.same(*src, eq.guard))
}

/// The product of the lengths of some axes, as a real array of some shape.
fn count(
    s: &mut Simplifier,
    shape: &[Size],
    axes: &[usize],
    over: &[Size],
) -> crate::ir::bulk::Var {
    let n = axes.iter().fold(Size::lit(1), |n, &k| n.mul(&shape[k]));
    let rank = over.len();
    let op = Op::Index(Affine::constant(rank, n));
    let n = s.op(Elem::Int, over, None, op);
    s.map(Prim::IntToReal, &[n], None)
}

/// `Σ_k x[index]  =  [n > 0] n · x[index]` where the index does not depend on axis k of length n. The
/// read must be inside for sure, since over an empty axis it would not happen. One operation more
/// than the sum where n is 1.
fn sum_of_repeated(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Reduce {
        op: ReduceOp::Sum,
        src,
        axes,
    } = &eq.op
    else {
        return None;
    };
    if eq.ty.elem != Elem::Real {
        return None;
    }
    let Some(Op::Gather { src: x, index }) = s.plain(*src).cloned() else {
        return None;
    };
    let shape = s.out.shape(*src);
    let maps = all_affine(&index)?;
    let ignored: Vec<usize> = (axes.iter().copied())
        .filter(|&k| maps.iter().all(|a| a.coefs[k].is(0)))
        .collect();
    let of = s.out.shape(x);
    if ignored.is_empty() || !maps.iter().zip(&of).all(|(a, n)| a.inside(&shape, n)) {
        return None;
    }
    let index: Vec<Ix> = (maps.iter())
        .map(|a| {
            Ix::Affine(Affine {
                coefs: crate::ir::build::without(&a.coefs, &ignored),
                constant: a.constant.clone(),
            })
        })
        .collect();
    let small = crate::ir::build::without(&shape, &ignored);
    let read = s.gather(x, index, &small, None);
    let left: Vec<usize> = (axes.iter())
        .filter(|k| !ignored.contains(k))
        .map(|&k| k - ignored.iter().filter(|&&i| i < k).count())
        .collect();
    let (op, axes) = (ReduceOp::Sum, left);
    let src = read;
    let sum = s.op(
        Elem::Real,
        &eq.ty.shape,
        eq.guard,
        Op::Reduce { op, src, axes },
    );
    let n = count(s, &shape, &ignored, &eq.ty.shape);
    let some = s.not_empty(ignored.iter().map(|&k| &shape[k]), &eq.ty.shape);
    Some(Rewrite::Eq(Eq {
        guard: s.both(eq.guard, some),
        op: Op::Map(Prim::Mul, vec![n, sum]),
        ty: eq.ty.clone(),
    }))
}

/// `Σ_k fill c  =  [n > 0] n · c` for reals; `Σ_k fill 0  =  fill 0`
fn sum_of_fill(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Reduce {
        op: ReduceOp::Sum,
        src,
        axes,
    } = &eq.op
    else {
        return None;
    };
    if eq.ty.elem != Elem::Real {
        return None;
    }
    let lit = s.lit(*src)?;
    let shape = s.out.shape(*src);
    let some = s.not_empty(axes.iter().map(|&k| &shape[k]), &eq.ty.shape);
    let guard = s.both(eq.guard, some);
    let op = if lit == Lit::Real(0.0) {
        Op::Fill(lit)
    } else {
        let c = s.fill(lit, &eq.ty.shape);
        let n = count(s, &shape, axes, &eq.ty.shape);
        Op::Map(Prim::Mul, vec![n, c])
    };
    let ty = eq.ty.clone();
    Some(Rewrite::Eq(Eq { ty, guard, op }))
}
