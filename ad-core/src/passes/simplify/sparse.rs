//! Rules about arrays with few elements that are not structural zeros: values at indices from data,
//! one or a few along an axis, such as the cotangent of what a maximum was taken of. What is linear
//! is computed for these few and nowhere else.
//!
//! Below, `v at I` stands for `scatter v[I]` with an index map that meets no place twice: each axis
//! of v is a component of it. Sums of a few such arrays are treated alike, part by part.

use super::{Rewrite, Rule, Simplifier, all_affine};
use crate::ir::build::without;
use crate::ir::bulk::{Affine, Eq, Ix, Op, Part, Var};
use crate::ir::core::ReduceOp;
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Size};
use crate::thresholds::OPERANDS_SEARCHED;
use std::collections::HashMap;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "sparse-product",
        apply: sparse_product,
    },
    Rule {
        name: "sparse-read",
        apply: sparse_read,
    },
    Rule {
        name: "sparse-sum",
        apply: sparse_sum,
    },
    Rule {
        name: "sparse-contraction",
        apply: sparse_contraction,
    },
    Rule {
        name: "scatter-of-scatter",
        apply: scatter_of_scatter,
    },
    Rule {
        name: "read-at-data",
        apply: read_at_data,
    },
];

/// Parts are handled one by one; a longer list is better written down once.
const FEW: usize = 4;

/// The parts, if a tangent or cotangent is a sum of a few `v at I` with fewer axes than it has
/// itself. Zeros of a program as written are numbers.
fn sparse(s: &mut Simplifier, v: Var) -> Option<Vec<Part>> {
    if !s.is_linear(v) {
        return None;
    }
    let Op::Scatter(parts) = s.plain(v)? else {
        return None;
    };
    let rank = s.out.ty(v).rank();
    let is_sparse = |p: &Part| {
        let own = s.out.ty(p.src).rank();
        own < rank && (0..own).all(|k| p.index.iter().any(|i| is_axis(i, k)))
    };
    let fits = !parts.is_empty() && parts.len() <= FEW && parts.iter().all(is_sparse);
    fits.then(|| parts.clone())
}

fn is_axis(i: &Ix, k: usize) -> bool {
    matches!(i, Ix::Affine(a) if a.as_axis() == Some(k))
}

impl Simplifier {
    /// Whether a component of an index map over a shape is in `0..n` for sure.
    pub(super) fn known_inside(
        &self,
        i: &Ix,
        shape: &[Size],
        guard: Option<Var>,
        n: &Size,
    ) -> bool {
        match i {
            Ix::Affine(a) => self.inside(a, shape, guard, n),
            Ix::Data(v) => {
                // The position of an extremum, of something.
                let first = Affine::constant(shape.len(), Size::lit(0));
                self.is_position(*v, n) && self.inside(&first, shape, guard, n)
            }
        }
    }

    /// Whether an integer array has positions along an axis of length n.
    fn is_position(&self, v: Var, n: &Size) -> bool {
        let Some(eq) = self.out.eq(v) else {
            return false;
        };
        match &eq.op {
            Op::ArgReduce { src, axis, .. } => self.out.ty(*src).shape[*axis] == *n,
            Op::Gather { src, .. } | Op::Copy(src) => self.is_position(*src, n),
            Op::Fill(_)
            | Op::Index(_)
            | Op::Map(..)
            | Op::Scatter(_)
            | Op::Reduce { .. }
            | Op::Recur { .. }
            | Op::Update { .. }
            | Op::Call { .. }
            | Op::Loop { .. }
            | Op::Contract { .. }
            | Op::Stop(_) => false,
        }
    }

    /// A part without what it adds where a guard over the result does not hold.
    fn masked_part(&mut self, guard: Var, p: &Part, shape: &[Size]) -> Part {
        let here = self.guard_met(guard, p);
        let own = self.out.guard(p.src);
        let both = self.both(own, Some(here));
        let ty = self.out.ty(p.src).clone();
        let copy = Op::Copy(p.src);
        Part {
            src: self.in_part(p, shape, |s| s.op(ty.elem, &ty.shape, both, copy)),
            index: p.index.clone(),
        }
    }

