//! Methods of ndarray on whole arrays, in terms of what Core has.

use super::array::element;
use super::call::Callable;
use super::combinator::{built, entry, reduced};
use super::value::{Plain, Value};
use super::{Binding, Lowerer};
use crate::front::error::{Loc, Result};
use crate::front::names::{self, Combinator};
use crate::front::surface::{Closure, Expr as Surface, Kind, Note, Pattern};
use crate::ir::core::{Expr, ReduceOp};
use crate::ir::prims::Prim;
use crate::ir::ty::Elem;
use std::rc::Rc;

impl Lowerer<'_> {
    /// `a.sum()`
    pub(super) fn sum_of_elements(&mut self, array: Plain, loc: Loc) -> Result<Value> {
        if array.elem() == Elem::Bool {
            let message = "bools have no sum; write `sum(n, |i| if x[i] { 1.0 } else { 0.0 })`";
            return Err(self.errors.at(loc, message));
        }
        let whole = self.held(array.expr);
        let sizes = self.written_lengths(&whole);
        let (axes, at) = self.indices(&sizes);
        Ok(Value::Plain(Plain {
            expr: reduced(ReduceOp::Sum, axes, entry(&whole, at)),
            ..array
        }))
    }

    /// `a.t()`: the axes in reverse order.
    pub(super) fn transposed(&mut self, array: Plain) -> Value {
        if array.expr.ty.rank < 2 {
            return Value::Plain(array);
        }
        let order: Vec<usize> = (0..array.expr.ty.rank).rev().collect();
        self.permuted(array, &order).into()
    }

    /// `a.dot(&b)`, of vectors and matrices.
    pub(super) fn dot(&mut self, a: Plain, other: &Surface, loc: Loc) -> Result<Value> {
        let b = self.expr(other)?;
        let b = self.fetched(b)?;
        if b.sparse().is_some() {
            return self.dot_with_sparse(a, &b, loc);
        }
        if let Value::Way(_) = b {
            let iter = self.elements(a);
            return self.ragged_dot(&iter, b, other.loc);
        }
        let b = match b.as_row() {
            Some(row) => {
                let length = self.written_lengths(&a.expr).pop();
                self.row_of_length(row, length, other.loc)?
            }
            None => self.plain(b, other.loc)?,
        };
        self.product(a, b, loc)
    }

    /// The same of arrays.
    pub(super) fn product(&mut self, a: Plain, b: Plain, loc: Loc) -> Result<Value> {
        let (m, n) = (a.expr.ty.rank, b.expr.ty.rank);
        let what = format!("{} and {}", a.describe(), b.describe());
        let pair = if (1..=2).contains(&m) && (1..=2).contains(&n) {
            self.pair(a, b)
        } else {
            None
        };
        let prim = pair.as_ref().and_then(|pair| match pair.elem {
            Elem::Real => Some(Prim::Mul),
            Elem::Int => Some(Prim::IMul),
            Elem::Bool => None,
        });
        let (Some(pair), Some(prim)) = (pair, prim) else {
            let message = format!(
                "`dot` is between vectors and matrices of one kind of numbers, and these are {what}"
            );
            return Err(self.errors.at(loc, message));
        };
        let left = self.held(pair.left);
        let right = self.held_as("b", pair.right);
        let (mut row, mut column) = (vec![None; m], vec![None; n]);
        let (sizes_left, sizes_right) = (self.written_lengths(&left), self.written_lengths(&right));
        let outer_left = (m == 2).then(|| sizes_left[0].clone());
        let outer_right = (n == 2).then(|| sizes_right[1].clone());
        let lengths = self.one_length(sizes_left[m - 1].clone(), sizes_right[0].clone());
        let sizes: Vec<Expr> = outer_left.into_iter().chain(outer_right).collect();
        let (axes, at) = self.indices(&sizes);
        let k = self.fresh.sym("k");
        let along = Some(Expr::var(&k, lengths.ty));
        let mut at = at.into_iter().map(Some);
        if m == 2 {
            row[0] = at.next().flatten();
        }
        if n == 2 {
            column[1] = at.next().flatten();
        }
        row[m - 1] = along.clone();
        column[0] = along;
        let product = Expr::prim(prim, vec![element(left, row), element(right, column)]);
        let total = Expr::reduce(ReduceOp::Sum, k, lengths, product);
        Ok(Value::Plain(Plain {
            expr: built(axes, total),
            scalar: pair.scalar,
            open: pair.open,
        }))
    }

    /// `a.mapv(|v| ..)`, `a.map(|v| ..)`; also with the path of a function.
    pub(super) fn mapped(
        &mut self,
        array: Plain,
        method: &syn::Ident,
        function: &Surface,
    ) -> Result<Value> {
        let (closure, env) = self.callable(function, 1, &method.to_string())?;
        let [(pattern, note)] = &closure.params[..] else {
            let message = format!("the closure of `{method}` takes the element; write `|v| ..`");
            return Err(self.errors.at(closure.params_loc, message));
        };
        let whole = self.held(array.expr);
        let sizes = self.written_lengths(&whole);
        let (axes, at) = self.indices(&sizes);
        let one = Plain {
            expr: entry(&whole, at),
            scalar: array.scalar,
            open: array.open,
        };
        let depth = self.loops.len();
        self.loops.extend(axes.iter().map(|(sym, _)| sym.clone()));
        let outer = std::mem::replace(&mut self.env, env);
        let loc = closure.body.loc;
        let body = self.region(loc, &format!("the closure of `{method}`"), |l| {
            let one = l.annotated(one.into(), note, closure.params_loc);
            l.bind(pattern, one);
            let value = l.expr(&closure.body)?;
            l.annotated(value, &closure.result, loc)
        });
        self.env = outer;
        self.loops.truncate(depth);
        let body = body?;
        if body.expr.ty.rank > 0 {
            let message = format!(
                "`{method}` makes an array of scalars, and this is {}; write `{}(n, |i| ..)`",
                body.describe(),
                Combinator::Build.name()
            );
            return Err(self.errors.at(loc, message));
        }
        Ok(Value::Plain(Plain {
            expr: built(axes, body.expr),
            ..body
        }))
    }

    /// What a method calls: a closure, or the path of a function of so many arguments.
    pub(super) fn callable(&mut self, e: &Surface, arity: usize, method: &str) -> Result<Callable> {
        let of_path = self.foreign_path(e).map(|path| of_path(path, arity, e.loc));
        let value = match of_path {
            Some(closure) => Value::Closure(Rc::new(closure), self.env.clone()),
            None => self.expr(e)?,
        };
        if let Value::Closure(closure, env) = value {
            return Ok((closure, env));
        }
        let message = format!(
            "`{method}` takes a closure, and this is {}; write `|v| ..`",
            value.describe()
        );
        Err(self.errors.at(e.loc, message))
    }

    /// The path of a function that is no variable and no constant.
    pub(super) fn function_path<'e>(&self, e: &'e Surface) -> Option<&'e syn::Path> {
        let is_constant = |path: &&syn::Path| {
            let last = path.segments.last();
            !last.is_some_and(|s| names::is_screaming(&s.ident))
        };
        self.foreign_path(e).filter(is_constant)
    }

    /// The path of a function, which is no variable.
    fn foreign_path<'e>(&self, e: &'e Surface) -> Option<&'e syn::Path> {
        let Kind::Path(path) = &e.kind else {
            return None;
        };
        let binding = path.get_ident().and_then(|i| self.env.get(&i.to_string()));
        match binding {
            Some(Binding::Value(_) | Binding::Unset | Binding::Hole(_)) => None,
            Some(Binding::Import(_)) | None => Some(path),
        }
    }
}

/// `|v| f(v)`, `|v, w| f(v, w)`
fn of_path(path: &syn::Path, arity: usize, loc: Loc) -> Closure {
    let count = if arity == usize::MAX { 4 } else { arity };
    let name = |k: usize| match ["v", "w", "x", "y"].get(k) {
        Some(name) => (*name).to_owned(),
        None => format!("v{k}"),
    };
    let names = (0..count).map(|k| syn::Ident::new(&name(k), loc.start));
    let names: Vec<_> = names.collect();
    let argument = |name: &syn::Ident| Surface {
        loc,
        kind: Kind::Path(name.clone().into()),
    };
    let args = names.iter().map(argument).collect();
    let params = names
        .into_iter()
        .map(|name| (Pattern::Name(name), Note::Infer));
    Closure {
        params: params.collect(),
        params_loc: loc,
        result: Note::Infer,
        body: Surface {
            loc,
            kind: Kind::Call(path.clone(), args),
        },
    }
}
