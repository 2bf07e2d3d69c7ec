//! Elements that a loop's body reads for all elements of an array, read once.
//!
//! ```text
//! v: real[n] = [g] gather a[(i), (k)]   =   f: real[] = [g'] gather a[(i), (k)];  v = gather f[]
//! ```
//!
//! where g is g' everywhere. The simplifier makes one read of two where it can. For the derivative
//! the two are better: what a step keeps is one number. Without a condition the operation that the
//! elements go to is one of numbers already (`map-of-repeated`).

use crate::ir::build::{Builder, translate};
use crate::ir::bulk::{Affine, Eq, Ix, Op, Program, Var};
use crate::ir::prims::Prim;
use crate::ir::ty::Lit;

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

/// A read that is the same everywhere, as one of a number.
fn once(out: &mut Builder, eq: &Eq) -> Option<Var> {
    let Op::Gather { src, index } = &eq.op else {
        return None;
    };
    if eq.ty.rank() == 0 || index.is_empty() {
        return None;
    }
    let number = |i: &Ix| match i {
        Ix::Affine(a) if a.is_constant() => {
            Some(Ix::Affine(Affine::constant(0, a.constant.clone())))
        }
        Ix::Affine(_) | Ix::Data(_) => None,
    };
    let index = index.iter().map(number).collect::<Option<Vec<_>>>()?;
    let mut guard = out.uniform(eq.guard?)?;
    // Of an empty array no element is read.
    let zero = out.fill(Lit::Int(0), &[]);
    for n in eq.ty.shape.iter().filter(|n| !n.at_least(1)) {
        let n = out.index(Affine::constant(0, n.clone()), &[]);
        let some = out.map(Prim::ILt, &[zero, n], None);
        guard = out.map(Prim::And, &[guard, some], None);
    }
    let one = out.gather(*src, index, &[], Some(guard));
    Some(out.gather(one, vec![], &eq.ty.shape, None))
}