    /// What a guard over the result says for each element of a part.
    fn guard_met(&mut self, guard: Var, p: &Part) -> Var {
        let shape = self.out.shape(p.src);
        match self.restated(guard, &shape) {
            Some(same) => same,
            None => self.index_met(guard, p),
        }
    }

    /// The integers or truth values that a part of a cotangent meets: computed there, if they are
    /// free of charge.
    fn index_met(&mut self, x: Var, p: &Part) -> Var {
        let (shape, guard) = (self.out.shape(p.src), self.out.guard(p.src));
        self.at_places(x, (&p.index, &shape), guard, &mut HashMap::new())
    }

    /// `x[I]` for an I that is inside where the guard holds, computed from what x is made of. What
    /// several things are made of is computed once.
    fn at_places(
        &mut self,
        x: Var,
        to: (&[Ix], &[Size]),
        guard: Option<Var>,
        known: &mut HashMap<(Var, Option<Var>), Var>,
    ) -> Var {
        if let Some(v) = known.get(&(x, guard)) {
            return *v;
        }
        let v = self.at_places_once(x, to, guard, known);
        known.insert((x, guard), v);
        v
    }

    fn at_places_once(
        &mut self,
        x: Var,
        to: (&[Ix], &[Size]),
        guard: Option<Var>,
        known: &mut HashMap<(Var, Option<Var>), Var>,
    ) -> Var {
        let (index, shape) = to;
        let Some(eq) = self.out.eq(x).cloned() else {
            return self.gather(x, index.to_vec(), shape, guard);
        };
        let guard = match eq.guard {
            Some(g) => {
                let here = self.at_places(g, to, guard, known);
                self.both(guard, Some(here))
            }
            None => guard,
        };
        match &eq.op {
            Op::Fill(_) | Op::Copy(_) if eq.ty.elem == Elem::Real => {
                self.gather(x, index.to_vec(), shape, guard)
            }
            Op::Fill(l) => self.op(eq.ty.elem, shape, guard, Op::Fill(*l)),
            Op::Copy(a) => self.at_places(*a, to, guard, known),
            Op::Index(a) => match self.through(a, index, shape, guard) {
                Ix::Affine(a) => self.op(Elem::Int, shape, guard, Op::Index(a)),
                Ix::Data(v) => v,
            },
            Op::Map(p, args) if p.cost() == 0 && eq.ty.elem != Elem::Real => {
                let args: Vec<Var> = (args.iter())
                    .map(|&a| self.at_places(a, to, guard, known))
                    .collect();
                self.map(*p, &args, guard)
            }
            Op::Gather {
                src,
                index: of_read,
            } => {
                let index = (of_read.iter())
                    .map(|i| match i {
                        Ix::Affine(a) => self.through(a, index, shape, guard),
                        Ix::Data(d) => Ix::Data(self.at_places(*d, to, guard, known)),
                    })
                    .collect();
                self.gather(*src, index, shape, guard)
            }
            Op::Map(..)
            | Op::Scatter(_)
            | Op::Reduce { .. }
            | Op::ArgReduce { .. }
            | Op::Recur { .. }
            | Op::Update { .. }
            | Op::Call { .. }
            | Op::Loop { .. }
            | Op::Contract { .. }
            | Op::Stop(_) => self.gather(x, index.to_vec(), shape, guard),
        }
    }

