//! Elements that a loop's body reads for all elements of an array, read once.
//!
//! ```text
//! v: real[n] = [g] gather a[(i), (k)]   =   f: real[] = [g'] gather a[(i), (k)];  v = gather f[]
//! ```
//!
//! where g is g' everywhere. If g is not the same everywhere, g' says that the element is there, and
//! v keeps its condition. The simplifier makes one read of two where it can. For the derivative the
//! two are better: what a step keeps is one number.

use crate::ir::build::{Builder, translate};
use crate::ir::bulk::{Affine, Eq, Ix, Op, Program, Var};
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Lit, Size};

/// The program with such reads in the bodies of its loops.
pub(super) fn narrowed(program: &Program) -> Program {
    let mut out = program.clone();
    out.change_loops(&|looped| looped.map(&|body| narrowed(&body_narrowed(body))));
    out
}

fn body_narrowed(body: &Program) -> Program {
    let mut out = Builder::new(&body.name, body.params.clone());
    body.requires.iter().for_each(|r| out.require(r.clone()));
    let mut vars: Vec<Var> = (0..body.params.len() as u32).map(Var).collect();
    for eq in &body.eqs {
        let eq = translate(eq, &mut |v| vars[v.index()]);
        let v = match once(&mut out, &eq) {
            Some(v) => v,
            None => out.push(eq),
        };
        vars.push(v);
    }
    out.finish(body.results.iter().map(|v| vars[v.index()]).collect())
}

/// A read that is the same along some axes, as one without these.
fn once(out: &mut Builder, eq: &Eq) -> Option<Var> {
    let Op::Gather { src, index } = &eq.op else {
        return None;
    };
    if eq.ty.elem != Elem::Real || index.is_empty() {
        return None;
    }
    let is_along = |axis: &usize| {
        let depends = |i: &Ix| matches!(i, Ix::Affine(a) if !a.coefs[*axis].is(0));
        index.iter().any(depends)
    };
    let (kept, dropped): (Vec<usize>, Vec<usize>) = (0..eq.ty.rank()).partition(is_along);
    if dropped.is_empty() {
        return None;
    }
    let shape: Vec<Size> = kept.iter().map(|&k| eq.ty.shape[k].clone()).collect();
    let mut places = vec![];
    for i in index {
        places.push(match i {
            Ix::Affine(a) => Ix::Affine(a.without(&dropped)),
            Ix::Data(v) => {
                let number = out.uniform(*v)?;
                Ix::Data(out.spread(number, &[], &shape))
            }
        });
    }
    // A condition that says more about the element than that it is there is asked at each use.
    let (mut guard, at_use) = match eq.guard {
        None => (None, None),
        Some(g) => match out.uniform(g) {
            Some(g) => (Some(out.spread(g, &[], &shape)), None),
            None => (inside(out, *src, &places, &shape), Some(g)),
        },
    };
    // Of an empty array no element is read.
    let lengths = dropped.iter().map(|&k| &eq.ty.shape[k]);
    for n in lengths.filter(|n| at_use.is_none() && !n.at_least(1)) {
        let zero = out.fill(Lit::Int(0), &shape);
        let n = out.index(Affine::constant(shape.len(), n.clone()), &shape);
        let some = out.map(Prim::ILt, &[zero, n], None);
        guard = out.both(guard, Some(some));
    }
    let one = out.gather(*src, places, &shape, guard);
    let index = kept.iter().map(|&k| Affine::axis(eq.ty.rank(), k));
    let index = index.map(Ix::Affine).collect();
    Some(out.gather(one, index, &eq.ty.shape, at_use))
}

/// Whether places are inside of an array.
fn inside(out: &mut Builder, array: Var, places: &[Ix], shape: &[Size]) -> Option<Var> {
    let mut all = None;
    for (k, place) in places.iter().enumerate() {
        let length = out.ty(array).shape[k].clone();
        let place = match place {
            Ix::Affine(a) => out.index(a.clone(), shape),
            Ix::Data(v) => *v,
        };
        let zero = out.fill(Lit::Int(0), shape);
        let length = out.index(Affine::constant(shape.len(), length), shape);
        for test in [(Prim::IGe, [place, zero]), (Prim::ILt, [place, length])] {
            let test = out.map(test.0, &test.1, None);
            all = out.both(all, Some(test));
        }
    }
    all
}
