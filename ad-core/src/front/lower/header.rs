//! What `for` loops run over: how many items there are, and which is the one at a position.

use super::Lowerer;
use super::array::{element, length};
use super::fixed::List;
use super::value::{Plain, Value};
use super::way::{Iter, Way};
use crate::front::error::{Loc, Result};
use crate::front::surface::{Expr as Surface, Source};
use crate::front::types::Scalar;
use crate::ir::core::{Expr, Kind};
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Lit};
pub(super) use crate::loops::terms::plus;

/// Items one after another.
pub(super) struct Items {
    /// How many; nothing if it is negative.
    pub(super) count: Expr,
    /// Whether it may be.
    pub(super) signed: bool,
    /// Whether the items are arrays with shapes of their own, so that positions must be literals.
    pub(super) one_by_one: bool,
    /// The item at a position.
    pub(super) at: At,
}

type At = Box<dyn Fn(&mut Lowerer<'_>, Expr) -> Result<Value>>;

fn two(prim: Prim, a: Expr, b: Expr) -> Expr {
    Expr::prim(prim, vec![a, b])
}

fn literal(e: &Expr) -> Option<i64> {
    if let Kind::Lit(Lit::Int(i)) = &*e.kind {
        Some(*i)
    } else {
        None
    }
}

/// `a - b`, known where both are.
fn less(a: Expr, b: Expr) -> Expr {
    let known = literal(&a).zip(literal(&b));
    match known.and_then(|(a, b)| a.checked_sub(b)) {
        Some(known) => Expr::int(known),
        None => two(Prim::ISub, a, b),
    }
}

fn index(i: Expr) -> Value {
    Value::Plain(Plain::typed(i, Scalar::Usize))
}

impl Lowerer<'_> {
    pub(super) fn items(&mut self, source: &Source) -> Result<Items> {
        Ok(match source {
            Source::Hole(reported) => return Err(*reported),
            Source::Range(loc, from, to, closed) => {
                let (a, b) = (self.expr(from), self.expr(to));
                let a = a.and_then(|v| self.scalar(v, from.loc));
                let b = b.and_then(|v| self.scalar(v, to.loc));
                let (a, b) = (a?, b?);
                let scalar = a.scalar.or(b.scalar);
                let message = format!(
                    "a loop runs over integers, and this range is from {} to {}",
                    a.describe(),
                    b.describe()
                );
                let a = self.elem(a, Elem::Int, *loc, &message)?;
                let b = self.elem(b, Elem::Int, *loc, &message)?;
                let (a, b) = (self.share_size(a), self.share_size(b));
                let b = match closed {
                    true => plus(b, Expr::int(1)),
                    false => b,
                };
                let unsigned = scalar.is_none_or(Scalar::is_unsigned);
                let (count, signed) = match (literal(&a), literal(&b)) {
                    (Some(a), Some(b)) if b.checked_sub(a).is_some() => {
                        (Expr::int((b - a).max(0)), false)
                    }
                    (Some(0), None) => (b, !unsigned),
                    (..) => (two(Prim::ISub, b, a.clone()), true),
                };
                let scalar = scalar.unwrap_or(Scalar::Usize);
                Items {
                    count,
                    signed,
                    one_by_one: false,
                    at: Box::new(move |_, i| {
                        Ok(Value::Plain(Plain::typed(plus(a.clone(), i), scalar)))
                    }),
                }
            }
            Source::Elements(e) => {
                let value = self.expr(e)?;
                self.items_of(value, e.loc)?
            }
            Source::Indexed(e) => {
                let elements = self.items(&Source::Elements(e.clone()))?;
                let (array, _) = self.sequence_of(e)?;
                let sizes: Vec<Expr> = (0..array.expr.ty.rank)
                    .map(|k| length(array.expr.clone(), k))
                    .collect();
                let at = elements.at;
                Items {
                    count: elements.count,
                    signed: false,
                    one_by_one: false,
                    at: Box::new(move |l, i| {
                        let mut all: Vec<Value> = unravelled(i.clone(), &sizes)
                            .into_iter()
                            .map(index)
                            .collect();
                        let place = match (all.len(), all.pop()) {
                            (1, Some(one)) => one,
                            (_, last) => {
                                all.extend(last);
                                Value::Tuple(all)
                            }
                        };
                        Ok(Value::Tuple(vec![place, at(l, i)?]))
                    }),
                }
            }
            Source::Parts(e, axis, rank) => {
                let (array, _) = self.sequence_of(e)?;
                let (axis, is) = (*axis, array.expr.ty.rank);
                if axis >= is || rank.is_some_and(|r| r != is) {
                    let message = format!(
                        "this is {}, which has no such parts; write `for x in a.outer_iter()` or \
                         `for i in 0..n`",
                        array.describe()
                    );
                    return Err(self.errors.at(e.loc, message));
                }
                Items {
                    count: length(array.expr.clone(), axis),
                    signed: false,
                    one_by_one: false,
                    at: Box::new(move |_, i| {
                        let mut at = vec![None; is];
                        at[axis] = Some(i);
                        Ok(Value::Plain(Plain {
                            expr: element(array.expr.clone(), at),
                            ..array.clone()
                        }))
                    }),
                }
            }
            Source::Rev(inner) => {
                let inner = self.items(inner)?;
                let count = self.share_size(inner.count);
                let last = less(count.clone(), Expr::int(1));
                let at = inner.at;
                Items {
                    count,
                    signed: inner.signed,
                    one_by_one: inner.one_by_one,
                    at: Box::new(move |l, i| at(l, less(last.clone(), i))),
                }
            }
            Source::Step(inner, k) => {
                let inner = self.items(inner)?;
                let k = self.steps(k)?;
                let up = two(Prim::ISub, plus(inner.count, k.clone()), Expr::int(1));
                let count = two(Prim::IDiv, up, k.clone());
                let at = inner.at;
                Items {
                    count: self.share_size(count),
                    signed: inner.signed,
                    one_by_one: inner.one_by_one,
                    at: Box::new(move |l, i| at(l, two(Prim::IMul, i, k.clone()))),
                }
            }
            Source::Skip(inner, k) => {
                let inner = self.items(inner)?;
                let k = self.steps(k)?;
                let at = inner.at;
                Items {
                    count: less(inner.count, k.clone()),
                    signed: true,
                    one_by_one: inner.one_by_one,
                    at: Box::new(move |l, i| at(l, plus(k.clone(), i))),
                }
            }
            Source::Take(inner, k) => {
                let inner = self.items(inner)?;
                let k = self.steps(k)?;
                Items {
                    count: two(Prim::IMin, inner.count, k),
                    signed: inner.signed,
                    one_by_one: inner.one_by_one,
                    at: inner.at,
                }
            }
            Source::Enumerate(inner) => {
                let inner = self.items(inner)?;
                let at = inner.at;
                Items {
                    count: inner.count,
                    signed: inner.signed,
                    one_by_one: inner.one_by_one,
                    at: Box::new(move |l, i| Ok(Value::Tuple(vec![index(i.clone()), at(l, i)?]))),
                }
            }
            Source::Zip(a, b) => {
                let (a, b) = (self.items(a)?, self.items(b)?);
                let (first, second) = (a.at, b.at);
                let count = match a.count == b.count {
                    true => a.count,
                    false => two(Prim::IMin, a.count, b.count),
                };
                Items {
                    count,
                    signed: a.signed || b.signed,
                    one_by_one: a.one_by_one || b.one_by_one,
                    at: Box::new(move |l, i| {
                        Ok(Value::Tuple(vec![first(l, i.clone())?, second(l, i)?]))
                    }),
                }
            }
        })
    }

    /// The elements of an array, or what an iterator gives.
    pub(super) fn items_of(&mut self, value: Value, loc: Loc) -> Result<Items> {
        if let Value::Way(way) = &value
            && let Way::Iter(_) | Way::Borrow(_) = &**way
        {
            let iter = self.as_iter(value, loc)?;
            return self.items_of_iter(iter, loc);
        }
        if let Value::List(List::Columns(list)) = &value {
            let iter = self.items_of_list(list);
            return self.items_of_iter(iter, loc);
        }
        if let Some(iter) = self.stored_items(&value, loc) {
            return self.items_of_iter(iter?, loc);
        }
        if let Value::List(list) = &value
            && (list.is_of_composites() || self.has_own_shapes(list))
        {
            let iter = self.iter_of_list(list.clone(), loc)?;
            return self.items_of_iter(iter, loc);
        }
        let (array, of_rust) = self.sequence_of_value(value, loc)?;
        if of_rust && array.expr.ty.rank > 1 {
            return Ok(Items {
                count: length(array.expr.clone(), 0),
                signed: false,
                one_by_one: false,
                at: Box::new(move |_, i| Ok(Self::part_of_rust(array.clone(), i))),
            });
        }
        let sizes: Vec<Expr> = (0..array.expr.ty.rank)
            .map(|k| length(array.expr.clone(), k))
            .collect();
        let count = sizes.iter().cloned().reduce(|a, b| two(Prim::IMul, a, b));
        let count = count.unwrap_or_else(|| Expr::int(1));
        Ok(Items {
            count: self.share_size(count),
            signed: false,
            one_by_one: false,
            at: Box::new(move |_, i| {
                let at = unravelled(i, &sizes).into_iter().map(Some).collect();
                Ok(Value::Plain(Plain {
                    expr: element(array.expr.clone(), at),
                    ..array.clone()
                }))
            }),
        })
    }

    /// What an iterator gives, one after another.
    pub(super) fn items_of_iter(&mut self, iter: Iter, loc: Loc) -> Result<Items> {
        let iter = iter.flat();
        let Some([count]) = iter.extents.as_deref() else {
            return Err(self.unbounded(loc));
        };
        Ok(Items {
            count: count.clone(),
            signed: !self.is_natural(count),
            one_by_one: iter.one_by_one,
            at: Box::new(move |l, i| (iter.at)(l, &[i])),
        })
    }

    fn steps(&mut self, k: &Surface) -> Result<Expr> {
        let value = self.expr(k)?;
        let k = self.of(Elem::Int, value, k.loc, "this number")?;
        Ok(self.share_size(k))
    }

    /// An array that a loop runs over, and whether it is an array of Rust.
    fn sequence_of(&mut self, e: &Surface) -> Result<(Plain, bool)> {
        let value = self.expr(e)?;
        self.sequence_of_value(value, e.loc)
    }

    fn sequence_of_value(&mut self, value: Value, loc: Loc) -> Result<(Plain, bool)> {
        let (value, of_rust) = match value {
            Value::List(list) => (Value::Plain(self.as_array(list, loc)?), true),
            other @ (Value::Plain(_)
            | Value::Tuple(_)
            | Value::Struct(..)
            | Value::Closure(..)
            | Value::Shape(_)
            | Value::Way(_)) => (other, false),
        };
        let message = format!(
            "cannot tell what a loop over {} runs over; write `for i in 0..n` or `for x in xs.iter()`",
            value.describe()
        );
        match value {
            Value::Plain(plain) if plain.expr.ty.rank > 0 => Ok((
                Plain {
                    expr: self.share("xs", plain.expr.clone()),
                    ..plain
                },
                of_rust,
            )),
            Value::Plain(_)
            | Value::Tuple(_)
            | Value::List(_)
            | Value::Struct(..)
            | Value::Closure(..)
            | Value::Shape(_)
            | Value::Way(_) => Err(self.errors.at(loc, message)),
        }
    }
}

/// The indices at a position, the last one fastest.
pub(super) fn unravelled(mut i: Expr, sizes: &[Expr]) -> Vec<Expr> {
    let mut at = vec![];
    for size in sizes.iter().skip(1).rev() {
        at.push(two(Prim::IRem, i.clone(), size.clone()));
        i = two(Prim::IDiv, i, size.clone());
    }
    at.push(i);
    at.reverse();
    at
}
