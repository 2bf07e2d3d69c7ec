//! Recognising contractions, and undoing those that are none.

use super::{Rewrite, Rule, Simplifier, all_affine};
use crate::ir::build::without;
use crate::ir::bulk::{Affine, Eq, Ix, Op, Var};
use crate::ir::core::ReduceOp;
use crate::ir::prims::Prim;
use crate::ir::ty::Elem;
use crate::passes::ablation::{Part, without as ablated};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "sum-of-product",
        apply: sum_of_product,
    },
    Rule {
        name: "contract-permuted",
        apply: contract_permuted,
    },
    Rule {
        name: "contract-nothing",
        apply: contract_nothing,
    },
];

/// An array that `v` repeats, with the axis of `v` that each of its axes is: `v` without the axes
/// that it does not depend on, and not permuted where it reads all of an array. Where a read could
/// fail, it happens only if the axes that are left out are not empty.
pub(super) fn projection(s: &mut Simplifier, v: Var) -> (Var, Vec<u8>) {
    let shape = s.out.shape(v);
    let all = (v, (0..shape.len()).map(|k| k as u8).collect());
    let Some(eq) = s.out.eq(v).cloned() else {
        return all;
    };
    let Op::Gather { src, index } = &eq.op else {
        return all;
    };
    let src = *src;
    if !has_its_own_guard(s, &eq) {
        return all;
    }
    let Some(index) = all_affine(index) else {
        return all;
    };
    let of = s.out.shape(src);
    let mut axes: Vec<u8> = vec![];
    for (a, n) in index.iter().zip(&of) {
        match a.as_axis() {
            Some(k) if shape[k] == *n && !axes.contains(&(k as u8)) => axes.push(k as u8),
            _ => break,
        }
    }
    if axes.len() == of.len() {
        return (src, axes);
    }
    let ignored: Vec<usize> = (0..shape.len())
        .filter(|&k| index.iter().all(|a| a.coefs[k].is(0)))
        .collect();
    if ignored.is_empty() {
        return all;
    }
    let small = without(&shape, &ignored);
    let index = index.iter().map(|a| a.without(&ignored));
    let index: Vec<Affine> = index.collect();
    let is_inside =
        |(a, n)| Affine::inside(a, &small, n) || s.is_demanded_inside(a, &small, &[], n);
    let guard = if index.iter().zip(&of).all(is_inside) {
        None
    } else if eq.guard.is_some() {
        return all;
    } else {
        s.not_empty(ignored.iter().map(|&k| &shape[k]), &small)
    };
    let index = index.into_iter().map(Ix::Affine).collect();
    let read = s.gather(src, index, &small, guard);
    let axes = (0..shape.len())
        .filter(|k| !ignored.contains(k))
        .map(|k| k as u8)
        .collect();
    (read, axes)
}

/// Whether a read has no guard, or has one that the array says itself: where it does not hold, what
/// is read is absent.
fn has_its_own_guard(s: &mut Simplifier, read: &Eq) -> bool {
    let Some(guard) = read.guard else {
        return true;
    };
    let Op::Gather { src, index } = &read.op else {
        return false;
    };
    let Some(of_array) = s.out.guard(*src) else {
        return false;
    };
    let there = s.guard_at(of_array, index, read, false);
    there.is_some_and(|there| s.is_implied(guard, &[there]))
}

/// `Σ_k [g] a[..] · b[..]  =  contract a, b` where g is about no summed axis and guards a or b: a
/// factor is absent where the product is. Both are without the axes that they are repeated along,
/// and every summed axis occurs in both. Bilinear from here on, so that its derivatives are
/// contractions again. The product must have no other use, for which it would have to be computed
/// all the same.
fn sum_of_product(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Reduce {
        op: ReduceOp::Sum,
        src,
        axes,
    } = &eq.op
    else {
        return None;
    };
    if eq.ty.elem != Elem::Real || !s.used_once(*src) || ablated(Part::Contractions) {
        return None;
    }
    let product = s.out.eq(*src)?.clone();
    let Op::Map(Prim::Mul, args) = &product.op else {
        return None;
    };
    if let Some(g) = product.guard {
        s.guard_without(g, axes)?;
        let of_factors: Vec<Var> = args.iter().filter_map(|&v| s.out.guard(v)).collect();
        if !s.is_implied(g, &of_factors) {
            return None;
        }
    }
    let ((a, a_axes), (b, b_axes)) = (projection(s, args[0]), projection(s, args[1]));
    let shape = s.out.shape(*src);
    let summed = |k: &usize| axes.contains(k);
    let fits = (0..shape.len()).all(|k| {
        let (in_a, in_b) = (a_axes.contains(&(k as u8)), b_axes.contains(&(k as u8)));
        if summed(&k) {
            in_a && in_b
        } else {
            in_a || in_b
        }
    });
    if !fits {
        return None;
    }
    let out_axes = (0..shape.len())
        .filter(|k| !summed(k))
        .map(|k| k as u8)
        .collect();
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

/// `contract a[σ], b  =  contract a, b` with the labels permuted by σ
fn contract_permuted(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Contract {
        a,
        b,
        a_axes,
        b_axes,
        out_axes,
    } = &eq.op
    else {
        return None;
    };
    let mut under = |v: Var, labels: &[u8]| {
        let (src, axes) = projection(s, v);
        // Repeated axes would lose their label.
        if src == v || axes.len() != labels.len() {
            return None;
        }
        let labels: Vec<u8> = axes.iter().map(|&k| labels[k as usize]).collect();
        Some((src, labels))
    };
    let (new_a, new_b) = (under(*a, a_axes), under(*b, b_axes));
    if new_a.is_none() && new_b.is_none() {
        return None;
    }
    let (a, a_axes) = new_a.unwrap_or((*a, a_axes.clone()));
    let (b, b_axes) = new_b.unwrap_or((*b, b_axes.clone()));
    Some(Rewrite::Eq(Eq {
        op: Op::Contract {
            a,
            b,
            a_axes,
            b_axes,
            out_axes: out_axes.clone(),
        },
        ..eq.clone()
    }))
}

/// `contract a, b  =  a · b`, both repeated, where no label is summed
fn contract_nothing(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Contract {
        a,
        b,
        a_axes,
        b_axes,
        out_axes,
    } = &eq.op
    else {
        return None;
    };
    if a_axes.iter().chain(b_axes).any(|l| !out_axes.contains(l)) {
        return None;
    }
    let rank = out_axes.len();
    let mut spread = |v: Var, axes: &[u8]| {
        let index = (axes.iter())
            .map(|l| {
                let k = out_axes.iter().position(|o| o == l);
                Ix::Affine(Affine::axis(rank, k.expect("checked above")))
            })
            .collect();
        s.gather(v, index, &eq.ty.shape, None)
    };
    let args = vec![spread(*a, a_axes), spread(*b, b_axes)];
    Some(Rewrite::Eq(Eq {
        op: Op::Map(Prim::Mul, args),
        ..eq.clone()
    }))
}
