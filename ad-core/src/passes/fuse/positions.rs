//! Reads of a part of an array at the positions of extrema are reads of the array.
//!
//! ```text
//! v[i, k] = x[i + k]
//! p[i] = argmax k: v[i, k]
//! m[i] = v[i, p[i]]            ─▶     m[i] = x[i + p[i]]
//! ```
//!
//! A read at a computed place needs an array, so the part would be copied. If the part has any
//! elements, the position of its extremum is inside of it, and no failure is lost. A value that is
//! found together with its position is left alone ([`super::extreme`]).

use super::extreme::{extremes, has_some};
use super::is_opaque;
use crate::ir::build::{Builder, translate_ix, translate_size};
use crate::ir::bulk::{Affine, Eq, Ix, Op, Program, Var};
use crate::ir::live::live;
use crate::ir::prims::Prim;
use crate::ir::ty::{Atom, Size};
use std::collections::HashSet;

/// The program with such reads, if there are any. These lengths are positive.
pub(super) fn at_positions(program: &Program, positive: &[Size]) -> Option<Program> {
    let params = program.params.len();
    let mut is_array = vec![true; params];
    is_array.resize(params + program.eqs.len(), false);
    let pairs: HashSet<Var> = extremes(program, &is_array, positive)
        .into_values()
        .collect();
    let part = |k: usize| {
        let is_pair = pairs.contains(&program.var_of(k));
        (!is_pair).then(|| part_at_position(program, &program.eqs[k], positive))?
    };
    let parts: Vec<Option<(Var, &[Ix])>> = (0..program.eqs.len()).map(part).collect();
    if parts.iter().all(Option::is_none) {
        return None;
    }
    let mut out = Builder::new(&program.name, program.params.clone());
    program.requires.iter().for_each(|r| out.require(r.clone()));
    let mut new: Vec<Var> = (0..params as u32).map(Var).collect();
    for (eq, part) in program.eqs.iter().zip(parts) {
        let of = |v: Var| new[v.index()];
        let read = part.and_then(|(array, part)| read(&mut out, eq, (array, part), &of));
        new.push(read.unwrap_or_else(|| out.copy(eq, &mut |v| new[v.index()])));
    }
    for (k, p) in program.params.iter().enumerate() {
        let shape = (p.ty.shape.iter()).map(|n| translate_size(n, &mut |v| new[v.index()]));
        out.set_param_shape(k, shape.collect());
    }
    let results = program.results.iter().map(|r| new[r.index()]).collect();
    Some(live(&out.finish(results)))
}

/// If an equation reads a part of an array at the position of an extremum, the array and where the
/// part lies.
fn part_at_position<'a>(
    program: &'a Program,
    eq: &Eq,
    positive: &[Size],
) -> Option<(Var, &'a [Ix])> {
    let Op::Gather { src, index } = &eq.op else {
        return None;
    };
    let part = program.eq(*src)?;
    let Op::Gather {
        src: array,
        index: of,
    } = &part.op
    else {
        return None;
    };
    let lies_in_memory = program.eq(*array).is_none_or(|e| is_opaque(&e.op));
    let is_affine = |i: &Ix| matches!(i, Ix::Affine(_));
    let is_inside = |(i, n): (&Ix, &Size)| match i {
        Ix::Affine(a) => eq.guard.is_none() || a.inside(&eq.ty.shape, n),
        Ix::Data(v) => is_position(program, *v, n) && has_some(program, eq.guard, n, positive),
    };
    let is = lies_in_memory
        && part.guard.is_none()
        && of.iter().all(is_affine)
        && !index.iter().all(is_affine)
        && index.iter().zip(&part.ty.shape).all(is_inside);
    is.then_some((*array, of))
}

/// Whether a variable has positions of extrema along an axis of this length, maybe of a branch.
fn is_position(program: &Program, v: Var, n: &Size) -> bool {
    let Some(eq) = program.eq(v) else {
        return false;
    };
    match &eq.op {
        Op::ArgReduce { src, axis, .. } => program.ty(*src).shape[*axis] == *n,
        Op::Loop { .. } => eq.loop_result().is_some_and(|(run, result)| {
            let mut is_fixed = true;
            n.visit(&mut |a| is_fixed &= !matches!(a, Atom::Value(_)));
            let found = run.looped.body.results.get(result);
            let is_branch = program.branch(run).is_some() && is_fixed;
            is_branch && found.is_some_and(|r| is_position(&run.looped.body, *r, n))
        }),
        Op::Fill(_)
        | Op::Index(_)
        | Op::Map(..)
        | Op::Gather { .. }
        | Op::Scatter(_)
        | Op::Reduce { .. }
        | Op::Recur { .. }
        | Op::Contract { .. }
        | Op::Update { .. }
        | Op::Call { .. }
        | Op::Copy(_)
        | Op::Stop(_) => false,
    }
}

/// The read of the array itself.
fn read(
    out: &mut Builder,
    eq: &Eq,
    (array, part): (Var, &[Ix]),
    new: &dyn Fn(Var) -> Var,
) -> Option<Var> {
    let Op::Gather { index, .. } = &eq.op else {
        return None;
    };
    let of = &mut |v| new(v);
    let shape: Vec<Size> = eq.ty.shape.iter().map(|n| translate_size(n, of)).collect();
    let index: Vec<Ix> = index.iter().map(|i| translate_ix(i, of)).collect();
    let part: Vec<Ix> = part.iter().map(|i| translate_ix(i, of)).collect();
    let guard = eq.guard.map(new);
    let places = part.iter().map(|i| match i {
        Ix::Affine(a) => Some(place(out, a, &index, &shape, guard)),
        Ix::Data(_) => None,
    });
    let places = places.collect::<Option<Vec<Ix>>>()?;
    Some(out.gather(new(array), places, &shape, guard))
}

/// An affine function of the places of an index map.
fn place(out: &mut Builder, a: &Affine, index: &[Ix], shape: &[Size], guard: Option<Var>) -> Ix {
    let rank = shape.len();
    let mut affine = Affine::constant(rank, a.constant.clone());
    let mut data = vec![];
    for (c, i) in a.coefs.iter().zip(index).filter(|(c, _)| !c.is(0)) {
        match i {
            Ix::Affine(i) => affine = affine.add_scaled(i, c),
            Ix::Data(v) => data.push((c, *v)),
        }
    }
    let is_nothing = affine == Affine::constant(rank, Size::lit(0));
    match data[..] {
        [] => return Ix::Affine(affine),
        [(c, v)] if is_nothing && c.is(1) => return Ix::Data(v),
        _ => {}
    }
    let whole = out.index(affine, shape);
    let whole = data.into_iter().fold(whole, |whole, (c, v)| {
        let mut term = v;
        if !c.is(1) {
            let c = out.index(Affine::constant(rank, c.clone()), shape);
            term = out.map(Prim::IMul, &[c, v], guard);
        }
        out.map(Prim::IAdd, &[whole, term], guard)
    });
    Ix::Data(whole)
}
