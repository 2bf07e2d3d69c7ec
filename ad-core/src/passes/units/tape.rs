//! Functions that call themselves, differentiated once: the residuals of their calls are on a tape.
//!
//! The function is linearised with `forward` and `linear` in the place of its calls of itself
//! (`linearise/unit.rs`). Then it is split into two programs. The first becomes `forward`; the
//! second is transposed and becomes `reverse`:
//!
//! ```text
//! (y, r) = values(x)               ⟶   forward(x) = y, save(r)
//! x̄ = x̄₀ + transposed(x, r, ȳ)    ⟶   reverse(x, p, ȳ, x̄₀) = .. with r = load(p)
//! ```
//!
//! So each call keeps what its own reverse pass reads, and nothing is computed twice at any depth.
//! The accumulators go from call to call, so that no call makes an array as long as an argument.

use super::{call, mentions_units};
use crate::ir::build::{Builder, translate_size};
use crate::ir::bulk::{Eq, Looped, Op, Param, Program, Run, Type, Var};
use crate::ir::ty::{Atom, Elem};
use crate::ir::unit::{Called, Rule, Tape};
use std::collections::HashSet;

/// The function itself as the unit that its program calls, if the residuals of these calls are on
/// a tape.
///
/// They can be if no loop around a call runs again in the reverse pass. They need not be if a call
/// gives one number, and all its arrays are made for it: then its gradient is the residual
/// (`linearise/unit.rs`), which is as large as these, and nothing has to be kept at all depths.
pub fn own(program: &Program) -> Option<Called> {
    let found = own_in(program, &program.name)?;
    let gives_number = match found.real_results()[..] {
        [k] => found.results[k].ty.rank == 0,
        _ => false,
    };
    let is_array = |p: &Param| p.ty.elem == Elem::Real && p.ty.rank() > 0;
    let arrays: Vec<bool> = program.params.iter().map(is_array).collect();
    let is_wanted = !gives_number || hands_on(program, &program.name, &arrays);
    let is_possible = found.has(Rule::Vjp) && !computes_again(program);
    (is_wanted && is_possible).then_some(found)
}

/// Whether a call of the function itself is given one of these parameters as it is.
fn hands_on(program: &Program, name: &str, arrays: &[bool]) -> bool {
    let is_array = |v: &Var| arrays.get(v.index()) == Some(&true);
    let mut seen: HashSet<Run<'_>> = HashSet::new();
    program.eqs.iter().any(|eq| {
        if let Some((unit, _, args)) = call(eq) {
            return unit.is_itself(name) && args.iter().any(is_array);
        }
        eq.loop_result().is_some_and(|(run, _)| {
            let given: Vec<bool> = run.given.iter().map(is_array).collect();
            seen.insert(run) && hands_on(&run.looped.body, name, &given)
        })
    })
}

fn own_in(program: &Program, name: &str) -> Option<Called> {
    let own = |eq: &Eq| call(eq).and_then(|(unit, ..)| unit.is_itself(name).then(|| unit.clone()));
    let here = program.eqs.iter().find_map(own);
    here.or_else(|| {
        let mut loops = program.loops();
        loops.find_map(|looped| own_in(&looped.body, name))
    })
}

fn computes_again(program: &Program) -> bool {
    let again = |looped: &Looped| {
        looped.keep.recomputes() && mentions_units(&looped.body) || computes_again(&looped.body)
    };
    program.loops().any(again)
}

/// The program of `forward`: the first results are those of the function, the others are saved.
pub fn forward(values: &Program, results: usize, unit: &Called) -> Program {
    let mut program = values.clone();
    let place = program.var_of(program.eqs.len());
    let op = Op::Call {
        unit: unit.clone(),
        rule: Rule::Tape(Tape::Save),
        args: program.results.split_off(results),
        out: 0,
    };
    let (ty, guard) = (integer(), None);
    program.eqs.push(Eq { ty, guard, op });
    program.results.push(place);
    program
}

fn integer() -> Type {
    Type {
        elem: Elem::Int,
        shape: vec![],
    }
}

/// What the parameters of a transposed program are, beside those of the function.
pub struct Layout {
    /// How many parameters the function has.
    pub own: usize,
    /// Those that are residuals, and which of them is saved at which place.
    pub kept: Vec<Option<usize>>,
    /// How many cotangents there are behind the residuals; accumulators come last.
    pub cotangents: usize,
}

