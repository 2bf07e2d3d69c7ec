//! Calls of units.

use super::Scope;
use crate::ir::bulk::{Type, Var};
use crate::ir::ty::{Elem, Size};
use crate::ir::unit::{Called, Given, Length, Rule, Tape};

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
        if rule == Rule::Tape(Tape::Save) {
            return match (self.eq.ty.elem, self.eq.ty.rank(), out) {
                (Elem::Int, 0, 0) => Ok(()),
                _ => Err("a place on the tape is an integer".into()),
            };
        }
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
        let Some(ty) = unit.gives(rule, out) else {
            return Ok(());
        };
        if (*elem, shape.len()) != (ty.elem, ty.rank) {
            return Err(format!("the result {out} of `{name}` has another type"));
        }
        let lengths = match unit.given(rule, out) {
            Given::Length(..) | Given::Place | Given::Residual => return Ok(()),
            Given::Result(k) => &unit.results[k].lengths,
            Given::Derivative(k) => match unit.tangent_of(rule, k) {
                Some(k) => &unit.results[k].lengths,
                None if rule == Rule::Tape(Tape::Begin) => return Ok(()),
                None => {
                    let like = &self.ty(args[unit.real_args()[k]])?.shape;
                    return match like == shape {
                        true => Ok(()),
                        false => Err("a cotangent has another shape than its argument".into()),
                    };
                }
            },
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
