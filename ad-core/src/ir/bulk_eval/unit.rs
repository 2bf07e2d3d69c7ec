//! Calls of units.

use super::{Machine, Slot};
use crate::ir::bulk::{Eq, Op, Var};
use crate::ir::unit::{Called, Rule};
use crate::ir::value::Value;

/// What one call gave: it happens once for all of its results.
pub(super) struct Asked<'a> {
    unit: &'a Called,
    rule: Rule,
    args: &'a [Var],
    results: Vec<Value>,
}

impl<'a> Machine<'a> {
    /// One result of a call, and what it cost if it had not happened before.
    pub(super) fn called(&mut self, eq: &'a Eq) -> Result<(Slot, u64), String> {
        let Op::Call {
            unit,
            rule,
            args,
            out,
        } = &eq.op
        else {
            return Err("this is no call".into());
        };
        if eq.guard.is_some() {
            return Err("a call has no guard".into());
        }
        let same = |a: &Asked<'_>| (a.unit, a.rule, a.args) == (unit, *rule, &args[..]);
        let (at, cost) = match self.calls.iter().position(same) {
            Some(at) => (at, 0),
            None => {
                let mut values = vec![];
                for v in args {
                    values.push(self.slot(*v)?.value.clone());
                }
                let (results, cost) = unit.run(*rule, &values)?;
                self.calls.push(Asked {
                    unit,
                    rule: *rule,
                    args,
                    results,
                });
                (self.calls.len() - 1, cost)
            }
        };
        let value = self.calls[at].results.get(*out).cloned();
        let value = value.ok_or_else(|| format!("`{}` has no result {out}", unit.name()))?;
        let wanted = self.shape(&eq.ty.shape)?;
        if value.shape() != wanted {
            let found = value.shape();
            return Err(format!("gives the shape {found:?}, not {wanted:?}"));
        }
        let present = None;
        Ok((Slot { value, present }, cost))
    }
}
