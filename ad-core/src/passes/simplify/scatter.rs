//! Rules that turn scatters, the transposes of reads, into reads and reductions where the index map
//! can be inverted.

use super::inverse::invert;
use super::sparse::is_at_extrema;
use super::sums::{is_repeated, narrowed};
use super::{Rewrite, Rule, Simplifier, all_affine};
use crate::ir::build::without;
use crate::ir::bulk::{Affine, Eq, Ix, Op, Part, Var};
use crate::ir::core::ReduceOp;
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Lit, Size};
use std::collections::HashMap;

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
        name: "scatter-along-repeated",
        apply: scatter_along_repeated,
    },
    Rule {
        name: "scatter-inverted",
        apply: scatter_inverted,
    },
    Rule {
        name: "scatter-of-halves",
        apply: scatter_of_halves,
    },
    Rule {
        name: "scatter-into-cleared",
        apply: scatter_into_cleared,
    },
    Rule {
        name: "scatter-merged",
        apply: scatter_merged,
    },
    Rule {
        name: "scatter-of-wholes",
        apply: scatter_of_wholes,
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
/// the index is inside for sure. A guarded v stays as it is, unless its guard and what is demanded
/// on entry put the index inside. The sum is guarded then, too, by what v's guard says of lengths;
/// or where the place depends on more than that, what is scattered is, by the bounds of the index.
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
        // What has been demanded holds if there is something to add.
        let facts = s.facts(s.out.guard(p.src));
        let demanded = |facts: &[Affine]| {
            all_affine(&p.index).is_some_and(|index| {
                (index.iter().zip(&eq.ty.shape))
                    .all(|(a, n)| s.is_demanded_inside(a, &whole, facts, n))
            })
        };
        let picks = |f: &Affine| axes.iter().any(|&k| !f.coefs[k].is(0));
        let is_guarded = s.out.guard(p.src).is_some();
        // A guard that picks single positions is better met by rules about brackets.
        let picks_one = |m: &Var| {
            let equals = matches!(s.plain(*m), Some(Op::Map(Prim::IEq | Prim::INe, _)));
            equals && s.not_negative(*m).iter().any(picks)
        };
        let has_one = |g| s.members(g).iter().any(picks_one);
        let is_met_otherwise = || s.out.guard(p.src).is_some_and(has_one) || !demanded(&facts);
        if !inside && is_guarded && is_met_otherwise() {
            out.push(p.clone());
            continue;
        }
        changed = true;
        let of_lengths = s.facts_of_lengths(s.out.guard(p.src));
        let (mut runs, mut fits) = (None, None);
        if inside {
            // Nothing is to be said.
        } else if is_guarded && (facts.iter().any(picks) || !demanded(&of_lengths)) {
            for (i, n) in p.index.iter().zip(&eq.ty.shape) {
                if let Ix::Affine(a) = i {
                    let holds = s.bounds(&a.without(&axes), &shape, n);
                    fits = s.both(fits, holds);
                }
            }
        } else {
            let positive: Vec<Size> = (of_lengths.iter()).map(|f| f.constant.plus(1)).collect();
            let along = axes.iter().map(|&k| &whole[k]);
            runs = s.not_empty(along.chain(&positive), &shape);
        }
        let (op, src) = (ReduceOp::Sum, p.src);
        let index: Vec<Ix> = (p.index.iter())
            .map(|i| match i {
                Ix::Affine(a) => Ix::Affine(a.without(&axes)),
                Ix::Data(_) => unreachable!("all components are affine"),
            })
            .collect();
        let mut src = s.op(Elem::Real, &shape, runs, Op::Reduce { op, src, axes });
        if fits.is_some() {
            src = s.op(Elem::Real, &shape, fits, Op::Copy(src));
        }
        out.push(Part { src, index });
    }
    changed.then(|| {
        Rewrite::Eq(Eq {
            op: Op::Scatter(out),
            ..eq.clone()
        })
    })
}

