//! The position of an extremum and the value there, in one pass.
//!
//! ```text
//! k[p] = argmin j: x[p, j]                  for p { k[p], m[p] = the first least of x[p, j], and where }
//! m[p] = x[p, k[p]]                   ─▶
//! ```
//!
//! A read at a computed place needs an array. At the position of its extremum it does not: who
//! looks for that has the value. So `x` can be inlined like what any other reduction reads, and
//! nothing of its size is stored. That is how an extremum is differentiated, as its cotangent goes
//! to the position.
//!
//! Both must be computed where the other one is: at the same guard. And there must be an element,
//! since a read at the position 0 of nothing fails.

use super::narrow::{Skips, narrow};
use super::nest::NestBuilder;
use crate::ir::bulk::{Ix, Op, Program, Var};
use crate::ir::kernel::{Affine, At, Family, Fill, Member, Step, Work};
use crate::ir::prims::Prim;
use crate::ir::ty::Size;
use std::collections::HashMap;

/// For each position of an extremum the variable that is the value there, if neither may be read
/// otherwise: `is_array` says what is an array anyway, and read where the position is. The lengths
/// that are known to be positive in all of the program are given.
pub(super) fn extremes(
    program: &Program,
    is_array: &[bool],
    positive: &[Size],
) -> HashMap<Var, Var> {
    let mut out = HashMap::new();
    for k in 0..program.eqs.len() {
        let value = program.var_of(k);
        if let Some((place, src)) = extreme(program, value, positive)
            && !is_array[src.index()]
        {
            out.entry(place).or_insert(value);
        }
    }
    out
}

/// The position that a variable is the extremum at, and of what.
fn extreme(program: &Program, v: Var, positive: &[Size]) -> Option<(Var, Var)> {
    let eq = program.eq(v)?;
    let Op::Gather { src, index } = &eq.op else {
        return None;
    };
    let data = |i: &Ix| match i {
        Ix::Data(d) => Some(*d),
        Ix::Affine(_) => None,
    };
    let (along, place) = (index.iter().enumerate()).find_map(|(k, i)| data(i).map(|d| (k, d)))?;
    let found = program.eq(place)?;
    let Op::ArgReduce { src: of, axis, .. } = &found.op else {
        return None;
    };
    // The other components are the indices of the result, in order.
    let kept = index.iter().enumerate().filter(|(k, _)| *k != along);
    let is_here = kept.enumerate().all(|(axis, (_, i))| match i {
        Ix::Affine(a) => a.as_axis() == Some(axis),
        Ix::Data(_) => false,
    });
    let is = of == src
        && *axis == along
        && is_here
        && found.guard == eq.guard
        && found.ty.shape == eq.ty.shape
        && has_some(program, eq.guard, &program.ty(*src).shape[along], positive);
    is.then_some((place, *src))
}

/// Whether a length is positive: one of those that are everywhere, or where a guard holds.
pub(super) fn has_some(
    program: &Program,
    guard: Option<Var>,
    length: &Size,
    positive: &[Size],
) -> bool {
    length.at_least(1)
        || positive.contains(length)
        || positive_lengths(program, guard).contains(length)
}

/// The lengths that are positive where a condition holds.
pub(super) fn positive_lengths(program: &Program, condition: Option<Var>) -> Vec<Size> {
    let constant = |v: Var| match &program.eq(v)?.op {
        Op::Fill(l) => l.as_size(),
        Op::Index(a) if a.coefs.iter().all(|c| c.is(0)) => Some(a.constant.clone()),
        Op::Index(_)
        | Op::Map(..)
        | Op::Gather { .. }
        | Op::Scatter(_)
        | Op::Reduce { .. }
        | Op::ArgReduce { .. }
        | Op::Recur { .. }
        | Op::Contract { .. }
        | Op::Update { .. }
        | Op::Loop { .. }
        | Op::Call { .. }
        | Op::Copy(_)
        | Op::Stop(_) => None,
    };
    let mut open: Vec<Var> = condition.into_iter().collect();
    let mut positive = vec![];
    while let Some(v) = open.pop() {
        match program.eq(v).map(|e| &e.op) {
            Some(Op::Map(Prim::And, args)) => open.extend(args),
            Some(Op::Map(Prim::ILt, args)) => {
                let is_zero = constant(args[0]).is_some_and(|a| a.is(0));
                if is_zero {
                    positive.extend(constant(args[1]));
                }
            }
            Some(_) | None => {}
        }
    }
    positive
}

/// The family of the position of an extremum and the value there.
pub(super) fn both(program: &Program, stored: &[bool], place: Var, value: Var) -> Step {
    let ty = program.ty(place);
    let here: Vec<Affine> = (0..ty.rank()).map(Affine::of).collect();
    let mut nest = NestBuilder::new(program, stored, &ty.shape);
    let position = nest.compute(place, &here);
    let root = nest.extreme(position);
    let roots = vec![At::Node(position)];
    let (mut nest, roots) = narrow(nest.finish(root), roots, Skips::Nothing);
    let extreme = nest.root;
    if let [At::Node(n)] = roots[..] {
        nest.root = n;
    }
    let member = |var: Var, n| Member {
        var,
        ty: program.ty(var).clone(),
        fill: Fill::Each(n),
    };
    let members = vec![member(place, nest.root), member(value, extreme)];
    Step {
        out: place,
        ty: ty.clone(),
        work: Work::Family(Box::new(Family {
            nest,
            begins: vec![],
            members,
        })),
    }
}
