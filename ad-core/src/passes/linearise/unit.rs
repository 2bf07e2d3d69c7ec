//! Calls of units.
//!
//! ```text
//! y = value(x)          ẏ = jvp(x, ẋ)
//! d = jvp(x, t)         ḋ = jvp(x, ṫ)      where x is constant
//! d = vjp(x, t)         ḋ = vjp(x, ṫ)      where x is constant
//! ```
//!
//! How a derivative of a unit depends on `x` is not known; the pipeline does not let that be asked.

use super::Lineariser;
use crate::ir::bulk::{Eq, Op, Var};
use crate::ir::ty::{Elem, Lit};
use crate::ir::unit::{Given, Rule};

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
        let (rule, out, along) = match unit.given(*out) {
            Given::Length(..) => return None,
            Given::Result(k) => {
                let k = unit.real_results().iter().position(|r| *r == k)?;
                let real = unit.real_args().into_iter().map(|k| args[k]);
                (Rule::Jvp, unit.primal() + k, real.collect::<Vec<_>>())
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
        let mut given: Vec<Var> = args[..own].iter().map(|v| self.new[v.index()]).collect();
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
}
