//! Iterators: where they come from, and what becomes of their items. An iterator is a box of
//! indices and the item at each, so that adaptors cost nothing and a chain ends as one loop.

use super::Lowerer;
use super::array::element;
use super::call::Callable;
use super::columns::Columns;
use super::combinator::{built, entry};
use super::size::{literal, minus, plus, product_of, smaller, times};
use super::value::{Plain, Value};
use super::way::{Filtered, Iter, Stage, Way};
use crate::front::error::{Loc, Result};
use crate::front::surface::Expr as Surface;
use crate::front::types::Scalar;
use crate::ir::core::Expr;
use crate::ir::prims::Prim;
use crate::ir::ty::Elem;
use std::rc::Rc;

fn index(i: Expr) -> Value {
    Plain::typed(i, Scalar::Usize).into()
}

/// The places in a box, of what is at a place in the order of rows.
pub(super) fn places(flat: &Expr, sizes: &[Expr]) -> Vec<Expr> {
    let mut at = vec![];
    for k in 0..sizes.len() {
        let below = product_of(&sizes[k + 1..]);
        let whole = match literal(&below) {
            Some(1) => flat.clone(),
            _ => Expr::prim(Prim::IDiv, vec![flat.clone(), below]),
        };
        at.push(match (k, literal(&sizes[k])) {
            (_, Some(1)) => Expr::int(0),
            (0, _) => whole,
            _ => Expr::prim(Prim::IRem, vec![whole, sizes[k].clone()]),
        });
    }
    at
}

/// The place in the order of rows.
pub(super) fn flat_place(at: &[Expr], sizes: &[Expr]) -> Expr {
    let mut flat = Expr::int(0);
    for (i, n) in at.iter().zip(sizes) {
        flat = plus(&times(&flat, n), i);
    }
    flat
}

impl Iter {
    pub(super) fn new(
        extents: Vec<Expr>,
        at: impl Fn(&mut Lowerer<'_>, &[Expr]) -> Result<Value> + 'static,
    ) -> Iter {
        Iter {
            extents: Some(extents),
            at: Rc::new(at),
            one_by_one: false,
        }
    }

    /// Over one axis, as iterators are counted.
    pub(super) fn flat(self) -> Iter {
        let Some(sizes) = &self.extents else {
            return self;
        };
        if sizes.len() == 1 {
            return self;
        }
        let (sizes, at) = (sizes.clone(), self.at.clone());
        let count = product_of(&sizes);
        Iter::new(vec![count], move |l, i| at(l, &places(&i[0], &sizes)))
    }

    /// The indices as literals, where items have to be taken one by one.
    pub(super) fn rounds(&self) -> Option<impl Iterator<Item = Expr> + use<>> {
        let [count] = self.extents.as_deref()? else {
            return None;
        };
        let rounds = literal(count).filter(|&n| self.one_by_one && n > 0)?;
        Some((0..rounds).map(Expr::int))
    }

    /// How many items there are.
    pub(super) fn count(&self) -> Option<Expr> {
        self.extents.as_ref().map(|sizes| product_of(sizes))
    }

    /// The same places, other items.
    fn with(&self, at: impl Fn(&mut Lowerer<'_>, &[Expr]) -> Result<Value> + 'static) -> Iter {
        Iter {
            extents: self.extents.clone(),
            at: Rc::new(at),
            one_by_one: self.one_by_one,
        }
    }
}

impl Lowerer<'_> {
    /// `a..b`
    pub(super) fn range(
        &mut self,
        from: Option<&Surface>,
        to: Option<&Surface>,
        closed: bool,
        loc: Loc,
    ) -> Result<Value> {
        let Some(from) = from else {
            return Err(self.errors.at(
                loc,
                "this range has no beginning, so that there is nothing to run over; write `0..n`",
            ));
        };
        let end = |l: &mut Self, e: &Surface| -> Result<(Expr, Option<Scalar>)> {
            let value = l.expr(e)?;
            let plain = l.scalar(value, e.loc)?;
            let scalar = plain.scalar;
            let end = l.of(Elem::Int, plain.into(), e.loc, "an end of a range")?;
            Ok((l.share_size(end), scalar))
        };
        let start = end(self, from);
        let to = to.map(|to| end(self, to));
        let (start, to) = (start?, to.transpose()?);
        let scalar = start.1.or(to.as_ref().and_then(|t| t.1));
        let start = start.0;
        let extents = to.map(|(to, _)| {
            let count = minus(&to, &start);
            let count = if closed {
                plus(&count, &Expr::int(1))
            } else {
                count
            };
            vec![self.not_negative(count)]
        });
        let at = move |_: &mut Lowerer<'_>, i: &[Expr]| -> Result<Value> {
            Ok(Value::Plain(Plain {
                expr: plus(&start, &i[0]),
                scalar,
                open: vec![],
            }))
        };
        Ok(Iter {
            extents,
            at: Rc::new(at),
            one_by_one: false,
        }
        .into())
    }

