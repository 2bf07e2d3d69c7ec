//! Rules about reading: index maps are composed until only one stands between a read and what is read.

use super::{Rewrite, Rule, Simplifier, all_affine};
use crate::ir::bulk::{Affine, Eq, Ix, Op};
use crate::ir::ty::Size;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "read-all",
        apply: read_all,
    },
    Rule {
        name: "data-is-affine",
        apply: data_is_affine,
    },
    Rule {
        name: "read-of-fill",
        apply: read_of_fill,
    },
    Rule {
        name: "read-of-index",
        apply: read_of_index,
    },
    Rule {
        name: "read-of-free",
        apply: read_of_free,
    },
    Rule {
        name: "read-of-read",
        apply: read_of_read,
    },
    Rule {
        name: "constant-index",
        apply: constant_index,
    },
];

/// `x[i, j, ..]  =  x` where the result has the shape of x
fn read_all(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Gather { src, index } = &eq.op else {
        return None;
    };
    let same = s.out.ty(*src).shape == eq.ty.shape
        && (all_affine(index)?.iter().enumerate()).all(|(k, a)| a.as_axis() == Some(k));
    same.then(|| s.same(*src, eq.guard))
}

/// `x[.., d[p], ..]  =  x[.., a(p), ..]` where the index array d is an affine function of the
/// position, and the read is guarded or its bounds can be demanded on entry
fn data_is_affine(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let fix = |s: &mut Simplifier, index: &[Ix], domain: &[Size], of: &[Size], guarded: bool| {
        let mut changed = false;
        let index: Vec<Ix> = (index.iter().zip(of))
            .map(|(i, n)| match i {
                Ix::Data(v) => match s.affine(*v) {
                    Some(a) if guarded || s.out.demand_inside(&a, domain, n) => {
                        changed = true;
                        Ix::Affine(a)
                    }
                    Some(_) | None => i.clone(),
                },
                Ix::Affine(_) => i.clone(),
            })
            .collect();
        changed.then_some(index)
    };
    let op = match &eq.op {
        Op::Gather { src, index } => {
            let of = s.out.shape(*src);
            Op::Gather {
                src: *src,
                index: fix(s, index, &eq.ty.shape, &of, eq.guard.is_some())?,
            }
        }
        Op::Scatter(parts) => {
            let mut changed = false;
            let mut parts = parts.clone();
            for p in &mut parts {
                let (domain, guard) = (s.out.shape(p.src), s.out.guard(p.src));
                if let Some(index) = fix(s, &p.index, &domain, &eq.ty.shape, guard.is_some()) {
                    p.index = index;
                    changed = true;
                }
            }
            if !changed {
                return None;
            }
            Op::Scatter(parts)
        }
        Op::Fill(_)
        | Op::Index(_)
        | Op::Map(..)
        | Op::Reduce { .. }
        | Op::ArgReduce { .. }
        | Op::Recur { .. }
        | Op::Contract { .. }
        | Op::Copy(_)
        | Op::Stop(_) => return None,
    };
    Some(Rewrite::Eq(Eq { op, ..eq.clone() }))
}

/// Whether dropping the read loses no bounds failure: the map is affine, and either not guarded (then
/// its bounds were demanded on entry) or inside the array for sure.
fn safe_to_drop(eq: &Eq, index: &[Ix], of: &[Size]) -> bool {
    let Some(index) = all_affine(index) else {
        return false;
    };
    eq.guard.is_none() || (index.iter().zip(of)).all(|(a, n)| a.inside(&eq.ty.shape, n))
}

/// `(fill c)[index]  =  fill c`, where the read loses no bounds failure
fn read_of_fill(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Gather { src, index } = &eq.op else {
        return None;
    };
    let lit = s.lit(*src)?;
    safe_to_drop(eq, index, &s.out.ty(*src).shape).then(|| {
        Rewrite::Eq(Eq {
            op: Op::Fill(lit),
            ..eq.clone()
        })
    })
}

