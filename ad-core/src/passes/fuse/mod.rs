//! Bulk to Kernels: which arrays are stored, and which are computed where they are used.
//!
//! An equation is *inlined* into the loop nests that use it, unless it must be an array of its own:
//! results, operands of matrix products and recurrences, and what would be computed more than once.
//! Reads become index expressions on the way. An inlined equation is computed once for each element
//! that is needed:
//!
//! - it costs no real operation (a read, a few selections, an index), or
//! - it is needed at one place only, and the loops around that place are just those that occur in
//!   the place, each by itself; or at a few such places, if it is one cheap operation on arguments.
//!
//! [`PREPARATIONS`] come first and [`lower`] chooses; the passes of [`steps`] then decide on
//! storage, tiles and families.

mod absent;
mod accumulate;
mod again;
mod axes;
mod change;
mod choose;
mod collect;
mod contractions;
mod extreme;
mod family;
mod given;
mod graph;
mod inside;
mod interchange;
mod literals;
mod more;
mod narrow;
mod nest;
mod onto;
mod padded;
mod positions;
mod present;
mod prune;
mod ragged;
mod rebuild;
mod reuse;
mod running;
mod share;
pub mod steps;
#[cfg(test)]
mod tests;
mod tile;
mod twins;
mod wedge;

use crate::ir::bulk::{Affine as BulkAffine, Looped, Op, Program, Run, Var};
use crate::ir::kernel::{
    self, Affine, At, Branch, Compute, Contribution, Form, Nest, Out, Sequence, Side, Source, Step,
    UnitCall, Work,
};
use crate::ir::ty::{Elem, Size};
use crate::ir::unit::{Called, Rule, Tape};
use crate::thresholds::ROUNDS_OF_ROWS;
use accumulate::accumulate;
pub use again::again;
use change::{Owned, adding, change, read_before};
use choose::{Choice, choose};
use collect::collect;
use contractions::{Negatives, expand_contractions, operands};
use extreme::{both, positive_lengths};
use given::given;
use interchange::interchange;
use narrow::{Skips, narrow};
use nest::NestBuilder;
use padded::padded;
use positions::at_positions;
use prune::prune;
use running::without_running;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use twins::shared;
use wedge::within;

