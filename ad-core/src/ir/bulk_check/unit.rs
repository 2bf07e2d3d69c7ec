//! Calls of units.

use super::Scope;
use crate::ir::bulk::{Type, Var};
use crate::ir::ty::Size;
use crate::ir::unit::{Called, Given, Length, Rule};

impl Scope<'_> {
    pub(super) fn called(
        &self,
        unit: &Called,
        rule: Rule,
        args: &[Var],
        out: usize,
    ) -> Result<(), String> {
        if self.eq.guard.is_some() {
            return Err("a call has no guard".into());
        }
        let name = unit.name();
        let takes = unit.takes(rule);
        if args.len() != takes.len() {
            let (found, wanted) = (args.len(), takes.len());
            return Err(format!("{found} arguments for the {wanted} of `{name}`"));
        }
        for (v, wanted) in args.iter().zip(takes) {
            let ty = self.ty(*v)?;
            if (ty.elem, ty.rank()) != (wanted.elem, wanted.rank) {
                return Err(format!("v{} is no argument of `{name}`", v.0));
            }
        }
        if out >= unit.count(rule) {
            return Err(format!("`{name}` has no result {out}"));
        }
        let Type { elem, shape } = &self.eq.ty;
        let ty = unit.gives(rule, out);
        if (*elem, shape.len()) != (ty.elem, ty.rank) {
            return Err(format!("the result {out} of `{name}` has another type"));
        }
        let lengths = match (unit.given(out), rule) {
            (Given::Length(..), _) => return Ok(()),
            (Given::Derivative(k), Rule::Vjp) => {
                let like = &self.ty(args[unit.real_args()[k]])?.shape;
                return match like == shape {
                    true => Ok(()),
                    false => Err("a cotangent has another shape than its argument".into()),
                };
            }
            (Given::Result(k), _) => &unit.results[k].lengths,
            (Given::Derivative(k), Rule::Jvp | Rule::Value) => {
                &unit.results[unit.real_results()[k]].lengths
            }
        };
        for (n, s) in lengths.iter().zip(shape) {
            let fits = match *n {
                Length::Fixed(n) => *s == Size::lit(n),
                Length::Axis { arg, axis } => *s == self.ty(args[arg])?.shape[axis],
                Length::Open => true,
            };
            if !fits {
                return Err(format!("the result {out} of `{name}` has other lengths"));
            }
        }
        Ok(())
    }
}
