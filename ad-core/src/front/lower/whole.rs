//! Methods of ndarray on whole arrays, in terms of what Core has.

use super::array::{element, length};
use super::combinator::{built, entry, reduced};
use super::value::{Plain, Value};
use super::{Binding, Lowerer};
use crate::front::error::{Loc, Result};
use crate::front::names::Combinator;
use crate::front::surface::{Closure, Expr as Surface, Kind, Note, Pattern};
use crate::ir::core::{Expr, ReduceOp};
use crate::ir::prims::Prim;
use crate::ir::ty::Elem;
use std::rc::Rc;

impl Lowerer<'_> {
    fn sizes(array: &Expr) -> Vec<Expr> {
        let axes = 0..array.ty.rank;
        axes.map(|axis| length(array.clone(), axis)).collect()
    }

    /// `a.sum()`
    pub(super) fn sum_of_elements(&mut self, array: Plain, loc: Loc) -> Result<Value> {
        if array.elem() == Elem::Bool {
            let message = "bools have no sum; write `sum(n, |i| if x[i] { 1.0 } else { 0.0 })`";
            return Err(self.errors.at(loc, message));
        }
        let whole = self.share("a", array.expr);
        let (axes, at) = self.indices(&Self::sizes(&whole));
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
        let whole = self.share("a", array.expr);
        let mut sizes = Self::sizes(&whole);
        sizes.reverse();
        let (axes, mut at) = self.indices(&sizes);
        at.reverse();
        Value::Plain(Plain {
            expr: built(axes, entry(&whole, at)),
            ..array
        })
    }

    /// `a.dot(&b)`, of vectors and matrices.
    pub(super) fn dot(&mut self, a: Plain, other: &Surface, loc: Loc) -> Result<Value> {
        let b = self.expr(other)?;
        let b = self.plain(b, other.loc)?;
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
        let left = self.share("a", pair.left);
        let right = self.share("b", pair.right);
        let (mut row, mut column) = (vec![None; m], vec![None; n]);
        let outer_left = (m == 2).then(|| length(left.clone(), 0));
        let outer_right = (n == 2).then(|| length(right.clone(), 1));
        let lengths = self.one_length(length(left.clone(), m - 1), length(right.clone(), 0));
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

    /// One length for two that have to be equal: that of a sum of arrays.
    fn one_length(&mut self, m: Expr, n: Expr) -> Expr {
        let m = self.share_size(m);
        let n = self.share_size(n);
        let zeros = |l: &mut Self, n: Expr| {
            let (axes, _) = l.indices(&[n]);
            built(axes, Expr::int(0))
        };
        let both = vec![zeros(self, m), zeros(self, n)];
        let both = self.share("both", Expr::prim(Prim::IAdd, both));
        length(both, 0)
    }

    /// `a.mapv(|v| ..)`, `a.map(|v| ..)`; also with the path of a function.
    pub(super) fn mapped(
        &mut self,
        array: Plain,
        method: &syn::Ident,
        function: &Surface,
    ) -> Result<Value> {
        let of_path = self
            .foreign_path(function)
            .map(|path| of_path(path, function.loc));
        let value = match of_path {
            Some(closure) => Value::Closure(Rc::new(closure), self.env.clone()),
            None => self.expr(function)?,
        };
        let Value::Closure(closure, env) = value else {
            let message = format!(
                "`{method}` takes a closure, and this is {}; write `|v| ..`",
                value.describe()
            );
            return Err(self.errors.at(function.loc, message));
        };
        let [(pattern, note)] = &closure.params[..] else {
            let message = format!("the closure of `{method}` takes the element; write `|v| ..`");
            return Err(self.errors.at(closure.params_loc, message));
        };
        let whole = self.share("a", array.expr);
        let (axes, at) = self.indices(&Self::sizes(&whole));
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

/// `|v| f(v)`
fn of_path(path: &syn::Path, loc: Loc) -> Closure {
    let name = syn::Ident::new("v", loc.start);
    let argument = Surface {
        loc,
        kind: Kind::Path(name.clone().into()),
    };
    Closure {
        params: vec![(Pattern::Name(name), Note::Infer)],
        params_loc: loc,
        result: Note::Infer,
        body: Surface {
            loc,
            kind: Kind::Call(path.clone(), vec![argument]),
        },
    }
}
