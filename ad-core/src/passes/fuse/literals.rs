//! Arrays of one literal that a loop reads at indices from data. They are made once, outside of all
//! loops.
//!
//! ```text
//! loop { a = fill 1.0; .. a[d] .. }     =     a = fill 1.0; loop given a { .. a[d] .. }
//! ```
//!
//! Such a read must fail where the index is out of bounds, so it needs the array. Other uses keep
//! the literal.

use crate::ir::build::{Builder, translate};
use crate::ir::bulk::{Eq, Ix, Loop, Looped, Op, Param, Program, Run, Type, Var};
use crate::ir::ty::{Atom, Lit};
use std::collections::HashMap;

/// An array of a literal.
type Literal = (Lit, Type);

/// The program with such arrays outside of its loops.
pub(super) fn outside(program: &Program) -> Program {
    let is_loop = |eq: &Eq| matches!(eq.op, Op::Loop { .. });
    if !program.eqs.iter().any(is_loop) {
        return program.clone();
    }
    let mut done = HashMap::new();
    let mut out = Builder::new(&program.name, program.params.clone());
    program.requires.iter().for_each(|r| out.require(r.clone()));
    let mut new: Vec<Var> = (0..program.params.len() as u32).map(Var).collect();
    for eq in &program.eqs {
        let mut copy = translate(eq, &mut |v| new[v.index()]);
        if let Some((run, _)) = eq.loop_result()
            && let Op::Loop { looped, given, .. } = &mut copy.op
        {
            let (inside, literals) = done.entry(run).or_insert_with(|| without_literals(run));
            *looped = inside.clone();
            given.extend(literals.iter().map(|(lit, ty)| out.fill(*lit, &ty.shape)));
        }
        new.push(out.push(copy));
    }
    out.finish(program.results.iter().map(|v| new[v.index()]).collect())
}

/// A loop that is given its literal arrays, and these arrays.
fn without_literals(run: Run<'_>) -> (Looped, Vec<Literal>) {
    let Loop { body, goes_on, .. } = &**run.looped;
    let (body, goes_on) = (outside(body), goes_on.as_ref().map(outside));
    let mut literals: Vec<Literal> = vec![];
    for program in std::iter::once(&body).chain(&goes_on) {
        for eq in program.eqs.iter().filter(|eq| is_read_by_data(program, eq)) {
            let literal = literal(eq).filter(|l| !literals.contains(l));
            literals.extend(literal);
        }
    }
    if literals.is_empty() {
        return (run.looped.clone(), literals);
    }
    let at = run.given.len();
    let looped = Looped::new(Loop {
        body: with_given(&body, at, &literals),
        goes_on: goes_on.map(|p| with_given(&p, at, &literals)),
        ..(**run.looped).clone()
    });
    (looped, literals)
}

/// The literal array that an equation is, if its shape is known on entry.
fn literal(eq: &Eq) -> Option<Literal> {
    let Op::Fill(lit) = eq.op else { return None };
    let mut known = eq.guard.is_none() && eq.ty.rank() > 0;
    for n in &eq.ty.shape {
        n.visit(&mut |a| known &= !matches!(a, Atom::Value(_)));
    }
    known.then(|| (lit, eq.ty.clone()))
}

/// Whether an equation is a literal that is read where data says, here or in a loop.
fn is_read_by_data(program: &Program, eq: &Eq) -> bool {
    let is_it = |v: &Var| program.eq(*v) == Some(eq);
    let reads = |reader: &Eq| {
        let by_data = matches!(
            &reader.op,
            Op::Gather { src, index } if has_data(index) && is_it(src)
        );
        by_data || matches!(&reader.op, Op::Loop { given, .. } if given.iter().any(is_it))
    };
    literal(eq).is_some() && program.eqs.iter().any(reads)
}

fn has_data(index: &[Ix]) -> bool {
    index.iter().any(|i| matches!(i, Ix::Data(_)))
}

/// A program in a loop that is given literal arrays behind what it was given.
fn with_given(program: &Program, at: usize, literals: &[Literal]) -> Program {
    let mut params = program.params.clone();
    let more = literals.iter().map(|(_, ty)| Param {
        name: String::from("given"),
        ty: ty.clone(),
    });
    params.splice(at..at, more);
    let moved = |k: usize| Var((if k < at { k } else { k + literals.len() }) as u32);
    let mut new: Vec<Var> = (0..program.params.len()).map(moved).collect();
    let mut out = Builder::new(&program.name, params);
    let given = |v: Var| {
        let found = literal(program.eq(v)?)?;
        let k = literals.iter().position(|l| *l == found)?;
        Some(Var((at + k) as u32))
    };
    for eq in &program.eqs {
        let mut copy = translate(eq, &mut |v| new[v.index()]);
        if let (Op::Gather { src, index }, Op::Gather { src: of, .. }) = (&eq.op, &mut copy.op)
            && has_data(index)
        {
            *of = given(*src).unwrap_or(*of);
        }
        if let (Op::Loop { given: all, .. }, Op::Loop { given: now, .. }) = (&eq.op, &mut copy.op) {
            for (v, of) in now.iter_mut().zip(all) {
                *v = given(*of).unwrap_or(*v);
            }
        }
        new.push(out.push(copy));
    }
    out.finish(program.results.iter().map(|v| new[v.index()]).collect())
}