/// The program of `reverse`.
///
/// # Errors
/// If the length of a cotangent is not known before.
pub fn reverse(transposed: &Program, layout: &Layout, unit: &Called) -> Result<Program, String> {
    let Layout {
        own,
        kept,
        cotangents,
    } = layout;
    let first = own + kept.len();
    let mut params = transposed.params[..*own].to_vec();
    params.push(Param {
        name: "place".into(),
        ty: integer(),
    });
    let place = Var(*own as u32);
    params.extend_from_slice(&transposed.params[first..first + cotangents]);
    let mut is_known = true;
    visit_sizes(transposed, &mut |a| match a {
        Atom::Dim { param, .. } | Atom::Int { param } => is_known &= param < own,
        Atom::Value(_)
        | Atom::Quot(..)
        | Atom::Rem(..)
        | Atom::Min(..)
        | Atom::Max(..)
        | Atom::Select(..) => {}
    });
    if !is_known {
        return Err(format!(
            "`{}` calls itself, and the lengths of what it returns are not those of arguments; \
             let it return numbers or fixed-size arrays",
            unit.name()
        ));
    }
    let mut new: Vec<Option<Var>> = (0..*own).map(|k| Some(Var(k as u32))).collect();
    let mut out = Builder::new(&transposed.name, params);
    for (k, slot) in kept.iter().enumerate() {
        let ty = &transposed.params[own + k].ty;
        let shape = ty.shape.iter();
        new.push(slot.map(|slot| {
            let size = |v: Var| new[v.index()].expect("sizes are saved");
            let shape = shape.map(|s| translate_size(s, &mut { size }));
            let ty = Type {
                elem: ty.elem,
                shape: shape.collect(),
            };
            out.load(unit, place, slot, ty)
        }));
    }
    for k in 0..*cotangents {
        let ty = &transposed.params[first + k].ty;
        let size = |v: Var| new[v.index()].expect("sizes are saved");
        let shape = ty.shape.iter().map(|s| translate_size(s, &mut { size }));
        out.set_param_shape(own + 1 + k, shape.collect());
        new.push(Some(Var((own + 1 + k) as u32)));
    }
    for (k, p) in transposed.params[first + cotangents..].iter().enumerate() {
        let begin = Rule::Tape(Tape::Begin);
        new.push(Some(out.call(unit, begin, &[], k, Some(&p.ty.shape))));
    }
    for eq in &transposed.eqs {
        let v = out.copy(eq, &mut |v| new[v.index()].expect("what is used is saved"));
        new.push(Some(v));
    }
    let results = transposed.results.iter();
    let results = results.map(|r| new[r.index()].expect("what is used is saved"));
    Ok(out.finish(results.collect()))
}

fn visit_sizes(program: &Program, f: &mut dyn FnMut(&Atom)) {
    for p in &program.params {
        p.ty.shape.iter().for_each(|s| s.visit(f));
    }
    for eq in &program.eqs {
        eq.visit_sizes(&mut |s| s.visit(f));
    }
    for looped in program.loops() {
        visit_sizes(&looped.body, f);
    }
}

/// The same program with values where the place of residuals is not used, and with the value from
/// `forward` where that is called with the same arguments.
pub(super) fn tidied(program: &Program) -> Program {
    let mut program = program.clone();
    if !mentions_units(&program) {
        return program;
    }
    program.change_loops(&|looped| match mentions_units(&looped.body) {
        true => looped.map(&tidied),
        false => looped.clone(),
    });
    let forward = Rule::Tape(Tape::Forward);
    let uses = program.uses();
    let is_kept = |k: usize| {
        let v = program.var_of(k).index();
        uses.is_result[v] || !uses.by[v].is_empty()
    };
    let mut kept: Vec<(Called, Vec<Var>)> = vec![];
    for (k, eq) in program.eqs.iter().enumerate() {
        if let Op::Call {
            unit,
            rule,
            args,
            out,
        } = &eq.op
            && *rule == forward
            && *out == unit.primal(forward)
            && is_kept(k)
        {
            kept.push((unit.clone(), args.clone()));
        }
    }
    for eq in &mut program.eqs {
        if let Op::Call {
            unit,
            rule,
            args,
            out,
        } = &mut eq.op
            && (*rule == forward || *rule == Rule::Value)
            && *out < unit.primal(forward)
        {
            let is_kept = kept.iter().any(|(u, a)| u == unit && a == args);
            *rule = if is_kept { forward } else { Rule::Value };
        }
    }
    program
}