    /// An iterator that leaves no item out, and an error for others.
    pub(super) fn unfiltered(&mut self, iter: &Filtered, loc: Loc) -> Result<Iter> {
        if iter.after.is_empty() {
            return Ok(iter.items.clone());
        }
        Err(self.errors.at(
            loc,
            "items are counted here, and how many `filter` leaves is known at run time only; \
             collect them before: `let kept: Vec<f64> = x.iter().filter(..).copied().collect();`",
        ))
    }

    /// What `for` and `zip` take: an iterator, or an array for one over its elements.
    pub(super) fn as_iter(&mut self, value: Value, loc: Loc) -> Result<Iter> {
        if let Value::Way(way) = &value
            && let Way::Iter(iter) = &**way
        {
            return self.unfiltered(iter, loc);
        }
        if let Some(borrow) = value.borrow().cloned() {
            return self.items_of_borrow(&borrow, loc);
        }
        let message = format!(
            "this is {}, which cannot be iterated over; write `0..n`, or an array",
            value.describe()
        );
        if let Value::List(list) = value {
            return self.iter_of_list(list, loc);
        }
        if let Value::Plain(plain) = value
            && plain.expr.ty.rank > 0
        {
            return Ok(self.elements(plain));
        }
        Err(self.errors.at(loc, message))
    }

    /// `a.iter()`
    pub(super) fn elements(&mut self, array: Plain) -> Iter {
        let whole = self.held(array.expr);
        let sizes = self.written_lengths(&whole);
        let (scalar, open) = (array.scalar, array.open);
        Iter::new(sizes, move |_, at| {
            Ok(Value::Plain(Plain {
                expr: entry(&whole, at.to_vec()),
                scalar,
                open: open.clone(),
            }))
        })
    }

    /// Parts of an array at each index of some axes; the others are kept.
    pub(super) fn parts_along(&mut self, array: Plain, along: &[usize]) -> Iter {
        let whole = self.held(array.expr);
        let all = self.written_lengths(&whole);
        let sizes = along.iter().map(|&k| all[k].clone()).collect();
        let along = along.to_vec();
        let (scalar, open) = (array.scalar, array.open);
        Iter::new(sizes, move |_, at| {
            let mut index = vec![None; whole.ty.rank];
            for (&k, i) in along.iter().zip(at) {
                index[k] = Some(i.clone());
            }
            Ok(Value::Plain(Plain {
                expr: element(whole.clone(), index),
                scalar,
                open: open.clone(),
            }))
        })
    }

    /// A method that makes an iterator from an array; nothing if there is none of that name.
    pub(super) fn iterated(
        &mut self,
        array: &Plain,
        name: &syn::Ident,
        args: &[Surface],
    ) -> Option<Result<Value>> {
        let rank = array.expr.ty.rank;
        let array = array.clone();
        let others = |axis: usize| (0..rank).filter(|&k| k != axis).collect::<Vec<_>>();
        let iter = match (name.to_string().as_str(), args) {
            ("iter" | "into_iter", []) => Ok(self.elements(array)),
            ("indexed_iter", []) => Ok(indexed(&self.elements(array), rank)),
            ("outer_iter", []) => Ok(self.parts_along(array, &[0])),
            ("axis_iter", [axis]) => (self.axis(axis, rank)).map(|k| self.parts_along(array, &[k])),
            ("lanes", [axis]) => {
                (self.axis(axis, rank)).map(|k| self.parts_along(array, &others(k)))
            }
            ("rows", []) => Ok(self.parts_along(array, &others(rank - 1))),
            ("columns", []) if rank > 1 => Ok(self.parts_along(array, &others(rank - 2))),
            ("axis_chunks_iter", [axis, size]) => self.axis_chunks(array, axis, size),
            ("windows", [size]) if rank == 1 => self.windows(array, size),
            ("windows", [shape]) => self.boxes(array, shape, true),
            ("exact_chunks", [shape]) if rank > 1 => self.boxes(array, shape, false),
            ("chunks_exact" | "exact_chunks", [size]) if rank == 1 => self.chunks(array, size),
            ("chunks" | "rchunks", [size]) if rank == 1 => self.part_length(size).map(|size| {
                let array = self.holding(array);
                let all = self.written_lengths(&array.expr).remove(0);
                let (of, range) = (Box::new(array.into()), None);
                self.chunks_of(Columns { of, range }, all, size, name == "rchunks")
            }),
            _ => return None,
        };
        Some(iter.map(Value::from))
    }

