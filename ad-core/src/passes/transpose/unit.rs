//! Calls of units.
//!
//! ```text
//! ẏ = jvp(x, ẋ)         x̄ += vjp(x, ȳ)
//! t = vjp(x, ȳ)         the other way round
//! ẏ = linear(x, p, ẋ)   x̄ = reverse(x, p, ȳ, x̄)
//! ```
//!
//! All results of one call hand their cotangents on together.

use super::Transposer;
use crate::ir::bulk::{Eq, Op, Program, Var};
use crate::ir::ty::Lit;
use crate::ir::unit::{Called, Given, Rule, Tape};
use std::collections::HashMap;

/// The linear equations of each call, by the first of them: which they are, and which result.
pub(super) fn calls(program: &Program, linear: &[bool]) -> HashMap<usize, Vec<(usize, usize)>> {
    let mut first: HashMap<(&Called, Rule, &Vec<Var>), usize> = HashMap::new();
    let mut all: HashMap<usize, Vec<(usize, usize)>> = HashMap::new();
    for (k, eq) in program.eqs.iter().enumerate() {
        if let Op::Call {
            unit,
            rule,
            args,
            out,
        } = &eq.op
            && linear[program.var_of(k).index()]
        {
            let at = *first.entry((unit, *rule, args)).or_insert(k);
            all.entry(at).or_default().push((k, *out));
        }
    }
    all
}

impl Transposer<'_> {
    /// Hands the cotangents of the results of a call to what it is linear in.
    pub(super) fn called(&mut self, eq: &Eq, members: &[(usize, usize)]) {
        let Op::Call {
            unit, rule, args, ..
        } = &eq.op
        else {
            return;
        };
        let back = match rule {
            Rule::Jvp => Rule::Vjp,
            Rule::Vjp => Rule::Jvp,
            Rule::Tape(Tape::Linear) => Rule::Tape(Tape::Reverse),
            Rule::Value | Rule::Tape(_) => unreachable!("a value is not linear"),
        };
        let own = unit.fixed(*rule);
        // What comes back goes along the results of this rule.
        let mut incoming: HashMap<usize, Var> = HashMap::new();
        for &(k, out) in members {
            let Given::Derivative(result) = unit.given(*rule, out) else {
                unreachable!("the results of the function are not linear")
            };
            if let Some(ct) = self.collect(self.program.var_of(k)) {
                // Two equations may say the same under different types.
                let sum = incoming.remove(&result);
                let ct = match sum {
                    Some(sum) => self.out.map(crate::ir::prims::Prim::Add, &[sum, ct], None),
                    None => ct,
                };
                incoming.insert(result, ct);
            }
        }
        if incoming.is_empty() {
            return;
        }
        let primal: Vec<Var> = args[..own].iter().map(|v| self.primal(*v)).collect();
        let count = match rule {
            Rule::Vjp => unit.real_args().len(),
            Rule::Value | Rule::Jvp | Rule::Tape(_) => unit.real_results().len(),
        };
        let mut given = primal.clone();
        for result in 0..count {
            given.push(match incoming.get(&result) {
                Some(ct) => *ct,
                None => {
                    let shape = match rule {
                        Rule::Vjp => self.out.shape(primal[unit.real_args()[result]]),
                        Rule::Jvp | Rule::Value | Rule::Tape(_) => {
                            let of = unit.real_results()[result];
                            let primal = &primal[..unit.args.len()];
                            let value = self.out.call(unit, Rule::Value, primal, of, None);
                            self.out.shape(value)
                        }
                    };
                    self.out.fill(Lit::Real(0.0), &shape)
                }
            });
        }
        if back == Rule::Tape(Tape::Reverse) {
            // What has come back already is added to.
            for v in &args[own..] {
                let shape = self.shape(*v);
                let before = match self.is_linear(*v) {
                    true => self.collect(*v),
                    false => None,
                };
                given.push(before.unwrap_or_else(|| self.out.fill(Lit::Real(0.0), &shape)));
            }
        }
        for (k, v) in args[own..].iter().enumerate() {
            if !self.is_linear(*v) {
                continue;
            }
            let like = self.shape(*v);
            let out = unit.primal(back) + k;
            let ct = self.out.call(unit, back, &given, out, Some(&like));
            self.give(*v, ct);
        }
    }
}
