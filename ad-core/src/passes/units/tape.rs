//! Functions that call themselves, differentiated once: the residuals of their calls are on a tape.
//!
//! A function that calls itself is linearised with `forward` and `linear` in the place of its calls
//! (`linearise/unit.rs`), and split. What keeps residuals is the program of `forward`, what is
//! transposed is that of `reverse`:
//!
//! ```text
//! (y, r) = values(x)                   ⟶     forward(x)              = y, save(r)
//! x̄ = x̄₀ + transposed(x, r, ȳ)        ⟶     reverse(x, p, ȳ, x̄₀)   = .. with r = load(p)
//! ```
//!
//! So each call keeps what its own reverse pass reads, and nothing is computed twice at any depth.
//! The accumulators go from call to call, so that no call makes an array as long as an argument.

use super::{call, mentions_units};
use crate::ir::build::{Builder, translate_size};
use crate::ir::bulk::{Eq, Looped, Op, Param, Program, Type, Var};
use crate::ir::ty::{Atom, Elem};
use crate::ir::unit::{Called, Rule, Tape};

/// The unit that a program calls that is the function itself, if its residuals can be on a tape: no
/// loop around a call runs again in the reverse pass.
pub fn own(program: &Program) -> Option<Called> {
    let found = own_in(program, &program.name)?;
    let is_allowed = found.has(Rule::Vjp) && !computes_again(program);
    is_allowed.then_some(found)
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
    let (mut out, new) = copied(values, values.params.clone());
    let all: Vec<Var> = values.results.iter().map(|r| new[r.index()]).collect();
    let (own, kept) = all.split_at(results);
    let place = out.op(
        Elem::Int,
        vec![],
        None,
        Op::Call {
            unit: unit.clone(),
            rule: Rule::Tape(Tape::Save),
            args: kept.to_vec(),
            out: 0,
        },
    );
    out.finish(own.iter().copied().chain([place]).collect())
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
        ty: Type {
            elem: Elem::Int,
            shape: vec![],
        },
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
            "`{}` calls itself, and the lengths of what it returns are not those of arguments; let it return \
             numbers or fixed-size arrays",
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

fn copied(program: &Program, params: Vec<Param>) -> (Builder, Vec<Var>) {
    let mut new: Vec<Var> = (0..params.len()).map(|k| Var(k as u32)).collect();
    let mut out = Builder::new(&program.name, params);
    for r in &program.requires {
        out.require(r.clone());
    }
    for eq in &program.eqs {
        let v = out.copy(eq, &mut |v| new[v.index()]);
        new.push(v);
    }
    (out, new)
}

/// The same program with values where the place of residuals is not used, and with the value from
/// `forward` where that is called with the same arguments.
pub(super) fn tidied(program: &Program) -> Program {
    let mut program = program.clone();
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
