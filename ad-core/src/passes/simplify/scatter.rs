//! Rules that turn scatters, the transposes of reads, into reads and reductions where the index map
//! can be inverted.

use super::{Rewrite, Rule, Simplifier, all_affine};
use crate::ir::build::without;
use crate::ir::bulk::{Affine, Eq, Ix, Op, Part};
use crate::ir::core::ReduceOp;
use crate::ir::ty::{Elem, Lit, Size};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "scatter-of-zero",
        apply: scatter_of_zero,
    },
    Rule {
        name: "scatter-repeated",
        apply: scatter_repeated,
    },
    Rule {
        name: "scatter-inverted",
        apply: scatter_inverted,
    },
];

/// `scatter 0[..] + rest  =  scatter rest`, for a literal or a structural zero
fn scatter_of_zero(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Scatter(parts) = &eq.op else {
        return None;
    };
    let rest: Vec<Part> = (parts.iter())
        .filter(|p| s.lit(p.src) != Some(Lit::Real(0.0)) && !s.is_nothing(p.src))
        .cloned()
        .collect();
    (rest.len() < parts.len()).then(|| {
        Rewrite::Eq(Eq {
            op: Op::Scatter(rest),
            ..eq.clone()
        })
    })
}

/// `scatter v[index]  =  scatter ([n > 0] sum of v over k)[index]` where the affine index does not
/// depend on axis k of length n: everything along it lands at one place.
///
/// Where the index may lie outside of the result, nothing must be added that was not before. Of an
/// unguarded v every element was, unless there is none, which the guard says; it is left out where
/// the index is inside for sure. A guarded v stays as it is.
fn scatter_repeated(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Scatter(parts) = &eq.op else {
        return None;
    };
    // Under a guard not all sums would be needed.
    if eq.guard.is_some() {
        return None;
    }
    let mut changed = false;
    let mut out = vec![];
    for p in parts {
        let rank = s.out.ty(p.src).rank();
        let axes: Vec<usize> = match all_affine(&p.index) {
            None => vec![],
            Some(index) => (0..rank)
                .filter(|&k| index.iter().all(|a| a.coefs[k].is(0)))
                .collect(),
        };
        if axes.is_empty() {
            out.push(p.clone());
            continue;
        }
        let whole = s.out.shape(p.src);
        let shape = without(&whole, &axes);
        let inside = all_affine(&p.index).is_some_and(|index| {
            index
                .iter()
                .zip(&eq.ty.shape)
                .all(|(a, n)| a.inside(&whole, n))
        });
        if !inside && s.out.guard(p.src).is_some() {
            out.push(p.clone());
            continue;
        }
        changed = true;
        let guard = if inside {
            None
        } else {
            s.not_empty(axes.iter().map(|&k| &whole[k]), &shape)
        };
        let (op, src) = (ReduceOp::Sum, p.src);
        let index: Vec<Ix> = (p.index.iter())
            .map(|i| match i {
                Ix::Affine(a) => Ix::Affine(Affine {
                    coefs: without(&a.coefs, &axes),
                    constant: a.constant.clone(),
                }),
                Ix::Data(_) => unreachable!("all components are affine"),
            })
            .collect();
        let src = s.op(Elem::Real, &shape, guard, Op::Reduce { op, src, axes });
        out.push(Part { src, index });
    }
    changed.then(|| {
        Rewrite::Eq(Eq {
            op: Op::Scatter(out),
            ..eq.clone()
        })
    })
}

/// `scatter v[index]  =  v[index⁻¹]` where the map is a bijection onto the result: every axis of the
/// result is an axis of v, forwards or backwards, in full.
fn scatter_inverted(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Scatter(parts) = &eq.op else {
        return None;
    };
    let [Part { src, index }] = &parts[..] else {
        return None;
    };
    let src_shape = s.out.shape(*src);
    let rank = eq.ty.rank();
    if src_shape.len() != rank {
        return None;
    }
    let mut inverse: Vec<Option<Affine>> = vec![None; rank];
    for (k, (a, n)) in all_affine(index)?.iter().zip(&eq.ty.shape).enumerate() {
        let (axis, c) = a.single()?;
        if src_shape[axis] != *n || inverse[axis].is_some() {
            return None;
        }
        let mut back = Affine::axis(rank, k);
        if c.is(1) && a.constant.is(0) {
            // r = i, so i = r
        } else if c.is(-1) && a.constant == n.plus(-1) {
            // r = n - 1 - i, so i = n - 1 - r
            back.coefs[k] = Size::lit(-1);
            back.constant = n.plus(-1);
        } else {
            return None;
        }
        inverse[axis] = Some(back);
    }
    let index = (inverse.into_iter())
        .map(|a| a.map(Ix::Affine))
        .collect::<Option<_>>()?;
    Some(Rewrite::Eq(Eq {
        op: Op::Gather { src: *src, index },
        ..eq.clone()
    }))
}