/// `scatter v[I, i_k]  =  ([i_t < n] scatter ([n > 0] v')[I])[..]` where v and the indices from data
/// in I are repeated along axis k of length n, which is component t of the index: v' is v without
/// that axis, and so is the result, which is repeated along axis t. The index is inside along t for
/// sure, or by a demand on entry. Sources with fewer axes than the result stay sparse.
fn scatter_along_repeated(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Scatter(parts) = &eq.op else {
        return None;
    };
    let [p] = &parts[..] else {
        return None;
    };
    let (domain, target) = (s.out.shape(p.src), &eq.ty.shape);
    let from_data = p.index.iter().any(|i| matches!(i, Ix::Data(_)));
    if eq.guard.is_some() || !from_data || domain.len() < target.len() {
        return None;
    }
    let of_lengths = s.facts_of_lengths(s.out.guard(p.src));
    let is_free = |(k, t): &(usize, usize)| {
        let along = Affine::axis(domain.len(), *k);
        let is_inside = along.inside(&domain, &target[*t])
            || s.is_demanded_inside(&along, &domain, &of_lengths, &target[*t]);
        let mut seen = vec![];
        let others = p.index.iter().enumerate().filter(|(j, _)| j != t);
        is_inside
            && is_repeated(s, p.src, *k, &mut seen)
            && others.into_iter().all(|(_, i)| match i {
                Ix::Affine(a) => a.coefs[*k].is(0),
                Ix::Data(d) => is_repeated(s, *d, *k, &mut seen),
            })
    };
    let axes = (p.index.iter().enumerate()).filter_map(|(t, i)| match i {
        Ix::Affine(a) => Some((a.as_axis()?, t)),
        Ix::Data(_) => None,
    });
    let (k, t) = axes.into_iter().find(is_free)?;
    let mut known = HashMap::new();
    let mut src = narrowed(s, p.src, &[k], &mut known);
    let own = s.out.guard(src);
    let small = without(&domain, &[k]);
    let some = s.not_empty(domain[k..=k].iter(), &small);
    let guard = s.both(own, some);
    if guard != own {
        src = s.op(Elem::Real, &small, guard, Op::Copy(src));
    }
    let others = p.index.iter().enumerate().filter(|(j, _)| *j != t);
    let index = others.map(|(_, i)| match i {
        Ix::Affine(a) => Ix::Affine(a.without(&[k])),
        Ix::Data(d) => Ix::Data(narrowed(s, *d, &[k], &mut known)),
    });
    let index = index.collect();
    let parts = vec![Part { src, index }];
    let src = s.op(Elem::Real, &without(target, &[t]), None, Op::Scatter(parts));
    let along = Affine::axis(target.len(), t);
    let guard = s.bounds(&along, target, &domain[k]);
    let mut index = Ix::identity(target.len());
    index.remove(t);
    Some(Rewrite::Eq(Eq {
        ty: eq.ty.clone(),
        guard,
        op: Op::Gather { src, index },
    }))
}

/// `scatter v[index]  =  Σ_free [index⁻¹ inside] v[index⁻¹]` for an affine index that can be
/// inverted: the gather form. The guard says which elements of the result are hit; the sum runs
/// over the axes of v that an element of the result leaves open, as for windows `i + j`. Of several
/// parts only those are changed that hit each element exactly once, or all but a few; the others
/// would be asked for at every element of the result, and are written where they go instead.
///
/// A guarded v stays as it is if its index may lie outside of the result, and so does one that
/// `scatter-of-scatter` takes.
fn scatter_inverted(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Scatter(parts) = &eq.op else {
        return None;
    };
    // Under a guard not all elements would be needed.
    if eq.guard.is_some() {
        return None;
    }
    if parts.iter().any(|p| is_at_extrema(s, p)) {
        return None;
    }
    if let [part] = &parts[..] {
        let (src, free) = gather_form(s, part, &eq.ty.shape)?;
        let (op, rank) = (ReduceOp::Sum, eq.ty.rank());
        return Some(if free == 0 {
            Rewrite::Var(src)
        } else {
            Rewrite::Eq(Eq {
                op: Op::Reduce {
                    op,
                    src,
                    axes: (rank..rank + free).collect(),
                },
                ..eq.clone()
            })
        });
    }
    let rank = eq.ty.rank();
    let mut changed = false;
    let mut out = vec![];
    for p in parts {
        match gather_form(s, p, &eq.ty.shape) {
            Some((src, 0))
                if !is_whole(s, p, &eq.ty.shape)
                    && (s.out.guard(src).is_none() || is_shift(s, p, &eq.ty.shape)) =>
            {
                changed = true;
                let index = Ix::identity(rank);
                out.push(Part { src, index });
            }
            Some(_) | None => out.push(p.clone()),
        }
    }
    changed.then(|| {
        Rewrite::Eq(Eq {
            op: Op::Scatter(out),
            ..eq.clone()
        })
    })
}

/// Whether a part adds to each element of the result the one at its position.
pub(super) fn is_whole(s: &Simplifier, p: &Part, shape: &[Size]) -> bool {
    p.index == Ix::identity(shape.len()) && s.out.ty(p.src).shape == shape
}

/// Whether a part hits all elements of the result but a few at the ends of its axes: it is moved
/// along them by constants, which are small compared to lengths that are known.
fn is_shift(s: &Simplifier, p: &Part, shape: &[Size]) -> bool {
    let domain = s.out.shape(p.src);
    let along = |(k, (a, (m, n))): (usize, (&Affine, (&Size, &Size)))| {
        let by = a.add_scaled(&Affine::axis(domain.len(), k), &Size::lit(-1));
        let small = |x: i64| n.as_lit().is_none_or(|n| x.abs().saturating_mul(4) <= n);
        let shorter = n.sub(m).as_lit().is_some_and(small);
        by.is_constant() && by.constant.as_lit().is_some_and(small) && shorter
    };
    domain.len() == shape.len()
        && all_affine(&p.index).is_some_and(|index| {
            let axes = index.into_iter().zip(domain.iter().zip(shape));
            axes.enumerate().all(along)
        })
}

