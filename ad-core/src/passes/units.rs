//! What is asked of units: whether they can answer, and that no value is computed twice.
//!
//! A product with tangents or cotangents comes with the value. So where both are wanted, at the
//! same arguments, the product is computed first, unless what is multiplied depends on the value:
//!
//! ```text
//! y = value(x), d = vjp(x, t)     ⟶     y, d = vjp(x, t)      where t does not depend on y
//! ```
//!
//! Loops of both are in `beside.rs`.
//!
//! Functions that call themselves have a tape (`tape.rs`) where they are differentiated once.

pub mod base;
mod beside;
pub mod rules;
pub mod tape;

use crate::ir::build::Builder;
use crate::ir::bulk::{Eq, Looped, Op, Program, Var};
use crate::ir::ty::Atom;
use crate::ir::unit::{Called, Rule};

/// What an equation calls: the unit, the rule, and with what.
fn call(eq: &Eq) -> Option<(&Called, Rule, &Vec<Var>)> {
    if let Op::Call {
        unit, rule, args, ..
    } = &eq.op
    {
        return Some((unit, *rule, args));
    }
    None
}

/// A unit that a program asks for a function it does not have.
pub fn lacking<'a>(program: &'a Program) -> Option<(&'a Called, Rule)> {
    let mut calls = program.eqs.iter().filter_map(call);
    let here = calls.find(|(unit, rule, _)| !unit.has(*rule));
    let inside = |looped: &'a Looped| {
        lacking(&looped.body).or_else(|| looped.goes_on.as_ref().and_then(lacking))
    };
    here.map(|(unit, rule, _)| (unit, rule))
        .or_else(|| program.loops().find_map(inside))
}

/// The same program with values taken from where products are computed, in loops too.
pub fn shared(program: &Program) -> Program {
    let mut program = tape::tidied(program);
    while let Some(next) = beside::side_by_side(&program) {
        program = next;
    }
    program.change_loops(&|looped| match mentions_units(&looped.body) {
        true => looped.map(&shared),
        false => looped.clone(),
    });
    // One after another: two at once could wait for each other.
    while let Some((unit, own, rule, more)) = product(&program) {
        let mut all = program.eqs.clone();
        for eq in &mut all {
            if let Op::Call {
                unit: u,
                rule: r @ Rule::Value,
                args,
                ..
            } = &mut eq.op
                && *u == unit
                && *args == own
            {
                *r = rule;
                args.extend(&more);
            }
        }
        program = in_order(&program, &all);
    }
    program
}

/// Whether a program calls units.
fn mentions_units(program: &Program) -> bool {
    program.eqs.iter().any(|eq| call(eq).is_some())
        || program.loops().any(|looped| mentions_units(&looped.body))
}

/// A product that can be computed instead of a value at the same arguments: the unit, the
/// arguments, the rule, and what is multiplied.
fn product(program: &Program) -> Option<(Called, Vec<Var>, Rule, Vec<Var>)> {
    let calls = || program.eqs.iter().filter_map(call);
    let is_product = |rule| matches!(rule, Rule::Jvp | Rule::Vjp);
    let mut products = calls().filter(|(_, rule, _)| is_product(*rule));
    products.find_map(|(unit, rule, args)| {
        let (own, more) = args.split_at(unit.args.len());
        let is_value =
            |(u, r, a): (&Called, Rule, &Vec<Var>)| u == unit && r == Rule::Value && *a == own;
        let wanted = calls().any(is_value) && !sees(program, (unit, own), more);
        wanted.then(|| (unit.clone(), own.to_vec(), rule, more.to_vec()))
    })
}

/// Whether variables depend on a value.
fn sees(program: &Program, (of, own): (&Called, &[Var]), vars: &[Var]) -> bool {
    let is_value = |eq: &Eq| {
        matches!(&eq.op, Op::Call { unit, rule: Rule::Value, args, .. }
            if unit == of && *args == own)
    };
    let on = dependent_on(program, &is_value);
    vars.iter().any(|v| on[v.index()])
}

/// Whether some equations depend on others.
fn depends(program: &Program, on: &dyn Fn(&Eq) -> bool, some: &dyn Fn(&Eq) -> bool) -> bool {
    let on = dependent_on(program, on);
    let mut eqs = program.eqs.iter().enumerate();
    eqs.any(|(k, eq)| some(eq) && on[program.var_of(k).index()])
}

/// Which variables depend on equations, these included.
fn dependent_on(program: &Program, of: &dyn Fn(&Eq) -> bool) -> Vec<bool> {
    let mut on = vec![false; program.params.len()];
    for eq in &program.eqs {
        let mut depends = of(eq);
        eq.visit(&mut |v| depends |= on[v.index()]);
        eq.visit_sizes(&mut |s| {
            s.visit(&mut |a| {
                if let Atom::Value(v) = a {
                    depends |= on[*v as usize];
                }
            });
        });
        on.push(depends);
    }
    on
}

/// The equations in an order in which each comes behind what it mentions.
fn in_order(program: &Program, eqs: &[Eq]) -> Program {
    let first = program.params.len();
    let mut out = Builder::new(&program.name, program.params.clone());
    let params = (0..first).map(|k| Some(Var(k as u32)));
    let mut new: Vec<Option<Var>> = params.chain(eqs.iter().map(|_| None)).collect();
    for k in 0..eqs.len() {
        let mut waiting = vec![k];
        while let Some(&k) = waiting.last() {
            let eq = &eqs[k];
            let mut open = vec![];
            let mut need = |v: Var| {
                if new[v.index()].is_none() {
                    open.push(v.index() - first);
                }
            };
            eq.visit(&mut need);
            eq.visit_sizes(&mut |s| {
                s.visit(&mut |a| {
                    if let Atom::Value(v) = a {
                        need(Var(*v));
                    }
                });
            });
            if open.is_empty() {
                let at = first + k;
                if new[at].is_none() {
                    let v = out.copy(eq, &mut |v| new[v.index()].expect("it came before"));
                    new[at] = Some(v);
                }
                waiting.pop();
            } else {
                waiting.extend(open);
            }
        }
    }
    for r in &program.requires {
        out.require(r.clone());
    }
    let results = program.results.iter();
    out.finish(
        results
            .map(|r| new[r.index()].expect("all are there"))
            .collect(),
    )
}
