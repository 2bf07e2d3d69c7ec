//! Elements that a loop's body reads for all elements of an array, read once.
//!
//! ```text
//! v: real[n] = [g] gather a[(i), (k)]   =   f: real[] = [g'] gather a[(i), (k)];  v = gather f[]
//! ```
//!
//! where g is g' everywhere. If g is not the same everywhere, g' says that the element is there,
//! and v keeps its condition. The simplifier makes one read of two where it can. For the derivative
//! the two are better: what a step keeps is one number.

use crate::ir::build::{Builder, translate};
use crate::ir::bulk::{Affine, Eq, Ix, Op, Program, Var};
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Lit};

/// The program with such reads in the bodies of its loops.
pub(super) fn narrowed(program: &Program) -> Program {
    let mut out = program.clone();
    out.change_loops(&|looped| {
        let states = looped.states;
        looped.map(&|body| narrowed(&body_narrowed(body, states)))
    });
    out
}

fn body_narrowed(body: &Program, states: usize) -> Program {
    let given = body.params.len() - 1 - states;
    // What changes from step to step.
    let mut carried: Vec<bool> = (0..body.params.len())
        .map(|k| (given..given + states).contains(&k))
        .collect();
    let mut out = Builder::new(&body.name, body.params.clone());
    body.requires.iter().for_each(|r| out.require(r.clone()));
    let mut vars: Vec<Var> = (0..body.params.len() as u32).map(Var).collect();
    for old in &body.eqs {
        let eq = translate(old, &mut |v| vars[v.index()]);
        let is_carried = matches!(&old.op, Op::Gather { src, .. } if carried[src.index()]);
        let mut depends = false;
        old.visit(&mut |v| depends |= carried[v.index()]);
        carried.push(depends);
        let v = match once(&mut out, &eq, is_carried) {
            Some(v) => v,
            None => out.push(eq),
        };
        vars.push(v);
    }
    out.finish(body.results.iter().map(|v| vars[v.index()]).collect())
}

/// A read that is the same everywhere, as one of a number. Without a condition that is the same
/// everywhere, only a read of what a loop carries: all else is at hand, and need not be kept.
fn once(out: &mut Builder, eq: &Eq, is_carried: bool) -> Option<Var> {
    let Op::Gather { src, index } = &eq.op else {
        return None;
    };
    if eq.ty.rank() == 0 || index.is_empty() {
        return None;
    }
    let mut place = vec![];
    for i in index {
        place.push(match i {
            Ix::Affine(a) if a.is_constant() => Ix::Affine(Affine::constant(0, a.constant.clone())),
            Ix::Affine(_) => return None,
            Ix::Data(v) => Ix::Data(out.uniform(*v)?),
        });
    }
    let uniform = eq.guard.and_then(|g| out.uniform(g));
    if uniform.is_none() && !(is_carried && eq.ty.elem == Elem::Real) {
        return None;
    }
    // A condition that says more about the element than that it is there is asked at each use.
    let at_use = eq.guard.filter(|_| uniform.is_none());
    let mut guard = match at_use {
        None => uniform,
        Some(_) => inside(out, *src, &place),
    };
    // Of an empty array no element is read.
    let lengths = eq.ty.shape.iter();
    for n in lengths.filter(|n| at_use.is_none() && !n.at_least(1)) {
        let zero = out.fill(Lit::Int(0), &[]);
        let n = out.index(Affine::constant(0, n.clone()), &[]);
        let some = out.map(Prim::ILt, &[zero, n], None);
        guard = out.both(guard, Some(some));
    }
    let one = out.gather(*src, place, &[], guard);
    Some(out.gather(one, vec![], &eq.ty.shape, at_use))
}

/// Whether a place is inside of an array.
fn inside(out: &mut Builder, array: Var, place: &[Ix]) -> Option<Var> {
    let zero = out.fill(Lit::Int(0), &[]);
    let mut all = None;
    for (i, length) in place.iter().zip(out.ty(array).shape.clone()) {
        let i = match i {
            Ix::Affine(a) => out.index(a.clone(), &[]),
            Ix::Data(v) => *v,
        };
        let length = out.index(Affine::constant(0, length), &[]);
        for (test, other) in [(Prim::IGe, zero), (Prim::ILt, length)] {
            let test = out.map(test, &[i, other], None);
            all = out.both(all, Some(test));
        }
    }
    all
}