    /// An affine function of a place, at the places of an index map.
    pub(super) fn through(
        &mut self,
        a: &Affine,
        index: &[Ix],
        shape: &[Size],
        guard: Option<Var>,
    ) -> Ix {
        if let Some(k) = a.as_axis() {
            return index[k].clone();
        }
        let rank = shape.len();
        let mut sum = Affine::constant(rank, a.constant.clone());
        let mut data = vec![];
        for (c, i) in a.coefs.iter().zip(index).filter(|(c, _)| !c.is(0)) {
            match i {
                Ix::Affine(inner) => sum = sum.add_scaled(inner, c),
                Ix::Data(d) => data.push((c.clone(), *d)),
            }
        }
        if data.is_empty() {
            return Ix::Affine(sum);
        }
        let mut whole = self.op(Elem::Int, shape, None, Op::Index(sum));
        for (c, d) in data {
            let c = Affine::constant(rank, c);
            let c = self.op(Elem::Int, shape, None, Op::Index(c));
            let term = self.map(Prim::IMul, &[c, d], guard);
            whole = self.map(Prim::IAdd, &[whole, term], guard);
        }
        Ix::Data(whole)
    }

    /// The elements of an array that a part of a scatter meets.
    fn met(&mut self, x: Var, p: &Part) -> Var {
        let (shape, guard) = (self.out.shape(p.src), self.out.guard(p.src));
        self.gather(x, p.index.clone(), &shape, guard)
    }
}

/// `p · (v at I)  =  (p[I] · v) at I`, and the same for quotients, negation and `[g] (v at I)`
fn sparse_product(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let (x, which) = match &eq.op {
        Op::Map(Prim::Mul, args) => match (sparse(s, args[0]), sparse(s, args[1])) {
            (_, Some(_)) => (args[1], 1),
            (Some(_), None) => (args[0], 0),
            (None, None) => return None,
        },
        Op::Map(Prim::Div | Prim::Neg, args) => (args[0], 0),
        Op::Copy(a) => (*a, 0),
        Op::Map(..)
        | Op::Fill(_)
        | Op::Index(_)
        | Op::Gather { .. }
        | Op::Scatter(_)
        | Op::Reduce { .. }
        | Op::ArgReduce { .. }
        | Op::Recur { .. }
        | Op::Update { .. }
        | Op::Call { .. }
        | Op::Loop { .. }
        | Op::Contract { .. }
        | Op::Stop(_) => return None,
    };
    let parts = sparse(s, x)?;
    // The parts get the guard; the result has none that could be asked for.
    if eq.guard.is_some() && s.guards_a_write {
        return None;
    }
    let parts = (parts.iter())
        .map(|p| {
            let here = eq.guard.map(|g| s.guard_met(g, p));
            let guard = s.both(s.out.guard(p.src), here);
            let src = s.in_part(p, &eq.ty.shape, |s| {
                if let Op::Map(prim, args) = &eq.op {
                    let args: Vec<Var> = (args.iter().enumerate())
                        .map(|(k, &a)| if k == which { p.src } else { s.met(a, p) })
                        .collect();
                    s.map(*prim, &args, guard)
                } else {
                    let ty = s.out.ty(p.src).clone();
                    s.op(ty.elem, &ty.shape, guard, Op::Copy(p.src))
                }
            });
            let index = p.index.clone();
            Part { src, index }
        })
        .collect();
    Some(Rewrite::Eq(Eq {
        ty: eq.ty.clone(),
        guard: None,
        op: Op::Scatter(parts),
    }))
}

