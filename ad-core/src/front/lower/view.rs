//! Views: other orders of axes, other axes, other shapes. Each is the element of the array at an
//! index that is computed from the place, so that nothing is copied.

use super::Lowerer;
use super::array::element;
use super::combinator::{built, entry};
use super::iter::{flat_place, places};
use super::size::{excess, literal, product_of, smaller};
use super::value::{Plain, Value};
use super::way::Maybe;
use crate::front::error::{Loc, Result};
use crate::front::surface::{Expr as Surface, Kind};
use crate::ir::core::{Expr, Kind as Core};
use crate::ir::ty::Elem;

impl Lowerer<'_> {
    /// An array that may be read several times: a part of a bound one is as good as a variable.
    pub(super) fn held(&mut self, array: Expr) -> Expr {
        self.held_as("a", array)
    }

    /// The same under another name.
    pub(super) fn held_as(&mut self, hint: &str, array: Expr) -> Expr {
        if let Core::Index(inner, at) = &*array.kind
            && super::is_atom(inner)
            && at.iter().flatten().all(super::is_size)
        {
            return array;
        }
        self.share(hint, array)
    }

    pub(super) fn holding(&mut self, array: Plain) -> Plain {
        Plain {
            expr: self.held(array.expr),
            ..array
        }
    }

    /// An array of sizes whose element at a place is that of another at an index.
    pub(super) fn viewed(
        &mut self,
        array: Plain,
        sizes: &[Expr],
        at: impl FnOnce(&[Expr]) -> Vec<Expr>,
    ) -> Plain {
        let whole = self.held(array.expr);
        let (axes, place) = self.indices(sizes);
        Plain {
            expr: built(axes, entry(&whole, at(&place))),
            ..array
        }
    }

    /// Axis `k` of the result is axis `order[k]` of the array.
    pub(super) fn permuted(&mut self, array: Plain, order: &[usize]) -> Plain {
        if order.iter().enumerate().all(|(k, &axis)| k == axis) {
            return array;
        }
        let array = self.holding(array);
        let all = self.written_lengths(&array.expr);
        let sizes: Vec<Expr> = order.iter().map(|&axis| all[axis].clone()).collect();
        self.viewed(array, &sizes, |place| {
            let mut at = place.to_vec();
            for (i, &axis) in place.iter().zip(order) {
                at[axis] = i.clone();
            }
            at
        })
    }

    /// `a.permuted_axes([1, 0, 2])`
    pub(super) fn permuted_axes(&mut self, array: Plain, order: &Surface) -> Result<Value> {
        let axes = self.order_of(array.expr.ty.rank, order)?;
        Ok(self.permuted(array, &axes).into())
    }

    /// The order of axes that `permuted_axes` is given.
    pub(super) fn order_of(&mut self, rank: usize, order: &Surface) -> Result<Vec<usize>> {
        let (Kind::List(parts) | Kind::Tuple(parts)) = &order.kind else {
            return Err(self.no_order(rank, order.loc));
        };
        let mut axes = vec![];
        for part in parts {
            let Kind::Int(k, _) = part.kind else {
                return Err(self.no_order(rank, part.loc));
            };
            axes.push(self.axis_number(k, rank, part.loc)?);
        }
        let each_once = (0..rank).all(|k| axes.contains(&k));
        if axes.len() != rank || !each_once {
            return Err(self.no_order(rank, order.loc));
        }
        Ok(axes)
    }

    fn no_order(&mut self, rank: usize, loc: Loc) -> crate::front::error::Reported {
        let order: Vec<String> = (0..rank).rev().map(|k| k.to_string()).collect();
        let message = format!(
            "the order of the axes must be known when the derivative is compiled, each once; write \
             literals, such as `[{}]`",
            order.join(", ")
        );
        self.errors.at(loc, message)
    }

    /// `a.insert_axis(Axis(k))`
    pub(super) fn insert_axis(&mut self, array: Plain, axis: &Surface) -> Result<Value> {
        let k = self.new_axis(axis, array.expr.ty.rank)?;
        let array = self.holding(array);
        let mut sizes = self.written_lengths(&array.expr);
        sizes.insert(k, Expr::int(1));
        let view = self.viewed(array, &sizes, |place| {
            let mut at = place.to_vec();
            at.remove(k);
            at
        });
        Ok(view.into())
    }

    /// Where `insert_axis` adds one.
    pub(super) fn new_axis(&mut self, axis: &Surface, rank: usize) -> Result<usize> {
        let k = self.axis(axis, rank + 1)?;
        match rank {
            6 => Err(self.errors.at(
                axis.loc,
                "arrays have at most 6 axes; write one axis for two, with the index `i * m + j`",
            )),
            _ => Ok(k),
        }
    }

    /// `a.remove_axis(Axis(k))`: what is at 0 along the axis.
    pub(super) fn remove_axis(&mut self, array: Plain, axis: &Surface) -> Result<Value> {
        let k = self.axis(axis, array.expr.ty.rank)?;
        let mut at = vec![None; array.expr.ty.rank];
        at[k] = Some(Expr::int(0));
        Ok(Value::Plain(Plain {
            expr: element(array.expr, at),
            ..array
        }))
    }

    /// `a.diag()`
    pub(super) fn diagonal(&mut self, array: Plain) -> Value {
        let rank = array.expr.ty.rank;
        let array = self.holding(array);
        let sizes = self.written_lengths(&array.expr);
        let shortest = sizes.into_iter().reduce(|m, n| smaller(&m, &n));
        let shortest = shortest.unwrap_or_else(|| Expr::int(1));
        self.viewed(array, &[shortest], |place| vec![place[0].clone(); rank])
            .into()
    }

    /// `a.broadcast((n, m))`
    pub(super) fn broadcast(&mut self, array: Plain, shape: &Surface) -> Result<Value> {
        let sizes = self.shape_of(shape)?;
        let view = self.broadcast_to(array, &sizes, shape.loc)?;
        Ok(Maybe::sure(view.into(), vec![]))
    }

    /// An array that is repeated along the axes that it lacks.
    pub(super) fn broadcast_to(&mut self, array: Plain, sizes: &[Expr], loc: Loc) -> Result<Plain> {
        let mut sizes = sizes.to_vec();
        let rank = array.expr.ty.rank;
        let Some(more) = sizes.len().checked_sub(rank) else {
            let message = format!(
                "{} cannot be broadcast to {} axes; write its shape with as many axes at least",
                array.describe(),
                sizes.len()
            );
            return Err(self.errors.at(loc, message));
        };
        let array = self.holding(array);
        let own = self.written_lengths(&array.expr);
        let mut at_zero = vec![false; rank];
        for k in 0..rank {
            if literal(&own[k]) == Some(1) {
                at_zero[k] = true;
            } else {
                sizes[more + k] = self.one_length(own[k].clone(), sizes[more + k].clone());
            }
        }
        Ok(self.viewed(array, &sizes, |place| {
            let along = place[more..].iter().zip(at_zero);
            along
                .map(|(i, zero)| if zero { Expr::int(0) } else { i.clone() })
                .collect()
        }))
    }

    /// `a.to_shape((n, m))` and its like: the same elements in the order of rows.
    pub(super) fn new_shape(&mut self, array: Plain, args: &[Surface], loc: Loc) -> Result<Value> {
        let [shape] = args else {
            return Err(self
                .errors
                .at(loc, "write the new shape as one argument: `(n, m)`"));
        };
        if let Kind::Tuple(parts) = &shape.kind
            && parts
                .iter()
                .any(|p| matches!(&p.kind, Kind::Tuple(_) | Kind::List(_)))
        {
            return Err(self.errors.at(
                shape.loc,
                "another order than that of rows is not supported; write the shape alone: `(n, m)`",
            ));
        }
        let sizes = self.shape_of(shape)?;
        Ok(Maybe::sure(self.reshaped(array, sizes).into(), vec![]))
    }

    /// The same elements in the order of rows. The counts have to agree.
    pub(super) fn reshaped(&mut self, array: Plain, sizes: Vec<Expr>) -> Plain {
        let array = self.holding(array);
        let own = self.written_lengths(&array.expr);
        let agree = |a: &Expr, b: &Expr| excess(a, b) == Some(0);
        // Axes of length 1 say nothing, and equal ones at either end stay as they are.
        let axes = |sizes: &[Expr]| -> Vec<usize> {
            (0..sizes.len())
                .filter(|&k| literal(&sizes[k]) != Some(1))
                .collect()
        };
        let (mut from, mut to) = (axes(&own), axes(&sizes));
        let mut pairs = vec![];
        while let (Some(&a), Some(&b)) = (from.first(), to.first())
            && agree(&own[a], &sizes[b])
        {
            pairs.push((from.remove(0), to.remove(0)));
        }
        while let (Some(&a), Some(&b)) = (from.last(), to.last())
            && agree(&own[a], &sizes[b])
        {
            pairs.push((a, b));
            from.pop();
            to.pop();
        }
        let of = |all: &[Expr], axes: &[usize]| axes.iter().map(|&k| all[k].clone()).collect();
        let (inner_own, inner_sizes): (Vec<Expr>, Vec<Expr>) = (of(&own, &from), of(&sizes, &to));
        if from.len() != to.len() || !from.is_empty() {
            let (m, n) = (product_of(&inner_own), product_of(&inner_sizes));
            self.one_length(m, n);
        }
        let rank = own.len();
        self.viewed(array, &sizes, |place| {
            let mut at = vec![Expr::int(0); rank];
            for (a, b) in pairs {
                at[a] = place[b].clone();
            }
            let inner: Vec<Expr> = to.iter().map(|&k| place[k].clone()).collect();
            let inner = places(&flat_place(&inner, &inner_sizes), &inner_own);
            for (&axis, i) in from.iter().zip(inner) {
                at[axis] = i;
            }
            at
        })
    }

    /// `a.flatten()`
    pub(super) fn flattened(&mut self, array: Plain) -> Value {
        let array = self.holding(array);
        let count = product_of(&self.written_lengths(&array.expr));
        let count = self.share_size(count);
        self.reshaped(array, vec![count]).into()
    }

    /// `a.select(Axis(k), &indices)`
    pub(super) fn select(&mut self, array: Plain, axis: &Surface, at: &Surface) -> Result<Value> {
        let k = self.axis(axis, array.expr.ty.rank)?;
        let indices = self.list(at)?;
        if (indices.elem(), indices.expr.ty.rank) != (Elem::Int, 1) {
            let message = format!(
                "`select` takes a list of indices, and this is {}; write `&[usize]`",
                indices.describe()
            );
            return Err(self.errors.at(at.loc, message));
        }
        let indices = self.held(indices.expr);
        let array = self.holding(array);
        let mut sizes = self.written_lengths(&array.expr);
        sizes[k] = self.written_lengths(&indices)[0].clone();
        let view = self.viewed(array, &sizes, |place| {
            let mut at = place.to_vec();
            at[k] = entry(&indices, vec![place[k].clone()]);
            at
        });
        Ok(view.into())
    }
}
