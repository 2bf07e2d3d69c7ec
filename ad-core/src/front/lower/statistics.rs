//! Sums, means and variances of arrays, whole or along an axis.

use super::Lowerer;
use super::array::element;
use super::combinator::{built, entry, reduced};
use super::size::{minus, product_of};
use super::value::{Plain, Value};
use super::way::Maybe;
use super::{under, way::Iter};
use crate::front::error::{Loc, Result};
use crate::front::surface::Expr as Surface;
use crate::ir::core::{Expr, Kind, ReduceOp};
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Lit};

/// What a statistic divides by: the count, less this number.
struct Spread {
    less: Expr,
    /// Whether the root is taken.
    root: bool,
}

fn real(prim: Prim, args: Vec<Expr>) -> Expr {
    Expr::prim(prim, args)
}

/// The reduction along one axis, at places along the others.
fn along(op: ReduceOp, whole: &Expr, axis: usize, at: &[Expr], l: &mut Lowerer<'_>) -> Expr {
    let n = l.written_lengths(whole)[axis].clone();
    let (axes, k) = l.indices(&[n]);
    let mut index = at.to_vec();
    index.insert(axis, k[0].clone());
    reduced(op, axes, entry(whole, index))
}

impl Lowerer<'_> {
    /// Nothing, but that a size is demanded to be 1 at least.
    fn not_empty(&mut self, size: &Expr) -> Expr {
        self.at_least(size, 1)
    }

    /// Nothing, but that a size is demanded to be this at least.
    fn at_least(&mut self, size: &Expr, least: i64) -> Expr {
        self.natural(minus(size, &Expr::int(least)))
    }

    /// Nothing, but that a number is demanded to be at least 0.
    pub(super) fn natural(&mut self, number: Expr) -> Expr {
        let (axes, _) = self.indices(&[number]);
        built(axes, Expr::int(0))
    }

    fn reals(&mut self, array: &Plain, name: &syn::Ident) -> Result<()> {
        if array.elem() == Elem::Real {
            return Ok(());
        }
        let message = format!(
            "`{name}` is of real numbers here, and this is {}; write `.mapv(|v| v as f64)`",
            array.describe()
        );
        Err(self.errors.at(name.span(), message))
    }

    /// Reductions of all elements, and of those along an axis; nothing if there is none of that
    /// name.
    pub(super) fn statistic(
        &mut self,
        array: &Plain,
        name: &syn::Ident,
        args: &[Surface],
    ) -> Option<Result<Value>> {
        let array = array.clone();
        Some(match (name.to_string().as_str(), args) {
            ("sum_axis", [axis]) => self.along_axis(array, ReduceOp::Sum, axis, name),
            ("product_axis", [axis]) => self.along_axis(array, ReduceOp::Product, axis, name),
            ("product", []) => self.product_of_elements(array, name),
            ("mean", []) => self.mean_of_elements(array, name),
            ("mean_axis", [axis]) => self.mean_axis(array, axis, name),
            ("var" | "std", [less]) => self.variance(array, less, name),
            ("var_axis" | "std_axis", [axis, less]) => self.variance_axis(array, axis, less, name),
            _ => return None,
        })
    }

    fn along_axis(
        &mut self,
        array: Plain,
        op: ReduceOp,
        axis: &Surface,
        name: &syn::Ident,
    ) -> Result<Value> {
        let axis = self.axis(axis, array.expr.ty.rank)?;
        if array.elem() == Elem::Bool {
            self.reals(&array, name)?;
        }
        let whole = self.held(array.expr);
        let mut sizes = self.written_lengths(&whole);
        sizes.remove(axis);
        let (axes, at) = self.indices(&sizes);
        // Inner loops have names of their own.
        let total = along(op, &whole, axis, &at, self);
        Ok(Value::Plain(Plain {
            expr: built(axes, total),
            ..array
        }))
    }

    fn product_of_elements(&mut self, array: Plain, name: &syn::Ident) -> Result<Value> {
        if array.elem() == Elem::Bool {
            self.reals(&array, name)?;
        }
        let whole = self.held(array.expr);
        let sizes = self.written_lengths(&whole);
        let (axes, at) = self.indices(&sizes);
        Ok(Value::Plain(Plain {
            expr: reduced(ReduceOp::Product, axes, entry(&whole, at)),
            ..array
        }))
    }

    fn mean_of_elements(&mut self, array: Plain, name: &syn::Ident) -> Result<Value> {
        self.reals(&array, name)?;
        let whole = self.held(array.expr);
        let sizes = self.written_lengths(&whole);
        let (axes, at) = self.indices(&sizes);
        let total = reduced(ReduceOp::Sum, axes, entry(&whole, at));
        let value = real(Prim::Div, vec![total, self.real_count(&sizes)]);
        let count = product_of(&sizes);
        let sure = vec![self.not_empty(&count)];
        let none = Some(Expr::prim(Prim::IEq, vec![count, Expr::int(0)]));
        let value = value.into();
        Ok(Maybe { value, none, sure }.into())
    }

    fn mean_axis(&mut self, array: Plain, axis: &Surface, name: &syn::Ident) -> Result<Value> {
        let axis = self.axis(axis, array.expr.ty.rank)?;
        self.reals(&array, name)?;
        let whole = self.held(array.expr);
        let mut sizes = self.written_lengths(&whole);
        let n = sizes.remove(axis);
        let count = self.real_count(std::slice::from_ref(&n));
        let count = self.share("count", count);
        let (axes, at) = self.indices(&sizes);
        let total = along(ReduceOp::Sum, &whole, axis, &at, self);
        let value = built(axes, real(Prim::Div, vec![total, count]));
        let sure = vec![self.not_empty(&n)];
        Ok(Maybe::sure(value.into(), sure))
    }

    /// How much less than the count, as a real number.
    fn spread(&mut self, less: &Surface, name: &syn::Ident) -> Result<Spread> {
        let value = self.expr(less)?;
        let role = "what is taken off the count";
        let less = self.of(Elem::Real, value, less.loc, role)?;
        Ok(Spread {
            less: self.share("ddof", less),
            root: name.to_string().starts_with("std"),
        })
    }

    /// `sum((x - mean)^2) / (n - less)`, its root if that is asked for.
    fn squares(&mut self, total: Expr, count: Expr, spread: &Spread) -> Expr {
        let by = real(Prim::Sub, vec![count, spread.less.clone()]);
        let variance = real(Prim::Div, vec![total, by]);
        match spread.root {
            true => real(Prim::Sqrt, vec![variance]),
            false => variance,
        }
    }

    fn variance(&mut self, array: Plain, less: &Surface, name: &syn::Ident) -> Result<Value> {
        self.reals(&array, name)?;
        let spread = self.spread(less, name)?;
        let whole = self.held(array.expr);
        let sizes = self.written_lengths(&whole);
        let count = self.real_count(&sizes);
        let count = self.share("count", count);
        // ndarray demands that no more is taken off than there is.
        if let Kind::Lit(Lit::Real(less)) = &*spread.less.kind
            && *less > 0.0
        {
            let sure = self.at_least(&product_of(&sizes), less.ceil() as i64);
            self.share("sure", sure);
        }
        let (axes, at) = self.indices(&sizes);
        let total = reduced(ReduceOp::Sum, axes, entry(&whole, at));
        let mean = self.share("mean", real(Prim::Div, vec![total, count.clone()]));
        let (axes, at) = self.indices(&sizes);
        let (square, bound) = self.square_of(entry(&whole, at), mean);
        let total = reduced(ReduceOp::Sum, axes, under(bound, square));
        Ok(self.squares(total, count, &spread).into())
    }

    /// `(x - mean)^2`
    fn square_of(&mut self, x: Expr, mean: Expr) -> (Expr, super::Bindings) {
        let off = self.fresh.sym("off");
        let difference = real(Prim::Sub, vec![x, mean]);
        let var = Expr::var(&off, difference.ty);
        (
            real(Prim::Mul, vec![var.clone(), var]),
            vec![crate::ir::core::Bound::Let(off, difference)],
        )
    }

    fn variance_axis(
        &mut self,
        array: Plain,
        axis: &Surface,
        less: &Surface,
        name: &syn::Ident,
    ) -> Result<Value> {
        let axis = self.axis(axis, array.expr.ty.rank)?;
        self.reals(&array, name)?;
        let spread = self.spread(less, name)?;
        let whole = self.held(array.expr);
        let mut sizes = self.written_lengths(&whole);
        let n = sizes.remove(axis);
        let sure = self.not_empty(&n);
        self.share("sure", sure);
        let count = self.real_count(std::slice::from_ref(&n));
        let count = self.share("count", count);
        let (axes, at) = self.indices(&sizes);
        let total = along(ReduceOp::Sum, &whole, axis, &at, self);
        let means = built(axes, real(Prim::Div, vec![total, count.clone()]));
        let means = self.share("means", means);
        let (axes, at) = self.indices(&sizes);
        let (inner, k) = self.indices(&[n]);
        let mut index = at.clone();
        index.insert(axis, k[0].clone());
        let mean = if at.is_empty() {
            means
        } else {
            entry(&means, at)
        };
        let (square, bound) = self.square_of(entry(&whole, index), mean);
        let total = reduced(ReduceOp::Sum, inner, under(bound, square));
        let value = self.squares(total, count, &spread);
        Ok(built(axes, value).into())
    }

    /// `a.map_axis(Axis(k), |lane| ..)`
    pub(super) fn map_axis(
        &mut self,
        array: Plain,
        axis: &Surface,
        f: &Surface,
        loc: Loc,
    ) -> Result<Value> {
        let axis = self.axis(axis, array.expr.ty.rank)?;
        let f = self.callable(f, 1, "map_axis")?;
        let whole = self.held(array.expr);
        let mut sizes = self.written_lengths(&whole);
        sizes.remove(axis);
        let (scalar, open) = (array.scalar, array.open);
        let lanes = Iter::new(sizes, move |l, at| {
            let mut index: Vec<Option<Expr>> = at.iter().cloned().map(Some).collect();
            index.insert(axis, None);
            let lane = Value::Plain(Plain {
                expr: element(whole.clone(), index),
                scalar,
                open: open.clone(),
            });
            l.applied(&f, vec![(Ok(lane), loc)], loc)
        });
        self.array_of(&lanes, loc)
    }
}
