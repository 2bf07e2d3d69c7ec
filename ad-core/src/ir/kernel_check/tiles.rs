//! Tiles.

use super::sequence::type_of;
use super::{Scope, check_inside};
use crate::ir::bulk::Var;
use crate::ir::kernel::Tiles;
use crate::ir::ty::{Atom, Elem, Size};

impl Scope<'_> {
    pub(super) fn tiles(&self, t: &Tiles) -> Result<(), String> {
        self.size(&t.extent)?;
        self.size(t.division.each())?;
        let params = &t.body.params;
        if t.given.len() + 2 != params.len() {
            return Err("the tiles do not have the parameters of their body".into());
        }
        for (v, p) in t.given.iter().zip(params) {
            let ty = self.ty(*v)?;
            if ty.elem != p.ty.elem || ty.rank() != p.ty.rank() {
                return Err(format!("v{} does not fit the tiles", v.0));
            }
        }
        for p in &params[t.given.len()..] {
            if p.ty.elem != Elem::Int || p.ty.rank() != 0 {
                return Err(format!("`{}` is no index of a tile", p.name));
            }
        }
        let inside = |e: String| format!("in the tiles: {e}");
        check_inside(&t.body, self.function, 0..0, t.body.results.len()).map_err(inside)?;
        let length = Size::atom(Atom::Value(t.length().0));
        for (k, o) in t.outs.iter().enumerate() {
            o.ty.shape.iter().try_for_each(|n| self.size(n))?;
            let twice = t.outs[..k].iter().any(|p| p.result == o.result);
            let wrong = |what: &str| Err(format!("the result {} of tiles {what}", o.result));
            let result: Option<Var> = t.body.results.get(o.result).copied();
            let Some(ty) = result.and_then(|v| type_of(&t.body, v)) else {
                return wrong("is not there");
            };
            if twice {
                return wrong("is there twice");
            }
            let is_part =
                ty.shape.first() == Some(&length) && o.ty.shape.first() == Some(&t.extent);
            let is_added = t.added.contains(&o.result);
            if is_added && ty.elem != Elem::Real {
                return wrong("cannot be added up");
            }
            if !is_part && !is_added {
                return wrong("is not made tile by tile");
            }
            if (ty.elem, ty.rank()) != (o.ty.elem, o.ty.rank()) {
                return wrong("has another type");
            }
        }
        Ok(())
    }
}
