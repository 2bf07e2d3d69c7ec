//! The order of the passes. Nothing else knows it.

use crate::defect::{enter, report};
use crate::derivative::Gives;
use crate::ir::bulk::{Program, Var};
use crate::ir::jacobian::{Direction, Piece, Side};
use crate::ir::linear::{Linearised, Use};
use crate::ir::ty::{Atom, Elem, Lit, Size, take_overflow};
use crate::ir::unit::{Called, Rule, Unit};
use crate::ir::{bulk_check, core, core_check, kernel, kernel_check};
use crate::passes::blocks::together;
use crate::passes::checkpoints::checkpoints;
use crate::passes::entries;
use crate::passes::fuse::steps::PASSES;
use crate::passes::fuse::{PREPARATIONS, again, lower};
use crate::passes::join::join;
use crate::passes::lengths::{in_loops, lengths};
use crate::passes::linearise::{forward, linearise, linearise_on_tape};
use crate::passes::needed::needed;
use crate::passes::raise::{raise, raise_without_demands};
use crate::passes::schedule::schedule;
use crate::passes::simplify::{erase_stops, simplify, simplify_linear, simplify_part};
use crate::passes::single::{self, single};
use crate::passes::split::{split, used};
use crate::passes::taylor::taylor;
use crate::passes::transpose::{transpose, transpose_onto, transpose_some};
use crate::passes::units;
use crate::passes::unswitch::cases::cases;
use crate::passes::unswitch::unswitch;
use crate::passes::vectorise::columns::{Tangents, columns};
use crate::passes::vectorise::vectorise;

pub use crate::derivative::Derivative;
pub use crate::passes::simplify::{count_rules, take_tally};
use std::ops::Range;