/// `(v at I)[σ]  =  (v repeated) at (I permuted)`, where each component of the read is an axis of
/// its own, in full; the axes that σ adds repeat v. And `(v at I)[I] = v`.
fn sparse_read(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Gather { src, index } = &eq.op else {
        return None;
    };
    let parts = sparse(s, *src)?;
    let of = s.out.shape(*src);
    let rank = eq.ty.rank();
    if let [p] = &parts[..]
        && p.index == *index
        && s.out.ty(p.src).shape == eq.ty.shape
    {
        return Some(s.same(p.src, eq.guard));
    }
    // The axis of the result that each axis of what is read becomes.
    let axes: Vec<usize> = (all_affine(index)?.iter().zip(&of))
        .map(|(a, n)| a.as_axis().filter(|&k| eq.ty.shape[k] == *n))
        .collect::<Option<_>>()?;
    if eq.guard.is_some() || (1..axes.len()).any(|k| axes[..k].contains(&axes[k])) {
        return None;
    }
    let added: Vec<usize> = (0..rank).filter(|k| !axes.contains(k)).collect();
    let parts = (parts.iter())
        .map(|p| {
            let own = s.out.shape(p.src);
            // The axes of v, then the added ones.
            let shape: Vec<Size> = (own.iter().cloned())
                .chain(added.iter().map(|&k| eq.ty.shape[k].clone()))
                .collect();
            let src = spread_out(s, p.src, &shape);
            let index = (0..rank)
                .map(|k| match axes.iter().position(|&a| a == k) {
                    Some(j) => widened(s, &p.index[j], &shape),
                    None => {
                        let place = added.iter().position(|&a| a == k);
                        let place = own.len() + place.expect("added or not");
                        Ix::Affine(Affine::axis(shape.len(), place))
                    }
                })
                .collect();
            Part { src, index }
        })
        .collect();
    Some(Rewrite::Eq(Eq {
        op: Op::Scatter(parts),
        ..eq.clone()
    }))
}

/// An array repeated along axes that are added at the end of its shape, under its guard.
fn spread_out(s: &mut Simplifier, v: Var, shape: &[Size]) -> Var {
    let own = s.out.ty(v).rank();
    if own == shape.len() {
        return v;
    }
    let index = Ix::identity(shape.len())[..own].to_vec();
    let guard = s.out.guard(v);
    let guard = guard.map(|g| s.gather(g, index.clone(), shape, None));
    s.gather(v, index, shape, guard)
}

/// A component of an index map, over a shape with more axes at the end.
fn widened(s: &mut Simplifier, i: &Ix, shape: &[Size]) -> Ix {
    match i {
        Ix::Affine(a) => {
            let mut a = a.clone();
            a.coefs.resize(shape.len(), Size::lit(0));
            Ix::Affine(a)
        }
        Ix::Data(v) => Ix::Data(spread_out(s, *v, shape)),
    }
}

/// `Σ_k (v at I)  =  v at (I without component k)` where that component is inside for sure
fn sparse_sum(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
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
    let Some(Op::Scatter(parts)) = s.plain(*src).cloned() else {
        return None;
    };
    // Of other scatters as well: what is added is added once.
    let alone = s.used_once(*src);
    if parts.is_empty() || !(alone || sparse(s, *src).is_some()) {
        return None;
    }
    let of = s.out.shape(*src);
    let fits = parts.iter().all(|p| {
        let (shape, guard) = (s.out.shape(p.src), s.out.guard(p.src));
        let inside = |&k: &usize| {
            let demanded = matches!(p.index[k], Ix::Affine(_)) && guard.is_none();
            demanded || s.known_inside(&p.index[k], &shape, guard, &of[k])
        };
        axes.iter().all(inside)
    });
    if !fits {
        return None;
    }
    let parts = (parts.iter())
        .map(|p| Part {
            src: p.src,
            index: (p.index.iter().enumerate())
                .filter(|(k, _)| !axes.contains(k))
                .map(|(_, i)| i.clone())
                .collect(),
        })
        .collect::<Vec<Part>>();
    // The guard of the sum stays, and keeps its elements from being added.
    let parts = match eq.guard {
        None => parts,
        Some(g) => (parts.iter().map(|p| s.masked_part(g, p, &eq.ty.shape))).collect(),
    };
    Some(Rewrite::Eq(Eq {
        op: Op::Scatter(parts),
        ..eq.clone()
    }))
}