    pub(super) fn part_length(&mut self, e: &Surface) -> Result<Expr> {
        let size = self.expr(e)?;
        let size = self.of(Elem::Int, size, e.loc, "a length")?;
        let size = self.share_size(size);
        self.rectangular_sizes(std::slice::from_ref(&size), e.loc)?;
        Ok(size)
    }

    /// `x.windows(k)`: none if the array is shorter.
    fn windows(&mut self, array: Plain, size: &Surface) -> Result<Iter> {
        let size = self.part_length(size)?;
        let array = self.holding(array);
        let room = minus(&self.written_lengths(&array.expr)[0], &size);
        let count = self.not_negative(plus(&room, &Expr::int(1)));
        Ok(self.stretches(array, count, size, Expr::int(1)))
    }

    /// `x.chunks_exact(k)`
    fn chunks(&mut self, array: Plain, size: &Surface) -> Result<Iter> {
        let size = self.part_length(size)?;
        let array = self.holding(array);
        let all = self.written_lengths(&array.expr).remove(0);
        let count = Expr::prim(Prim::IDiv, vec![all, size.clone()]);
        Ok(self.stretches(array, count, size.clone(), size))
    }

    /// `a.windows((n, m))`, which overlap, and `a.exact_chunks((n, m))`.
    fn boxes(&mut self, array: Plain, shape: &Surface, overlap: bool) -> Result<Iter> {
        let sizes = self.shape_of(shape)?;
        if sizes.len() != array.expr.ty.rank {
            let message = format!(
                "{} has {} axes, and {} lengths are given; write one for each axis",
                array.describe(),
                array.expr.ty.rank,
                sizes.len()
            );
            return Err(self.errors.at(shape.loc, message));
        }
        let sizes: Vec<Expr> = sizes.into_iter().map(|n| self.share_size(n)).collect();
        self.rectangular_sizes(&sizes, shape.loc)?;
        let array = self.holding(array);
        let whole = array.expr;
        let mut counts = vec![];
        for (all, size) in self.written_lengths(&whole).iter().zip(&sizes) {
            let count = match overlap {
                true => self.not_negative(plus(&minus(all, size), &Expr::int(1))),
                false => Expr::prim(Prim::IDiv, vec![all.clone(), size.clone()]),
            };
            counts.push(self.share_size(count));
        }
        let (scalar, open) = (array.scalar, array.open);
        Ok(Iter::new(counts, move |l, at| {
            let (axes, inner) = l.indices(&sizes);
            let place = at.iter().zip(&inner).zip(&sizes);
            let place = place.map(|((i, p), n)| match overlap {
                true => plus(i, p),
                false => plus(&times(i, n), p),
            });
            Ok(Value::Plain(Plain {
                expr: built(axes, entry(&whole, place.collect())),
                scalar,
                open: open.clone(),
            }))
        }))
    }

    /// Stretches of a length, each a step after the one before.
    fn stretches(&mut self, array: Plain, count: Expr, size: Expr, step: Expr) -> Iter {
        let whole = array.expr;
        let (scalar, open) = (array.scalar, array.open);
        let count = self.share_size(count);
        Iter::new(vec![count], move |l, at| {
            let start = times(&at[0], &step);
            let (axes, inner) = l.indices(std::slice::from_ref(&size));
            let place = plus(&start, &inner[0]);
            Ok(Value::Plain(Plain {
                expr: built(axes, entry(&whole, vec![place])),
                scalar,
                open: open.clone(),
            }))
        })
    }

