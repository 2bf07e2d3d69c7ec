//! What variables are behind a branch that changes them.

use super::branch::Branch;
use super::fixed::List;
use super::value::Value;
use super::variants;
use super::{Binding, Changed, Lowerer};
use crate::front::error::{Loc, Result};
use crate::ir::core::Expr;
use std::rc::Rc;

impl Lowerer<'_> {
    /// Each variable that a side changes gets the value of the side that is taken.
    pub(super) fn merged(&mut self, cond: &Expr, then: &Branch, other: &Branch, loc: Loc) {
        let mut all: Vec<&Changed> = then.changed.iter().collect();
        for one in &other.changed {
            if all.iter().all(|c| c.cell != one.cell) {
                all.push(one);
            }
        }
        for Changed { cell, name, .. } in all {
            let of = |l: &Self, branch: &Branch| {
                let changed = branch.changed.iter().find(|c| c.cell == *cell);
                let binding = changed.map(|c| c.binding.clone());
                binding.or_else(|| l.env.cell(*cell).cloned())
            };
            let binding = match (of(self, then), of(self, other)) {
                (Some(Binding::Hole(reported)), _) | (_, Some(Binding::Hole(reported))) => {
                    Binding::Hole(reported)
                }
                (Some(Binding::Value(a)), Some(Binding::Value(b))) => {
                    match self.joined_value(cond, then, other, (&a, &b), loc) {
                        Ok(value) => Binding::Value(self.named(value, name)),
                        Err(reported) => Binding::Hole(reported),
                    }
                }
                // rustc sees to it that nothing reads what is set on one side only.
                (Some(Binding::Unset | Binding::Value(_) | Binding::Import(_)) | None, _) => {
                    Binding::Unset
                }
            };
            self.change(Changed {
                cell: *cell,
                name: name.clone(),
                binding,
            });
        }
    }

    fn joined_value(
        &mut self,
        cond: &Expr,
        then: &Branch,
        other: &Branch,
        (a, b): (&Value, &Value),
        loc: Loc,
    ) -> Result<Value> {
        if let (Some(x), Some(y)) = (a.as_maybe(), b.as_maybe()) {
            let sides = ((&then.with(a), x), (&other.with(b), y));
            return self.maybe_chosen(cond.clone(), sides.0, sides.1, loc);
        }
        if let (Value::Way(x), Value::Way(y)) = (a, b)
            && Rc::ptr_eq(x, y)
        {
            return Ok(a.clone());
        }
        match (a, b) {
            (Value::List(List::Elements(_)), Value::Plain(_) | Value::List(List::Whole(_))) => {
                let b = self.formed_as(b.clone(), a, loc)?;
                self.joined_parts(cond, then, other, (a, &b), loc)
            }
            (Value::Plain(_) | Value::List(List::Whole(_)), Value::List(List::Elements(_))) => {
                let a = self.formed_as(a.clone(), b, loc)?;
                self.joined_parts(cond, then, other, (&a, b), loc)
            }
            (Value::List(List::Whole(x)), Value::List(List::Whole(y))) => {
                let pair = (&Value::Plain(x.clone()), &Value::Plain(y.clone()));
                let value = self.joined_value(cond, then, other, pair, loc)?;
                Ok(Value::of_rust(self.plain(value, loc)?))
            }
            (Value::Plain(a), Value::Plain(b)) if a.expr == b.expr => Ok(Value::Plain(a.clone())),
            (..) => self.joined_parts(cond, then, other, (a, b), loc),
        }
    }

    /// The same of what has parts.
    fn joined_parts(
        &mut self,
        cond: &Expr,
        then: &Branch,
        other: &Branch,
        (a, b): (&Value, &Value),
        loc: Loc,
    ) -> Result<Value> {
        let aligned = variants::aligned(a, b);
        let (a, b) = aligned.as_ref().map_or((a, b), |(a, b)| (a, b));
        if a.is_like(b)
            && let (Some(left), Some(right)) = (a.components(), b.components())
        {
            let parts = left.iter().zip(right);
            let parts: Result<Vec<Value>> = parts
                .map(|pair| self.joined_value(cond, then, other, pair, loc))
                .collect();
            return Ok(a.with_components(parts?));
        }
        self.each(cond, &then.with(a), &other.with(b), loc)
    }
}
