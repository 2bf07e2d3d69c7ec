//! `for` and `while`, in terms of what Core has: the variables that they change are what a
//! sequential loop carries.

use super::fixed::List;
use super::mention::is_indexed;
use super::sequence::{Head, Round};
use super::size::literal;
use super::value::{Plain, Value};
use super::way::{Iter, Maybe, Way};
use super::{Binding, Changed, Lowerer};
use crate::front::error::{Loc, Result};
use crate::front::surface::{Expr as Surface, For, Pattern, Source, While};
use crate::ir::core::Expr;
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Lit};

/// A variable that a loop changes.
struct Carried {
    cell: u32,
    name: String,
    value: Value,
}

impl Carried {
    /// The variable with another value.
    fn changed(&self, value: Value) -> Changed {
        Changed {
            cell: self.cell,
            name: self.name.clone(),
            binding: Binding::Value(value),
        }
    }
}

/// Whether a loop can carry a value. An `Option` is carried as whether it is `None`, and a value.
fn is_state(value: &Value) -> bool {
    match (value.as_maybe(), fields(value)) {
        (Some(maybe), _) => maybe.none.is_some() && maybe.value.is_data(),
        (None, Some(parts)) => parts.iter().all(is_state),
        (None, None) => value.is_data(),
    }
}

/// The parts of a tuple or a struct.
fn fields(value: &Value) -> Option<&[Value]> {
    match value {
        Value::Tuple(parts) | Value::Struct(_, parts) => Some(parts),
        Value::Plain(_) | Value::List(_) | Value::Closure(..) | Value::Shape(_) | Value::Way(_) => {
            None
        }
    }
}

/// Whether an option without a value is in it.
fn has_nothing(value: &Value) -> bool {
    value.as_maybe().is_some_and(Maybe::is_nothing)
        || fields(value).is_some_and(|parts| parts.iter().any(has_nothing))
}

/// A value whose options without one hold zeros, in the form of what is there behind a round.
fn with_zeros(value: &Value, now: &Value) -> Option<Value> {
    if let (Some(before), Some(now)) = (value.as_maybe(), now.as_maybe()) {
        return match (before.is_nothing(), now.is_nothing()) {
            (true, false) => Some(option(Expr::lit(Lit::Bool(true)), zeros_like(&now.value)?)),
            (..) => Some(value.clone()),
        };
    }
    match (fields(value), fields(now)) {
        (Some(parts), Some(now)) if parts.len() == now.len() => {
            let parts = parts
                .iter()
                .zip(now)
                .map(|(part, now)| with_zeros(part, now));
            Some(value.with_components(parts.collect::<Option<_>>()?))
        }
        (..) => Some(value.clone()),
    }
}

fn option(none: Expr, value: Value) -> Value {
    let (none, sure) = (Some(none), vec![]);
    Maybe { value, none, sure }.into()
}

/// What a loop carries for a value.
fn as_state(value: &Value) -> Value {
    match (value.as_maybe(), fields(value)) {
        (
            Some(Maybe {
                none: Some(none),
                value,
                ..
            }),
            _,
        ) => Value::Tuple(vec![none.clone().into(), value.clone()]),
        (None, Some(parts)) => value.with_components(parts.iter().map(as_state).collect()),
        (..) => value.clone(),
    }
}

/// The value for what a loop carries; `like` is the value before the loop.
fn of_state(like: &Value, state: Value) -> Value {
    match (like.as_maybe(), fields(like), fields(&state)) {
        (Some(_), _, Some([Value::Plain(none), value])) => option(none.expr.clone(), value.clone()),
        (None, Some(like), Some(parts)) if like.len() == parts.len() => {
            let parts = like.iter().zip(parts);
            let parts = parts.map(|(like, part)| of_state(like, part.clone()));
            state.with_components(parts.collect())
        }
        (..) => state,
    }
}

/// What a loop carries on for a value. Without a value, the one before stands for it.
fn next_state(value: &Value, before: &Value) -> Value {
    let maybe = value.as_maybe();
    match (maybe, fields(value), fields(before)) {
        (Some(maybe), _, Some([_, before])) if maybe.is_nothing() => {
            Value::Tuple(vec![Expr::lit(Lit::Bool(true)).into(), before.clone()])
        }
        (None, Some(parts), Some(before)) if parts.len() == before.len() => {
            let parts = parts.iter().zip(before);
            value.with_components(
                parts
                    .map(|(part, before)| next_state(part, before))
                    .collect(),
            )
        }
        (..) => as_state(value),
    }
}

