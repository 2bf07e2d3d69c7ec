//! Sequential loops: what they carry, and what that may depend on.

use super::Lowerer;
use super::columns::Columns;
use super::fixed::List;
use super::value::{Plain, Value};
use crate::front::error::{Loc, Result};
use crate::ir::core::{Block, Bound, Expr, Keep, Loop, Sym, Trip, Ty};
use crate::ir::prims::Prim;
use crate::ir::ty::Elem;
use crate::loops::{Around, Bindings};
use std::collections::BTreeSet;

/// When a loop goes on.
pub(super) enum Head {
    /// So many times; whether the number may be negative.
    Times { count: Expr, signed: bool },
    /// As long as the condition of the round says.
    While,
    /// Once, and computed again in the reverse pass.
    Again,
}

impl Head {
    /// The number of rounds, which is not negative, where it is known before.
    fn extent(&self) -> Option<Expr> {
        match self {
            Head::Times {
                count,
                signed: true,
            } => Some(Expr::prim(Prim::IMax, vec![count.clone(), Expr::int(0)])),
            Head::Times {
                count,
                signed: false,
            } => Some(count.clone()),
            Head::While | Head::Again => None,
        }
    }
}

/// What happens in a round.
pub(super) struct Round {
    /// What it binds.
    pub(super) bound: Bindings,
    /// Whether there is a round at all, in terms of the states and the index.
    pub(super) cond: Option<Expr>,
    /// The states behind it.
    pub(super) next: Vec<Value>,
    /// What is collected.
    pub(super) stacked: Vec<Value>,
}

impl Value {
    /// Whether it is made of numbers and bools.
    pub(super) fn is_data(&self) -> bool {
        match self {
            Value::Plain(_) | Value::List(List::Whole(_)) => true,
            Value::Tuple(parts) | Value::Struct(_, parts) | Value::List(List::Elements(parts)) => {
                parts.iter().all(Value::is_data)
            }
            Value::List(List::Rows(parts)) => parts.iter().all(Value::is_data),
            Value::List(List::Columns(list)) => list.range.is_none() && list.of.is_data(),
            Value::Closure(..) | Value::Shape(_) | Value::Way(_) => false,
        }
    }

    /// The numbers and arrays that it is made of.
    pub(super) fn leaves(&self) -> Vec<&Plain> {
        match self {
            Value::Plain(plain) | Value::List(List::Whole(plain)) => vec![plain],
            Value::Tuple(parts) | Value::Struct(_, parts) | Value::List(List::Elements(parts)) => {
                parts.iter().flat_map(Value::leaves).collect()
            }
            Value::List(List::Rows(parts)) => parts.iter().flat_map(Value::leaves).collect(),
            Value::List(List::Columns(list)) => list.of.leaves(),
            Value::Closure(..) | Value::Shape(_) | Value::Way(_) => vec![],
        }
    }

    /// A value of the same form, made of others.
    pub(super) fn with_leaves(&self, leaves: &mut impl Iterator<Item = Plain>) -> Value {
        match self {
            Value::Plain(plain) => Value::Plain(leaves.next().unwrap_or_else(|| plain.clone())),
            Value::List(List::Whole(plain)) => {
                let plain = leaves.next().unwrap_or_else(|| plain.clone());
                Value::List(List::Whole(plain))
            }
            Value::Tuple(parts) | Value::Struct(_, parts) | Value::List(List::Elements(parts)) => {
                let parts = parts.iter().map(|p| p.with_leaves(leaves)).collect();
                self.with_components(parts)
            }
            Value::List(List::Rows(parts)) => {
                let parts = parts.iter().map(|p| p.with_leaves(leaves)).collect();
                self.with_components(parts)
            }
            Value::List(List::Columns(list)) => {
                let of = Box::new(list.of.with_leaves(leaves));
                let range = list.range.clone();
                Value::List(List::Columns(Columns { of, range }))
            }
            Value::Closure(..) | Value::Shape(_) | Value::Way(_) => self.clone(),
        }
    }

    fn has_form_of(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Plain(a), Value::Plain(b))
            | (Value::List(List::Whole(a)), Value::List(List::Whole(b))) => {
                a.expr.ty.rank == b.expr.ty.rank
            }
            (
                Value::Plain(_)
                | Value::Tuple(_)
                | Value::List(_)
                | Value::Struct(..)
                | Value::Closure(..)
                | Value::Shape(_)
                | Value::Way(_),
                _,
            ) => {
                self.is_like(other)
                    && match (self.components(), other.components()) {
                        (Some(a), Some(b)) => a.iter().zip(b).all(|(a, b)| a.has_form_of(b)),
                        (..) => false,
                    }
            }
        }
    }
}

