//! What only derivatives have that were raised to Core: structural zeros, recurrences, demands.

use super::{Space, Val, Vectoriser};
use crate::ir::bulk::{Eq, Feed, Op, Relation, Var, states};
use crate::ir::core::{self, Demand, Expr, Recur};
use crate::ir::ty::Size;

impl Vectoriser {
    /// The same space where a condition holds.
    pub(super) fn where_holds(&mut self, c: &Expr, space: &Space) -> Result<Space, String> {
        let c = self.whole(c, space)?;
        Ok(self.under(c, space))
    }

    pub(super) fn recur(&mut self, r: &Recur, space: &Space) -> Result<Var, String> {
        let depth = space.axes.len();
        let a = self.whole(&r.factors, space)?;
        let mask = match &r.mask {
            Some(mask) => Some(self.whole(mask, space)?),
            None => None,
        };
        let b = match &r.feed {
            core::Feed::One => Feed::One,
            core::Feed::First(e) => Feed::First(self.whole(e, space)?),
            core::Feed::Each(e) => Feed::Each(self.whole(e, space)?),
            core::Feed::All(e) => Feed::All(self.whole(e, space)?),
        };
        // It has no guard: where nothing is evaluated there are no factors.
        let own = self.own(a, depth);
        let guard = self.guard(space, &own);
        let mask = self.out.both(mask, guard);
        let mut ty = self.out.ty(a).clone();
        let axis = depth + r.axis;
        ty.shape[axis] = states(&ty.shape[axis]);
        let op = Op::Recur {
            a,
            mask,
            b,
            axis,
            reverse: r.reverse,
        };
        let guard = None;
        Ok(self.out.push(Eq { ty, guard, op }))
    }

    /// Demands a relation on entry, if it is sure to be needed and can be said there.
    pub(super) fn demand(&mut self, d: &Demand, space: &Space) -> Result<(), String> {
        let mut when = space.reached();
        for condition in &d.when {
            let condition = self.whole(condition, space)?;
            match self.condition(condition) {
                Some(p) => when.push(p),
                None => return Ok(()),
            }
        }
        let (left, right) = (self.expr(&d.left, space)?, self.expr(&d.right, space)?);
        let (Val::Affine(left), Val::Affine(right)) = (left, right) else {
            return Ok(());
        };
        if !space.is_sure() {
            return Ok(());
        }
        let difference = left.add_scaled(&right, &Size::lit(-1));
        if let Some((low, high)) = difference.range(&space.axes) {
            self.out.require_sign(&when, &low, d.relation);
            if d.relation == Relation::Equal {
                self.out.require_sign(&when, &high, d.relation);
            }
        }
        Ok(())
    }
}
