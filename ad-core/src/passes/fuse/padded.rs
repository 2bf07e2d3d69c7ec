//! What a loop collects as the beginning of a longer array.
//!
//! ```text
//! p: real[m, ..] = [i < n] r[i, ..]   for the r that a loop collects in n steps, and nothing else
//! ```
//!
//! The loop collects `p`, whose rows behind its last step are zeros. So what a loop keeps whose
//! number of steps depends on a loop around it (`linearise/pad.rs`) goes to the array of the outer
//! loop at once.

use super::accumulate::uses;
use crate::ir::bulk::{Eq, Ix, Op, Program, Var};
use crate::ir::prims::Prim;
use crate::ir::ty::{Atom, Elem};
use std::collections::HashMap;

/// The padded arrays, by what the loops collect.
pub(super) fn padded(program: &Program, stored: &[bool]) -> HashMap<Var, Var> {
    let uses = uses(program);
    let all = (0..program.eqs.len()).map(|k| program.var_of(k));
    let of = all.filter(|p| stored[p.index()]).filter_map(|p| {
        let r = beginning(program, program.eq(p)?)?;
        (uses[r.index()] == 1).then_some((r, p))
    });
    of.collect()
}

/// What an array has at its beginning, if that is what a loop collects, and the rest is nothing.
fn beginning(program: &Program, eq: &Eq) -> Option<Var> {
    let Op::Gather { src, index } = &eq.op else {
        return None;
    };
    let (run, result) = program.eq(*src)?.loop_result()?;
    let collects = (run.looped.states..run.looped.body.results.len()).contains(&result);
    let of = program.ty(*src);
    if !collects
        || run.looped.reverse
        || run.steps != of.shape.first()
        || program.branch(run).is_some()
        || eq.ty.elem != Elem::Real
        || eq.ty.rank() != of.rank()
        || eq.ty.shape[1..] != of.shape[1..]
        || *index != Ix::identity(of.rank())
    {
        return None;
    }
    // The loop comes before what else its length may be made of.
    let mut is_known = true;
    eq.ty.shape[0].visit(&mut |a| {
        if let Atom::Value(v) = a {
            is_known &= (*v as usize) < program.params.len();
        }
    });
    let plain = |v: Var| {
        let eq = program.eq(v)?;
        eq.guard.is_none().then_some(&eq.op)
    };
    let Op::Map(Prim::ILt, args) = plain(eq.guard?)? else {
        return None;
    };
    let (Op::Index(at), Op::Index(end)) = (plain(args[0])?, plain(args[1])?) else {
        return None;
    };
    let is_beginning = at.as_axis() == Some(0) && end.is_constant() && end.constant == of.shape[0];
    (is_known && is_beginning).then_some(*src)
}
