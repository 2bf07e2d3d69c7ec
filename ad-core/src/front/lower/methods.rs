//! Methods of ndarray beyond indexing and lengths: which there are, and where they are lowered.

use super::Lowerer;
use super::array::element;
use super::combinator::built;
use super::size::{minus, product_of};
use super::value::{Plain, Value};
use super::way::Maybe;
use crate::front::error::{Loc, Result};
use crate::front::surface::Expr as Surface;
use crate::ir::core::Expr;
use crate::ir::prims::Prim;
use crate::ir::ty::Elem;

/// Functions of real numbers that ndarray has for arrays, with the number of values they work on.
const ELEMENTWISE: &[(&str, usize)] = &[
    ("floor", 1),
    ("ceil", 1),
    ("round", 1),
    ("trunc", 1),
    ("fract", 1),
    ("abs", 1),
    ("signum", 1),
    ("recip", 1),
    ("sqrt", 1),
    ("exp", 1),
    ("exp2", 1),
    ("exp_m1", 1),
    ("ln", 1),
    ("log2", 1),
    ("log10", 1),
    ("ln_1p", 1),
    ("cbrt", 1),
    ("sin", 1),
    ("cos", 1),
    ("tan", 1),
    ("asin", 1),
    ("acos", 1),
    ("atan", 1),
    ("sinh", 1),
    ("cosh", 1),
    ("tanh", 1),
    ("asinh", 1),
    ("acosh", 1),
    ("atanh", 1),
    ("to_degrees", 1),
    ("to_radians", 1),
    ("powi", 2),
    ("powf", 2),
    ("log", 2),
    ("hypot", 2),
    ("clamp", 3),
    ("pow2", 1),
];

