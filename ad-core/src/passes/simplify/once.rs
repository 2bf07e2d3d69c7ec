//! Loops of one step, and lengths that are computed and yet known.
//!
//! ```text
//! n = 1                                n = 1
//! s, y = loop body from s0 for n   ⟶   s, y[0] = body(s0, 0)
//! ```
//!
//! The loop has no condition and does not recompute its steps. A call of a unit under a condition
//! is such a loop, see `vectorise/unit.rs`; where the condition is known to hold, the call stands
//! by itself.

use crate::ir::build::{Builder, translate_size};
use crate::ir::bulk::{Eq, Op, Program, Run, Var};
use crate::ir::ty::{Atom, Lit, Size};
use std::collections::HashMap;

/// The program without loops of one step; `None` if there is none, and no length is a literal that
/// is not written as one.
pub(super) fn inlined(program: &Program) -> Option<Program> {
    if !program
        .eqs
        .iter()
        .any(|eq| is_once(program, eq) || has_known(program, eq))
    {
        return None;
    }
    let params = program.params.len();
    let mut out = Builder::new(&program.name, program.params.clone());
    for r in &program.requires {
        out.require(r.clone());
    }
    let mut new: Vec<Var> = (0..params).map(|k| Var(k as u32)).collect();
    let mut done: HashMap<Run<'_>, Vec<Var>> = HashMap::new();
    for eq in &program.eqs {
        let (Some((run, k)), true) = (eq.loop_result(), is_once(program, eq)) else {
            let v = copied(&mut out, eq, &new);
            new.push(v);
            continue;
        };
        let results = done
            .entry(run)
            .or_insert_with(|| only_step(&mut out, run, &new));
        new.push(results[k]);
    }
    for (k, p) in program.params.iter().enumerate() {
        let shape = p.ty.shape.iter();
        let shape = shape.map(|s| known(&out, &translate_size(s, &mut |v| new[v.index()])));
        let shape = shape.collect();
        out.set_param_shape(k, shape);
    }
    Some(out.finish(program.results.iter().map(|r| new[r.index()]).collect()))
}

/// All results of a loop of one step.
fn only_step(out: &mut Builder, run: Run<'_>, outer: &[Var]) -> Vec<Var> {
    let body = &run.looped.body;
    let given = run.given.iter().chain(run.init);
    let mut new: Vec<Var> = given.map(|v| outer[v.index()]).collect();
    new.push(out.fill(Lit::Int(0), &[]));
    for eq in &body.eqs {
        let v = copied(out, eq, &new);
        new.push(v);
    }
    let mut all = vec![];
    for (k, r) in body.results.iter().enumerate() {
        let v = new[r.index()];
        all.push(match k < run.looped.states {
            true => v,
            false => {
                let mut shape = out.shape(v);
                shape.insert(0, Size::lit(1));
                out.spread_over(v, &[0], &shape)
            }
        });
    }
    all.push(out.fill(Lit::Int(1), &[]));
    all
}

/// Whether an equation is a result of a loop of one step.
fn is_once(program: &Program, eq: &Eq) -> bool {
    eq.loop_result().is_some_and(|(run, _)| {
        let is_plain = run.looped.goes_on.is_none() && !run.looped.keep.recomputes();
        is_plain && run.steps.is_some_and(|n| in_program(program, n).is(1))
    })
}

/// Whether a length in an equation is a literal that is not written as one.
fn has_known(program: &Program, eq: &Eq) -> bool {
    let mut found = false;
    eq.visit_sizes(&mut |s| {
        s.visit(&mut |a| {
            found |= matches!(a, Atom::Value(v) if literal(program.eq(Var(*v))).is_some())
        });
    });
    found
}

fn in_program(program: &Program, s: &Size) -> Size {
    with_literals(s, &|v| literal(program.eq(v)))
}

/// A size with what is known of the computed lengths in it.
pub(super) fn known(out: &Builder, s: &Size) -> Size {
    with_literals(s, &|v| literal(out.eq(v)))
}

fn literal(eq: Option<&Eq>) -> Option<i64> {
    match eq.map(|eq| (&eq.op, eq.guard)) {
        Some((Op::Fill(Lit::Int(n)), None)) => Some(*n),
        Some(_) | None => None,
    }
}

fn with_literals(s: &Size, literal: &dyn Fn(Var) -> Option<i64>) -> Size {
    let mut found = false;
    s.visit(&mut |a| found |= matches!(a, Atom::Value(v) if literal(Var(*v)).is_some()));
    if !found {
        return s.clone();
    }
    s.substitute(&mut |a| match a {
        Atom::Value(v) => literal(Var(*v)).map_or_else(|| Size::atom(a.clone()), Size::lit),
        Atom::Dim { .. }
        | Atom::Int { .. }
        | Atom::Quot(..)
        | Atom::Rem(..)
        | Atom::Min(..)
        | Atom::Max(..)
        | Atom::Select(..) => Size::atom(a.clone()),
    })
}

/// A copy of an equation with the lengths that are known.
fn copied(out: &mut Builder, eq: &Eq, new: &[Var]) -> Var {
    let eq = eq.clone().map(&mut |v| new[v.index()], &mut |s| {
        known(out, &translate_size(s, &mut |v| new[v.index()]))
    });
    out.push(eq)
}
