//! Calls of units.
//!
//! ```text
//! ẏ = jvp(x, ẋ)         x̄ += vjp(x, ȳ)
//! t = vjp(x, ȳ)         the other way round
//! ```
//!
//! All results of one call hand their cotangents on together.

use super::Transposer;
use crate::ir::bulk::{Eq, Op, Program, Var};
use crate::ir::ty::Lit;
use crate::ir::unit::{Called, Given, Rule};
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
            Rule::Value => unreachable!("a value is not linear"),
        };
        let own = unit.args.len();
        // What comes back goes along the results of this rule.
        let mut incoming: HashMap<usize, Var> = HashMap::new();
        for &(k, out) in members {
            let Given::Derivative(result) = unit.given(out) else {
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
        let count = unit.takes(back).len() - own;
        let mut given = primal.clone();
        for result in 0..count {
            given.push(match incoming.get(&result) {
                Some(ct) => *ct,
                None => {
                    let shape = match rule {
                        Rule::Vjp => self.out.shape(primal[unit.real_args()[result]]),
                        Rule::Jvp | Rule::Value => {
                            let of = unit.real_results()[result];
                            let value = self.out.call(unit, Rule::Value, &primal, of, None);
                            self.out.shape(value)
                        }
                    };
                    self.out.fill(Lit::Real(0.0), &shape)
                }
            });
        }
        for (k, v) in args[own..].iter().enumerate() {
            if !self.is_linear(*v) {
                continue;
            }
            let like = self.shape(*v);
            let out = unit.primal() + k;
            let ct = self.out.call(unit, back, &given, out, Some(&like));
            self.give(*v, ct);
        }
    }
}
