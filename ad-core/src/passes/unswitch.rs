//! Unswitching: equations that are needed only under a condition that is the same for all indices
//! run in a branch.
//!
//! ```text
//! [c] Σ a, .. [c] Σ b   =   loop out 0, loop out 1  given [a, b] from [0, 0] for select(c, 1, 0)
//! ```
//!
//! The loop is a branch, see [`Program::branch`]. Its body does not mention the condition, so that
//! products, recurrences and extrema in it are recognised as if they stood behind no branch.
//!
//! A *literal* is a condition or its negation. An equation is *needed under* a literal if the
//! literal is a part of its guard, or if all its users need it under the literal. The *region* of
//! an equation is the set of these literals. Equations of one region that can run together form one
//! branch, behind the conjunction of the literals. So each equation is in one branch at most,
//! branches do not nest, and nested conditions take as much work as conditions in sequence. Only
//! masks, indices and affine reads are repeated, in each branch that reads them.
//!
//! Where a condition does not hold, the elements of a branch are absent. They are stored as zeros,
//! and a guard means three things:
//!
//! - A read or write at an index is inside of its array only where the guard holds. The guard of
//!   the equation stays with it, in the branch or outside.
//! - An absent element adds nothing: it is not written, and not multiplied. So the guard goes along
//!   with what crosses the border of a branch to an equation for which that matters, see
//!   `sensitive`. In a branch that decides the guard it vanishes.
//! - Work is skipped where nobody needs it: this is the branch itself.
//!
//! A branch must skip a loop, or compute an array that another branch reads. Other equations stay
//! outside, where a selection costs one test. An array is updated in place only where it is made. A
//! program has at most `literals::MOST` conditions; further conditions stay selections.

pub mod cases;
mod emit;
mod literals;
mod regions;
#[cfg(test)]
mod tests;

use crate::ir::bulk::{Eq, Ix, Looped, Op, Program, Var};
use crate::ir::core::ReduceOp;
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Size};
use crate::thresholds::INDICES_WITHOUT_BRANCH;
use literals::{Literals, Needed, uses};
use regions::Regions;
use std::collections::HashMap;

/// The program with branches; `None` if there are none. `simplify` simplifies a body, which can
/// demand nothing on entry.
pub fn unswitch(program: &Program, simplify: &dyn Fn(&Program) -> Program) -> Option<Program> {
    let bodies = HashMap::new();
    Unswitcher { simplify, bodies }.program(program)
}

struct Unswitcher<'a> {
    simplify: &'a dyn Fn(&Program) -> Program,
    /// Loops with branches in their bodies; `None` for those without branches.
    bodies: HashMap<Looped, Option<Looped>>,
}

impl Unswitcher<'_> {
    fn program(&mut self, program: &Program) -> Option<Program> {
        let mut next = program.clone();
        let mut is_changed = false;
        for eq in &mut next.eqs {
            if let Op::Loop { looped, .. } = &mut eq.op
                && let Some(body) = self.body(looped)
            {
                *looped = body;
                is_changed = true;
            }
        }
        let split = self.split(&next);
        split.or_else(|| is_changed.then_some(next))
    }

    fn body(&mut self, looped: &Looped) -> Option<Looped> {
        if let Some(known) = self.bodies.get(looped) {
            return known.clone();
        }
        let body = self.program(&looped.body);
        let made = body.map(|body| {
            looped.map(&|p| match *p == looped.body {
                true => body.clone(),
                false => p.clone(),
            })
        });
        self.bodies.insert(looped.clone(), made.clone());
        made
    }

    /// The program with each region in branches of its own.
    fn split(&self, program: &Program) -> Option<Program> {
        let long: Vec<bool> = program.eqs.iter().map(|e| is_long(program, e)).collect();
        if !long.contains(&true) {
            return None;
        }
        let literals = Literals::of(program);
        if literals.conditions.is_empty() {
            return None;
        }
        let needed = Needed::of(program, &literals);
        let regions = Regions::of(program, &literals, &needed, &long)?;
        Some(emit::emit(program, &literals, &regions, self.simplify))
    }
}