    /// A method of an iterator that gives another; nothing if there is none of that name.
    pub(super) fn adapted(
        &mut self,
        iter: &Filtered,
        name: &syn::Ident,
        args: &[Surface],
        loc: Loc,
    ) -> Option<Result<Value>> {
        let method = name.to_string();
        let next = match (method.as_str(), args) {
            ("iter" | "into_iter" | "copied" | "cloned" | "by_ref" | "clone", []) => Ok(iter.clone()),
            ("map", [f]) => self.callable(f, 1, "map").map(|f| mapped(iter, f, loc)),
            ("filter", [f]) => self.callable(f, 1, "filter").map(|f| {
                let mut iter = iter.clone();
                iter.after.push(Stage::Filter(f, loc));
                iter
            }),
            (..) if iter.after.is_empty() => {
                return self.counting(&iter.items, name, args, loc);
            }
            (
                "zip" | "enumerate" | "rev" | "skip" | "take" | "step_by" | "chain",
                _,
            ) => Err(self.errors.at(
                name.span(),
                format!(
                    "`{name}` after `filter` depends on how many items were left, which is known at \
                     run time only; write it before `filter`, or `if` inside of `sum`"
                ),
            )),
            (..) => return None,
        };
        Some(next.map(Value::from))
    }

    /// A method that counts items.
    fn counting(
        &mut self,
        iter: &Iter,
        name: &syn::Ident,
        args: &[Surface],
        loc: Loc,
    ) -> Option<Result<Value>> {
        let method = name.to_string();
        let next = match (method.as_str(), args) {
            ("zip", [other]) => self.zipped(iter, other, loc),
            ("enumerate", []) => Ok(enumerated(iter)),
            ("rev", []) => self.reversed(iter, name),
            ("skip", [n]) => self.number(n).map(|n| self.skipped(iter, &n)),
            ("take", [n]) => self.number(n).map(|n| taken(iter, &n)),
            ("step_by", [n]) => self.number(n).and_then(|n| self.stepped(iter, &n, name)),
            ("chain", [other]) => self.chained(iter, other, name),
            _ => return None,
        };
        Some(next.map(Value::from))
    }

    /// How many.
    pub(super) fn number(&mut self, e: &Surface) -> Result<Expr> {
        let n = self.expr(e)?;
        let n = self.of(Elem::Int, n, e.loc, "a number of items")?;
        Ok(self.share_size(n))
    }

    /// As far as both go.
    fn zipped(&mut self, iter: &Iter, other: &Surface, loc: Loc) -> Result<Iter> {
        let value = self.expr(other)?;
        let other_iter = self.as_iter(value, other.loc)?;
        let pair = |a: At2, b: At2| {
            move |l: &mut Lowerer<'_>, i: &[Expr]| Ok(Value::Tuple(vec![a(l, i)?, b(l, i)?]))
        };
        type At2 = super::way::At;
        let (mut a, mut b) = (iter.clone(), other_iter);
        let ranks = |i: &Iter| i.extents.as_ref().map(Vec::len);
        if ranks(&a) != ranks(&b) {
            (a, b) = (a.flat(), b.flat());
        }
        let extents = match (&a.extents, &b.extents) {
            (None, other) | (other, None) => other.clone(),
            (Some(m), Some(n)) => {
                // Of boxes, rows of different lengths would not stand side by side.
                let mut sizes = vec![smaller(&m[0], &n[0])];
                for (m, n) in m.iter().zip(n).skip(1) {
                    sizes.push(self.one_length(m.clone(), n.clone()));
                }
                Some(sizes)
            }
        };
        let _ = loc;
        Ok(Iter {
            extents,
            one_by_one: a.one_by_one || b.one_by_one,
            at: Rc::new(pair(a.at, b.at)),
        })
    }

    pub(super) fn skipped(&self, iter: &Iter, by: &Expr) -> Iter {
        let iter = iter.clone().flat();
        let (at, by_too) = (iter.at.clone(), by.clone());
        let extents = iter
            .extents
            .as_ref()
            .map(|n| vec![self.not_negative(minus(&n[0], by))]);
        Iter {
            extents,
            at: Rc::new(move |l, i| at(l, &[plus(&i[0], &by_too)])),
            one_by_one: iter.one_by_one,
        }
    }