/// Zeros in the form of a value, if its sizes are known.
fn zeros_like(value: &Value) -> Option<Value> {
    match value {
        Value::Plain(plain) if plain.expr.ty.rank == 0 => Some(Value::Plain(Plain {
            expr: Expr::lit(Lit::zero(plain.elem())),
            ..plain.clone()
        })),
        Value::Tuple(parts) | Value::Struct(_, parts) | Value::List(List::Elements(parts)) => {
            let parts: Option<Vec<Value>> = parts.iter().map(zeros_like).collect();
            Some(value.with_components(parts?))
        }
        Value::Plain(_) | Value::List(_) | Value::Closure(..) | Value::Shape(_) | Value::Way(_) => {
            None
        }
    }
}

impl For {
    /// The variables that it may change.
    fn changes(&self) -> impl Iterator<Item = &syn::Ident> {
        self.assigned.iter().chain(&self.borrowed)
    }
}

/// What the index of a loop is called.
fn hint(pattern: &Pattern) -> String {
    match pattern {
        Pattern::Name(ident) => ident.to_string(),
        Pattern::Wild
        | Pattern::Tuple(..)
        | Pattern::List(..)
        | Pattern::Struct(..)
        | Pattern::Hole(..) => "i".to_string(),
    }
}

impl Lowerer<'_> {
    pub(super) fn for_loop(&mut self, l: &For) {
        // Elements of what has several axes are a loop for each: so each can be taken apart.
        let over = match &l.over {
            Source::Elements(e) => match self.expr(e) {
                Ok(value) => match self.boxed(&value, e.loc) {
                    Some(Ok(iter)) if l.going.is_none() => return self.for_box(l, &iter, e.loc),
                    Some(iter) => iter.and_then(|i| self.items_of_iter(i, e.loc)),
                    None => self.items_of(value, e.loc),
                },
                Err(reported) => Err(reported),
            },
            other @ (Source::Range(..)
            | Source::Indexed(_)
            | Source::Parts(..)
            | Source::Rev(_)
            | Source::Step(..)
            | Source::Skip(..)
            | Source::Take(..)
            | Source::Enumerate(_)
            | Source::Zip(..)
            | Source::Hole(_)) => self.items(other),
        };
        let items = match over {
            Ok(items) => items,
            Err(reported) => return self.wrong_loop(l, reported),
        };
        let count = self.share_size(items.count);
        if items.one_by_one
            && l.going.is_none()
            && let Some(rounds) = literal(&count)
        {
            return self.round_by_round(l, (0..rounds).map(Expr::int), items.at);
        }
        let head = match l.going {
            None => Head::Times {
                count: count.clone(),
                signed: items.signed,
            },
            Some(_) => Head::While,
        };
        let carried = self.carried(l.changes(), &l.body, l.loc);
        let at = items.at;
        self.statement_loop(head, carried, &hint(&l.pattern), l.loc, |lower, index| {
            let going = l.going.as_ref().map(|flag| {
                let flag = lower.region(l.loc, "a condition", |l2| l2.expr(flag))?;
                let flag = lower.of(Elem::Bool, flag.into(), l.loc, "a condition")?;
                let more = Expr::prim(Prim::ILt, vec![index.clone(), count.clone()]);
                Ok(super::assign::both(flag, more))
            });
            let item = at(lower, index);
            lower.bind(&l.pattern, item);
            let _ = lower.expr(&l.body);
            going.transpose()
        });
    }

    /// The body for each item, one after another. Each round has arrays of its own shapes.
    fn round_by_round(
        &mut self,
        l: &For,
        rounds: impl Iterator<Item = Expr>,
        at: impl Fn(&mut Self, Expr) -> Result<Value>,
    ) {
        for round in rounds {
            let body = self.in_call(l.loc, |lower| {
                lower.scope(|lower| {
                    let item = at(lower, round);
                    lower.bind(&l.pattern, item);
                    lower.expr(&l.body)
                })
            });
            // Another round would report the same.
            if body.is_err() {
                return;
            }
        }
    }

    /// The body is looked at all the same, and what it changes is as wrong.
    fn wrong_loop(&mut self, l: &For, reported: crate::front::error::Reported) {
        let (_, changed, _) = self.open(|lower| {
            lower.bind(&l.pattern, Err(reported));
            lower.expr(&l.body)
        });
        for one in changed {
            let binding = Binding::Hole(reported);
            self.change(Changed { binding, ..one });
        }
    }

    /// What a loop runs over, if that is known as a box of indices.
    fn boxed(&mut self, value: &Value, loc: Loc) -> Option<Result<Iter>> {
        let Value::Way(way) = value else {
            return None;
        };
        let iter = match &**way {
            Way::Iter(iter) if !iter.after.is_empty() => {
                return Some(Err(self.errors.at(
                    loc,
                    "a loop over what `filter` leaves is not supported; write the condition as \
                     `if` inside of the loop",
                )));
            }
            Way::Iter(iter) => iter.items.clone(),
            Way::Zip(iter) => iter.clone(),
            Way::Borrow(borrow) => match self.items_of_borrow(borrow, loc) {
                Ok(iter) => iter,
                Err(reported) => return Some(Err(reported)),
            },
            Way::Maybe(_) => return None,
        };
        Some(Ok(iter))
    }

    /// A loop for each axis of what is run over.
    fn for_box(&mut self, l: &For, iter: &Iter, loc: Loc) {
        match iter.extents.clone() {
            None => {
                let reported = self.unbounded(loc);
                self.wrong_loop(l, reported);
            }
            Some(extents) => match iter.rounds() {
                Some(rounds) => self.round_by_round(l, rounds, |lower, i| (iter.at)(lower, &[i])),
                None => self.nested(l, iter, &extents, vec![]),
            },
        }
    }

    fn nested(&mut self, l: &For, iter: &Iter, extents: &[Expr], outer: Vec<Expr>) {
        let Some((count, rest)) = extents.split_first() else {
            let item = (iter.at)(self, &outer);
            self.bind(&l.pattern, item);
            let _ = self.expr(&l.body);
            return;
        };
        let count = self.share_size(count.clone());
        let signed = !self.is_natural(&count);
        let head = Head::Times { count, signed };
        let carried = self.carried(l.changes(), &l.body, l.loc);
        self.statement_loop(head, carried, &hint(&l.pattern), l.loc, |lower, index| {
            let mut at = outer.clone();
            at.push(index);
            lower.nested(l, iter, rest, at);
            Ok(None)
        });
    }

    pub(super) fn while_loop(&mut self, l: &While) {
        let carried = self.carried(l.assigned.iter(), &l.body, l.loc);
        self.statement_loop(Head::While, carried, "step", l.loc, |lower, _| {
            let cond = lower.region(l.cond.loc, "a condition", |l2| l2.expr(&l.cond));
            let cond = cond.and_then(|p| lower.of(Elem::Bool, p.into(), l.cond.loc, "a condition"));
            let _ = lower.expr(&l.body);
            cond.map(Some)
        });
    }

    /// The present values of the variables that a loop changes.
    fn carried<'i>(
        &mut self,
        assigned: impl Iterator<Item = &'i syn::Ident>,
        body: &Surface,
        loc: Loc,
    ) -> Vec<Carried> {
        let mut carried: Vec<Carried> = vec![];
        for ident in assigned {
            let name = ident.to_string();
            let Some(entry) = self.env.entry(&name) else {
                continue;
            };
            // What is borrowed is a part of other variables.
            let borrows = match &entry.binding {
                Binding::Value(value) => value.borrows(),
                Binding::Import(_) | Binding::Unset | Binding::Hole(_) => vec![],
            };
            let own = (entry.cell, name.clone());
            let cells = match borrows.is_empty() {
                true => vec![own],
                false => (borrows.iter())
                    .map(|borrow| (borrow.cell(), borrow.root().to_string()))
                    .collect(),
            };
            for (cell, root) in cells {
                self.carry(&mut carried, cell, root, is_indexed(body, &name), loc);
            }
        }
        carried
    }

    /// Adds the present value of a variable to those that a loop carries.
    fn carry(
        &mut self,
        carried: &mut Vec<Carried>,
        cell: u32,
        root: String,
        is_indexed: bool,
        loc: Loc,
    ) {
        let value = match self.env.cell(cell) {
            Some(Binding::Value(value)) if cell >= self.wall && is_state(value) => value.clone(),
            Some(Binding::Value(_) | Binding::Import(_) | Binding::Unset | Binding::Hole(_))
            | None => return,
        };
        // What is changed by an index is one array all the way.
        let is_list = matches!(value, Value::List(List::Columns(_)));
        let value = match is_indexed && !is_list {
            true => match self.whole(&value, loc) {
                Ok(whole) => self.named(whole, &root),
                Err(_) => value,
            },
            false => value,
        };
        match carried.iter_mut().find(|c| c.cell == cell) {
            Some(known) if value.components().is_none() => known.value = value,
            Some(_) => {}
            None => carried.push(Carried {
                cell,
                name: root,
                value,
            }),
        }
    }

    /// The variables, with options that begin without a value as ones whose value is made of zeros:
    /// rounds without effect show what a value is made of. An option that is set from another one
    /// takes one more round.
    fn with_options(
        &mut self,
        mut carried: Vec<Carried>,
        body: impl Fn(&mut Self, Expr) -> Result<Option<Expr>>,
        loc: Loc,
    ) -> Vec<Carried> {
        let unknown = |carried: &[Carried]| {
            let nothing = carried.iter().filter(|c| has_nothing(&c.value));
            nothing.count()
        };
        let mut wrong = None;
        let mut left = unknown(&carried);
        while left > 0 {
            let quiet = self.errors.quiet();
            let loud = std::mem::replace(&mut self.errors, quiet);
            let (_, changed, _) = self.open(|l| {
                for c in &carried {
                    l.change(c.changed(c.value.clone()));
                }
                body(l, Expr::int(0))
            });
            let quiet = std::mem::replace(&mut self.errors, loud);
            wrong = Some(quiet).filter(|quiet| !quiet.is_empty());
            for c in carried.iter_mut().filter(|c| has_nothing(&c.value)) {
                let now = changed.iter().find(|one| one.cell == c.cell);
                let value = now.and_then(|one| match &one.binding {
                    Binding::Value(value) => with_zeros(&c.value, value),
                    Binding::Import(_) | Binding::Unset | Binding::Hole(_) => None,
                });
                c.value = value.unwrap_or_else(|| c.value.clone());
            }
            let before = std::mem::replace(&mut left, unknown(&carried));
            if left == before {
                break;
            }
        }
        let (nothing, known): (Vec<_>, _) =
            (carried.into_iter()).partition(|c| has_nothing(&c.value));
        for c in nothing {
            let reported = match wrong.take() {
                Some(errors) => self.errors.take_over(errors),
                None => self.errors.at(
                    loc,
                    format!(
                        "what the option `{}` holds cannot be carried by a loop, which carries \
                         options of numbers and of tuples of numbers; write a variable for the \
                         value, and a bool",
                        c.name
                    ),
                ),
            };
            let binding = Binding::Hole(reported);
            let (cell, name) = (c.cell, c.name);
            self.change(Changed {
                cell,
                name,
                binding,
            });
        }
        known
    }

    /// A loop whose body is statements; it gives the condition, if there is one.
    fn statement_loop(
        &mut self,
        head: Head,
        carried: Vec<Carried>,
        hint: &str,
        loc: Loc,
        body: impl Fn(&mut Self, Expr) -> Result<Option<Expr>>,
    ) {
        let carried = self.with_options(carried, &body, loc);
        let inits = carried
            .iter()
            .map(|c| (c.name.clone(), as_state(&c.value)))
            .collect();
        let mut holes: Vec<Changed> = vec![];
        let result = self.sequence(head, inits, hint, loc, |l, states, index| {
            let (bound, changed, cond) = l.open(|l| {
                for (c, state) in carried.iter().zip(&states) {
                    l.change(c.changed(of_state(&c.value, state.clone())));
                }
                body(l, index)
            });
            let mut next = vec![];
            for (c, state) in carried.iter().zip(states) {
                let now = changed.iter().find(|one| one.cell == c.cell);
                next.push(match now.map(|one| &one.binding) {
                    Some(Binding::Value(value)) => next_state(value, &state),
                    Some(Binding::Hole(_)) => {
                        holes.extend(now.cloned());
                        state
                    }
                    Some(Binding::Unset | Binding::Import(_)) | None => state,
                });
            }
            let lost = changed.iter().find(|one| {
                matches!(one.binding, Binding::Value(_))
                    && carried.iter().all(|c| c.cell != one.cell)
            });
            if let Some(one) = lost {
                let message = format!(
                    "this loop changes `{}` under another name; change it by its own name",
                    one.name
                );
                return Err(l.errors.at(loc, message));
            }
            let cond = cond?;
            Ok(Round {
                bound,
                cond,
                next,
                stacked: vec![],
            })
        });
        match result {
            Ok((last, _)) => {
                for (c, value) in carried.into_iter().zip(last) {
                    let value = of_state(&c.value, value);
                    self.change(c.changed(value));
                }
            }
            Err(reported) => {
                for c in carried {
                    self.change(Changed {
                        cell: c.cell,
                        name: c.name,
                        binding: Binding::Hole(reported),
                    });
                }
            }
        }
        for hole in holes {
            self.change(hole);
        }
    }
}
