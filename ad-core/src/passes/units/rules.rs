//! Derivatives of units whose rules are programs: calls of these rules become what the rules
//! compute.
//!
//! ```text
//! d = vjp(x, t)[k]     ⟶     d = the k-th result of the program of vjp at x, t
//! ```
//!
//! What is left can be differentiated, since calls in the rule itself are calls of values. A
//! program of one product gives the other: with `J` the product with tangents, linear in `ẋ`,
//!
//! ```text
//! vjp(x, ȳ)  =  the cotangent of ẋ in J(x, ẋ), at ẋ = 0 and the cotangent ȳ
//! ```

use super::call;
use crate::ir::bulk;
use crate::ir::core::{
    Block, Bound, Call, Copier, Expr, Fresh, Names, Param, Program, Routine, Sym, Ty,
};
use crate::ir::ty::{Atom, Elem, Size};
use crate::ir::unit::{Called, Given, Rule, Unit};
use std::collections::HashSet;

/// Which rules are to be taken in.
pub type Wanted<'a> = &'a dyn Fn(&Unit, Rule) -> bool;

/// The same program with the programs of rules in the place of calls.
pub fn taken_in(program: &Program, wanted: Wanted<'_>) -> Program {
    let mut fresh = Fresh::default();
    let mut names = Names::new();
    let mut call = |fresh: &mut Fresh, call: Call| placed(fresh, call, wanted);
    let mut copier = Copier {
        fresh: &mut fresh,
        call: &mut call,
    };
    let params = (program.params.iter())
        .map(|p| Param {
            sym: copier.renamed(&p.sym, &mut names),
            ..p.clone()
        })
        .collect();
    let body = copied(&mut copier, &program.body, &mut names);
    let name = program.name.clone();
    Program { name, params, body }
}

fn copied(copier: &mut Copier<'_>, block: &Block, names: &mut Names) -> Block {
    let lets = block.lets.iter().map(|b| copier.copied_bound(b, names));
    let lets = lets.collect();
    let results = block.results.iter().map(|e| copier.copied(e, names));
    let results = results.collect();
    Block { lets, results }
}

/// A call, or the program in its place.
fn placed(fresh: &mut Fresh, call: Call, wanted: Wanted<'_>) -> Expr {
    let (unit, rule) = (call.unit.clone(), call.rule);
    let (Given::Derivative(k), Some(routine), true) = (
        unit.given(rule, call.out),
        unit.routine(rule),
        wanted(&unit, rule),
    ) else {
        return Expr::call(call);
    };
    let mut names = Names::new();
    let mut lets = vec![];
    let mut inner = |_: &mut Fresh, call: Call| {
        Expr::call(Call {
            unit: unit.inner(rule, &call.unit),
            ..call
        })
    };
    let mut copier = Copier {
        fresh,
        call: &mut inner,
    };
    for (p, arg) in routine.params.iter().zip(call.args) {
        lets.push(Bound::Let(copier.renamed(&p.sym, &mut names), arg));
    }
    for b in &routine.body.lets {
        lets.push(copier.copied_bound(b, &mut names));
    }
    let result = copier.copied(&routine.body.results[k], &mut names);
    Expr::under(lets, result)
}

/// Says of the parameters of a raised program what their shapes were.
pub fn with_lengths(program: &mut Program, of: &bulk::Program) {
    for (k, (p, before)) in program.params.iter_mut().zip(&of.params).enumerate() {
        let length = |(axis, n): (usize, &Size)| {
            let known = n.as_lit().is_some() || matches!(n.as_atom(), Some(Atom::Dim { .. }));
            (known && *n != Size::dim(k, axis)).then(|| n.clone())
        };
        p.lengths = before.ty.shape.iter().enumerate().map(length).collect();
    }
}

/// What differentiating a program in some of its parameters asks of a unit that has no function for
/// it: a derivative of a derivative.
pub fn twice(program: &bulk::Program, wrt: &[usize]) -> Option<(Called, Rule)> {
    let on = (0..program.params.len()).map(|k| wrt.contains(&k));
    twice_in(program, on.collect())
}

fn twice_in(program: &bulk::Program, params: Vec<bool>) -> Option<(Called, Rule)> {
    let on = program.dependent(params);
    let depends = |vars: &[bulk::Var]| vars.iter().any(|v| on[v.index()]);
    let mut moving = HashSet::new();
    let here = program.eqs.iter().find_map(|eq| {
        if let Some((unit, rule, args)) = call(eq) {
            let moves = rule != Rule::Value && depends(&args[..unit.args.len()]);
            return moves.then(|| (unit.clone(), rule));
        }
        let (run, _) = eq.loop_result()?;
        if depends(run.given) || depends(run.init) {
            moving.insert(run.looped);
        }
        None
    });
    let inside = |looped: &bulk::Looped| {
        let body = &looped.body;
        twice_in(body, vec![true; body.params.len()])
    };
    here.or_else(|| {
        let mut loops = program.loops().filter(|looped| moving.contains(looped));
        loops.find_map(inside)
    })
}

/// The program of one product of a unit, at tangents or cotangents of zero: `derived` is that of
/// the other one with its gradient in these, as [`crate::pipeline`] computes it.
pub fn at_zero(unit: &Called, rule: Rule, derived: &Routine) -> Routine {
    let mut fresh = Fresh::default();
    let mut names = Names::new();
    let mut call = |_: &mut Fresh, call: Call| Expr::call(call);
    let mut copier = Copier {
        fresh: &mut fresh,
        call: &mut call,
    };
    let (own, all) = (unit.args.len(), unit.takes(rule).len());
    let mut params: Vec<Param> = vec![];
    let mut seeds = vec![];
    for (k, p) in derived.params.iter().enumerate() {
        let sym = copier.renamed(&p.sym, &mut names);
        match (own..all).contains(&k) {
            true => seeds.push((sym, p.ty)),
            false => params.push(Param::new(sym, p.ty)),
        }
    }
    let args: Vec<Expr> = params[..own]
        .iter()
        .map(|p| Expr::var(&p.sym, p.ty))
        .collect();
    let mut lets = vec![];
    for (k, (sym, ty)) in seeds.into_iter().enumerate() {
        let like = match rule {
            Rule::Jvp => args[unit.real_args()[k]].clone(),
            Rule::Value | Rule::Vjp | Rule::Tape(_) => {
                let out = unit.real_results()[k];
                let value = copier.fresh.sym("value");
                let of = Expr::call(Call {
                    unit: unit.clone(),
                    rule: Rule::Value,
                    args: args.clone(),
                    out,
                });
                let ty = of.ty;
                lets.push(Bound::Let(value.clone(), of));
                Expr::var(&value, ty)
            }
        };
        lets.push(Bound::Let(sym, zeros(copier.fresh, &like, ty)));
    }
    let block = copied(&mut copier, &derived.body, &mut names);
    lets.extend(block.lets);
    let results = block.results.into_iter().skip(match rule {
        Rule::Jvp => unit.real_results().len(),
        Rule::Value | Rule::Vjp | Rule::Tape(_) => unit.real_args().len(),
    });
    let results = results.collect();
    let body = Block { lets, results };
    Routine { params, body }
}

fn zeros(fresh: &mut Fresh, like: &Expr, ty: Ty) -> Expr {
    debug_assert_eq!(ty.elem, Elem::Real);
    (0..ty.rank).rev().fold(Expr::real(0.0), |e, axis| {
        let sym: Sym = fresh.sym("i");
        Expr::build(sym, Expr::dim(like.clone(), axis), e)
    })
}