    fn endless(&mut self, name: &syn::Ident) -> crate::front::error::Reported {
        let message = format!("`{name}` of a range without an end; write `0..n`");
        self.errors.at(name.span(), message)
    }

    fn reversed(&mut self, iter: &Iter, name: &syn::Ident) -> Result<Iter> {
        let Some(sizes) = iter.extents.clone() else {
            return Err(self.endless(name));
        };
        let at = iter.at.clone();
        Ok(iter.with(move |l, i| {
            let last = |n: &Expr| minus(n, &Expr::int(1));
            let i: Vec<Expr> = (i.iter().zip(&sizes))
                .map(|(i, n)| minus(&last(n), i))
                .collect();
            at(l, &i)
        }))
    }

    fn stepped(&mut self, iter: &Iter, step: &Expr, name: &syn::Ident) -> Result<Iter> {
        let iter = iter.clone().flat();
        let Some([n]) = iter.extents.as_deref() else {
            return Err(self.endless(name));
        };
        let up = minus(&plus(n, step), &Expr::int(1));
        let count = Expr::prim(Prim::IDiv, vec![up, step.clone()]);
        let count = self.share_size(count);
        let (at, step) = (iter.at.clone(), step.clone());
        let one_by_one = iter.one_by_one;
        let stepped = Iter::new(vec![count], move |l, i| at(l, &[times(&i[0], &step)]));
        Ok(Iter {
            one_by_one,
            ..stepped
        })
    }

    fn chained(&mut self, iter: &Iter, other: &Surface, name: &syn::Ident) -> Result<Iter> {
        let value = self.expr(other)?;
        let second = self.as_iter(value, other.loc)?.flat();
        let first = iter.clone().flat();
        let (Some([m]), Some([n])) = (first.extents.as_deref(), second.extents.as_deref()) else {
            return Err(self.endless(name));
        };
        let (m, count) = (m.clone(), plus(m, n));
        let loc = other.loc;
        let one_by_one = first.one_by_one || second.one_by_one;
        let chained = Iter::new(vec![count], move |l, i| {
            let (a, b) = (first.at.clone(), second.at.clone());
            let here = i[0].clone();
            let there = minus(&here, &m);
            if let (Some(i), Some(m)) = (literal(&here), literal(&m)) {
                return if i < m { a(l, &[here]) } else { b(l, &[there]) };
            }
            let cond = Expr::prim(Prim::ILt, vec![here.clone(), m.clone()]);
            l.decided(cond, |l| a(l, &[here]), |l| b(l, &[there]), loc)
        });
        Ok(Iter {
            one_by_one,
            ..chained
        })
    }
}

fn mapped(iter: &Filtered, f: Callable, loc: Loc) -> Filtered {
    if !iter.after.is_empty() {
        let mut iter = iter.clone();
        iter.after.push(Stage::Map(f, loc));
        return iter;
    }
    let at = iter.items.at.clone();
    let items = iter.items.with(move |l, i| {
        let item = at(l, i)?;
        l.applied(&f, vec![(Ok(item), loc)], loc)
    });
    items.into()
}

fn enumerated(iter: &Iter) -> Iter {
    let at = iter.at.clone();
    let sizes = iter.extents.clone();
    iter.with(move |l, i| {
        let flat = match &sizes {
            Some(sizes) => flat_place(i, sizes),
            None => i[0].clone(),
        };
        Ok(Value::Tuple(vec![index(flat), at(l, i)?]))
    })
}

/// Items with their indices in the array.
pub(super) fn indexed(iter: &Iter, rank: usize) -> Iter {
    let at = iter.at.clone();
    iter.with(move |l, i| {
        let place = match rank {
            1 => index(i[0].clone()),
            _ => Value::Tuple(i.iter().cloned().map(index).collect()),
        };
        Ok(Value::Tuple(vec![place, at(l, i)?]))
    })
}

fn taken(iter: &Iter, count: &Expr) -> Iter {
    let iter = iter.clone().flat();
    let extents = match &iter.extents {
        Some(n) => vec![smaller(&n[0], count)],
        None => vec![count.clone()],
    };
    Iter {
        extents: Some(extents),
        ..iter
    }
}
