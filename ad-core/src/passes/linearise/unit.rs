//! Calls of units.
//!
//! ```text
//! y = value(x)          ẏ = jvp(x, ẋ)
//! d = jvp(x, t)         ḋ = jvp(x, ṫ)      where x is constant
//! d = vjp(x, t)         ḋ = vjp(x, ṫ)      where x is constant
//! ```
//!
//! How a derivative of a unit depends on `x` is not known; the pipeline does not let that be asked.
//!
//! A function that calls itself has a tape, where that can be used ([`Shared::tape`]). Then the
//! residuals of each call stay there, and the place of them is a residual here:
//!
//! ```text
//! y, p = forward(x)     ẏ = linear(x, p, ẋ)
//! ```
//!
//! If not, and it has one real result, a number, it keeps the gradient of each call as a residual:
//!
//! ```text
//! y = value(x)          ẏ = Σ g ẋ          with g = vjp(x, 1)
//! ```
//!
//! Value and gradient come from one call (`passes/units.rs`). A reverse pass that called `vjp` again
//! would compute each level of the recursion as often as it is deep. There are two exceptions, where
//! `jvp` stays:
//!
//! - The results of calls only enter linearly. Then no cotangent depends on a value, and value and
//!   product come from one call without a residual.
//! - An argument is the same array in all steps of a loop, where the residual would be as large for
//!   each step.

use super::undo::visit_all;
use super::{Lineariser, Loops};
use crate::ir::bulk::{Eq, Op, Program, Var};
use crate::ir::core::ReduceOp;
use crate::ir::prims::Prim;
use crate::ir::ty::{Atom, Elem, Lit, Size};
use crate::ir::unit::{Called, Given, Rule, Tape};

impl Lineariser {
    /// The tangent of a result of a call.
    pub(super) fn called(&mut self, eq: &Eq, y: Var) -> Option<Var> {
        let Op::Call {
            unit,
            rule,
            args,
            out,
        } = &eq.op
        else {
            unreachable!("asked for calls only")
        };
        let own = unit.args.len();
        let mut given: Vec<Var> = args[..own].iter().map(|v| self.new[v.index()]).collect();
        let (rule, out, along) = match unit.given(*rule, *out) {
            Given::Length(..) | Given::Place | Given::Residual => return None,
            Given::Result(k) if self.is_on_tape(unit, *rule) => {
                let k = unit.real_results().iter().position(|r| *r == k)?;
                let real = unit.real_args().into_iter().map(|k| args[k]);
                let forward = Rule::Tape(Tape::Forward);
                let place = (self.out).call(unit, forward, &given, unit.primal(forward), None);
                given.push(place);
                (Rule::Tape(Tape::Linear), k, real.collect::<Vec<_>>())
            }
            Given::Result(_) if self.keeps_gradient(unit, args) => {
                return self.along_gradient(unit, args);
            }
            Given::Result(k) => {
                let k = unit.real_results().iter().position(|r| *r == k)?;
                let real = unit.real_args().into_iter().map(|k| args[k]);
                (
                    Rule::Jvp,
                    unit.primal(Rule::Jvp) + k,
                    real.collect::<Vec<_>>(),
                )
            }
            Given::Derivative(_) => {
                let moved = args[..own].iter().any(|v| self.t(*v).is_some());
                assert!(
                    !moved,
                    "the pipeline asks for first derivatives of units only"
                );
                (*rule, *out, args[own..].to_vec())
            }
        };
        if along.iter().all(|v| self.t(*v).is_none()) {
            return None;
        }
        for v in along {
            given.push(match self.t(v) {
                Some(t) => t,
                None => {
                    let shape = self.out.shape(self.new[v.index()]);
                    self.out.fill(Lit::Real(0.0), &shape)
                }
            });
        }
        debug_assert_eq!(self.out.ty(y).elem, Elem::Real);
        let like = self.out.shape(y);
        Some(self.out.call(unit, rule, &given, out, Some(&like)))
    }

    /// Whether the residuals of a call of the function itself are on the tape.
    fn is_on_tape(&self, unit: &Called, rule: Rule) -> bool {
        self.shared.tape && rule == Rule::Value && unit.is_itself(&self.shared.own)
    }

    /// What computes the value of an equation: `forward` for a call whose residuals are on the
    /// tape.
    pub(super) fn on_tape(&self, eq: &Eq) -> Eq {
        let mut eq = eq.clone();
        if let Op::Call { unit, rule, .. } = &mut eq.op
            && self.is_on_tape(unit, *rule)
        {
            *rule = Rule::Tape(Tape::Forward);
        }
        eq
    }

    /// Whether the gradient of a call is a residual.
    fn keeps_gradient(&self, unit: &Called, args: &[Var]) -> bool {
        let is_number = match unit.real_results()[..] {
            [k] => unit.results[k].ty.rank == 0,
            _ => false,
        };
        let is_kept = |k: usize| {
            let v = args[k].index();
            unit.args[k].rank == 0 || self.tangent[v].is_none() || !self.invariant[v]
        };
        self.loops == Loops::Apart
            && self.shared.keeps_gradients
            && is_number
            && unit.is_itself(&self.shared.own)
            && unit.has(Rule::Vjp)
            && unit.real_args().into_iter().all(is_kept)
    }