/// A stage of the compiler, for those who watch: its name and the program after it.
pub type Watch<'a> = &'a mut dyn FnMut(&'static str, &Program);

/// A function that calls itself with its base case in front of these calls, if it has one.
pub fn base_before_calls(program: &core::Program, own: &str) -> Option<core::Program> {
    enter("units");
    units::base::before_calls(program, own)
}

/// A function as a simplified Bulk program.
///
/// # Errors
/// If the function cannot be vectorised, or a pass broke the program (a bug of the compiler).
pub fn to_bulk(program: &core::Program, watch: Watch<'_>) -> Result<Program, String> {
    enter("vectorise");
    let bulk = vectorise(program)?;
    checked("vectorise", &bulk, watch)?;
    enter("lengths");
    let bulk = in_loops(&bulk).unwrap_or(bulk);
    checked("lengths", &bulk, watch)?;
    enter("simplify");
    let bulk = simplify(&bulk);
    checked("simplify", &bulk, watch)?;
    enter("needed");
    let Some(bulk) = needed(&bulk) else {
        return Ok(bulk);
    };
    checked("needed", &bulk, watch)?;
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
    derive_with(program, what, wrt, None, Next::Emitted, watch)
}

/// The same, with the arrays that a Jacobian is made of; without them it has a block for each
/// result by each parameter, one parameter after the other.
///
/// # Errors
/// As for [`derive()`].
pub fn derive_in_pieces(
    program: &Program,
    what: Derivative,
    wrt: &[usize],
    pieces: Option<&[Piece]>,
    watch: Watch<'_>,
) -> Result<Program, String> {
    derive_with(program, what, wrt, pieces, Next::Emitted, watch)
}

/// A function with the entries of its Jacobian with respect to some of its parameters.
///
/// # Errors
/// If the index maps of the program do not say the entries, or a pass broke the program (a bug of
/// the compiler).
pub fn entries(
    program: &Program,
    wrt: &[usize],
    watch: Watch<'_>,
) -> Result<entries::Entries, String> {
    let l = tangents(program, wrt, linearise, watch)?;
    enter("entries");
    let by_columns = entries::of_tangents(&l);
    let by_rows = entries::of_cotangents(&l, &transpose(&l));
    let mut simplified = |found: entries::Entries| {
        checked("entries", &found.program, watch)?;
        enter("simplify");
        let done = simplify(&erase_stops(&found.program));
        checked("simplify", &done, watch)?;
        Ok::<_, String>(found.simplified(done))
    };
    let found = match (by_columns, by_rows) {
        (Ok(by_columns), Ok(by_rows)) => {
            let (by_columns, by_rows) = (simplified(by_columns)?, simplified(by_rows)?);
            match by_rows.work() < by_columns.work() {
                true => by_rows,
                false => by_columns,
            }
        }
        (Ok(only), Err(_)) | (Err(_), Ok(only)) => simplified(only)?,
        (Err(reason), Err(_)) => {
            return Err(format!(
                "`jacobian(sparse)` takes the places of entries from index maps, and there is none for \
                 {reason}; write `jvp`, and compute columns together by `cotangent::Sparse::colouring`"
            ));
        }
    };
    let program = supplied(found.program.clone())?;
    Ok(entries::Entries { program, ..found })
}

/// A function that keeps residuals, and the linear programs that read them.
#[derive(Clone, Debug)]
pub struct Apart {
    /// The values of the function, then the residuals: what the linear programs use the elements
    /// of, in the order of their parameters.
    pub values: Program,
    /// Forward mode: the parameters of the function, what it keeps, tangents; values and tangents.
    pub jvp: Program,
    /// Reverse mode: the same parameters, then cotangents; gradients.
    pub vjp: Program,
    /// What the linear programs use of the parameters that they share.
    pub uses: Vec<Use>,
}

/// A function, linearised at a point that both linear programs share. They may read some of its
/// parameters though they do not depend on them, and have others at hand.
///
/// # Errors
/// As for [`derive()`].
pub fn apart(
    program: &Program,
    wrt: &[usize],
    read: &[usize],
    at_hand: Range<usize>,
    watch: Watch<'_>,
) -> Result<Apart, String> {
    let l = tangents(program, wrt, linearise, watch)?;
    enter("split");
    let both = split(&l);
    checked("split", &both.linear.program, watch)?;
    let results = program.results.len();
    let jvp = linear(
        &erase_stops(&both.linear.program),
        &both.linear.tangents,
        watch,
    )?;
    let jvp = supplied(jvp)?;
    let mut vjp = transposed(&both.linear, results, watch)?;
    vjp.results.drain(..results);
    let first = both.linear.program.params.len() - wrt.len();
    let cotangents: Vec<Var> = (first..vjp.params.len()).map(|k| Var(k as u32)).collect();
    let vjp = supplied(linear(&erase_stops(&vjp), &cotangents, watch)?)?;
    let mut uses = used(&jvp, &vjp, first, results);
    for &k in read {
        uses[k] = Use::Elements;
    }
    uses[at_hand].fill(Use::Nothing);
    let mut values = both.values;
    let kept = values.results.split_off(results);
    let params = program.params.len();
    let stored = (0..uses.len()).filter(|k| uses[*k] == Use::Elements);
    for k in stored {
        values.results.push(match k.checked_sub(params) {
            None => Var(k as u32),
            Some(j) => kept[j],
        });
    }
    enter("simplify");
    let values = simplify(&erase_stops(&values));
    checked("simplify", &values, watch)?;
    let values = supplied(values)?;
    Ok(Apart {
        values,
        jvp,
        vjp,
        uses,
    })
}

/// The programs of a function that calls itself and has a tape, see [`units::tape`].
#[derive(Clone, Debug)]
pub struct OnTape {
    /// The results of the function, and the place of residuals.
    pub forward: Program,
    /// The parameters of the function, the place, cotangents; accumulators.
    pub reverse: Program,
}

/// A function that calls itself, in two passes with a tape; `None` if it has none.
///
/// # Errors
/// As for [`derive()`].
pub fn on_tape(program: &Program, wrt: &[usize]) -> Result<Option<OnTape>, String> {
    let Some(unit) = units::tape::own(program) else {
        return Ok(None);
    };
    let watch: Watch<'_> = &mut |_, _| {};
    let l = tangents(program, wrt, linearise_on_tape, watch)?;
    // What a call under a condition leaves on the tape is no array.
    enter("single");
    let l = single::linearised(l);
    checked("single", &l.program, watch)?;
    enter("split");
    let both = split(&l);
    checked("split", &both.linear.program, watch)?;
    let (own, results) = (program.params.len(), program.results.len());
    let first = both.linear.program.params.len() - wrt.len();
    enter("transpose");
    let mut vjp = transpose_onto(&both.linear);
    checked("transpose", &vjp, watch)?;
    vjp = joined_loops(vjp, watch)?;
    vjp.results.drain(..results);
    let seeds: Vec<Var> = (first..vjp.params.len()).map(|k| Var(k as u32)).collect();
    let vjp = linear(&erase_stops(&vjp), &seeds, watch)?;
    let uses = used(&vjp, &vjp, first, 0);
    let mut values = both.values;
    let kept = values.results.split_off(results);
    let mut slots = vec![];
    for (k, v) in kept.into_iter().enumerate() {
        let is_used = uses[own + k] != Use::Nothing;
        slots.push(is_used.then_some(values.results.len() - results));
        if is_used {
            values.results.push(v);
        }
    }
    let layout = units::tape::Layout {
        own,
        kept: slots,
        cotangents: seeds.len() - wrt.len(),
    };
    enter("units");
    let reverse = units::tape::reverse(&vjp, &layout, &unit)?;
    let forward = units::tape::forward(&erase_stops(&values), results, &unit);
    let mut done = |program: &Program| {
        checked("units", program, watch)?;
        enter("simplify");
        let done = simplify(program);
        checked("simplify", &done, watch)?;
        supplied(done)
    };
    Ok(Some(OnTape {
        forward: done(&forward)?,
        reverse: done(&reverse)?,
    }))
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
    routine_in_pieces(program, what, wrt, None)
}

/// The same, with the arrays that a Jacobian is made of.
///
/// # Errors
/// As for [`routine`].
pub fn routine_in_pieces(
    program: &core::Program,
    what: Derivative,
    wrt: &[usize],
    pieces: Option<&[Piece]>,
) -> Result<core::Routine, String> {
    let watch: Watch<'_> = &mut |_, _| {};
    let bulk = to_bulk(program, watch)?;
    let derived = derive_with(&bulk, what, wrt, pieces, Next::Differentiated, watch)?;
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
    pieces: Option<&[Piece]>,
    next: Next,
    watch: Watch<'_>,
) -> Result<Program, String> {
    let done = match what {
        Derivative::Value => {
            enter("simplify");
            let done = simplify(&next.stops(program));
            checked("simplify", &done, watch)?;
            done
        }
        Derivative::Jvp => forwards(program, wrt, 0, next, watch)?,
        Derivative::Vjp => backwards(program, wrt, next, watch)?,
        Derivative::Grad
        | Derivative::ValueAndGrad
        | Derivative::GradAux
        | Derivative::ValueAndGradAux => gradient(program, what, wrt, next, watch)?,
        Derivative::Hvp => {
            let gradient = gradient(program, Derivative::Grad, wrt, Next::Differentiated, watch)?;
            let values = gradient.results.len();
            forwards(&gradient, wrt, values, next, watch)?
        }
        Derivative::Jacobian(direction) => {
            let direction = direction.unwrap_or_else(|| direction_of(program, wrt));
            jacobian(program, direction, wrt, pieces, next, watch)?
        }
        Derivative::Vjps => several(program, Direction::Reverse, wrt, next, watch)?,
        Derivative::Jvps => several(program, Direction::Forward, wrt, next, watch)?,
        Derivative::Hessian => {
            let gradient = gradient(program, Derivative::Grad, wrt, Next::Differentiated, watch)?;
            jacobian(&gradient, Direction::Forward, wrt, pieces, next, watch)?
        }
        Derivative::JacobianDiagonal => diagonal(program, wrt, 0, next, watch, |reason| {
            format!(
                "`jacobian(diagonal)` is for functions that compute each element of the result from the \
                 same element of the argument, and here {reason}; write `jacobian(sparse)`"
            )
        })?,
        Derivative::HessianDiagonal => {
            let gradient = gradient(program, Derivative::Grad, wrt, Next::Differentiated, watch)?;
            let values = gradient.results.len();
            diagonal(&gradient, wrt, values, next, watch, |reason| {
                format!(
                    "`hessian(diagonal)` is for sums of functions of one element each, and in the \
                     gradient {reason}; write `hvp`"
                )
            })?
        }
        Derivative::Taylor(order) => {
            enter("taylor");
            let series = taylor(program, wrt, order.into())?;
            checked("taylor", &series, watch)?;
            enter("simplify");
            let done = simplify(&next.stops(&series));
            checked("simplify", &done, watch)?;
            done
        }
        Derivative::Linearize
        | Derivative::LinearJvp
        | Derivative::LinearVjp
        | Derivative::JacobianSparse => {
            let reason = what.refused();
            return Err(reason.unwrap_or("it is no routine").to_owned());
        }
    };
    supplied(done)
}

/// A derivative with the rules of units that nobody has given, as far as they follow from others.
fn supplied(mut done: Program) -> Result<Program, String> {
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

/// The program of one product of a unit from that of the other, of which `rule` is the name: a
/// product is linear in what it multiplies.
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
    let mut derived = derive_with(
        &bulk,
        Derivative::Vjp,
        &seeds,
        None,
        Next::Differentiated,
        watch,
    )?;
    let primal = bulk.results.len();
    let depends = |derived: &Program| {
        let on = (0..derived.params.len()).map(|k| seeds.contains(&k));
        let on = derived.dependent(on.collect());
        derived.results[primal..].iter().any(|r| on[r.index()])
    };
    // A product of another unit takes the values that it is at, and may not read them; so do the
    // products in the rule of that unit.
    for _ in 0..DEEPEST {
        if !depends(&derived) {
            break;
        }
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

/// What becomes of a derivative.
#[derive(Clone, Copy)]
enum Next {
    /// It is emitted: nothing has to stay constant for differentiation.
    Emitted,
    /// It is differentiated again, or called in a function that is.
    Differentiated,
}

impl Next {
    /// Without what is constant for differentiation, if that is of no use.
    fn stops(self, program: &Program) -> Program {
        match self {
            Next::Emitted => erase_stops(program),
            Next::Differentiated => program.clone(),
        }
    }

    /// How a program is linearised for reverse mode.
    fn linearise(self, program: &Program) -> fn(&Program, &[usize]) -> Linearised {
        match self {
            Next::Emitted if units::tape::own(program).is_some() => linearise_on_tape,
            Next::Emitted | Next::Differentiated => linearise,
        }
    }
}

/// Values and tangents; calls whose derivatives are differentiated are taken in before.
fn tangents(
    program: &Program,
    wrt: &[usize],
    linearise: fn(&Program, &[usize]) -> Linearised,
    watch: Watch<'_>,
) -> Result<Linearised, String> {
    let again = derivable(program, wrt)?;
    enter("linearise");
    let l = linearise(again.as_ref().unwrap_or(program), wrt);
    checked("linearise", &l.program, watch)?;
    Ok(l)
}

/// Values and tangents, for those who look for what is zero or kept.
///
/// # Errors
/// As for [`derive()`].
pub fn linearised_by(program: &Program, wrt: &[usize]) -> Result<Linearised, String> {
    tangents(program, wrt, linearise, &mut |_, _| {})
}

/// Forward mode: values and tangents, without the first results.
fn forwards(
    program: &Program,
    wrt: &[usize],
    without: usize,
    next: Next,
    watch: Watch<'_>,
) -> Result<Program, String> {
    let mut l = tangents(program, wrt, forward, watch)?;
    l.program.results.drain(..without);
    linear(&next.stops(&l.program), &l.tangents, watch)
}

/// Values and the diagonal of the Jacobian, without the first results.
fn diagonal(
    program: &Program,
    wrt: &[usize],
    without: usize,
    next: Next,
    watch: Watch<'_>,
    refused: fn(String) -> String,
) -> Result<Program, String> {
    let l = tangents(program, wrt, linearise, watch)?;
    enter("entries");
    let mut found = entries::diagonal(&l).map_err(refused)?;
    checked("entries", &found, watch)?;
    found.results.drain(..without);
    enter("simplify");
    let done = simplify(&next.stops(&found));
    checked("simplify", &done, watch)?;
    Ok(done)
}

/// Reverse mode: values and gradients, for cotangents of all results.
fn backwards(
    program: &Program,
    wrt: &[usize],
    next: Next,
    watch: Watch<'_>,
) -> Result<Program, String> {
    let seeded = program.results.len();
    backwards_of(program, wrt, (seeded, true), next, watch)
}

/// Reverse mode for cotangents of so many results, the first ones. Without the first value, the
/// other values come last.
fn backwards_of(
    program: &Program,
    wrt: &[usize],
    (seeded, with_value): (usize, bool),
    next: Next,
    watch: Watch<'_>,
) -> Result<Program, String> {
    let l = tangents(program, wrt, next.linearise(program), watch)?;
    let mut t = transposed(&l, seeded, watch)?;
    if !with_value {
        t.results.remove(0);
        t.results.rotate_left(program.results.len() - 1);
    }
    let cotangents = program.params.len()..t.params.len();
    let cotangents: Vec<Var> = cotangents.map(|k| Var(k as u32)).collect();
    linear(&next.stops(&t), &cotangents, watch)
}

/// The transpose of a linearised program, for cotangents of the first results.
fn transposed(l: &Linearised, seeded: usize, watch: Watch<'_>) -> Result<Program, String> {
    enter("transpose");
    let t = transpose_some(l, seeded);
    checked("transpose", &t, watch)?;
    joined_loops(t, watch)
}

/// With loops that run together as one.
fn joined_loops(program: Program, watch: Watch<'_>) -> Result<Program, String> {
    if !program.eqs.iter().any(|eq| eq.loop_result().is_some()) {
        return Ok(program);
    }
    enter("join");
    let done = join(&program);
    checked("join", &done, watch)?;
    Ok(done)
}

/// The gradient of a scalar function, or of the first of several results, with what else is wanted.
fn gradient(
    program: &Program,
    what: Derivative,
    wrt: &[usize],
    next: Next,
    watch: Watch<'_>,
) -> Result<Program, String> {
    let with_value = what.gives().contains(&Gives::Value);
    let product = backwards_of(program, wrt, (1, with_value), next, watch)?;
    enter("simplify");
    let done = simplify(&seed(&product, program.params.len()));
    checked("simplify", &done, watch)?;
    Ok(done)
}

/// The results that are real.
fn real_results(program: &Program) -> Vec<usize> {
    let results = program.results.iter().enumerate();
    let real = results.filter(|(_, v)| program.ty(**v).elem == Elem::Real);
    real.map(|(k, _)| k).collect()
}

/// How many elements arrays have in all.
fn elements(shapes: &[Vec<Size>]) -> Size {
    let counts = shapes.iter();
    let counts = counts.map(|shape| shape.iter().fold(Size::lit(1), |all, n| all.mul(n)));
    counts.fold(Size::lit(0), |all, n| all.add(&n))
}

/// How many elements the real results and the differentiated parameters have.
fn rows_and_columns(program: &Program, wrt: &[usize]) -> (Size, Size) {
    let shape = |v: Var| program.ty(v).shape.clone();
    let rows: Vec<_> = (real_results(program).into_iter())
        .map(|k| shape(program.results[k]))
        .collect();
    let columns: Vec<_> = wrt.iter().map(|&k| shape(Var(k as u32))).collect();
    (elements(&rows), elements(&columns))
}

/// The direction with fewer passes, as far as sizes tell.
fn direction_of(program: &Program, wrt: &[usize]) -> Direction {
    let (rows, columns) = rows_and_columns(program, wrt);
    match rows != columns && columns.sub(&rows).at_least(0) {
        true => Direction::Reverse,
        false => Direction::Forward,
    }
}

/// The numbers of rows and columns of a Jacobian, if only who calls it knows which are fewer.
pub fn undecided(program: &Program, wrt: &[usize]) -> Option<(Size, Size)> {
    let (rows, columns) = rows_and_columns(program, wrt);
    let known = [rows.sub(&columns), columns.sub(&rows)]
        .iter()
        .any(|more| more.at_least(0));
    let mut on_entry = true;
    for n in [&rows, &columns] {
        n.visit(&mut |a| on_entry &= !matches!(a, Atom::Value(_)));
    }
    (!known && on_entry).then_some((rows, columns))
}

/// Values, and what is linear in tangents or cotangents.
fn linearised(
    program: &Program,
    direction: Direction,
    wrt: &[usize],
    watch: Watch<'_>,
) -> Result<Program, String> {
    let done = match direction {
        Direction::Forward => {
            let l = tangents(program, wrt, linearise, watch)?;
            linear(&l.program, &l.tangents, watch)?
        }
        Direction::Reverse => backwards(program, wrt, Next::Differentiated, watch)?,
    };
    supplied(done)
}

/// Products with several tangents or cotangents at once.
fn several(
    program: &Program,
    direction: Direction,
    wrt: &[usize],
    next: Next,
    watch: Watch<'_>,
) -> Result<Program, String> {
    let linear_program = linearised(program, direction, wrt, watch)?;
    enter("columns");
    let (first, values) = (program.params.len(), program.results.len());
    let routine = raise_without_demands(&linear_program);
    let all = columns(
        &linear_program,
        &routine,
        first,
        values,
        None,
        Tangents::Given,
    )
    .map_err(one_by_one)?;
    checked("columns", &all, watch)?;
    let seeds: Vec<Var> = (first..all.params.len()).map(|k| Var(k as u32)).collect();
    let done = linear(&next.stops(&all), &seeds, watch)?;
    joined(done, watch)
}

/// What cannot be done for all tangents or cotangents at once.
fn one_by_one(message: String) -> String {
    format!("{message}; or ask for `jvp` or `vjp`, which take one tangent or cotangent at a time")
}

/// The same, simplified.
fn joined(program: Program, watch: Watch<'_>) -> Result<Program, String> {
    if !program.eqs.iter().any(|eq| eq.loop_result().is_some()) {
        return Ok(program);
    }
    let done = simplify(&joined_loops(program, watch)?);
    checked("join", &done, watch)?;
    Ok(done)
}

/// The Jacobian: all columns, or all rows, of the linear program at once.
fn jacobian(
    program: &Program,
    direction: Direction,
    wrt: &[usize],
    pieces: Option<&[Piece]>,
    next: Next,
    watch: Watch<'_>,
) -> Result<Program, String> {
    let of_result = |k: usize| program.ty(program.results[k]).shape.clone();
    let real = real_results(program);
    let linear_program = linearised(program, direction, wrt, watch)?;
    enter("columns");
    let by_results = (direction == Direction::Reverse).then_some(&real[..]);
    let all = columns(
        &linear_program,
        &raise_without_demands(&linear_program),
        program.params.len(),
        program.results.len(),
        by_results,
        Tangents::OneHot,
    )
    .map_err(one_by_one)?;
    checked("columns", &all, watch)?;
    let rows: Vec<Vec<Size>> = real.iter().map(|&k| of_result(k)).collect();
    let of: Vec<Vec<Size>> = wrt
        .iter()
        .map(|&k| program.params[k].ty.shape.clone())
        .collect();
    let default: Vec<Piece> = (0..of.len())
        .flat_map(|a| (0..rows.len()).map(move |r| (a, r)))
        .map(|(a, r)| Piece::Stacked(Side::single(r, rows[r].len()), Side::single(a, of[a].len())))
        .collect();
    let whole = together(&all, direction, (&rows, &of), pieces.unwrap_or(&default));
    let unit = program.params.len();
    let at_unit = linear(&next.stops(&whole), &[Var(unit as u32)], watch)?;
    enter("simplify");
    let done = simplify(&seed(&at_unit, unit));
    checked("simplify", &done, watch)?;
    joined(done, watch)
}

/// Simplifies a program that is linear in some of its variables.
fn linear(program: &Program, seeds: &[Var], watch: Watch<'_>) -> Result<Program, String> {
    enter("simplify");
    let done = simplify_linear(program, seeds);
    checked("simplify", &done, watch)?;
    Ok(done)
}

/// A derivative of a unit that nobody has given.
fn lacking(unit: &Unit, rule: Rule) -> String {
    let name = unit.name();
    let products = match rule {
        Rule::Value | Rule::Vjp | Rule::Tape(_) => "gradients and products with cotangents",
        Rule::Jvp => "products with tangents",
    };
    format!(
        "{products} of a function that calls `{name}` need its `{rule}`, and its attribute names none; write \
         `#[custom_derivative({rule} = ..)]` on `{name}`, or annotate the rule that it has with \
         `#[differentiable]`, if that is linear in what it multiplies"
    )
}

/// A program on the way from Bulk to Kernels.
pub enum Stage<'a> {
    /// Still Bulk.
    Bulk(&'a Program),
    /// Kernels.
    Kernels(&'a kernel::Program),
}

/// The kernels of a Bulk program.
///
/// # Errors
/// If a pass broke the program (a bug of the compiler).
pub fn to_kernels(program: &Program) -> Result<kernel::Program, String> {
    to_kernels_watched(program, &mut |_, _| {})
}

/// The same, for those who watch: the name of each pass that changes the program, and what it made.
///
/// # Errors
/// As for [`to_kernels()`].
pub fn to_kernels_watched(
    program: &Program,
    watch: &mut dyn FnMut(&'static str, Stage<'_>),
) -> Result<kernel::Program, String> {
    let mut program = program.clone();
    let see: Watch<'_> = &mut |pass, p| watch(pass, Stage::Bulk(p));
    let mut run = |name, pass: &dyn Fn(&Program) -> Option<Program>| {
        enter(name);
        let changed = pass(&program).filter(|next| *next != program);
        let is_changed = changed.is_some();
        if let Some(next) = changed {
            checked(name, &next, see)?;
            program = next;
        }
        Ok::<bool, String>(is_changed)
    };
    if run("checkpoints", &checkpoints)? {
        run("simplify", &|p| Some(simplify(p)))?;
    }
    run("units", &|p| Some(units::shared(p)))?;
    if run("lengths", &lengths)? {
        run("simplify", &|p| Some(simplify(p)))?;
    }
    if run("again", &again)? {
        run("join", &|p| Some(join(p)))?;
    }
    if run("single", &|p| Some(single(p)))? {
        run("simplify", &|p| Some(simplify(p)))?;
    }
    run("cases", &|p| cases(p, &simplify_part))?;
    run("unswitch", &|p| unswitch(p, &simplify_part))?;
    for (name, pass) in PREPARATIONS {
        run(name, &|p| Some(pass(p)))?;
    }
    enter("fuse");
    let mut kernels = lower(&program);
    checked_kernels("fuse", &kernels, watch)?;
    let mut run = |name, pass: &dyn Fn(kernel::Program) -> kernel::Program| {
        enter(name);
        let next = pass(kernels.clone());
        if next != kernels {
            checked_kernels(name, &next, watch)?;
            kernels = next;
        }
        Ok::<(), String>(())
    };
    for pass in PASSES {
        run(pass.name, &|kernels| pass.run(kernels))?;
    }
    run("schedule", &schedule)?;
    Ok(kernels)
}

/// Verifies the kernels that a pass made, in debug builds.
fn checked_kernels(
    pass: &'static str,
    kernels: &kernel::Program,
    watch: &mut dyn FnMut(&'static str, Stage<'_>),
) -> Result<(), String> {
    watch(pass, Stage::Kernels(kernels));
    overflowed()?;
    if cfg!(debug_assertions) {
        kernel_check::check(kernels)
            .map_err(|e| report(pass, &format!("it made a wrong program: {e}")))?;
    }
    Ok(())
}

/// Sizes with numbers that do not fit are an error of the user's.
fn overflowed() -> Result<(), String> {
    match take_overflow() {
        true => Err("a size or an index does not fit 64 bits; write smaller integers".into()),
        false => Ok(()),
    }
}

/// A program at 1, for the last parameter.
fn seed(program: &Program, cotangent: usize) -> Program {
    let mut params = program.params.clone();
    params.remove(cotangent);
    let mut out = crate::ir::build::Builder::new(&program.name, params);
    let one = out.fill(Lit::Real(1.0), &[]);
    let mut new: Vec<Var> = (0..program.params.len())
        .map(|k| match k.cmp(&cotangent) {
            std::cmp::Ordering::Less => Var(k as u32),
            std::cmp::Ordering::Equal => one,
            std::cmp::Ordering::Greater => unreachable!("it is the last parameter"),
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
