//! Rules about reading: index maps are composed until only one stands between a read and what is
//! read. A write of every element is what it writes.

use super::inverse::is_injective;
use super::scatter::is_whole;
use super::{Rewrite, Rule, Simplifier, all_affine};
use crate::ir::bulk::{Affine, Eq, Ix, Op, Part, Var};
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Lit, Size};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "read-all",
        apply: read_all,
    },
    Rule {
        name: "write-all",
        apply: write_all,
    },
    Rule {
        name: "write-back",
        apply: write_back,
    },
    Rule {
        name: "write-of-kept",
        apply: write_of_kept,
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
        name: "read-of-copy",
        apply: read_of_copy,
    },
    Rule {
        name: "read-of-chosen",
        apply: read_of_chosen,
    },
    Rule {
        name: "read-of-map",
        apply: read_of_map,
    },
    Rule {
        name: "read-of-sum",
        apply: read_of_sum,
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

/// `x with y at [i, j, ..]  =  y` where y has the shape of x and no condition
fn write_all(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Update { part, when, .. } = &eq.op else {
        return None;
    };
    let is_all = is_whole(s, part, &eq.ty.shape);
    let is_unconditional = when.is_none() && s.out.guard(part.src).is_none();
    (is_all && is_unconditional).then_some(Rewrite::Var(part.src))
}

/// `x with [c] x[i] at i where c  =  x`; something else uses the read, so that an index outside is
/// seen
fn write_back(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Update {
        src, part, when, ..
    } = &eq.op
    else {
        return None;
    };
    let read = s.out.eq(part.src)?;
    let Op::Gather { src: of, index } = &read.op else {
        return None;
    };
    let is_back = of == src
        && read.guard == *when
        && s.is_same_place(index, &part.index)
        && !s.used_once(part.src);
    is_back.then_some(Rewrite::Var(*src))
}

/// `x with select(c, y, x[i]) at i  =  x with y at i where c`, where c bounds positions, so that
/// only the part of a row that changes is visited;
/// `x with select(c, y, (x with z at i)[i]) at i  =  (x with z at i) with y at i where c`;
/// the first also where the update has a condition, which is the guard of the choice
fn write_of_kept(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Update {
        src,
        part,
        when,
        marks,
    } = &eq.op
    else {
        return None;
    };
    let chosen = s.out.eq(part.src)?;
    let &Op::Map(Prim::Select, ref args) = &chosen.op else {
        return None;
    };
    let (c, new, kept) = (args[0], args[1], args[2]);
    if chosen.guard.is_some() && chosen.guard != *when {
        return None;
    }
    let given: Vec<Var> = when.iter().flat_map(|g| s.members(*g)).collect();
    let mut conditions = s.members(c);
    conditions.retain(|m| !given.contains(m));
    let bounds = |m: &Var| !s.not_negative(*m).is_empty();
    if conditions.is_empty() || !conditions.iter().all(bounds) {
        return None;
    }
    let read = s.out.eq(kept)?;
    let Op::Gather { src: of, index } = &read.op else {
        return None;
    };
    // What was written to the same place before is not written again. Where a condition of the
    // update does not hold, it would not be there.
    if of != src && when.is_some() {
        return None;
    }
    let mut first = *of;
    while first != *src {
        let Op::Update { src, part: p, .. } = &s.out.eq(first)?.op else {
            return None;
        };
        if !s.is_same_place(&p.index, &part.index) || s.out.shape(p.src) != s.out.shape(part.src) {
            return None;
        }
        first = *src;
    }
    let is_there = |m: &Var| {
        let is_only = |only: &[Var]| matches!(only, [only] if s.is_not(*m, *only));
        given.contains(m) || s.is_not(*m, c) || is_only(&conditions)
    };
    let is_kept = s.is_same_place(index, &part.index)
        && (read.guard).is_none_or(|g| is_there(&g) || s.members(g).iter().all(is_there));
    if !is_kept {
        return None;
    }
    let op = Op::Update {
        src: *of,
        part: Part {
            src: new,
            index: part.index.clone(),
        },
        marks: *marks,
        when: s.both(*when, Some(c)),
    };
    Some(Rewrite::Eq(Eq { op, ..eq.clone() }))
}

/// `x[.., d[p], ..]  =  x[.., a(p), ..]` where the index array d is an affine function of the
/// position, and the read is guarded or its bounds can be demanded on entry
fn data_is_affine(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let fix = |s: &mut Simplifier, index: &[Ix], domain: &[Size], of: &[Size], guarded: bool| {
        let mut changed = false;
        let index: Vec<Ix> = (index.iter().zip(of))
            .map(|(i, n)| match i {
                Ix::Data(v) => match s.affine(*v) {
                    Some(a) if guarded || s.demand_inside(&a, domain, n) => {
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
                if s.is_nothing(p.src) {
                    continue;
                }
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
        | Op::Update { .. }
        | Op::Call { .. }
        | Op::Loop { .. }
        | Op::Contract { .. }
        | Op::Copy(_)
        | Op::Stop(_) => return None,
    };
    Some(Rewrite::Eq(Eq { op, ..eq.clone() }))
}

/// Whether dropping the read loses no bounds failure: each component of the map is affine, and
/// either not guarded (then its bounds were demanded on entry) or inside the array for sure, or it
/// is the position of an extremum along that axis.
fn safe_to_drop(s: &Simplifier, eq: &Eq, index: &[Ix], of: &[Size]) -> bool {
    index.iter().zip(of).all(|(i, n)| {
        let demanded = matches!(i, Ix::Affine(_)) && eq.guard.is_none();
        demanded || s.known_inside(i, &eq.ty.shape, eq.guard, n)
    })
}

/// `([h] fill c)[index]  =  [h[index]] fill c`, where the read loses no bounds failure
fn read_of_fill(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Gather { src, index } = &eq.op else {
        return None;
    };
    let inner = s.out.eq(*src)?.clone();
    let Op::Fill(lit) = inner.op else {
        return None;
    };
    let of = &inner.ty.shape;
    if inner.guard.is_some() && is_tangled(eq, of, index) || !safe_to_drop(s, eq, index, of) {
        return None;
    }
    Some(Rewrite::Eq(Eq {
        guard: through(s, inner.guard, index, eq),
        op: Op::Fill(lit),
        ..eq.clone()
    }))
}

/// `(index a)[b]  =  index (a after b)`, where the read loses no bounds failure
fn read_of_index(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Gather { src, index } = &eq.op else {
        return None;
    };
    let Some(Op::Index(a)) = s.plain(*src) else {
        return None;
    };
    if !safe_to_drop(s, eq, index, &s.out.ty(*src).shape) {
        return None;
    }
    let a = a.clone();
    Some(match s.through(&a, index, &eq.ty.shape, eq.guard) {
        Ix::Affine(a) => Rewrite::Eq(Eq {
            op: Op::Index(a),
            ..eq.clone()
        }),
        Ix::Data(v) => s.same(v, eq.guard),
    })
}

/// `p(a, b, ..)[index]  =  p(a[index], b[index], ..)` where p costs nothing and its operands are
/// positions or literals, or p joins truth values, and the read loses no bounds failure: what is
/// known about positions is known in the smallest index space.
fn read_of_free(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Gather { src, index } = &eq.op else {
        return None;
    };
    let Some(Op::Map(p, args)) = s.plain(*src).cloned() else {
        return None;
    };
    if !safe_to_drop(s, eq, index, &s.out.ty(*src).shape) {
        return None;
    }
    let to: Vec<Affine> = all_affine(index)?.into_iter().cloned().collect();
    if let Some(v) = s.moved(*src, &to, &eq.ty.shape) {
        return Some(s.same(v, eq.guard));
    }
    let positions = |v: &Var| matches!(s.plain(*v), Some(Op::Index(_) | Op::Fill(_)));
    let joins = matches!(p, Prim::And | Prim::Or | Prim::Not);
    if !joins && (p.cost() > 0 || !args.iter().all(positions)) {
        return None;
    }
    let args = (args.iter())
        .map(|&v| match s.moved(v, &to, &eq.ty.shape) {
            Some(v) => v,
            None => s.gather(v, index.clone(), &eq.ty.shape, eq.guard),
        })
        .collect();
    Some(Rewrite::Eq(Eq {
        op: Op::Map(p, args),
        ..eq.clone()
    }))
}

/// Whether indices are a selection, or one that is repeated.
fn is_selection(s: &Simplifier, d: Var) -> bool {
    let op = |v: Var| s.out.eq(v).map(|eq| &eq.op);
    match op(d) {
        Some(Op::Gather { src, .. }) => matches!(op(*src), Some(Op::Map(Prim::Select, _))),
        op => matches!(op, Some(Op::Map(Prim::Select, _))),
    }
}

/// `([h] x[a])[b]  =  [h[b]] x[a after b]`.
///
/// A data-dependent component of b must pass through a as it is, along an axis that a reads in
/// full, so that it is still checked against the same length; a guarded b must be inside for sure.
fn read_of_read(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Gather { src: mid, index: b } = &eq.op else {
        return None;
    };
    let inner = s.out.eq(*mid)?.clone();
    let Op::Gather { src, index: a } = &inner.op else {
        return None;
    };
    if is_tangled(eq, &inner.ty.shape, b) && !is_guarded_alike(s, inner.guard, b, eq) {
        return None;
    }
    // Rows at selected indices are repeated as they are: fusion may copy them once.
    let is_selected = |i: &Ix| matches!(i, Ix::Data(d) if is_selection(s, *d));
    if eq.ty.rank() > inner.ty.rank() && inner.ty.rank() > 1 && a.iter().any(is_selected) {
        return None;
    }
    let mid_shape = &inner.ty.shape;
    let src_shape = s.out.shape(*src);
    let rank = eq.ty.rank();
    // Axes of the middle array that are read at data.
    let mut by_data = vec![];
    for (k, i) in b.iter().enumerate() {
        match i {
            Ix::Data(_) => by_data.push(k),
            Ix::Affine(x) => {
                if eq.guard.is_some() && !s.inside(x, &eq.ty.shape, eq.guard, &mid_shape[k]) {
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
                    Some(&k) if x.as_axis() == Some(k) && mid_shape[k] == *n => {
                        passed.push(k);
                        index.push(b[k].clone());
                    }
                    Some(_) => return None,
                }
            }
            Ix::Data(_) => index.push(i.clone()),
        }
    }
    // Each data-dependent component must still be checked somewhere, unless it is inside for sure.
    let lost = |k: &&usize| !passed.contains(*k);
    if (by_data.iter().filter(lost))
        .any(|&k| !s.known_inside(&b[k], &eq.ty.shape, eq.guard, &mid_shape[k]))
    {
        return None;
    }
    let index = (index.into_iter().zip(a))
        .map(|(new, old)| match old {
            Ix::Affine(_) => new,
            Ix::Data(d) => Ix::Data(s.gather(*d, b.clone(), &eq.ty.shape, eq.guard)),
        })
        .collect();
    let guard = through(s, inner.guard, b, eq);
    Some(Rewrite::Eq(Eq {
        ty: eq.ty.clone(),
        guard,
        op: Op::Gather { src: *src, index },
    }))
}

/// `([h] copy x)[index]  =  [h[index]] x[index]`, where the read loses no bounds failure
fn read_of_copy(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Gather { src, index } = &eq.op else {
        return None;
    };
    let inner = s.out.eq(*src)?.clone();
    let Op::Copy(x) = inner.op else { return None };
    if is_tangled(eq, &inner.ty.shape, index) || !safe_to_drop(s, eq, index, &inner.ty.shape) {
        return None;
    }
    Some(Rewrite::Eq(Eq {
        ty: eq.ty.clone(),
        guard: through(s, inner.guard, index, eq),
        op: Op::Gather {
            src: x,
            index: index.clone(),
        },
    }))
}

/// `([h] select(c, a, b))[I]  =  [h[I]] a[I]` where c holds at all I, and `[h[I]] b[I]` where it
/// holds at none: a list written as `[a, b]` is such a selection, and its elements are read one by
/// one. The read loses no bounds failure.
fn read_of_chosen(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Gather { src, index } = &eq.op else {
        return None;
    };
    let inner = s.out.eq(*src)?.clone();
    let Op::Map(Prim::Select, args) = &inner.op else {
        return None;
    };
    let [c, a, b] = args[..] else { return None };
    if is_tangled(eq, &inner.ty.shape, index) || !safe_to_drop(s, eq, index, &inner.ty.shape) {
        return None;
    }
    let to: Vec<Affine> = all_affine(index)?.into_iter().cloned().collect();
    let holds = match s.moved(c, &to, &eq.ty.shape) {
        Some(moved) => moved,
        None => s.gather(c, index.clone(), &eq.ty.shape, eq.guard),
    };
    let Lit::Bool(holds) = s.lit(holds)? else {
        return None;
    };
    Some(Rewrite::Eq(Eq {
        ty: eq.ty.clone(),
        guard: through(s, inner.guard, index, eq),
        op: Op::Gather {
            src: if holds { a } else { b },
            index: index.clone(),
        },
    }))
}

/// Whether a read of a truth value or an index relies on a guard for its bounds. Composing such
/// reads with what they read would ask for guards of guards of guards.
fn is_tangled(eq: &Eq, of: &[Size], index: &[Ix]) -> bool {
    let inside = |(i, n): (&Ix, &Size)| match i {
        Ix::Affine(a) => a.inside(&eq.ty.shape, n),
        Ix::Data(_) => false,
    };
    eq.ty.elem != Elem::Real && eq.guard.is_some() && !index.iter().zip(of).all(inside)
}

/// Whether the guard of a read implies the guard `h` of what is read, at the places of the read.
fn is_guarded_alike(s: &mut Simplifier, h: Option<Var>, index: &[Ix], eq: &Eq) -> bool {
    let (Some(h), Some(g)) = (h, eq.guard) else {
        return h.is_none();
    };
    let to = all_affine(index).map(|i| i.into_iter().cloned().collect::<Vec<_>>());
    let there = to.and_then(|to| s.moved(h, &to, &eq.ty.shape));
    there.is_some_and(|h| s.is_implied(h, &[g]))
}

/// The guard of a read of what is guarded by `h`.
fn through(s: &mut Simplifier, h: Option<Var>, index: &[Ix], eq: &Eq) -> Option<Var> {
    let h = h.and_then(|h| s.guard_at(h, index, eq, true));
    s.both(eq.guard, h)
}

/// Whether a read meets no element twice.
fn meets_none_twice(s: &Simplifier, index: &[Ix], domain: &[Size], src: Var) -> bool {
    all_affine(index).is_some_and(|index| is_injective(&index, domain, &s.out.ty(src).shape))
}

/// `([h] p(a, b, ..))[index]  =  [h[index]] p(a[index], b[index], ..)` where nothing else uses what
/// is read and no element is read twice, or p costs nothing: only what is needed is computed. The
/// read must lose no bounds failure.
fn read_of_map(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Gather { src, index } = &eq.op else {
        return None;
    };
    let inner = s.out.eq(*src)?.clone();
    let Op::Map(p, args) = &inner.op else {
        return None;
    };
    if is_tangled(eq, &inner.ty.shape, index)
        || !s.used_once(*src)
        || !meets_none_twice(s, index, &eq.ty.shape, *src)
        || !safe_to_drop(s, eq, index, &inner.ty.shape)
    {
        return None;
    }
    let guard = through(s, inner.guard, index, eq);
    // Under the guard of the read alone: what stands under the same guard is the same read.
    let args = (args.iter())
        .map(|&a| s.gather(a, index.clone(), &eq.ty.shape, eq.guard))
        .collect();
    Some(Rewrite::Eq(Eq {
        ty: eq.ty.clone(),
        guard,
        op: Op::Map(*p, args),
    }))
}

/// `([h] Σ_k x)[index]  =  [h[index]] Σ_k x[index, k]`, and the same for the other reductions,
/// where nothing else uses what is read, no element is read twice, and some are not read: an axis
/// is missing
fn read_of_sum(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Gather { src, index } = &eq.op else {
        return None;
    };
    let inner = s.out.eq(*src)?.clone();
    let Op::Reduce { op, src: x, axes } = &inner.op else {
        return None;
    };
    let outer = eq.ty.rank();
    if outer >= inner.ty.rank()
        || !s.used_once(*src)
        || !meets_none_twice(s, index, &eq.ty.shape, *src)
        || !safe_to_drop(s, eq, index, &inner.ty.shape)
    {
        return None;
    }
    let guard = through(s, inner.guard, index, eq);
    // The loops of the reduction become the last axes.
    let of = s.out.shape(*x);
    let shape: Vec<Size> = (eq.ty.shape.iter().cloned())
        .chain(axes.iter().map(|&k| of[k].clone()))
        .collect();
    let (mut read, mut reduced) = (index.iter(), outer..);
    let index = (0..of.len())
        .map(|k| {
            if axes.contains(&k) {
                return reduced
                    .next()
                    .map(|k| Ix::Affine(Affine::axis(shape.len(), k)));
            }
            match read.next()? {
                Ix::Affine(a) => {
                    let mut a = a.clone();
                    a.coefs.resize(shape.len(), Size::lit(0));
                    Some(Ix::Affine(a))
                }
                Ix::Data(_) => None,
            }
        })
        .collect::<Option<Vec<Ix>>>()?;
    let inner_guard = eq.guard.map(|g| {
        let same = (0..outer)
            .map(|k| Ix::Affine(Affine::axis(shape.len(), k)))
            .collect();
        s.gather(g, same, &shape, None)
    });
    let (op, src) = (*op, s.gather(*x, index, &shape, inner_guard));
    Some(Rewrite::Eq(Eq {
        ty: eq.ty.clone(),
        guard,
        op: Op::Reduce {
            op,
            src,
            axes: (outer..shape.len()).collect(),
        },
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