/// Whether an equation loops over more than a few indices to reduce or to add up.
fn is_long(program: &Program, eq: &Eq) -> bool {
    let many = |shape: &[Size]| {
        let mut all = shape.iter();
        let n = all.try_fold(1_i64, |n, s| n.checked_mul(s.as_lit()?.max(0)));
        n.is_none_or(|n| n > INDICES_WITHOUT_BRANCH)
    };
    let is_many = |v: &Var| many(&program.ty(*v).shape);
    match &eq.op {
        Op::Reduce { src, axes, .. } => {
            let shape = &program.ty(*src).shape;
            let reduced: Vec<Size> = axes.iter().map(|&k| shape[k].clone()).collect();
            many(&reduced)
        }
        Op::ArgReduce { src, axis, .. } => many(&program.ty(*src).shape[*axis..=*axis]),
        Op::Scatter(parts) => parts.iter().any(|p| is_many(&p.src)),
        Op::Contract { a, b, .. } => is_many(a) || is_many(b),
        Op::Recur { .. } | Op::Loop { .. } => true,
        Op::Fill(_)
        | Op::Index(_)
        | Op::Map(..)
        | Op::Gather { .. }
        | Op::Update { .. }
        | Op::Call { .. }
        | Op::Copy(_)
        | Op::Stop(_) => false,
    }
}

/// The operands of an equation whose absent elements matter, with their guards: what a scatter adds
/// and a product multiplies is left out where it is absent. Through other linear equations a guard
/// matters if it differs between elements.
fn sensitive(program: &Program, literals: &Literals, eq: &Eq) -> Vec<(Var, Var)> {
    let (always, through): (Vec<Var>, Vec<Var>) = match &eq.op {
        Op::Scatter(parts) => (parts.iter().map(|p| p.src).collect(), vec![]),
        Op::Contract { a, b, .. } => (vec![*a, *b], vec![]),
        Op::Map(Prim::Add | Prim::Sub | Prim::Neg, args) => (vec![], args.clone()),
        Op::Map(Prim::Select, args) => (vec![], args[1..].to_vec()),
        Op::Gather { src, .. } | Op::Copy(src) | Op::Stop(src) => (vec![], vec![*src]),
        Op::Reduce {
            op: ReduceOp::Sum,
            src,
            ..
        } => (vec![], vec![*src]),
        Op::Fill(_)
        | Op::Index(_)
        | Op::Map(..)
        | Op::Reduce { .. }
        | Op::ArgReduce { .. }
        | Op::Recur { .. }
        | Op::Update { .. }
        | Op::Loop { .. }
        | Op::Call { .. } => (vec![], vec![]),
    };
    let guard = |v: Var| {
        let real = program.ty(v).elem == Elem::Real;
        program.eq(v).filter(|_| real)?.guard.map(|g| (v, g))
    };
    let varies = |(_, g): &(Var, Var)| literals.is[g.index()].is_none();
    let always = always.into_iter().filter_map(guard);
    always
        .chain(through.into_iter().filter_map(guard).filter(varies))
        .collect()
}

/// Calls `f` on what an equation reads: what it uses, and the guards that say which elements of its
/// operands are absent.
fn reads(program: &Program, literals: &Literals, eq: &Eq, f: &mut dyn FnMut(Var)) {
    uses(eq, f);
    for (_, guard) in sensitive(program, literals, eq) {
        f(guard);
    }
}

/// Whether an array takes neither real operations nor reads at indices from data.
fn is_free(eq: &Eq) -> bool {
    let is_free = match &eq.op {
        Op::Fill(_) | Op::Index(_) | Op::Copy(_) => true,
        Op::Map(p, _) => p.cost() == 0 && eq.ty.elem != Elem::Real,
        Op::Gather { index, .. } => index.iter().all(|i| matches!(i, Ix::Affine(_))),
        Op::Scatter(_)
        | Op::Reduce { .. }
        | Op::ArgReduce { .. }
        | Op::Recur { .. }
        | Op::Contract { .. }
        | Op::Update { .. }
        | Op::Loop { .. }
        | Op::Call { .. }
        | Op::Stop(_) => false,
    };
    is_free && (eq.ty.rank() > 0 || is_constant(eq))
}

/// Whether an array depends on positions alone.
fn is_constant(eq: &Eq) -> bool {
    matches!(eq.op, Op::Fill(_) | Op::Index(_)) && eq.guard.is_none()
}