    /// The gradient of a call times the tangents of its arguments.
    fn along_gradient(&mut self, unit: &Called, args: &[Var]) -> Option<Var> {
        let mut at: Vec<Var> = args.iter().map(|v| self.new[v.index()]).collect();
        at.push(self.out.fill(Lit::Real(1.0), &[]));
        let mut terms = vec![];
        for (k, of) in unit.real_args().into_iter().enumerate() {
            if let Some(t) = self.t(args[of]) {
                let gradient =
                    (self.out).call(unit, Rule::Vjp, &at, unit.primal(Rule::Vjp) + k, None);
                let axes: Vec<usize> = (0..unit.args[of].rank).collect();
                let each = self.out.map(Prim::Mul, &[gradient, t], None);
                terms.push(self.out.sum(each, &axes, None));
            }
        }
        self.add(terms, None)
    }

    /// Which variables that a loop is given are the same in all steps of a loop that may have
    /// several: this one, or one around it.
    pub(super) fn invariant_inside(&self, steps: Option<&Size>, given: &[Var]) -> Vec<bool> {
        let is_condition = steps.is_some_and(|n| self.is_at_most_one(n));
        let is_invariant = |v: &Var| !is_condition || self.invariant[v.index()];
        given.iter().map(is_invariant).collect()
    }

    /// Whether a number of steps, in terms of the original, is 0 or 1 as for a call under a
    /// condition.
    fn is_at_most_one(&self, steps: &Size) -> bool {
        let few = |n: &Size| n.as_lit().is_some_and(|n| n <= 1);
        let is_few = |v: &Var| match self.out.eq(*v).map(|eq| &eq.op) {
            Some(Op::Fill(lit)) => lit.as_size().is_some_and(|n| few(&n)),
            Some(Op::Index(a)) => a.is_constant() && few(&a.constant),
            Some(_) | None => false,
        };
        match steps.as_atom() {
            Some(Atom::Value(v)) => match self.out.eq(self.new[*v as usize]).map(|eq| &eq.op) {
                Some(Op::Map(Prim::Select, args)) => args[1..].iter().all(is_few),
                Some(_) | None => false,
            },
            Some(_) | None => few(steps),
        }
    }
}

/// Whether all results of calls of the function itself enter its results linearly.
pub(super) fn calls_enter_linearly(program: &Program, own: &str) -> bool {
    let mut on = vec![false; program.params.len()];
    for eq in &program.eqs {
        let mut used = vec![];
        visit_all(eq, &mut |v| {
            if on[v.index()] {
                used.push(v);
            }
        });
        let is_on = |v: &Var| used.contains(v);
        let only = |linear: &[Var]| used.iter().all(|v| linear.contains(v));
        let mut calls = false;
        let is_linear = match &eq.op {
            Op::Call { unit, rule, .. } => {
                calls = *rule == Rule::Value && unit.is_itself(own);
                used.is_empty()
            }
            Op::Loop { looped, .. } => {
                calls = calls_itself(&looped.body, own);
                let is_plain = !calls || looped.states == 0;
                used.is_empty() && is_plain && calls_enter_linearly(&looped.body, own)
            }
            Op::Copy(a) | Op::Stop(a) => only(&[*a]),
            Op::Gather { src, .. } => only(&[*src]),
            Op::Reduce {
                op: ReduceOp::Sum,
                src,
                ..
            } => only(&[*src]),
            Op::Scatter(parts) => only(&parts.iter().map(|p| p.src).collect::<Vec<_>>()),
            Op::Contract { a, b, .. } => only(&[*a, *b]) && !(is_on(a) && is_on(b)),
            Op::Map(Prim::Add | Prim::Sub | Prim::Neg, args) => only(args),
            Op::Map(Prim::Mul, args) => only(args) && !args.iter().all(is_on),
            Op::Map(Prim::Div, args) => only(&args[..1]),
            Op::Map(Prim::Select, args) => only(&args[1..]),
            Op::Fill(_)
            | Op::Index(_)
            | Op::Map(..)
            | Op::Reduce { .. }
            | Op::ArgReduce { .. }
            | Op::Recur { .. }
            | Op::Update { .. } => used.is_empty(),
        };
        if !is_linear {
            return false;
        }
        on.push(calls || !used.is_empty());
    }
    true
}

/// Whether a program calls the function itself.
fn calls_itself(program: &Program, own: &str) -> bool {
    let is_own = |eq: &Eq| matches!(&eq.op, Op::Call { unit, .. } if unit.is_itself(own));
    program.eqs.iter().any(is_own)
        || program
            .loops()
            .any(|looped| calls_itself(&looped.body, own))
}
