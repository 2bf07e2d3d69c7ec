//! Loops, and arrays that are changed.

use super::{Scope, check_inside, same};
use crate::ir::bulk::{Type, Var};
use crate::ir::kernel::{Contribution, Loop, Sequence, Source, reads_in_time};
use crate::ir::ty::Elem;

impl Scope<'_> {
    pub(super) fn change(
        &self,
        of: &Source,
        adds: bool,
        parts: &[Contribution],
        ty: &Type,
    ) -> Result<(), String> {
        let array = self.ty(of.array)?;
        if array != ty {
            return Err(format!("v{} is changed to another type", of.array.0));
        }
        if adds {
            same(ty.elem, Elem::Real, "what is added to")?;
        }
        for c in parts {
            same(self.nest(&c.nest)?, ty.elem, "a part")?;
            if c.at.len() != ty.rank() {
                return Err(format!("{} indices for {} axes", c.at.len(), ty.rank()));
            }
            let here: Vec<Loop> = (0..c.nest.outer).collect();
            self.places(&c.nest, &c.at, c.nest.nodes.len(), Some(&here))?;
        }
        if of.taken && !reads_in_time(parts, of.array, adds) {
            return Err(format!("reads v{} after changing it", of.array.0));
        }
        Ok(())
    }

    pub(super) fn sequence(&self, s: &Sequence) -> Result<(), String> {
        s.steps.iter().try_for_each(|n| self.size(n))?;
        let body = &s.body;
        if s.given.len() + s.states + 1 != body.params.len() || s.init.len() != s.states {
            return Err("the loop does not have the parameters of its body".into());
        }
        if s.states > body.results.len() || s.steps.is_some() == s.goes_on.is_some() {
            return Err("the loop does not fit its body".into());
        }
        let first = s.init.iter().map(|s| s.array);
        for (v, p) in s.given.iter().copied().chain(first).zip(&body.params) {
            let ty = self.ty(v)?;
            if ty.elem != p.ty.elem || ty.rank() != p.ty.rank() {
                return Err(format!("v{} does not fit the loop", v.0));
            }
        }
        for (k, source) in s.init.iter().enumerate().filter(|(_, s)| s.taken) {
            let others = s.init.iter().enumerate().filter(|(l, _)| *l != k);
            let mut others = others.map(|(_, s)| s.array).chain(s.given.iter().copied());
            if others.any(|v| v == source.array) {
                return Err(format!("takes v{}, which it reads", source.array.0));
            }
        }
        let inside = |e: String| format!("in the loop: {e}");
        let states = s.given.len()..s.given.len() + s.states;
        check_inside(body, self.function, states, s.states).map_err(inside)?;
        if let Some(c) = &s.goes_on {
            check_inside(c, self.function, 0..0, c.results.len()).map_err(inside)?;
            if c.params.len() != body.params.len() || c.results.len() != 1 {
                return Err("the condition does not fit the loop".into());
            }
        }
        for (k, o) in s.outs.iter().enumerate() {
            // The leading size may be the number of steps, which is a result as well.
            let is_stack = (s.states..body.results.len()).contains(&o.result);
            let known =
                o.ty.shape
                    .iter()
                    .skip(usize::from(is_stack && s.steps.is_none()));
            known.into_iter().try_for_each(|n| self.size(n))?;
            let twice = s.outs[..k].iter().any(|p| p.result == o.result);
            if o.result > body.results.len() || twice {
                return Err(format!("the loop has no result {}, or twice", o.result));
            }
            let wanted = match body.results.get(o.result) {
                None => (Elem::Int, 0),
                Some(v) => {
                    let ty = type_of(body, *v);
                    let ty = ty.ok_or_else(|| format!("in the loop: v{} is not there", v.0))?;
                    (ty.elem, ty.rank() + usize::from(is_stack))
                }
            };
            if (o.ty.elem, o.ty.rank()) != wanted {
                return Err(format!(
                    "the result {} of the loop has another type",
                    o.result
                ));
            }
        }
        Ok(())
    }
}

/// The type of a variable of a program.
pub(super) fn type_of(program: &crate::ir::kernel::Program, v: Var) -> Option<&Type> {
    let param = program.params.get(v.index()).map(|p| &p.ty);
    let steps = program.steps.iter();
    let mut computed = steps.flat_map(|s| s.defines());
    param.or_else(|| computed.find_map(|(u, ty)| (u == v).then_some(ty)))
}
