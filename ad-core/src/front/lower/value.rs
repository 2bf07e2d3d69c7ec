//! What expressions stand for while they are lowered, and how their kinds meet.

use super::fixed::List;
use super::way::Way;
use super::{Env, Lowerer};
use crate::front::data::Made;
use crate::front::error::{Loc, Result};
use crate::front::infer::Open;
use crate::front::surface::Closure;
use crate::front::types::{Scalar, spelled, with_article};
use crate::ir::core::Expr;
use crate::ir::ty::{Elem, Lit};
use std::rc::Rc;

/// What an expression stands for.
#[derive(Clone)]
pub(super) enum Value {
    /// A scalar or an array.
    Plain(Plain),
    /// Several values.
    Tuple(Vec<Value>),
    /// An array of Rust: `[a, b]`, or an array of arrays.
    List(List),
    /// A struct, by its fields.
    Struct(Made, Vec<Value>),
    /// A closure, and the names it sees.
    Closure(Rc<Closure>, Env),
    /// `a.shape()` of an array.
    Shape(Expr),
    /// What ndarray and iterators make on the way to a value.
    Way(Rc<Way>),
}

/// A scalar or an array in Core, and what only Rust knows about it.
#[derive(Clone)]
pub(super) struct Plain {
    pub(super) expr: Expr,
    /// The integer type, where it is known.
    pub(super) scalar: Option<Scalar>,
    /// The constants that the kind hangs on.
    pub(super) open: Open,
}

impl Plain {
    pub(super) fn new(expr: Expr) -> Plain {
        Plain {
            expr,
            scalar: None,
            open: vec![],
        }
    }

    pub(super) fn typed(expr: Expr, scalar: Scalar) -> Plain {
        Plain {
            expr,
            scalar: Some(scalar),
            open: vec![],
        }
    }

    pub(super) fn elem(&self) -> Elem {
        self.expr.ty.elem
    }

    pub(super) fn describe(&self) -> String {
        let (one, name) = match self.elem() {
            Elem::Real => ("a real number", Some("f64")),
            Elem::Int => ("an integer", self.scalar.map(Scalar::name)),
            Elem::Bool => ("a bool", Some("bool")),
        };
        match (self.expr.ty.rank, name) {
            (0, _) => one.to_string(),
            (rank, Some(name)) => with_article(&format!("Array{rank}<{name}>")),
            (rank, None) => format!("an array of integers of rank {rank}"),
        }
    }
}

impl From<Expr> for Value {
    fn from(expr: Expr) -> Value {
        Value::Plain(Plain::new(expr))
    }
}

impl From<Plain> for Value {
    fn from(plain: Plain) -> Value {
        Value::Plain(plain)
    }
}

impl Value {
    /// The parts of a tuple; anything else is its only part.
    pub(super) fn parts(self) -> Vec<Value> {
        if let Value::Tuple(parts) = self {
            parts
        } else {
            vec![self]
        }
    }

    pub(super) fn describe(&self) -> String {
        match self {
            Value::Plain(plain) => plain.describe(),
            Value::Tuple(parts) => format!("a tuple of {}", parts.len()),
            Value::List(list) => list.describe(),
            Value::Struct(made, _) => with_article(&spelled(&*made.ty)),
            Value::Closure(..) => "a closure".to_string(),
            Value::Shape(_) => "a shape".to_string(),
            Value::Way(way) => way.describe().to_string(),
        }
    }

    /// What to do with it instead.
    pub(super) fn advice(&self) -> &'static str {
        match self {
            Value::Plain(_) => "",
            Value::List(_) => "; write one expression for each element, or an index",
            Value::Struct(made, _) if made.is_opaque() => "; it is carried, and not looked into",
            Value::Struct(..) => "; write one expression for each field",
            Value::Tuple(_) => "; write one expression for each part",
            Value::Closure(..) => "; closures are bound by `let` and called, they are not values",
            Value::Shape(_) => "; write `a.shape()[0]` or `a.dim()`",
            Value::Way(way) => way.advice(),
        }
    }
}

/// Two scalars of one kind.
pub(super) struct Pair {
    pub(super) left: Expr,
    pub(super) right: Expr,
    pub(super) elem: Elem,
    pub(super) scalar: Option<Scalar>,
    pub(super) open: Open,
}