impl Lowerer<'_> {
    /// A loop: the last values of what it carries, and what it collects.
    pub(super) fn sequence(
        &mut self,
        head: Head,
        inits: Vec<(String, Value)>,
        hint: &str,
        loc: Loc,
        body: impl FnOnce(&mut Self, Vec<Value>, Expr) -> Result<Round>,
    ) -> Result<(Vec<Value>, Vec<Value>)> {
        let index = self.fresh.sym(hint);
        let mark = self.fresh.sym("loop");
        let extent = head.extent();
        let keep = match head {
            Head::Times { .. } | Head::While => Keep::Residuals,
            Head::Again => Keep::States,
        };
        let mut before = BTreeSet::from([mark.clone()]);
        if let Some(count) = &extent {
            before.extend(self.dependence(count));
        }
        let mut begins: Vec<(Sym, Plain)> = vec![];
        let mut states = vec![];
        for (name, init) in &inits {
            let mut own = vec![];
            for leaf in init.leaves() {
                let init = self.natural_if(leaf.scalar, leaf.expr.clone());
                let expr = self.share(name, init);
                before.extend(self.dependence(&expr));
                let sym = self.fresh.sym(name);
                self.has_lengths_of(&sym, &expr);
                let state = Plain {
                    expr: Expr::var(&sym, expr.ty),
                    ..leaf.clone()
                };
                let init = Plain {
                    expr,
                    ..leaf.clone()
                };
                begins.push((sym, init));
                own.push(state);
            }
            states.push(init.with_leaves(&mut own.into_iter()));
        }
        let symbols = begins.iter().map(|(sym, _)| sym);
        (self.core).enter(&mark, (&index, extent.clone()), symbols, &before);
        let at = Expr::var(&index, Ty::scalar(Elem::Int));
        let round = body(self, states, at);
        let Some(sequence) = self.sequences.pop() else {
            unreachable!("it was pushed above");
        };
        let mut round = round?;
        // Arrays that are written element by element, and those that are not.
        self.frames.push(std::mem::take(&mut round.bound));
        let formed = (inits.iter().zip(std::mem::take(&mut round.next)))
            .map(|((_, init), value)| self.formed_as(value, init, loc))
            .collect::<Result<_>>();
        round.bound = self.frames.pop().unwrap_or_default();
        round.next = formed?;
        let mut next = vec![];
        for ((name, init), value) in inits.iter().zip(&round.next) {
            if !value.has_form_of(init) {
                return Err(self.state_changes(name, init, value, loc));
            }
            for leaf in value.leaves() {
                let expr = self.natural_if(leaf.scalar, leaf.expr.clone());
                next.push((
                    name,
                    Plain {
                        expr,
                        ..leaf.clone()
                    },
                ));
            }
        }
        let mut on = before;
        let parts = round.bound.iter().flat_map(Bound::parts);
        let parts = parts.chain(next.iter().map(|(_, leaf)| &leaf.expr));
        let all = round.stacked.iter().flat_map(Value::leaves);
        for e in parts.chain(all.map(|leaf| &leaf.expr)).chain(&round.cond) {
            self.depends(e, &mut on);
        }
        on.remove(&sequence.mark);
        self.sizes_are_fixed(&sequence, &on)?;
        let trip = match round.cond {
            Some(cond) => Trip::While(cond),
            None => Trip::Times(extent.unwrap_or_else(|| Expr::int(1))),
        };
        let (mut states, mut results, mut plains) = (vec![], vec![], vec![]);
        for ((sym, init), (name, leaf)) in begins.into_iter().zip(next) {
            let what = (init.clone(), leaf.clone());
            let Some(pair) = self.pair(init, leaf) else {
                let (init, leaf) = (Value::Plain(what.0), Value::Plain(what.1));
                return Err(self.state_changes(name, &init, &leaf, loc));
            };
            states.push((sym, pair.left));
            results.push(pair.right.clone());
            plains.push(Plain {
                expr: pair.right,
                scalar: pair.scalar,
                open: pair.open,
            });
        }
        let collected: Vec<&Plain> = round.stacked.iter().flat_map(Value::leaves).collect();
        results.extend(collected.iter().map(|leaf| leaf.expr.clone()));
        let lets = round.bound;
        let looped = Loop {
            trip,
            index,
            states,
            body: Block { lets, results },
            outs: vec![],
            keep,
        };
        let (last, stacks) = self.looped(looped, &on);
        let mut last = plains
            .into_iter()
            .zip(last)
            .map(|(p, expr)| Plain { expr, ..p });
        let last = inits
            .iter()
            .map(|(_, v)| v.with_leaves(&mut last))
            .collect();
        let mut stacks = collected
            .into_iter()
            .zip(stacks)
            .map(|(p, expr)| Plain { expr, ..p.clone() });
        let stacks = round.stacked.iter().map(|v| v.with_leaves(&mut stacks));
        let stacks = stacks.collect();
        Ok((last, stacks))
    }

    fn state_changes(
        &mut self,
        name: &str,
        init: &Value,
        next: &Value,
        loc: Loc,
    ) -> crate::front::error::Reported {
        let message = format!(
            "`{name}` is {} before this loop and {} behind a round of it; what a loop carries keeps its \
             type",
            init.describe(),
            next.describe()
        );
        self.errors.at(loc, message)
    }

    /// Sizes may depend on the rounds of a loop if these are the same for all turns of the loops
    /// around it that are not sequential.
    fn sizes_are_fixed(&mut self, sequence: &Around, on: &BTreeSet<Sym>) -> Result<()> {
        let sized = self.sized.iter().find(|(mark, _)| *mark == sequence.mark);
        let sized = sized.map(|(_, loc)| *loc);
        if sized.is_none() && !sequence.only {
            return Ok(());
        }
        // What runs inside of a loop over indices would have to be rectangular over these.
        self.keep_order(on);
        let culprit = self.loops.iter().find(|index| on.contains(index));
        let (Some(culprit), Some(loc)) = (culprit, sized) else {
            return Ok(());
        };
        let message = format!(
            "the size of this array depends on a loop whose rounds depend on `{0}`, the index of a loop \
             around it, and arrays are rectangular; write the largest size, and `if .. {{ .. }} else {{ \
             0.0 }}` for what is outside",
            culprit.hint
        );
        Err(self.errors.at(loc, message))
    }
}