/// A part of a scatter read from its result: an array over the shape of the result and then the
/// free axes, and how many of these there are.
fn gather_form(s: &mut Simplifier, part: &Part, target: &[Size]) -> Option<(Var, usize)> {
    let domain = s.out.shape(part.src);
    let map = all_affine(&part.index)?;
    let own = s.out.guard(part.src);
    let inside = |(a, n): (&&Affine, &Size)| s.inside(a, &domain, own, n);
    if own.is_some() && !map.iter().zip(target).all(inside) {
        return None;
    }
    let inverse = invert(&map, &domain, target)?;
    let space = &inverse.space;
    let mut guard = None;
    for e in &inverse.zero {
        let holds = s.equals_zero(e, space);
        guard = s.both(guard, Some(holds));
    }
    for (k, (a, n)) in inverse.index.iter().zip(&domain).enumerate() {
        if !inverse.free.contains(&k) {
            let holds = s.bounds(a, space, n);
            guard = s.both(guard, holds);
        }
    }
    let index = inverse.index.iter().cloned().map(Ix::Affine).collect();
    Some((s.gather(part.src, index, space, guard), inverse.free.len()))
}

/// `scatter ([g] copy v)[index] + ([¬g] copy v)[index]  =  scatter v[index]`: what a selection
/// changes and what it leaves go to the same places.
fn scatter_of_halves(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Scatter(parts) = &eq.op else {
        return None;
    };
    let half = |p: &Part| match s.out.eq(p.src)? {
        Eq {
            op: Op::Copy(v),
            guard: Some(g),
            ..
        } => Some((*v, *g)),
        _ => None,
    };
    let is_rest = |p: &Part, q: &Part| {
        let (Some((v, g)), Some((w, h))) = (half(p), half(q)) else {
            return false;
        };
        v == w && p.index == q.index && s.is_not(g, h)
    };
    let both = (0..parts.len()).find_map(|k| {
        let rest = (k + 1..parts.len()).find(|&l| is_rest(&parts[k], &parts[l]))?;
        Some((k, rest))
    });
    let (k, rest) = both?;
    let (v, _) = half(&parts[k])?;
    let mut parts = parts.clone();
    parts[k].src = v;
    parts.remove(rest);
    Some(Rewrite::Eq(Eq {
        op: Op::Scatter(parts),
        ..eq.clone()
    }))
}

/// `scatter (v with 0 at i where c) + ([c] w)[i] + rest  =  scatter (v with w at i where c) + rest`
fn scatter_into_cleared(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Scatter(parts) = &eq.op else {
        return None;
    };
    let (whole, fills) = (parts.iter().enumerate()).find_map(|(whole, p)| {
        let Op::Update { part, when, .. } = &s.out.eq(p.src)?.op else {
            return None;
        };
        if !is_whole(s, p, &eq.ty.shape) || s.lit(part.src) != Some(Lit::Real(0.0)) {
            return None;
        }
        let fills = (parts.iter().enumerate()).position(|(k, q)| {
            k != whole
                && s.is_same_place(&q.index, &part.index)
                && s.out.guard(q.src) == *when
                && s.out.shape(q.src) == s.out.shape(part.src)
        });
        Some((whole, fills?))
    })?;
    let mut cleared = s.out.eq(parts[whole].src)?.clone();
    if let Op::Update { part, .. } = &mut cleared.op {
        part.src = parts[fills].src;
    }
    let mut rest = parts.clone();
    rest[whole].src = s.push(cleared);
    rest.remove(fills);
    Some(Rewrite::Eq(Eq {
        op: Op::Scatter(rest),
        ..eq.clone()
    }))
}

/// `scatter v[index] + w[index]  =  scatter (v + w)[index]` for parts under the same guard: what
/// goes to the same places is added before
fn scatter_merged(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Scatter(parts) = &eq.op else {
        return None;
    };
    let mut out: Vec<Part> = vec![];
    for p in parts {
        let (shape, guard) = (s.out.shape(p.src), s.out.guard(p.src));
        let twin = out.iter_mut().find(|q| {
            q.index == p.index && s.out.ty(q.src).shape == shape && s.out.guard(q.src) == guard
        });
        match twin {
            Some(q) => q.src = s.map(Prim::Add, &[q.src, p.src], guard),
            None => out.push(p.clone()),
        }
    }
    (out.len() < parts.len()).then(|| {
        Rewrite::Eq(Eq {
            op: Op::Scatter(out),
            ..eq.clone()
        })
    })
}

/// `scatter (v, w, ..)  =  v + w + ..` where each part adds its elements at their own positions
fn scatter_of_wholes(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Scatter(parts) = &eq.op else {
        return None;
    };
    let (first, rest) = parts.split_first()?;
    if rest.is_empty() || !parts.iter().all(|p| is_whole(s, p, &eq.ty.shape)) {
        return None;
    }
    let sum = (rest.iter()).fold(first.src, |sum, p| {
        let guard = match (s.out.guard(sum), s.out.guard(p.src)) {
            (Some(g), Some(h)) if g == h => Some(g),
            (Some(g), Some(h)) => Some(s.map(Prim::Or, &[g, h], None)),
            (None, _) | (_, None) => None,
        };
        s.map(Prim::Add, &[sum, p.src], guard)
    });
    Some(s.same(sum, eq.guard))
}