/// `contract (v at I), b  =  Σ ((v repeated) · b[I]) at I`: the products with elements that are
/// there
fn sparse_contraction(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
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
    if eq.guard.is_some() {
        return None;
    }
    let (x, x_axes, y, y_axes) = if sparse(s, *a).is_some() {
        (*a, a_axes, *b, b_axes)
    } else {
        (*b, b_axes, *a, a_axes)
    };
    sparse(s, x)?;
    // The labels of x, then those that only y has; the product of both in that space.
    let (x_shape, y_shape) = (s.out.shape(x), s.out.shape(y));
    let mut labels = x_axes.clone();
    let mut space = x_shape.clone();
    for (l, n) in y_axes.iter().zip(&y_shape) {
        if !labels.contains(l) {
            labels.push(*l);
            space.push(n.clone());
        }
    }
    let at = |labels_of: &[u8]| -> Vec<Ix> {
        (labels_of.iter())
            .map(|l| {
                let k = labels.iter().position(|m| m == l).expect("collected above");
                Ix::Affine(Affine::axis(space.len(), k))
            })
            .collect()
    };
    let x = s.gather(x, at(x_axes), &space, None);
    let y = s.gather(y, at(y_axes), &space, None);
    let product = s.map(Prim::Mul, &[y, x], None);
    let summed: Vec<usize> = (0..labels.len())
        .filter(|&k| !out_axes.contains(&labels[k]))
        .collect();
    let kept: Vec<u8> = (labels.iter().copied())
        .filter(|l| out_axes.contains(l))
        .collect();
    let sum = s.op(
        Elem::Real,
        &without(&space, &summed),
        None,
        Op::Reduce {
            op: ReduceOp::Sum,
            src: product,
            axes: summed,
        },
    );
    let rank = out_axes.len();
    let index = (kept.iter())
        .map(|l| {
            let k = out_axes.iter().position(|o| o == l).expect("kept");
            Ix::Affine(Affine::axis(rank, k))
        })
        .collect();
    Some(Rewrite::Eq(Eq {
        op: Op::Gather { src: sum, index },
        ..eq.clone()
    }))
}