/// `(index a)[b]  =  index (a after b)`, where the read loses no bounds failure
fn read_of_index(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Gather { src, index } = &eq.op else {
        return None;
    };
    let Some(Op::Index(a)) = s.plain(*src) else {
        return None;
    };
    if !safe_to_drop(eq, index, &s.out.ty(*src).shape) {
        return None;
    }
    let inner: Vec<Affine> = all_affine(index)?.into_iter().cloned().collect();
    let op = Op::Index(a.compose(&inner, eq.ty.rank()));
    Some(Rewrite::Eq(Eq { op, ..eq.clone() }))
}

/// `p(a, b, ..)[index]  =  p(a[index], b[index], ..)` where p costs nothing and its operands are
/// positions or literals, and the read loses no bounds failure: what is known about positions is
/// known in the smallest index space.
fn read_of_free(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Gather { src, index } = &eq.op else {
        return None;
    };
    let Some(Op::Map(p, args)) = s.plain(*src).cloned() else {
        return None;
    };
    let known = |v| matches!(s.plain(v), Some(Op::Index(_) | Op::Fill(_)));
    if p.cost() > 0
        || !args.iter().all(|&v| known(v))
        || !safe_to_drop(eq, index, &s.out.ty(*src).shape)
    {
        return None;
    }
    let args = (args.iter())
        .map(|&v| s.gather(v, index.clone(), &eq.ty.shape, None))
        .collect();
    Some(Rewrite::Eq(Eq {
        op: Op::Map(p, args),
        ..eq.clone()
    }))
}

/// `([h] x[a])[b]  =  [h[b]] x[a after b]`.
///
/// A data-dependent component of b must pass through a as it is, along an axis that a reads in full,
/// so that it is still checked against the same length; a guarded b must be inside for sure.
fn read_of_read(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Gather { src: mid, index: b } = &eq.op else {
        return None;
    };
    let inner = s.out.eq(*mid)?.clone();
    let Op::Gather { src, index: a } = &inner.op else {
        return None;
    };
    let mid_shape = &inner.ty.shape;
    let src_shape = s.out.shape(*src);
    let rank = eq.ty.rank();
    // Axes of the middle array that are read at data.
    let mut by_data = vec![];
    for (k, i) in b.iter().enumerate() {
        match i {
            Ix::Data(_) => by_data.push(k),
            Ix::Affine(x) => {
                if eq.guard.is_some() && !x.inside(&eq.ty.shape, &mid_shape[k]) {
                    return None;
                }
            }
        }
    }
    let affine_b: Vec<Affine> = (b.iter())
        .map(|i| match i {
            Ix::Affine(x) => x.clone(),
            Ix::Data(_) => Affine::constant(rank, Size::lit(0)),
        })
        .collect();
    let mut passed = vec![];
    let mut index = vec![];
    for (i, n) in a.iter().zip(&src_shape) {
        match i {
            Ix::Affine(x) => {
                let touched = by_data.iter().find(|&&k| !x.coefs[k].is(0));
                match touched {
                    None => index.push(Ix::Affine(x.compose(&affine_b, rank))),
                    Some(&k) => {
                        if x.as_axis() != Some(k) || mid_shape[k] != *n {
                            return None;
                        }
                        passed.push(k);
                        index.push(b[k].clone());
                    }
                }
            }
            Ix::Data(_) => index.push(i.clone()),
        }
    }
    // Each data-dependent component must still be checked somewhere.
    if by_data.iter().any(|k| !passed.contains(k)) {
        return None;
    }
    let index = (index.into_iter().zip(a))
        .map(|(new, old)| match old {
            Ix::Affine(_) => new,
            Ix::Data(d) => Ix::Data(s.gather(*d, b.clone(), &eq.ty.shape, eq.guard)),
        })
        .collect();
    let through = inner
        .guard
        .map(|h| s.gather(h, b.clone(), &eq.ty.shape, eq.guard));
    let guard = s.both(eq.guard, through);
    Some(Rewrite::Eq(Eq {
        ty: eq.ty.clone(),
        guard,
        op: Op::Gather { src: *src, index },
    }))
}

/// `index k  =  fill k` for a literal k
fn constant_index(_: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Index(a) = &eq.op else { return None };
    let k = a.constant.as_lit().filter(|_| a.is_constant())?;
    Some(Rewrite::Eq(Eq {
        op: Op::Fill(crate::ir::ty::Lit::Int(k)),
        ..eq.clone()
    }))
}
