//! The order of the passes. Nothing else knows it.

use crate::defect::{enter, report};
use crate::ir::bulk::{Program, Var};
use crate::ir::ty::{Elem, Lit, take_overflow};
use crate::ir::unit::{Called, Rule, Unit};
use crate::ir::{bulk_check, core, core_check, kernel, kernel_check};
use crate::passes::fuse::{again, fuse};
use crate::passes::join::join;
use crate::passes::lengths::lengths;
use crate::passes::linearise::{forward, linearise};
use crate::passes::raise::raise;
use crate::passes::simplify::{erase_stops, simplify, simplify_linear};
use crate::passes::transpose::transpose;
use crate::passes::units;
use crate::passes::vectorise::vectorise;

/// What of a function is to be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Derivative {
    /// The function itself.
    Value,
    /// The gradient of a scalar function.
    Grad,
    /// The value and the gradient of a scalar function.
    ValueAndGrad,
    /// The value and the product of a cotangent with the Jacobian. One more parameter.
    Vjp,
    /// The value and the product of the Jacobian with tangents. One more parameter for each
    /// differentiated one.
    Jvp,
}

/// A stage of the compiler, for those who watch: its name and the program after it.
pub type Watch<'a> = &'a mut dyn FnMut(&'static str, &Program);

/// A function as a simplified Bulk program.
///
/// # Errors
/// If the function cannot be vectorised, or a pass broke the program (a bug of the compiler).
pub fn to_bulk(program: &core::Program, watch: Watch<'_>) -> Result<Program, String> {
    enter("vectorise");
    let bulk = vectorise(program)?;
    checked("vectorise", &bulk, watch)?;
    enter("simplify");
    let bulk = simplify(&bulk);
    checked("simplify", &bulk, watch)?;
    Ok(bulk)
}

/// A derivative of a Bulk program with respect to some of its parameters.
///
/// # Errors
/// If a pass broke the program (a bug of the compiler).
pub fn derive(
    program: &Program,
    what: Derivative,
    wrt: &[usize],
    watch: Watch<'_>,
) -> Result<Program, String> {
    derive_with(program, what, wrt, erase_stops, watch)
}

/// What a call of a derivative of a function stands for, in another function. What is constant for
/// differentiation there stays so when the derivative is differentiated.
///
/// # Errors
/// If the function cannot be vectorised, or a pass broke the program (a bug of the compiler).
pub fn routine(
    program: &core::Program,
    what: Derivative,
    wrt: &[usize],
) -> Result<core::Routine, String> {
    let watch: Watch<'_> = &mut |_, _| {};
    let bulk = to_bulk(program, watch)?;
    let derived = derive_with(&bulk, what, wrt, Program::clone, watch)?;
    enter("raise");
    let routine = raise(&derived);
    if cfg!(debug_assertions) {
        core_check::check(&routine.program(&program.name))
            .map_err(|e| report("raise", &format!("it made a wrong program: {e}")))?;
    }
    Ok(routine)
}

fn derive_with(
    program: &Program,
    what: Derivative,
    wrt: &[usize],
    stops: fn(&Program) -> Program,
    watch: Watch<'_>,
) -> Result<Program, String> {
    let again = match what {
        Derivative::Value => None,
        Derivative::Grad | Derivative::ValueAndGrad | Derivative::Vjp | Derivative::Jvp => {
            derivable(program, wrt)?
        }
    };
    let program = again.as_ref().unwrap_or(program);
    let (derived, seeds) = match what {
        Derivative::Value => (program.clone(), vec![]),
        Derivative::Jvp => {
            enter("linearise");
            let l = forward(program, wrt);
            checked("linearise", &l.program, watch)?;
            (l.program, l.tangents)
        }
        Derivative::Vjp | Derivative::Grad | Derivative::ValueAndGrad => {
            enter("linearise");
            let l = linearise(program, wrt);
            checked("linearise", &l.program, watch)?;
            enter("transpose");
            let mut t = transpose(&l);
            checked("transpose", &t, watch)?;
            if t.eqs.iter().any(|eq| eq.loop_result().is_some()) {
                enter("join");
                t = join(&t);
                checked("join", &t, watch)?;
            }
            if what == Derivative::Grad {
                t.results.remove(0);
            }
            let cotangents = program.params.len()..t.params.len();
            (t, cotangents.map(|k| Var(k as u32)).collect())
        }
    };
    enter("simplify");
    let mut done = simplify_linear(&stops(&derived), &seeds);
    checked("simplify", &done, watch)?;
    if matches!(what, Derivative::Grad | Derivative::ValueAndGrad) {
        done = simplify(&seed(&done, program.params.len()));
        checked("simplify", &done, watch)?;
    }
    for _ in 0..DEEPEST {
        let Some((unit, rule)) = units::lacking(&done) else {
            return Ok(done);
        };
        if unit.routine(rule).is_none() {
            return Err(lacking(unit, rule));
        }
        done = with_rules(&done, &|unit, rule| !unit.has(rule))?;
    }
    Err(endless())
}

/// How often programs of rules are taken in, one in the other.
const DEEPEST: usize = 8;

fn endless() -> String {
    "a rule of a function with `#[custom_derivative]` needs a derivative of that function; write the rule \
     without it"
        .into()
}

/// A program with rules of units taken in where these are differentiated; nothing where none is.
fn derivable(program: &Program, wrt: &[usize]) -> Result<Option<Program>, String> {
    let mut done = None;
    for _ in 0..DEEPEST {
        let now = done.as_ref().unwrap_or(program);
        let Some((unit, rule)) = units::rules::twice(now, wrt) else {
            return Ok(done);
        };
        if unit.routine(rule).is_none() {
            let name = unit.name();
            return Err(format!(
                "a derivative of `{name}` is differentiated here, and the body of its `{rule}` is not known; \
                 annotate the function that `#[custom_derivative({rule} = ..)]` names with \
                 `#[differentiable]`, or write what is differentiated twice without `{name}`"
            ));
        }
        done = Some(with_rules(now, &|_, _| true)?);
    }
    Err(endless())
}

/// A program with rules of units taken in.
fn with_rules(program: &Program, wanted: units::rules::Wanted<'_>) -> Result<Program, String> {
    enter("raise");
    let mut raised = raise(program).program(&program.name);
    units::rules::with_lengths(&mut raised, program);
    enter("units");
    let taken_in = units::rules::taken_in(&raised, wanted);
    if cfg!(debug_assertions) {
        core_check::check(&taken_in)
            .map_err(|e| report("units", &format!("it made a wrong program: {e}")))?;
    }
    to_bulk(&taken_in, &mut |_, _| {})
}

/// The program of one product of a unit from that of the other, of which `rule` is the name: a product is
/// linear in what it multiplies.
///
/// # Errors
/// If it is not linear, or cannot be differentiated.
pub fn other_product(
    unit: &Called,
    rule: Rule,
    routine: &core::Routine,
) -> Result<core::Routine, String> {
    let watch: Watch<'_> = &mut |_, _| {};
    let bulk = to_bulk(&routine.program(unit.name()), watch)?;
    let seeds: Vec<usize> = (unit.args.len()..bulk.params.len()).collect();
    let mut derived = derive_with(&bulk, Derivative::Vjp, &seeds, Program::clone, watch)?;
    let primal = bulk.results.len();
    let depends = |derived: &Program| {
        let on = (0..derived.params.len()).map(|k| seeds.contains(&k));
        let on = derived.dependent(on.collect());
        derived.results[primal..].iter().any(|r| on[r.index()])
    };
    // A product of another unit takes the values that it is at, and may not read them.
    if depends(&derived) {
        derived = with_rules(&derived, &|_, _| true)?;
    }
    if depends(&derived) {
        return Err(format!(
            "the `{rule}` of `{}` is not linear in what it multiplies",
            unit.name()
        ));
    }
    enter("raise");
    Ok(units::rules::at_zero(unit, rule, &raise(&derived)))
}

/// A derivative of a unit that nobody has given.
fn lacking(unit: &Unit, rule: Rule) -> String {
    let name = unit.name();
    let products = match rule {
        Rule::Value | Rule::Vjp => "gradients and products with cotangents",
        Rule::Jvp => "products with tangents",
    };
    format!(
        "{products} of a function that calls `{name}` need its `{rule}`, and its attribute names none; write \
         `#[custom_derivative({rule} = ..)]` on `{name}`, or annotate the rule that it has with \
         `#[differentiable]`, if that is linear in what it multiplies"
    )
}

/// The kernels of a Bulk program.
///
/// # Errors
/// If fusion broke the program (a bug of the compiler).
pub fn to_kernels(program: &Program) -> Result<kernel::Program, String> {
    enter("units");
    let mut program = units::shared(program);
    enter("lengths");
    if let Some(known) = lengths(&program) {
        enter("simplify");
        program = simplify(&known);
    }
    enter("again");
    if let Some(again) = again(&program) {
        enter("join");
        program = join(&again);
    }
    enter("fuse");
    let kernels = fuse(&program);
    overflowed()?;
    if cfg!(debug_assertions) {
        kernel_check::check(&kernels)
            .map_err(|e| report("fuse", &format!("it made a wrong program: {e}")))?;
    }
    Ok(kernels)
}

/// Sizes with numbers that do not fit are an error of the user's.
fn overflowed() -> Result<(), String> {
    match take_overflow() {
        true => Err("a size or an index does not fit 64 bits; write smaller integers".into()),
        false => Ok(()),
    }
}

/// A vector-Jacobian product of a scalar function, at the cotangent 1.
fn seed(program: &Program, cotangent: usize) -> Program {
    let mut params = program.params.clone();
    params.remove(cotangent);
    let mut out = crate::ir::build::Builder::new(&program.name, params);
    let one = out.fill(Lit::Real(1.0), &[]);
    let mut new: Vec<Var> = (0..program.params.len())
        .map(|k| match k.cmp(&cotangent) {
            std::cmp::Ordering::Less => Var(k as u32),
            std::cmp::Ordering::Equal => one,
            std::cmp::Ordering::Greater => unreachable!("a scalar function has one cotangent"),
        })
        .collect();
    for eq in &program.eqs {
        let v = out.copy(eq, &mut |v| new[v.index()]);
        new.push(v);
    }
    for r in &program.requires {
        out.require(r.clone());
    }
    debug_assert_eq!(program.params[cotangent].ty.elem, Elem::Real);
    out.finish(program.results.iter().map(|r| new[r.index()]).collect())
}

/// Verifies what a pass made, in debug builds and tests, and shows it to who watches.
fn checked(pass: &'static str, program: &Program, watch: Watch<'_>) -> Result<(), String> {
    watch(pass, program);
    overflowed()?;
    if cfg!(debug_assertions) {
        bulk_check::check(program)
            .map_err(|e| report(pass, &format!("it made a wrong program: {e}")))?;
    }
    Ok(())
}