/// `scatter ([g] scatter v[I])[J] + rest  =  scatter ([g[I]] v)[J after I] + rest` where nothing
/// else uses the inner one: what is added is added once. I is affine, and J where it is not whole
/// axes; or I is inside for sure, as positions of extrema are, or v is a cotangent with few
/// elements. And `(scatter v[I]) + (scatter w[J])` likewise.
fn scatter_of_scatter(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let rank = eq.ty.rank();
    let whole = Ix::identity(rank);
    let parts = match &eq.op {
        Op::Scatter(parts) => parts.clone(),
        // A sum of two scatters is one of the parts of both.
        Op::Map(Prim::Add, args) if eq.ty.elem == Elem::Real => {
            let is = |v: &Var| matches!(s.plain(*v), Some(Op::Scatter(p)) if !p.is_empty());
            if !args.iter().all(is) {
                return None;
            }
            (args.iter())
                .map(|&src| Part {
                    src,
                    index: whole.clone(),
                })
                .collect()
        }
        Op::Map(..)
        | Op::Fill(_)
        | Op::Index(_)
        | Op::Gather { .. }
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
    if eq.guard.is_some() {
        return None;
    }
    let mut changed = false;
    let mut out = vec![];
    for p in &parts {
        match flattened(s, p) {
            Some(inner) => {
                changed = true;
                out.extend(inner);
            }
            None => out.push(p.clone()),
        }
    }
    changed.then(|| {
        Rewrite::Eq(Eq {
            op: Op::Scatter(out),
            ..eq.clone()
        })
    })
}

/// Whether a part is a cotangent of positions of extrema, which goes where these are: there are
/// fewer of them than of the elements that are read where a map is inverted.
pub(super) fn is_at_extrema(s: &mut Simplifier, p: &Part) -> bool {
    if !s.is_linear(p.src) || !s.used_once(p.src) {
        return false;
    }
    let Some(Op::Scatter(inner)) = s.out.eq(p.src).map(|eq| &eq.op) else {
        return false;
    };
    let middle = s.out.shape(p.src);
    let is_extremum = |q: &Part| {
        let (shape, guard) = (s.out.shape(q.src), s.out.guard(q.src));
        q.index.iter().any(|i| matches!(i, Ix::Data(_)))
            && (q.index.iter().zip(&middle)).all(|(i, n)| s.known_inside(i, &shape, guard, n))
    };
    !inner.is_empty() && inner.iter().all(is_extremum)
}

/// The parts of a sum of scatters that nothing else uses, as far as a guard holds, if none of them
/// has more elements than `v at I` with fewer axes, or than the sum.
fn summands(s: &mut Simplifier, v: Var, guard: Option<Var>) -> Option<Vec<Part>> {
    if !s.used_once(v) || !s.is_linear(v) {
        return None;
    }
    let eq = s.out.eq(v)?.clone();
    let guard = s.both(guard, eq.guard);
    let rank = eq.ty.rank();
    let whole = Ix::identity(rank);
    match &eq.op {
        Op::Copy(a) => summands(s, *a, guard),
        Op::Map(Prim::Add, args) => {
            let mut all = summands(s, args[0], guard)?;
            all.extend(summands(s, args[1], guard)?);
            Some(all)
        }
        Op::Scatter(parts) if !parts.is_empty() && parts.len() <= FEW => {
            let is_few = |q: &Part| s.out.ty(q.src).rank() < rank || q.index == whole;
            if !parts.iter().all(is_few) {
                return None;
            }
            let Some(g) = guard else {
                return Some(parts.clone());
            };
            Some(
                parts
                    .iter()
                    .map(|q| s.masked_part(g, q, &eq.ty.shape))
                    .collect(),
            )
        }
        Op::Fill(_)
        | Op::Index(_)
        | Op::Map(..)
        | Op::Gather { .. }
        | Op::Scatter(_)
        | Op::Reduce { .. }
        | Op::ArgReduce { .. }
        | Op::Recur { .. }
        | Op::Update { .. }
        | Op::Call { .. }
        | Op::Loop { .. }
        | Op::Contract { .. }
        | Op::Stop(_) => None,
    }
}

/// The parts of a scatter that is itself a part.
fn flattened(s: &mut Simplifier, p: &Part) -> Option<Vec<Part>> {
    let of_data = p.index.iter().any(|i| matches!(i, Ix::Data(_)));
    let few = match of_data {
        true => summands(s, p.src, None),
        false => None,
    };
    let are_few = few.is_some();
    let middle = s.out.shape(p.src);
    let (inner, is_linear) = match few {
        Some(few) => (few, true),
        None => {
            let eq = s.out.eq(p.src)?;
            let (guard, Op::Scatter(parts)) = (eq.guard, &eq.op) else {
                return None;
            };
            if parts.is_empty() || !s.used_once(p.src) {
                return None;
            }
            let parts = parts.clone();
            let inner: Vec<Part> = match guard {
                None => parts,
                Some(g) => parts.iter().map(|q| s.masked_part(g, q, &middle)).collect(),
            };
            (inner, s.is_linear(p.src))
        }
    };
    (inner.iter())
        .map(|q| {
            // No bounds failure of the inner one is lost; those of a cotangent, or of a tangent,
            // are failures of the reads or writes that it belongs to.
            let (shape, guard) = (s.out.shape(q.src), s.out.guard(q.src));
            let is_inside = |(i, n): (&Ix, &Size)| s.known_inside(i, &shape, guard, n);
            let safe = |(i, n): (&Ix, &Size)| {
                let demanded = matches!(i, Ix::Affine(_)) && guard.is_none();
                demanded || is_inside((i, n))
            };
            if !is_linear
                && !q.index.iter().zip(&middle).all(safe)
                && p.index != Ix::identity(middle.len())
            {
                return None;
            }
            // Wherever the inner one adds something, its place can be read at and computed with.
            let is_known = q.index.iter().zip(&middle).all(is_inside);
            // Nor is one of the outer one lost, where the inner one adds nothing.
            if !is_linear && !p.index.iter().all(|o| matches!(o, Ix::Affine(_))) {
                return None;
            }
            let index = (p.index.iter())
                .map(|o| match o {
                    // Where it is read, its own element is there.
                    Ix::Data(d) if are_few => Some(Ix::Data(s.index_met(*d, q))),
                    Ix::Data(_) | Ix::Affine(_) => s.place_after(o, q, is_known),
                })
                .collect::<Option<Vec<Ix>>>()?;
            Some(Part { src: q.src, index })
        })
        .collect()
}

impl Simplifier {
    /// A component of an index map after that of a part, over the part's source. Indices from data
    /// are taken as they are, and if all places of the part are known to be inside, they are also
    /// computed with, and read at.
    fn place_after(&mut self, outer: &Ix, p: &Part, is_known: bool) -> Option<Ix> {
        let (shape, guard) = (self.out.shape(p.src), self.out.guard(p.src));
        let outer = match outer {
            Ix::Affine(a) => a,
            Ix::Data(d) => {
                return is_known.then(|| Ix::Data(self.gather(*d, p.index.clone(), &shape, guard)));
            }
        };
        let of_data = |(c, i): (&Size, &Ix)| matches!(i, Ix::Data(_)) && !c.is(0);
        let is_computed =
            outer.as_axis().is_none() && outer.coefs.iter().zip(&p.index).any(of_data);
        (is_known || !is_computed).then(|| self.through(outer, &p.index, &shape, guard))
    }
}

/// `p(a, b)[I]  =  p(a[I], b[I])` where I has the position of an extremum for one axis, p is one
/// cheap operation and a, b are reads or literals: repeating it for the elements met is cheaper
/// than keeping the results of all. It costs an operation for each if those are kept for something
/// else as well.
fn read_at_data(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Gather { src, index } = &eq.op else {
        return None;
    };
    let inner = s.out.eq(*src)?.clone();
    let Op::Map(p, args) = &inner.op else {
        return None;
    };
    let cheap = matches!(p, Prim::Add | Prim::Sub | Prim::Mul | Prim::Neg) || p.cost() == 0;
    let by_position = |(i, n): (&Ix, &Size)| {
        matches!(i, Ix::Data(_)) && s.known_inside(i, &eq.ty.shape, eq.guard, n)
    };
    let demanded = |(i, n): (&Ix, &Size)| match i {
        Ix::Affine(a) => eq.guard.is_none() || s.inside(a, &eq.ty.shape, eq.guard, n),
        Ix::Data(_) => by_position((i, n)),
    };
    let places = || index.iter().zip(&inner.ty.shape);
    if !cheap
        || inner.guard.is_some()
        || !args
            .iter()
            .all(|v| is_at_hand(s, *v, &mut OPERANDS_SEARCHED.clone()))
        || !places().any(by_position)
        || !places().all(demanded)
    {
        return None;
    }
    let args = (args.iter())
        .map(|&a| s.gather(a, index.clone(), &eq.ty.shape, eq.guard))
        .collect();
    Some(Rewrite::Eq(Eq {
        op: Op::Map(*p, args),
        ..eq.clone()
    }))
}

/// Whether it is a read, a literal, or a few operations on indices.
fn is_at_hand(s: &Simplifier, v: Var, steps: &mut usize) -> bool {
    if *steps == 0 {
        return false;
    }
    *steps -= 1;
    let Some(eq) = s.out.eq(v) else {
        return true;
    };
    let is_made_of_some = match &eq.op {
        Op::Fill(_) | Op::Index(_) | Op::Gather { .. } => true,
        Op::Map(_, args) => {
            eq.ty.elem == Elem::Int && args.iter().all(|a| is_at_hand(s, *a, steps))
        }
        Op::Scatter(_)
        | Op::Reduce { .. }
        | Op::ArgReduce { .. }
        | Op::Recur { .. }
        | Op::Update { .. }
        | Op::Call { .. }
        | Op::Loop { .. }
        | Op::Contract { .. }
        | Op::Copy(_)
        | Op::Stop(_) => false,
    };
    is_made_of_some && eq.guard.is_none()
}
