//! Rules about reading from contractions: only the elements that are read are computed.

use super::inverse::is_injective;
use super::{Rewrite, Rule, Simplifier, all_affine};
use crate::ir::bulk::{Affine, Eq, Ix, Op};
use crate::ir::core::ReduceOp;
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Size};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "permuted-contract",
        apply: permuted_contract,
    },
    Rule {
        name: "read-of-contract",
        apply: read_of_contract,
    },
];

/// `(contract a, b)[σ]  =  contract a, b` with the axes of its result permuted by σ, where nothing
/// else uses it
fn permuted_contract(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Gather { src, index } = &eq.op else {
        return None;
    };
    let (inner, guard) = s.uniform(*src)?;
    if !matches!(inner.op, Op::Contract { .. }) || !s.used_once(*src) {
        return None;
    }
    let shape = &eq.ty.shape;
    let axes: Vec<usize> = (all_affine(index)?.iter())
        .map(|a| a.as_axis())
        .collect::<Option<_>>()?;
    let all = (0..shape.len()).all(|k| axes.contains(&k)) && axes.len() == shape.len();
    if !all
        || !axes
            .iter()
            .zip(&inner.ty.shape)
            .all(|(&k, n)| shape[k] == *n)
    {
        return None;
    }
    let mut p = s.product(&inner)?;
    let place = |k: usize| axes.iter().position(|&x| x == k).expect("all occur");
    p.out = (0..shape.len()).map(|k| p.out[place(k)]).collect();
    let guard = s.elsewhere(guard, shape);
    let guard = s.both(eq.guard, guard);
    Some(Rewrite::Eq(s.contraction(p, guard)))
}

/// `(contract a, b)[index]  =  Σ a[index, ..] · b[index, ..]` where nothing else uses the
/// contraction, no element is read twice, and some are not read: an axis is missing, as in a
/// diagonal or a row. The sum of the product is a contraction again if it can be one.
fn read_of_contract(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Gather { src, index } = &eq.op else {
        return None;
    };
    let (inner, guard) = s.uniform(*src)?;
    let (outer, maps) = (eq.ty.rank(), all_affine(index)?);
    if !matches!(inner.op, Op::Contract { .. })
        || outer >= inner.ty.rank()
        || eq.guard.is_some()
        || !s.used_once(*src)
        || !is_injective(&maps, &eq.ty.shape, &inner.ty.shape)
    {
        return None;
    }
    let p = s.product(&inner)?;
    // The summed labels become the last axes.
    let summed: Vec<u8> = (p.labels().into_iter())
        .filter(|l| !p.out.contains(l))
        .collect();
    let space: Vec<Size> = (eq.ty.shape.iter().cloned())
        .chain(summed.iter().map(|&l| s.length(&p, l)))
        .collect();
    let place = |l: u8| match p.out.iter().position(|&o| o == l) {
        Some(k) => {
            let mut a = maps[k].clone();
            a.coefs.resize(space.len(), Size::lit(0));
            a
        }
        None => {
            let k = summed
                .iter()
                .position(|&x| x == l)
                .expect("not in the result");
            Affine::axis(space.len(), outer + k)
        }
    };
    let args = [&p.a, &p.b].map(|f| {
        let index: Vec<Ix> = f.axes.iter().map(|&l| Ix::Affine(place(l))).collect();
        s.gather(f.v, index, &space, None)
    });
    let product = s.map(Prim::Mul, &args, None);
    let (op, axes) = (ReduceOp::Sum, (outer..space.len()).collect());
    let src = product;
    debug_assert_eq!(eq.ty.elem, Elem::Real);
    Some(Rewrite::Eq(Eq {
        ty: eq.ty.clone(),
        guard: s.elsewhere(guard, &eq.ty.shape),
        op: Op::Reduce { op, src, axes },
    }))
}