impl Lowerer<'_> {
    /// A method of an array; nothing if arrays have none of that name with so many arguments.
    pub(super) fn ndarray_method(
        &mut self,
        array: Plain,
        name: &syn::Ident,
        args: &[Surface],
        loc: Loc,
    ) -> Option<Result<Value>> {
        let rank = array.expr.ty.rank;
        if rank == 0 {
            return None;
        }
        let method = name.to_string();
        if ELEMENTWISE.contains(&(&*method, args.len() + 1)) && array.elem() == Elem::Real {
            return Some(self.by_elements(array, name, args));
        }
        if let Some(result) = self.statistic(&array, name, args) {
            return Some(result);
        }
        if let Some(result) = self.iterated(&array, name, args) {
            return Some(result);
        }
        Some(match (method.as_str(), args) {
            ("reversed_axes", []) => Ok(self.transposed(array)),
            ("permuted_axes", [order]) => self.permuted_axes(array, order),
            ("swap_axes", [a, b]) => self.swapped_axes(array, a, b),
            ("invert_axis", [axis]) => self.inverted_axis(array, axis),
            ("insert_axis", [axis]) => self.insert_axis(array, axis),
            ("remove_axis", [axis]) => self.remove_axis(array, axis),
            ("diag" | "into_diag", []) => Ok(self.diagonal(array)),
            ("broadcast", [shape]) => self.broadcast(array, shape),
            ("to_shape" | "into_shape_with_order" | "into_shape_clone", shape) => {
                self.new_shape(array, shape, loc)
            }
            ("flatten" | "into_flat", []) => Ok(self.flattened(array)),
            ("select", [axis, at]) => self.select(array, axis, at),
            ("slice" | "slice_move", args) => self.slice(array, args, loc),
            ("slice_axis", [axis, slice]) => self.slice_axis(array, axis, slice, loc),
            ("tril" | "triu", [k]) if rank == 2 => self.triangle(array, &method, k),
            ("split_at", args) => self.split_at(array, args, loc),
            ("map_axis", [axis, f]) => self.map_axis(array, axis, f, loc),
            ("fold", [init, f]) => {
                let iter = self.elements(array);
                self.folded(&iter.into(), init, f, false, loc)
            }
            ("is_square", []) if rank == 2 => {
                let sizes = self.written_lengths(&array.expr);
                Ok(Expr::prim(Prim::IEq, sizes).into())
            }
            ("first" | "last" | "get", args) => self.maybe_element(array, &method, args, loc),
            ("as_slice" | "to_slice" | "as_slice_memory_order", []) if rank == 1 => {
                Ok(Maybe::sure(array.into(), vec![]))
            }
            (
                "as_standard_layout" | "into_vec" | "as_array" | "to_shared" | "into_shared"
                | "as_ref" | "into_boxed_slice" | "into_dyn" | "into",
                [],
            ) => Ok(array.into()),
            ("diff", [n, axis]) => self.differences(array, n, axis),
            _ => return None,
        })
    }

    /// `a.exp()`, `a.powi(2)`
    fn by_elements(&mut self, array: Plain, name: &syn::Ident, args: &[Surface]) -> Result<Value> {
        let mut more = vec![];
        for arg in args {
            let value = self.expr(arg)?;
            more.push((self.named(value, "p"), arg.loc));
        }
        let whole = self.held(array.expr);
        let sizes = self.written_lengths(&whole);
        let here: Loc = name.span().into();
        let (axes, bound, value) = self.at_each(&sizes, |l, at| {
            let one = super::combinator::entry(&whole, at.to_vec());
            if name == "pow2" {
                let one = l.share("v", one);
                return Ok(Plain::new(Expr::prim(Prim::Mul, vec![one.clone(), one])));
            }
            let mut all = vec![(one.into(), here)];
            all.extend(more.iter().cloned());
            let value = l.real_function(name, all)?;
            l.plain(value, here)
        })?;
        Ok(Value::Plain(Plain {
            expr: built(axes, super::under(bound, value.expr)),
            ..value
        }))
    }

    /// `x.first()`, `x.last()`, `x.get(i)`
    fn maybe_element(
        &mut self,
        array: Plain,
        method: &str,
        args: &[Surface],
        loc: Loc,
    ) -> Result<Value> {
        let whole = self.held(array.expr);
        let sizes = self.written_lengths(&whole);
        let empty = || Expr::prim(Prim::IEq, vec![product_of(&sizes), Expr::int(0)]);
        let (at, none) = match (method, args) {
            ("first", []) => (vec![Expr::int(0); sizes.len()], empty()),
            ("last", []) => {
                let last = sizes.iter().map(|n| minus(n, &Expr::int(1)));
                (last.collect(), empty())
            }
            ("get", [i]) if sizes.len() == 1 => {
                let i = self.number(i)?;
                (
                    vec![i.clone()],
                    Expr::prim(Prim::IGe, vec![i, sizes[0].clone()]),
                )
            }
            _ => {
                let message =
                    "write plain indexing such as `a[[i, j]]`, which panics when out of range";
                return Err(self.errors.at(loc, message));
            }
        };
        let value = Value::Plain(Plain {
            expr: element(whole, at.into_iter().map(Some).collect()),
            ..array
        });
        let (none, sure) = (Some(none), vec![]);
        Ok(Maybe { value, none, sure }.into())
    }

    /// `a.tril(k)`, `a.triu(k)`: zeros above, or below, a diagonal.
    fn triangle(&mut self, array: Plain, method: &str, k: &Surface) -> Result<Value> {
        let by = self.number(k)?;
        let array = self.holding(array);
        let sizes = self.written_lengths(&array.expr);
        let (axes, at) = self.indices(&sizes);
        let prim = if method == "tril" {
            Prim::ILe
        } else {
            Prim::IGe
        };
        let kept = Expr::prim(prim, vec![at[1].clone(), super::size::plus(&at[0], &by)]);
        let zero = Expr::lit(crate::ir::ty::Lit::zero(array.elem()));
        let one = super::combinator::entry(&array.expr, at);
        Ok(Value::Plain(Plain {
            expr: built(axes, Expr::cond(kept, one, zero)),
            ..array
        }))
    }

    /// `a.swap_axes(0, 1)`
    fn swapped_axes(&mut self, array: Plain, a: &Surface, b: &Surface) -> Result<Value> {
        let mut order: Vec<usize> = (0..array.expr.ty.rank).collect();
        let mut axes = vec![];
        for e in [a, b] {
            let axis = self.number(e)?;
            let axis = super::size::literal(&axis).and_then(|k| usize::try_from(k).ok());
            match axis.filter(|k| *k < order.len()) {
                Some(axis) => axes.push(axis),
                None => {
                    let message = "which axes are meant must be literals below the number of axes; write \
                                   `a.swap_axes(0, 1)`";
                    return Err(self.errors.at(e.loc, message));
                }
            }
        }
        order.swap(axes[0], axes[1]);
        Ok(self.permuted(array, &order).into())
    }

    /// `a.invert_axis(Axis(k))`
    fn inverted_axis(&mut self, array: Plain, axis: &Surface) -> Result<Value> {
        let axis = self.axis(axis, array.expr.ty.rank)?;
        let array = self.holding(array);
        let sizes = self.written_lengths(&array.expr);
        let last = minus(&sizes[axis], &Expr::int(1));
        let view = self.viewed(array, &sizes, |at| {
            let mut at = at.to_vec();
            at[axis] = minus(&last, &at[axis]);
            at
        });
        Ok(view.into())
    }

    /// `a.diff(1, Axis(k))`
    fn differences(&mut self, array: Plain, n: &Surface, axis: &Surface) -> Result<Value> {
        let k = self.axis(axis, array.expr.ty.rank)?;
        let times = self.number(n)?;
        let (Some(times), Elem::Real) = (super::size::literal(&times), array.elem()) else {
            return Err(self.errors.at(
                n.loc,
                "how often differences are taken must be a literal, and of real numbers; write `a.diff(1, \
                 Axis(0))`",
            ));
        };
        let mut array = array;
        for _ in 0..times {
            let whole = self.share("a", array.expr);
            let mut sizes = self.written_lengths(&whole);
            sizes[k] = minus(&sizes[k], &Expr::int(1));
            let (axes, at) = self.indices(&sizes);
            let mut next = at.clone();
            next[k] = super::size::plus(&at[k], &Expr::int(1));
            let one = |at| super::combinator::entry(&whole, at);
            let difference = Expr::prim(Prim::Sub, vec![one(next), one(at)]);
            array = Plain::new(built(axes, difference));
        }
        Ok(array.into())
    }
}
