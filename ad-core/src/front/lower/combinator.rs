//! The combinators, in terms of what Core has.

use super::value::{Plain, Value};
use super::{Lowerer, under};
use crate::front::error::{self, Loc, Result};
use crate::front::names::Combinator;
use crate::front::surface::Expr as Surface;
use crate::front::types::Scalar;
use crate::ir::core::{Binder, Expr, Extremum, Kind, ReduceOp, Scatter};
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Lit};
use crate::loops::terms::Axes;
pub(super) use crate::loops::terms::{built, entry, reduced};

impl Lowerer<'_> {
    pub(super) fn combinator(
        &mut self,
        combinator: Combinator,
        args: &[Surface],
        loc: Loc,
    ) -> Result<Value> {
        let takes = match combinator {
            Combinator::Build
            | Combinator::Sum
            | Combinator::Product
            | Combinator::Maximum
            | Combinator::Minimum
            | Combinator::Mean
            | Combinator::LogSumExp
            | Combinator::Softmax
            | Combinator::ArgMax
            | Combinator::ArgMin => (2, "(n, |i| ..)"),
            Combinator::ScatterAdd => (3, "(extent, n, |i| (index, value))"),
            Combinator::StopGradient => (1, "(x)"),
            Combinator::Fold | Combinator::Scan => (3, "(n, init, |s, i| ..)"),
            Combinator::Checkpoint => (1, "(|| ..)"),
        };
        if args.len() != takes.0 {
            let name = combinator.name();
            let message = format!(
                "`{name}` takes {}, and {}; write `{name}{}`",
                error::counted(takes.0, "argument", "arguments"),
                error::given(args.len()),
                takes.1
            );
            return Err(self.errors.at(loc, message));
        }
        match combinator {
            Combinator::Build => self.build(args),
            Combinator::Sum => self.reduce(combinator, ReduceOp::Sum, args),
            Combinator::Product => self.reduce(combinator, ReduceOp::Product, args),
            Combinator::Maximum => self.reduce(combinator, ReduceOp::Max, args),
            Combinator::Minimum => self.reduce(combinator, ReduceOp::Min, args),
            Combinator::LogSumExp => self.reduce(combinator, ReduceOp::LogSumExp, args),
            Combinator::Mean => self.mean(args),
            Combinator::Softmax => self.softmax(args),
            Combinator::ArgMax => self.arg_reduce(combinator, Extremum::Max, args),
            Combinator::ArgMin => self.arg_reduce(combinator, Extremum::Min, args),
            Combinator::ScatterAdd => self.scatter(args),
            Combinator::StopGradient => {
                let value = self.expr(&args[0])?;
                let plain = self.plain(value, args[0].loc)?;
                Ok(Value::Plain(Plain {
                    expr: Expr::stop(plain.expr),
                    ..plain
                }))
            }
            Combinator::Fold => self.fold(args, loc),
            Combinator::Scan => self.scan(args, loc),
            Combinator::Checkpoint => self.checkpoint(&args[0], loc),
        }
    }

    /// Extents and closure, then the closure over the extents.
    fn run(
        &mut self,
        combinator: Combinator,
        extents: Result<Vec<Expr>>,
        closure: &Surface,
    ) -> Result<(Axes, Plain)> {
        let closure = self.body_of(combinator, closure)?;
        let (extents, failed) = match extents {
            Ok(extents) => (extents, None),
            // The body is looked at all the same, over as many indices as its pattern takes.
            Err(reported) => {
                let count = match closure.0.params.first() {
                    Some((crate::front::surface::Pattern::Tuple(_, parts), _)) => parts.len(),
                    Some(_) | None => 1,
                };
                (vec![Expr::int(0); count], Some(reported))
            }
        };
        let what = format!("the closure of `{}`", combinator.name());
        let result = self.over(combinator, extents, closure, |l, value, loc| {
            l.single(value, loc, &what)
        });
        if let Some(reported) = failed {
            return Err(reported);
        }
        let (axes, bound, plain) = result?;
        let expr = under(bound, plain.expr);
        Ok((axes, Plain { expr, ..plain }))
    }

    fn build(&mut self, args: &[Surface]) -> Result<Value> {
        let extents = self.shape(Combinator::Build, &args[0]);
        let (axes, body) = self.run(Combinator::Build, extents, &args[1])?;
        if axes.len() + body.expr.ty.rank > 6 {
            let message = format!(
                "this array has {} axes, and arrays have at most 6; write one axis for two, with the \
                 index `i * m + j`",
                axes.len() + body.expr.ty.rank
            );
            return Err(self.errors.at(args[0].loc, message));
        }
        Ok(Value::Plain(Plain {
            expr: built(axes, body.expr),
            scalar: body.scalar,
            open: body.open,
        }))
    }

    fn reduce(&mut self, combinator: Combinator, op: ReduceOp, args: &[Surface]) -> Result<Value> {
        let extents = self.extents(combinator, &args[0]);
        let (axes, mut body) = self.run(combinator, extents, &args[1])?;
        let loc = args[1].loc;
        match op {
            ReduceOp::Sum | ReduceOp::Product => {
                if body.elem() == Elem::Bool {
                    let message = format!(
                        "`{}` of bools; write `if .. {{ 1.0 }} else {{ 0.0 }}` for the number",
                        combinator.name()
                    );
                    return Err(self.errors.at(loc, message));
                }
            }
            ReduceOp::Max | ReduceOp::Min => body = self.real_body(combinator, body, loc)?,
            ReduceOp::LogSumExp => {
                body = self.scalar_body(combinator, body, loc)?;
                body = self.real_body(combinator, body, loc)?;
            }
        }
        Ok(Value::Plain(Plain {
            expr: reduced(op, axes, body.expr),
            scalar: body.scalar,
            open: body.open,
        }))
    }

    /// A body of real numbers, which may be an array of them.
    fn real_body(&mut self, combinator: Combinator, body: Plain, loc: Loc) -> Result<Plain> {
        let name = combinator.name();
        if body.expr.ty.rank > 0 && body.elem() != Elem::Real {
            let message = format!(
                "`{name}` is of real numbers, and this is {}; write `.. as f64` in the closure",
                body.describe()
            );
            return Err(self.errors.at(loc, message));
        }
        if body.expr.ty.rank > 0 {
            return Ok(body);
        }
        let role = format!("what `{name}` runs over");
        let expr = self.of(Elem::Real, body.into(), loc, &role)?;
        Ok(Plain::new(expr))
    }

    fn mean(&mut self, args: &[Surface]) -> Result<Value> {
        let combinator = Combinator::Mean;
        let extents = self.extents(combinator, &args[0]);
        let (axes, body) = self.run(combinator, extents, &args[1])?;
        let body = self.real_body(combinator, body, args[1].loc)?;
        let count = axes.iter().map(|(_, extent)| extent.clone());
        let count = count.reduce(|a, b| Expr::prim(Prim::IMul, vec![a, b]));
        let count = count.unwrap_or_else(|| Expr::int(1));
        let count = Expr::prim(Prim::IntToReal, vec![count]);
        let total = reduced(ReduceOp::Sum, axes, body.expr);
        if total.ty.rank == 0 {
            return Ok(Expr::prim(Prim::Div, vec![total, count]).into());
        }
        let total = self.share("total", total);
        let count = self.share("count", count);
        let sizes: Vec<Expr> = (0..total.ty.rank)
            .map(|k| Expr::dim(total.clone(), k))
            .collect();
        let (axes, at) = self.indices(&sizes);
        let part = Expr::prim(Prim::Div, vec![entry(&total, at), count]);
        Ok(built(axes, part).into())
    }

    /// With the maximum taken off, so that nothing overflows; it is a constant for differentiation,
    /// since the result does not depend on it.
    fn softmax(&mut self, args: &[Surface]) -> Result<Value> {
        let combinator = Combinator::Softmax;
        let extents = self.shape(combinator, &args[0]);
        let (axes, body) = self.run(combinator, extents, &args[1])?;
        let body = self.scalar_body(combinator, body, args[1].loc)?;
        let body = self.real_body(combinator, body, args[1].loc)?;
        let extents: Vec<Expr> = axes.iter().map(|(_, extent)| extent.clone()).collect();
        let logits = self.share("logits", built(axes, body.expr));

        let (axes, at) = self.indices(&extents);
        let max = reduced(ReduceOp::Max, axes, entry(&logits, at));
        let max = self.share("max", max);

        let (axes, at) = self.indices(&extents);
        let shifted = Expr::prim(Prim::Sub, vec![entry(&logits, at), Expr::stop(max)]);
        let weights = built(axes, Expr::prim(Prim::Weight, vec![shifted]));
        let weights = self.share("weights", weights);

        let (axes, at) = self.indices(&extents);
        let total = reduced(ReduceOp::Sum, axes, entry(&weights, at));
        let total = self.share("total", total);

        let (axes, at) = self.indices(&extents);
        let part = Expr::prim(Prim::Div, vec![entry(&weights, at), total]);
        Ok(built(axes, part).into())
    }

    /// Over several axes, one after another: along the outermost the first that holds an extremum,
    /// then along the next in there.
    fn arg_reduce(
        &mut self,
        combinator: Combinator,
        op: Extremum,
        args: &[Surface],
    ) -> Result<Value> {
        let mut extents = self.extents(combinator, &args[0]);
        let mut found: Vec<Expr> = vec![];
        loop {
            let (axes, body) = self.run(combinator, extents, &args[1])?;
            let body = self.scalar_body(combinator, body, args[1].loc)?;
            let body = self.real_body(combinator, body, args[1].loc)?;
            let sizes: Vec<Expr> = axes.iter().map(|(_, extent)| extent.clone()).collect();
            let count = sizes.len();
            let (outer, mut rest) = axes
                .into_iter()
                .enumerate()
                .partition::<Vec<_>, _>(|(k, _)| *k < found.len());
            let (_, (var, extent)) = rest.remove(0);
            let best = match op {
                Extremum::Max => ReduceOp::Max,
                Extremum::Min => ReduceOp::Min,
            };
            let rest = rest.into_iter().map(|(_, axis)| axis).collect();
            let mut at = Expr::arg_reduce(op, var, extent, reduced(best, rest, body.expr));
            for ((_, (sym, extent)), is) in outer.into_iter().zip(&found).rev() {
                at = Expr::bind(sym, is.clone(), at);
                // Over nothing there is nothing to look at.
                if !matches!(*extent.kind, Kind::Lit(Lit::Int(1..))) {
                    let some = Expr::prim(Prim::IGt, vec![extent, Expr::int(0)]);
                    at = Expr::cond(some, at, Expr::int(0));
                }
            }
            if count == 1 {
                return Ok(Plain::typed(at, Scalar::Usize).into());
            }
            let hint = ["i", "j", "k", "l", "m", "n"][found.len()];
            found.push(self.share(hint, at));
            if found.len() == count {
                let indices = found.into_iter();
                let indices = indices.map(|i| Plain::typed(i, Scalar::Usize).into());
                return Ok(Value::Tuple(indices.collect()));
            }
            extents = Ok(sizes);
        }
    }

    fn scatter(&mut self, args: &[Surface]) -> Result<Value> {
        let combinator = Combinator::ScatterAdd;
        let shape = self.shape(combinator, &args[0]);
        let extents = self.shape(combinator, &args[1]);
        let closure = self.body_of(combinator, &args[2]);
        let (shape, extents, closure) = (shape?, extents?, closure?);
        let result = self.over(combinator, extents, closure, |l, value, loc| {
            let (to, value) = match value {
                Value::Tuple(parts) => match <[Value; 2]>::try_from(parts) {
                    Ok([to, value]) => (to, value),
                    Err(_) => return Err(l.pair_needed(loc)),
                },
                Value::Plain(_)
                | Value::List(_)
                | Value::Struct(..)
                | Value::Closure(..)
                | Value::Shape(_)
                | Value::Way(_) => {
                    return Err(l.pair_needed(loc));
                }
            };
            let to = to.parts();
            if to.len() != shape.len() {
                let message = format!(
                    "this index has {} parts, and the array has {} axes",
                    to.len(),
                    shape.len()
                );
                return Err(l.errors.at(loc, message));
            }
            let mut index = vec![];
            for part in to {
                index.push(l.of(Elem::Int, part, loc, "an index")?);
            }
            let value = l.of(Elem::Real, value, loc, "what `scatter_add` adds")?;
            Ok((index, value))
        });
        let (axes, lets, (index, value)) = result?;
        let binders = axes.into_iter().map(|(var, extent)| Binder { var, extent });
        Ok(Expr::scatter(Scatter {
            extents: shape,
            binders: binders.collect(),
            lets,
            index,
            value,
        })
        .into())
    }

    fn pair_needed(&mut self, loc: Loc) -> crate::front::error::Reported {
        self.errors.at(
            loc,
            "the closure of `scatter_add` gives where to add and what; write `|i| (index, value)`",
        )
    }
}
