//! Programs that run where a condition holds.

use super::sequence::type_of;
use super::{Scope, check_inside};
use crate::ir::kernel::{Branch, Side};
use crate::ir::ty::Elem;

impl Scope<'_> {
    pub(super) fn branch(&self, b: &Branch) -> Result<(), String> {
        let when = self.ty(b.when)?;
        if when.elem != Elem::Bool || when.rank() != 0 {
            return Err(format!("v{} is no condition of a branch", b.when.0));
        }
        b.sides().try_for_each(|side| self.side(side))?;
        for (k, o) in b.outs.iter().enumerate() {
            o.ty.shape.iter().try_for_each(|n| self.size(n))?;
            let twice = b.outs[..k].iter().any(|p| p.result == o.result);
            for side in b.sides() {
                let result = side.body.results.get(o.result).copied();
                let ty = result.and_then(|v| type_of(&side.body, v));
                let Some(ty) = ty.filter(|_| !twice) else {
                    return Err(format!("the branch has no result {}, or twice", o.result));
                };
                if (ty.elem, ty.rank()) != (o.ty.elem, o.ty.rank()) {
                    return Err(format!("the result {} has another type", o.result));
                }
            }
        }
        Ok(())
    }

    fn side(&self, side: &Side) -> Result<(), String> {
        let params = &side.body.params;
        if side.given.len() > params.len() {
            return Err("the branch does not have the parameters of its body".into());
        }
        for (v, p) in side.given.iter().zip(params) {
            let ty = self.ty(*v)?;
            if ty.elem != p.ty.elem || ty.rank() != p.ty.rank() {
                return Err(format!("v{} does not fit the branch", v.0));
            }
        }
        let mut reads = (side.body.steps.iter()).flat_map(|s| {
            let sources = s.sources().iter().map(|s| s.array);
            s.reads().into_iter().chain(sources)
        });
        let others = side.given.len()..params.len();
        if let Some(v) = reads.find(|v| others.contains(&v.index())) {
            return Err(format!("the branch reads v{}, which it is not given", v.0));
        }
        let inside = |e: String| format!("in the branch: {e}");
        check_inside(&side.body, self.function, 0..0, side.body.results.len()).map_err(inside)
    }
}