impl Lowerer<'_> {
    /// A scalar or an array.
    pub(super) fn plain(&mut self, value: Value, loc: Loc) -> Result<Plain> {
        match self.fetched(value)? {
            Value::Plain(plain) => Ok(plain),
            Value::List(list) => self.as_array(list, loc),
            value @ (Value::Tuple(_)
            | Value::Struct(..)
            | Value::Closure(..)
            | Value::Shape(_)
            | Value::Way(_)) => {
                let message = format!(
                    "this is {}, where a number, a bool or an array is needed{}",
                    value.describe(),
                    value.advice()
                );
                Err(self.errors.at(loc, message))
            }
        }
    }

    /// A scalar.
    pub(super) fn scalar(&mut self, value: Value, loc: Loc) -> Result<Plain> {
        let plain = self.plain(value, loc)?;
        if plain.expr.ty.rank == 0 {
            return Ok(plain);
        }
        let index = ["i", "[i, j]", "[i, j, k]"];
        let index = index.get(plain.expr.ty.rank - 1).unwrap_or(&"[i, j, ..]");
        Err(self.errors.at(
            loc,
            format!(
                "this is {}, where a scalar is needed; write `build(n, |i| ..)` or `sum(n, |i| ..)` with `[{index}]` for the element",
                plain.describe()
            ),
        ))
    }

    /// What a value is made of has to be of a kind; else `message` says what is wrong.
    pub(super) fn elem(
        &mut self,
        plain: Plain,
        elem: Elem,
        loc: Loc,
        message: &str,
    ) -> Result<Expr> {
        self.try_elem(plain, elem)
            .ok_or_else(|| self.errors.at(loc, message))
    }

    fn try_elem(&mut self, plain: Plain, elem: Elem) -> Option<Expr> {
        let possible = self.consts.decide(&plain.open, elem, false);
        if plain.elem() == elem {
            return Some(plain.expr);
        }
        if plain.open.is_empty() || !possible {
            return None;
        }
        // The assumption about a constant was wrong, so this attempt is thrown away.
        Some(Expr::lit(Lit::zero(elem)))
    }

    /// A scalar of a kind.
    pub(super) fn of(&mut self, elem: Elem, value: Value, loc: Loc, role: &str) -> Result<Expr> {
        let plain = self.scalar(value, loc)?;
        let needed = match elem {
            Elem::Real => "a real number",
            Elem::Int => "an integer",
            Elem::Bool => "a bool",
        };
        let advice = match (elem, plain.elem()) {
            (Elem::Real, Elem::Int) => "; write `.. as f64`, or a literal with a point",
            (Elem::Int, Elem::Real) => "; write `.. as usize`",
            (Elem::Bool, Elem::Int | Elem::Real) => "; write a comparison",
            (Elem::Real, Elem::Bool) => "; write `if .. { 1.0 } else { 0.0 }`",
            (Elem::Int, Elem::Bool) => "; write `.. as usize`",
            (Elem::Real, Elem::Real) | (Elem::Int, Elem::Int) | (Elem::Bool, Elem::Bool) => "",
        };
        let message = format!(
            "{role} must be {needed}, and this is {}{advice}",
            plain.describe()
        );
        self.elem(plain, elem, loc, &message)
    }

    /// Two values of one kind, if they can be.
    pub(super) fn pair(&mut self, a: Plain, b: Plain) -> Option<Pair> {
        let scalar = a.scalar.or(b.scalar);
        let (left, right, elem, open) = match (a.open.is_empty(), b.open.is_empty()) {
            (false, false) if a.elem() == b.elem() => {
                let open = [&a.open[..], &b.open[..]].concat();
                (a.expr, b.expr, None, open)
            }
            (false, false) => {
                // One is taken for an integer because of a cast; so is the other until it proves
                // wrong.
                self.consts.decide(&a.open, Elem::Int, true);
                self.consts.decide(&b.open, Elem::Int, true);
                let zero = Expr::int(0);
                (zero.clone(), zero, None, vec![])
            }
            (false, true) => {
                let elem = b.elem();
                (self.try_elem(a, elem)?, b.expr, Some(elem), vec![])
            }
            (true, _) => {
                let elem = a.elem();
                (a.expr, self.try_elem(b, elem)?, Some(elem), vec![])
            }
        };
        let elem = elem.unwrap_or(left.ty.elem);
        Some(Pair {
            left,
            right,
            elem,
            scalar,
            open,
        })
    }
}
