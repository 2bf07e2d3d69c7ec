//! Rules about matrices in flat lists: position p is in row p / m, and there in column p % m.

use super::{Rewrite, Rule, Simplifier};
use crate::ir::bulk::{Affine, Eq, Ix, Op, Part};
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Size};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "row-of-position",
        apply: row_of_position,
    },
    Rule {
        name: "scatter-of-list",
        apply: scatter_of_list,
    },
];

/// `(q m + r) / m  =  q`, `(q m + r) % m  =  r`, for q at least 0 and 0 ≤ r < m
fn row_of_position(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Map(prim @ (Prim::IDiv | Prim::IRem), args) = &eq.op else {
        return None;
    };
    let (a, m) = (s.affine(args[0])?, s.affine(args[1])?);
    let (m, shape) = (Some(&m.constant).filter(|_| m.is_constant())?, &eq.ty.shape);
    let divided = a.coefs.iter().map(|c| c.divided_by(m));
    let (q, r): (Vec<Size>, Vec<Size>) = divided.unzip();
    let (constant_q, constant_r) = a.constant.divided_by(m);
    let affine = |coefs, constant| Affine { coefs, constant };
    let (q, r) = (affine(q, constant_q), affine(r, constant_r));
    let (lowest, _) = q.range(shape)?;
    if !lowest.at_least_given(0, shape) || !r.inside(shape, m) {
        return None;
    }
    let is = if *prim == Prim::IDiv { q } else { r };
    let v = s.op(Elem::Int, shape, None, Op::Index(is));
    Some(s.same(v, eq.guard))
}

/// `scatter v[p / m, p % m] + rest  =  v[m i + j] + scatter rest` into n rows of m, for p below n m
fn scatter_of_list(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Scatter(parts) = &eq.op else {
        return None;
    };
    let ([n, m], None) = (&eq.ty.shape[..], eq.guard) else {
        return None;
    };
    let is_list = |s: &Simplifier, p: &Part| {
        let shape = s.out.shape(p.src);
        let ([length], [Ix::Data(row), Ix::Data(column)]) = (&shape[..], &p.index[..]) else {
            return false;
        };
        let of = |v, prim| match s.applied(v, prim) {
            Some(&[p, by]) => {
                let by = s
                    .affine(by)
                    .filter(|by| by.is_constant() && by.constant == *m);
                by.is_some() && s.affine(p).is_some_and(|p| p.as_axis() == Some(0))
            }
            _ => false,
        };
        *length == n.mul(m) && of(*row, Prim::IDiv) && of(*column, Prim::IRem)
    };
    let k = parts.iter().position(|p| is_list(s, p))?;
    let position = Affine {
        coefs: vec![m.clone(), Size::lit(1)],
        constant: Size::lit(0),
    };
    let src = s.gather(parts[k].src, vec![Ix::Affine(position)], &eq.ty.shape, None);
    if parts.len() == 1 {
        return Some(Rewrite::Var(src));
    }
    let mut parts = parts.clone();
    parts[k] = Part {
        src,
        index: Ix::identity(2),
    };
    Some(Rewrite::Eq(Eq {
        op: Op::Scatter(parts),
        ..eq.clone()
    }))
}
