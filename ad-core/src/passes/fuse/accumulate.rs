//! A loop that only adds to a state which begins as zeros, and whose result is added to an array,
//! begins with that array instead:
//!
//! ```text
//! z + loop from [0] of s + e  =  loop from [z] of s + e
//! ```
//!
//! The cotangent of what a loop reads is such a state. So a loop inside of a loop adds to the
//! cotangent of the outer one, element by element, and not arrays to arrays in every step.

use crate::ir::bulk::{Eq, Ix, Loop, Op, Part, Program, Run, Var};
use crate::ir::live::live;
use crate::ir::prims::Prim;
use crate::ir::ty::{Atom, Lit, Size};
use std::collections::HashSet;

/// The program with such loops.
pub(super) fn accumulate(mut program: Program) -> Program {
    while let Some(next) = once(&program) {
        program = live(&next);
    }
    program
}

/// One loop changed, if there is one.
fn once(program: &Program) -> Option<Program> {
    if !program.eqs.iter().any(|e| matches!(e.op, Op::Loop { .. })) {
        return None;
    }
    let uses = uses(program);
    for (k, eq) in program.eqs.iter().enumerate() {
        for (sum, rest) in sums(program, eq) {
            let Some((run, state)) = program.eq(sum).and_then(Eq::loop_result) else {
                continue;
            };
            let begins = state < run.looped.states && is_nothing(program, run.init[state]);
            if !begins || uses[sum.index()] != 1 || !is_sum(run.looped, run.given.len(), state) {
                continue;
            }
            let start = rest
                .iter()
                .position(|z| *z != sum && program.ty(*z) == &eq.ty && !depends(program, *z, run));
            let Some(z) = start.map(|at| rest[at]) else {
                continue;
            };
            let mut out = program.clone();
            for (new, old) in out.eqs.iter_mut().zip(&program.eqs) {
                if old.loop_result().is_some_and(|(r, _)| r == run)
                    && let Op::Loop { init, .. } = &mut new.op
                {
                    init[state] = z;
                }
            }
            match without(program, eq, z) {
                Some(op) => out.eqs[k].op = op,
                // Nothing is added any more.
                None => {
                    let same = program.var_of(k);
                    let mut of = |v: Var| if v == same { sum } else { v };
                    for new in &mut out.eqs {
                        *new = new.map(&mut of, &mut Size::clone);
                    }
                    out.results.iter_mut().for_each(|r| *r = of(*r));
                }
            }
            return Some(out);
        }
    }
    None
}

/// An equation that adds whole arrays: each of them that may be a loop, with all of them.
fn sums(program: &Program, eq: &Eq) -> Vec<(Var, Vec<Var>)> {
    let whole = terms(program, eq);
    (whole.iter().map(|v| (*v, whole.clone()))).collect()
}

/// The whole arrays that an equation adds.
fn terms(program: &Program, eq: &Eq) -> Vec<Var> {
    if eq.guard.is_some() || eq.ty.rank() == 0 {
        return vec![];
    }
    if let Op::Map(Prim::Add, args) = &eq.op {
        return args.clone();
    }
    let Op::Scatter(parts) = &eq.op else {
        return vec![];
    };
    let whole = parts.iter().filter(|p| is_whole(program, eq, p));
    whole.map(|p| p.src).collect()
}

fn is_whole(program: &Program, eq: &Eq, p: &Part) -> bool {
    program.ty(p.src).shape == eq.ty.shape
        && (p.index.iter().enumerate())
            .all(|(k, i)| matches!(i, Ix::Affine(a) if a.as_axis() == Some(k)))
}

/// What is left of a sum without one term, if that is more than one other.
fn without(program: &Program, eq: &Eq, z: Var) -> Option<Op> {
    let Op::Scatter(parts) = &eq.op else {
        return None;
    };
    let gone = (parts.iter()).position(|p| p.src == z && is_whole(program, eq, p));
    let mut parts = parts.clone();
    parts.remove(gone.expect("it is a term"));
    (parts.len() > 1).then_some(Op::Scatter(parts))
}

fn is_nothing(program: &Program, v: Var) -> bool {
    match program.eq(v).map(|e| &e.op) {
        Some(Op::Scatter(parts)) => parts.is_empty(),
        Some(Op::Fill(lit)) => *lit == Lit::Real(0.0),
        Some(
            Op::Index(_)
            | Op::Map(..)
            | Op::Gather { .. }
            | Op::Reduce { .. }
            | Op::ArgReduce { .. }
            | Op::Recur { .. }
            | Op::Contract { .. }
            | Op::Update { .. }
            | Op::Call { .. }
            | Op::Loop { .. }
            | Op::Copy(_)
            | Op::Stop(_),
        )
        | None => false,
    }
}

/// Whether a state of a loop is only added to, and not looked at.
pub(super) fn is_sum(looped: &Loop, given: usize, state: usize) -> bool {
    let param = Var((given + state) as u32);
    let condition = looped.goes_on.as_ref();
    condition.is_none_or(|c| uses(c)[param.index()] == 0)
        && adds_to(
            &looped.body,
            &uses(&looped.body),
            looped.body.results[state],
            param,
        )
}

/// Whether a variable is a state plus what does not depend on it, and nothing else looks at the
/// state or at what it is on the way.
fn adds_to(program: &Program, uses: &[usize], v: Var, state: Var) -> bool {
    if uses[v.index()] != 1 {
        return false;
    }
    if v == state {
        return true;
    }
    let Some(eq) = program.eq(v).filter(|e| e.guard.is_none()) else {
        return false;
    };
    if let Op::Copy(u) = &eq.op {
        return adds_to(program, uses, *u, state);
    }
    if let Some((run, out)) = eq.loop_result() {
        return out < run.looped.states
            && adds_to(program, uses, run.init[out], state)
            && is_sum(run.looped, run.given.len(), out);
    }
    (terms(program, eq).into_iter()).any(|u| adds_to(program, uses, u, state))
}

/// How often each variable is mentioned; the results of a loop mention what it starts from once.
pub(super) fn uses(program: &Program) -> Vec<usize> {
    let mut uses = vec![0; program.params.len() + program.eqs.len()];
    let mut runs: HashSet<Run<'_>> = HashSet::new();
    for eq in &program.eqs {
        eq.visit_sizes(&mut |s| {
            s.visit(&mut |a| {
                if let Atom::Value(v) = a {
                    uses[*v as usize] += 1;
                }
            });
        });
        if eq.loop_result().is_none_or(|(run, _)| runs.insert(run)) {
            eq.visit(&mut |v| uses[v.index()] += 1);
        }
    }
    for v in &program.results {
        uses[v.index()] += 1;
    }
    uses
}

/// Whether a variable depends on a result of a loop.
pub(super) fn depends(program: &Program, v: Var, run: Run<'_>) -> bool {
    let mut seen = HashSet::new();
    let mut stack = vec![v];
    while let Some(v) = stack.pop() {
        if !seen.insert(v) {
            continue;
        }
        let Some(eq) = program.eq(v) else { continue };
        if eq.loop_result().is_some_and(|(r, _)| r == run) {
            return true;
        }
        eq.visit(&mut |u| stack.push(u));
        eq.visit_sizes(&mut |s| {
            s.visit(&mut |a| {
                if let Atom::Value(u) = a {
                    stack.push(Var(*u));
                }
            });
        });
    }
    false
}
