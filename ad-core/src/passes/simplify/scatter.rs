//! Rules that turn scatters, the transposes of reads, into reads and reductions where the index map
//! can be inverted.

use super::{Rewrite, Rule, Simplifier, all_affine};
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

/// `scatter (fill 0)[..] + rest  =  scatter rest`; of nothing, `fill 0`
fn scatter_of_zero(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Scatter(parts) = &eq.op else {
        return None;
    };
    let rest: Vec<Part> = (parts.iter())
        .filter(|p| s.lit(p.src) != Some(Lit::Real(0.0)))
        .cloned()
        .collect();
    if rest.len() == parts.len() && !rest.is_empty() {
        return None;
    }
    let op = if rest.is_empty() {
        Op::Fill(Lit::Real(0.0))
    } else {
        Op::Scatter(rest)
    };
    Some(Rewrite::Eq(Eq { op, ..eq.clone() }))
}

/// `scatter v[index]  =  scatter (sum of v over k)[index]` where the affine index does not depend on
/// axis k: everything along it lands at one place.
fn scatter_repeated(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Scatter(parts) = &eq.op else {
        return None;
    };
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
        changed = true;
        let shape = crate::ir::build::without(&s.out.shape(p.src), &axes);
        let (op, src) = (ReduceOp::Sum, p.src);
        let index = (p.index.iter())
            .map(|i| match i {
                Ix::Affine(a) => Ix::Affine(Affine {
                    coefs: crate::ir::build::without(&a.coefs, &axes),
                    constant: a.constant.clone(),
                }),
                Ix::Data(_) => unreachable!("all components are affine"),
            })
            .collect();
        let src = s.op(Elem::Real, &shape, None, Op::Reduce { op, src, axes });
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
