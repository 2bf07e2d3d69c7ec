//! `fold`, `scan` and `checkpoint`.

use super::Lowerer;
use super::array::element;
use super::call::Callable;
use super::combinator::built;
use super::header::unravelled;
use super::sequence::{Head, Round};
use super::size::product_of;
use super::value::{Plain, Value};
use super::way::{Filtered, Stage};
use crate::front::error::{Loc, Result};
use crate::front::names::Combinator;
use crate::front::surface::{Expr as Surface, Pattern};
use crate::front::types::Scalar;
use crate::ir::core::Expr;
use crate::ir::prims::Prim;
use crate::ir::ty::Elem;

/// What a variable is called.
fn hint(pattern: &Pattern, other: &str) -> String {
    match pattern {
        Pattern::Name(ident) => ident.to_string(),
        Pattern::Wild
        | Pattern::Tuple(..)
        | Pattern::List(..)
        | Pattern::Struct(..)
        | Pattern::Hole(..) => other.to_string(),
    }
}

impl Lowerer<'_> {
    pub(super) fn fold(&mut self, args: &[Surface], loc: Loc) -> Result<Value> {
        let (mut last, _, _) = self.states_over(Combinator::Fold, args, loc)?;
        match last.pop() {
            Some(value) => Ok(value),
            None => unreachable!("there is one state"),
        }
    }

    pub(super) fn scan(&mut self, args: &[Surface], loc: Loc) -> Result<Value> {
        let (_, mut stacks, sizes) = self.states_over(Combinator::Scan, args, loc)?;
        let Some(stacked) = stacks.pop() else {
            unreachable!("there is one state");
        };
        if let Some(leaf) = stacked
            .leaves()
            .iter()
            .find(|leaf| leaf.expr.ty.rank + sizes.len() > 7)
        {
            let message = format!(
                "this array has {} axes, and arrays have at most 6; write one axis for two, with the \
                 index `i * m + j`",
                leaf.expr.ty.rank + sizes.len() - 1
            );
            return Err(self.errors.at(loc, message));
        }
        if sizes.len() == 1 {
            return Ok(stacked);
        }
        // The rounds are one axis, and there is to be one for each index.
        let mut leaves = vec![];
        for leaf in stacked.leaves() {
            let (axes, at) = self.indices(&sizes);
            let flat = at.into_iter().zip(&sizes).reduce(|(flat, _), (i, n)| {
                let flat = Expr::prim(Prim::IMul, vec![flat, n.clone()]);
                (Expr::prim(Prim::IAdd, vec![flat, i]), n)
            });
            let mut at = vec![None; leaf.expr.ty.rank];
            at[0] = flat.map(|(flat, _)| flat);
            let expr = built(axes, element(leaf.expr.clone(), at));
            leaves.push(Plain {
                expr,
                ..leaf.clone()
            });
        }
        Ok(stacked.with_leaves(&mut leaves.into_iter()))
    }

    /// `fold(n, init, |s, i| e)`: the last state, all of them, and the extents.
    #[allow(
        clippy::type_complexity,
        reason = "three lists that belong together once"
    )]
    fn states_over(
        &mut self,
        combinator: Combinator,
        args: &[Surface],
        loc: Loc,
    ) -> Result<(Vec<Value>, Vec<Value>, Vec<Expr>)> {
        let name = combinator.name();
        let sizes = self.extents(combinator, &args[0]);
        let init = self.expr(&args[1]);
        let closure = self.body_of(combinator, &args[2]);
        let (sizes, init, (closure, env)) = (sizes?, init?, closure?);
        self.is_state(name, &init, args[1].loc)?;
        let [state, at] = &closure.params[..] else {
            let message =
                format!("the closure of `{name}` takes the state and the index; write `|s, i| ..`");
            return Err(self.errors.at(closure.params_loc, message));
        };
        let init = self.annotated(init, &state.1, args[1].loc)?;
        let inits = vec![(hint(&state.0, "s"), init)];
        let count = sizes.iter().cloned();
        let count = count.reduce(|a, b| Expr::prim(Prim::IMul, vec![a, b]));
        let count = self.share_size(count.unwrap_or_else(|| Expr::int(1)));
        let head = Head::Times {
            count,
            signed: false,
        };
        let result = self.sequence(
            head,
            inits,
            &hint(&at.0, "i"),
            loc,
            |l, mut states, index| {
                let outer = std::mem::replace(&mut l.env, env);
                let body_loc = closure.body.loc;
                let round = l.frame(|l| {
                    let mut indices = unravelled(index, &sizes).into_iter().map(|i| {
                        let plain = Plain::typed(i, Scalar::Usize);
                        Value::Plain(plain)
                    });
                    let index = match sizes.len() {
                        1 => indices.next().unwrap_or(Value::Tuple(vec![])),
                        _ => Value::Tuple(indices.collect()),
                    };
                    let index = l.annotated(index, &at.1, closure.params_loc);
                    let value = states.pop().unwrap_or(Value::Tuple(vec![]));
                    l.bind(&state.0, Ok(value));
                    l.bind(&at.0, index);
                    let value = l.expr(&closure.body)?;
                    let value = l.annotated(value, &closure.result, body_loc)?;
                    // It is the next state, and what is collected.
                    Ok(l.named(value, "next"))
                });
                l.env = outer;
                let (bound, value) = round?;
                let stacked = match combinator == Combinator::Scan {
                    true => vec![value.clone()],
                    false => vec![],
                };
                Ok(Round {
                    bound,
                    cond: None,
                    next: vec![value],
                    stacked,
                })
            },
        );
        let (last, stacks) = result?;
        Ok((last, stacks, sizes))
    }

    /// `iter.fold(init, |s, x| e)`, one item after another; the closure of a `Zip` takes the parts
    /// of an item one by one.
    pub(super) fn folded_in_order(
        &mut self,
        Filtered { items, after }: &Filtered,
        (init, init_loc): (Value, Loc),
        f: &Callable,
        spread: bool,
        loc: Loc,
    ) -> Result<Value> {
        let iter = items.clone().flat();
        let Some(sizes) = iter.extents.clone() else {
            return Err(self.unbounded(loc));
        };
        self.is_state("fold", &init, init_loc)?;
        let Some(((state, note), _)) = f.0.params.split_first() else {
            let message = "the closure of `fold` takes the state and an item; write `|s, x| ..`";
            return Err(self.errors.at(f.0.params_loc, message));
        };
        let init = self.annotated(init, note, init_loc)?;
        if let Some(rounds) = iter.rounds() {
            let mut now = init;
            for round in rounds {
                let item = (iter.at)(self, &[round])?;
                let value = self.folded_once((f, spread), now, item, after, loc)?;
                now = self.named(value, "next");
            }
            return Ok(now);
        }
        let inits = vec![(hint(state, "s"), init)];
        let count = product_of(&sizes);
        let count = self.share_size(count);
        let head = Head::Times {
            count,
            signed: false,
        };
        let result = self.sequence(head, inits, "i", loc, |l, mut states, index| {
            let round = l.frame(|l| {
                let item = (iter.at)(l, &[index])?;
                let Some(state) = states.pop() else {
                    unreachable!("there is one state")
                };
                let value = l.folded_once((f, spread), state, item, after, loc)?;
                Ok(l.named(value, "next"))
            });
            let (bound, value) = round?;
            Ok(Round {
                bound,
                cond: None,
                next: vec![value],
                stacked: vec![],
            })
        });
        let (mut last, _) = result?;
        match last.pop() {
            Some(value) => Ok(value),
            None => unreachable!("there is one state"),
        }
    }

    /// The next state of a `fold`: the same one, where a filter leaves out the item.
    fn folded_once(
        &mut self,
        (f, spread): (&Callable, bool),
        state: Value,
        item: Value,
        stages: &[Stage],
        loc: Loc,
    ) -> Result<Value> {
        match stages.split_first() {
            None => {
                let items = if spread { item.parts() } else { vec![item] };
                let all = std::iter::once(state).chain(items);
                self.applied(f, all.map(|value| (Ok(value), loc)).collect(), loc)
            }
            Some((Stage::Map(map, at), rest)) => {
                let item = self.applied(map, vec![(Ok(item), *at)], *at)?;
                self.folded_once((f, spread), state, item, rest, loc)
            }
            Some((Stage::Filter(filter, at), rest)) => {
                let item = self.named(item, "item");
                let cond = self.applied(filter, vec![(Ok(item.clone()), *at)], *at)?;
                let cond = self.of(Elem::Bool, cond, filter.0.body.loc, "what `filter` asks")?;
                let kept = state.clone();
                let then =
                    self.side(loc, |l| l.folded_once((f, spread), state, item, rest, loc))?;
                let other = self.side(loc, |_| Ok(kept))?;
                self.one_of(cond, (then, other), (false, false), loc)
            }
        }
    }

    /// Whether a loop can carry a value.
    fn is_state(&mut self, name: &str, init: &Value, loc: Loc) -> Result<()> {
        if init.is_data() {
            return Ok(());
        }
        let message = format!(
            "the state of `{name}` is numbers, bools, arrays and tuples of these, and this is {}{}",
            init.describe(),
            init.advice()
        );
        Err(self.errors.at(loc, message))
    }

    /// `checkpoint(|| e)`: one round that reverse mode runs again, and what it collects.
    pub(super) fn checkpoint(&mut self, closure: &Surface, loc: Loc) -> Result<Value> {
        let (closure, env) = self.body_of(Combinator::Checkpoint, closure)?;
        if !closure.params.is_empty() {
            let message = "the closure of `checkpoint` takes nothing; write `checkpoint(|| ..)`";
            return Err(self.errors.at(closure.params_loc, message));
        }
        let result = self.sequence(Head::Again, vec![], "once", loc, |l, _, _| {
            let outer = std::mem::replace(&mut l.env, env);
            let round = l.frame(|l| {
                let value = l.expr(&closure.body)?;
                l.annotated(value, &closure.result, closure.body.loc)
            });
            l.env = outer;
            let (bound, value) = round?;
            if !value.is_data() {
                let message = format!(
                    "`checkpoint` gives numbers, bools, arrays and tuples of these, and this is {}{}",
                    value.describe(),
                    value.advice()
                );
                return Err(l.errors.at(closure.body.loc, message));
            }
            Ok(Round {
                bound,
                cond: None,
                next: vec![],
                stacked: vec![value],
            })
        });
        let (_, mut stacks) = result?;
        let Some(stacked) = stacks.pop() else {
            unreachable!("there is one result");
        };
        let first = |leaf: &Plain| {
            let mut at = vec![None; leaf.expr.ty.rank];
            at[0] = Some(Expr::int(0));
            Plain {
                expr: Expr::index(leaf.expr.clone(), at),
                ..leaf.clone()
            }
        };
        let leaves: Vec<Plain> = stacked.leaves().into_iter().map(first).collect();
        Ok(stacked.with_leaves(&mut leaves.into_iter()))
    }
}