/// A pass over Bulk, with its name.
pub type Preparation = (&'static str, fn(&Program) -> Program);

/// What is done to a Bulk program and to the programs of its loops before it is lowered, in order.
pub const PREPARATIONS: [Preparation; 7] = [
    ("prune", prune),
    ("literals", literals::outside),
    ("given", given),
    ("accumulate", |program| accumulate(program.clone())),
    ("collect", collect),
    ("twins", shared),
    ("contractions", expand_contractions),
];

/// A prepared program as Kernels, each stored array by a step of its own.
pub fn lower(program: &Program) -> kernel::Program {
    Lowerer::default().program(program, &Owned::by_function())
}

/// A program with all preparations.
fn prepared(program: &Program) -> Program {
    (PREPARATIONS.iter()).fold(program.clone(), |program, (_, pass)| pass(&program))
}

/// The programs of a loop.
#[derive(Clone)]
struct Lowered {
    body: kernel::Program,
    goes_on: Option<kernel::Program>,
}

/// What has been lowered already.
#[derive(Default)]
struct Lowerer {
    loops: HashMap<Looped, Lowered>,
    /// The lengths that are positive, as the conditions of the branches around say.
    positive: Vec<Size>,
}

impl Lowerer {
    fn program(&mut self, program: &Program, owned: &Owned) -> kernel::Program {
        let mut program = match at_positions(program, &self.positive) {
            Some(program) => Cow::Owned(program),
            None => Cow::Borrowed(program),
        };
        let chosen = |program: &Program| {
            let negatives = Negatives::new(program);
            let before = read_before(program, owned);
            let choice = choose(program, &negatives, before, owned.is_body, &self.positive);
            (negatives, choice)
        };
        let (mut negatives, mut choice) = chosen(&program);
        // Where rows are stored one behind another, what reads them may have to be stored, too.
        for round in 0..ROUNDS_OF_ROWS {
            let Some(flat) = ragged::flatten(&program, &choice.stored, round == 0) else {
                break;
            };
            program = Cow::Owned(flat);
            (negatives, choice) = chosen(&program);
        }
        let Choice {
            mut stored,
            extremes,
        } = choice;
        let with_places: HashSet<Var> = extremes.values().copied().collect();
        let padded = padded(&program, &stored);
        let collected: HashSet<Var> = padded.values().copied().collect();
        let mut out = kernel::Program {
            name: program.name.clone(),
            params: program.params.clone(),
            steps: vec![],
            results: program.results.clone(),
            requires: program.requires.clone(),
            blocks: vec![],
        };
        let two_sided = program.two_sided();
        let then_sides: HashSet<Run<'_>> = two_sided.values().copied().collect();
        // The step of each loop.
        let mut runs: HashMap<Run<'_>, usize> = HashMap::new();
        // That of each call.
        let mut calls: HashMap<(&Called, Rule, &Vec<Var>), usize> = HashMap::new();
        for k in 0..program.eqs.len() {
            let var = program.var_of(k);
            if !stored[var.index()] || with_places.contains(&var) || collected.contains(&var) {
                continue;
            }
            if let Some(value) = extremes.get(&var) {
                out.steps.push(both(&program, &stored, var, *value));
                continue;
            }
            if let Some((run, result)) = program.eqs[k].loop_result() {
                if then_sides.contains(&run) {
                    continue;
                }
                let step = *runs.entry(run).or_insert(out.steps.len());
                if step == out.steps.len() {
                    let first = *two_sided.get(&run).unwrap_or(&run);
                    let work = match program.branch(first) {
                        Some(when) => {
                            let other = (first != run).then(|| self.side(run, owned));
                            let outside = self.positive.len();
                            self.positive.extend(positive_lengths(&program, Some(when)));
                            let then = self.side(first, owned);
                            self.positive.truncate(outside);
                            Work::Branch(Box::new(Branch {
                                when,
                                then,
                                otherwise: other,
                                outs: vec![],
                            }))
                        }
                        None => Work::Loop(Box::new(self.looped(run))),
                    };
                    let var = *padded.get(&var).unwrap_or(&var);
                    let ty = program.ty(var).clone();
                    out.steps.push(Step { out: var, ty, work });
                }
                let var = *padded.get(&var).unwrap_or(&var);
                give(&program, var, result, step, &mut out.steps);
                continue;
            }
            if let Op::Call {
                unit,
                rule,
                args,
                out: result,
            } = &program.eqs[k].op
            {
                let step = *calls.entry((unit, *rule, args)).or_insert(out.steps.len());
                if step == out.steps.len() {
                    // Accumulators come last.
                    let onto = match rule {
                        Rule::Tape(Tape::Reverse) => unit.real_args().len(),
                        Rule::Value | Rule::Jvp | Rule::Vjp | Rule::Tape(_) => 0,
                    };
                    let (args, onto) = args.split_at(args.len() - onto);
                    let onto = onto.iter().map(|v| Source {
                        array: *v,
                        taken: false,
                    });
                    let call = UnitCall {
                        unit: unit.clone(),
                        rule: *rule,
                        args: args.to_vec(),
                        onto: onto.collect(),
                        outs: vec![],
                    };
                    let (out_var, ty) = (program.var_of(k), program.eqs[k].ty.clone());
                    let work = Work::Call(Box::new(call));
                    out.steps.push(Step {
                        out: out_var,
                        ty,
                        work,
                    });
                }
                give(&program, var, *result, step, &mut out.steps);
                continue;
            }
            if let Some(Err(before)) = change(&program, owned, &stored, k) {
                for v in before {
                    stored[v.index()] = true;
                    let at = v.index() - program.params.len();
                    out.steps
                        .push(step(&program, owned, (&stored, &negatives), at));
                }
            }
            out.steps
                .push(step(&program, owned, (&stored, &negatives), k));
        }
        out
    }

    /// A loop, of which no result is used so far.
    fn looped(&mut self, run: Run<'_>) -> Sequence {
        let Run {
            looped,
            steps: number,
            given,
            init,
        } = run;
        let Lowered { body, goes_on } = self.programs(looped, given.len());
        let source = |v: &Var| Source {
            array: *v,
            taken: false,
        };
        Sequence {
            body,
            states: looped.states,
            goes_on,
            steps: number.cloned(),
            given: given.to_vec(),
            init: init.iter().map(source).collect(),
            reverse: looped.reverse,
            outs: vec![],
        }
    }

    /// A loop that is a branch. What it is given is not its own.
    fn side(&mut self, run: Run<'_>, owned: &Owned) -> Side {
        let body = prepared(&run.looped.body);
        Side {
            body: self.program(&body, &owned.by_branch()),
            given: run.given.to_vec(),
        }
    }

    /// The programs of a loop that is given so many arrays.
    fn programs(&mut self, looped: &Looped, given: usize) -> Lowered {
        if let Some(known) = self.loops.get(looped) {
            return known.clone();
        }
        let outside = std::mem::take(&mut self.positive);
        let mut lower = |program: &Program, owned: &Owned| self.program(&prepared(program), owned);
        let lowered = Lowered {
            body: lower(&looped.body, &Owned::by_body(given, looped.states)),
            goes_on: (looped.goes_on.as_ref()).map(|c| lower(c, &Owned::by_condition())),
        };
        self.positive = outside;
        self.loops.insert(looped.clone(), lowered.clone());
        lowered
    }
}

/// Adds a result to a loop or a call that is a step already.
fn give(program: &Program, var: Var, result: usize, step: usize, steps: &mut Vec<Step>) {
    let ty = program.ty(var).clone();
    let outs = match &mut steps[step].work {
        Work::Loop(sequence) => &mut sequence.outs,
        Work::Branch(branch) => &mut branch.outs,
        Work::Call(call) => &mut call.outs,
        Work::Nest(_)
        | Work::Scatter(_)
        | Work::Contract { .. }
        | Work::Recur { .. }
        | Work::Family(_)
        | Work::Tiles(_)
        | Work::Change { .. } => unreachable!("loops and calls are steps of their own"),
    };
    match outs.iter().find(|o| o.result == result).map(|o| o.var) {
        None => outs.push(Out { result, var, ty }),
        // The same under another type.
        Some(same) => {
            let at = (0..ty.rank()).map(|l| At::Affine(Affine::of(l))).collect();
            let read = kernel::Scalar {
                elem: ty.elem,
                guard: None,
                compute: Compute::Read(same, at),
            };
            let work = Work::Nest(Nest {
                loops: ty.shape.clone(),
                ranges: vec![kernel::Range::default(); ty.rank()],
                outer: ty.rank(),
                nodes: vec![read],
                depends: vec![(0..ty.rank()).collect()],
                root: 0,
                form: Form::Plain,
            });
            steps.push(Step { out: var, ty, work });
        }
    }
}

/// How a stored array is computed.
fn step(
    program: &Program,
    owned: &Owned,
    (stored, negatives): (&[bool], &Negatives),
    k: usize,
) -> Step {
    let (out, eq) = (program.var_of(k), &program.eqs[k]);
    let ty = eq.ty.clone();
    if let Some(Ok(work)) = change(program, owned, stored, k) {
        return Step { out, ty, work };
    }
    let whole = |v: Var| {
        let shape = &program.ty(v).shape;
        let place = (0..shape.len()).map(Affine::of).collect::<Vec<_>>();
        (NestBuilder::new(program, stored, shape), place)
    };
    let work = match &eq.op {
        Op::Contract {
            a,
            b,
            a_axes,
            b_axes,
            out_axes,
        } => {
            let ((a, a_axes), (b, b_axes)) =
                operands(program, negatives, (*a, a_axes), (*b, b_axes));
            Work::Contract {
                a,
                b,
                a_axes,
                b_axes,
                out_axes: out_axes.clone(),
                within: within(program, eq),
                onto: None,
            }
        }
        Op::Recur {
            a,
            mask,
            b,
            axis,
            reverse,
        } => Work::Recur {
            a: *a,
            mask: *mask,
            b: *b,
            axis: *axis,
            reverse: *reverse,
        },
        Op::Scatter(parts) if !parts.is_empty() => {
            let parts = parts.iter().map(|p| adding(program, stored, p));
            Work::Scatter(parts.collect())
        }
        Op::Update { .. } | Op::Call { .. } | Op::Loop { .. } => {
            unreachable!("changes, loops and calls are steps of their own")
        }
        Op::Fill(_)
        | Op::Index(_)
        | Op::Map(..)
        | Op::Gather { .. }
        | Op::Reduce { .. }
        | Op::ArgReduce { .. }
        | Op::Copy(_)
        | Op::Stop(_)
        | Op::Scatter(_) => {
            let (mut nest, place) = whole(out);
            let root = nest.compute(out, &place);
            // Only arrays of real numbers begin as zeros.
            let skips = match eq.ty.elem {
                Elem::Real => Skips::Zero,
                Elem::Int | Elem::Bool => Skips::Nothing,
            };
            let whole = without_running(nest.finish(root));
            // Before the loops are narrowed: whether they go outside depends on what is read.
            if let Some(rows) = interchange(&whole) {
                let (nest, at) = narrow(rows.nest, rows.at, Skips::Absent);
                let work = Work::Scatter(vec![Contribution { nest, at }]);
                return Step { out, ty, work };
            }
            let narrowed = narrow(whole.clone(), vec![], skips).0;
            // An array that is zero at its ends only is not filled with zeros first.
            let nest = match narrow::spares_little(&narrowed) {
                true => narrow(whole, vec![], Skips::Nothing).0,
                false => narrowed,
            };
            Work::Nest(nest)
        }
    };
    Step { out, ty, work }
}

/// Operations that are a step of their own.
fn is_opaque(op: &Op) -> bool {
    match op {
        Op::Contract { .. }
        | Op::Recur { .. }
        | Op::Update { .. }
        | Op::Call { .. }
        | Op::Loop { .. } => true,
        // A structural zero is a literal.
        Op::Scatter(parts) => !parts.is_empty(),
        Op::Fill(_)
        | Op::Index(_)
        | Op::Map(..)
        | Op::Gather { .. }
        | Op::Reduce { .. }
        | Op::ArgReduce { .. }
        | Op::Copy(_)
        | Op::Stop(_) => false,
    }
}

/// A place with new loops inserted at some axes.
fn with_loops(at: &[Affine], axes: &[usize], next: &mut usize) -> Vec<Affine> {
    let mut outer = at.iter().cloned();
    (0..at.len() + axes.len())
        .map(|k| {
            if axes.contains(&k) {
                *next += 1;
                Affine::of(*next - 1)
            } else {
                outer.next().expect("one component per kept axis")
            }
        })
        .collect()
}

/// A component of an index map, at a place.
fn follow(a: &BulkAffine, at: &[Affine]) -> Affine {
    let mut out = Affine {
        terms: vec![],
        constant: a.constant.clone(),
    };
    for (c, inner) in a.coefs.iter().zip(at) {
        out = out.add_scaled(inner, c);
    }
    out
}
