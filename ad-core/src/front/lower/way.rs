//! What ndarray and iterators make on the way to a value: it lives while lowering only, so that
//! chains of adaptors are one loop.

use super::call::Callable;
use super::value::{Plain, Value};
use super::{Bindings, Lowerer, binder::Axes};
use crate::front::error::{Loc, Result};
use crate::ir::core::Expr;
use crate::ir::prims::Prim;
use std::rc::Rc;

/// What is on the way.
pub(super) enum Way {
    /// An iterator.
    Iter(Iter),
    /// `Zip::from(..)`: like an iterator, but closures take each part as an argument of its own.
    Zip(Iter),
    /// An `Option` or a `Result`.
    Maybe(Maybe),
}

/// The item at an index.
pub(super) type At = Rc<dyn Fn(&mut Lowerer<'_>, &[Expr]) -> Result<Value>>;

/// What an iterator runs over: a box of indices, in the order of rows.
#[derive(Clone)]
pub(super) struct Iter {
    /// The length of each axis, or nothing for `a..`, which has no end.
    pub(super) extents: Option<Vec<Expr>>,
    pub(super) at: At,
    /// From the first `filter` on: what happens to an item, one after another.
    pub(super) after: Vec<Stage>,
}

/// A stage behind a `filter`.
#[derive(Clone)]
pub(super) enum Stage {
    Filter(Callable, Loc),
    Map(Callable, Loc),
}

/// An `Option` or a `Result`.
#[derive(Clone)]
pub(super) struct Maybe {
    pub(super) value: Value,
    /// When there is none, if that can be asked.
    pub(super) none: Option<Expr>,
    /// What is certain to be computed where the value is taken for granted.
    pub(super) sure: Vec<Expr>,
}

impl Way {
    pub(super) fn describe(&self) -> &'static str {
        match self {
            Way::Iter(_) => "an iterator",
            Way::Zip(_) => "a `Zip`",
            Way::Maybe(_) => "an `Option` or a `Result`",
        }
    }

    /// What to do with it instead.
    pub(super) fn advice(&self) -> &'static str {
        match self {
            Way::Iter(_) => "; end it with `sum`, `product`, `fold`, `count` or `collect`",
            Way::Zip(_) => "; end it with `map_collect` or `fold`",
            Way::Maybe(_) => {
                "; take the value out with `unwrap()`, `expect(..)` or `unwrap_or(..)`"
            }
        }
    }
}

impl From<Iter> for Value {
    fn from(iter: Iter) -> Value {
        Value::Way(Rc::new(Way::Iter(iter)))
    }
}

impl From<Maybe> for Value {
    fn from(maybe: Maybe) -> Value {
        Value::Way(Rc::new(Way::Maybe(maybe)))
    }
}

impl Maybe {
    /// A value that is there, whatever it takes.
    pub(super) fn sure(value: Value, sure: Vec<Expr>) -> Value {
        let none = None;
        Maybe { value, none, sure }.into()
    }
}

impl Lowerer<'_> {
    /// Lowers under fresh indices; what is bound there stays there.
    pub(super) fn at_each<T>(
        &mut self,
        extents: &[Expr],
        f: impl FnOnce(&mut Self, &[Expr]) -> Result<T>,
    ) -> Result<(Axes, Bindings, T)> {
        let (axes, at) = self.indices(extents);
        let depth = self.loops.len();
        self.loops.extend(axes.iter().map(|(sym, _)| sym.clone()));
        let result = self.frame(|l| f(l, &at));
        self.loops.truncate(depth);
        let (bound, result) = result?;
        Ok((axes, bound, result))
    }

    /// A method of an `Option` or a `Result`.
    pub(super) fn maybe_method(
        &mut self,
        maybe: &Maybe,
        name: &syn::Ident,
        args: &[crate::front::surface::Expr],
        loc: Loc,
    ) -> Result<Value> {
        let method = name.to_string();
        match (method.as_str(), args) {
            ("unwrap" | "expect", []) => {
                for sure in &maybe.sure {
                    self.share("sure", sure.clone());
                }
                Ok(maybe.value.clone())
            }
            ("copied" | "cloned", []) => Ok(Maybe::clone(maybe).into()),
            ("unwrap_or", [other]) if maybe.none.is_some() => {
                let default = self.expr(other)?;
                let default = self.plain(default, other.loc)?;
                let value = self.plain(maybe.value.clone(), loc)?;
                let none = maybe.none.clone();
                let none = none.unwrap_or_else(|| Expr::lit(crate::ir::ty::Lit::Bool(false)));
                let there = Expr::prim(Prim::Not, vec![none]);
                let message = format!(
                    "`unwrap_or` gives {} or {}; both must be the same",
                    value.describe(),
                    default.describe()
                );
                if value.expr.ty.rank != default.expr.ty.rank {
                    return Err(self.errors.at(loc, message));
                }
                match self.pair(value, default) {
                    Some(pair) => Ok(Value::Plain(Plain {
                        expr: Expr::cond(there, pair.left, pair.right),
                        scalar: pair.scalar,
                        open: pair.open,
                    })),
                    None => Err(self.errors.at(loc, message)),
                }
            }
            _ => {
                let _ = self.all(args);
                let message = format!(
                    "an `Option` or a `Result` has no method `{name}` here; take the value out with \
                     `unwrap()` or `expect(..)`"
                );
                Err(self.errors.at(name.span(), message))
            }
        }
    }
}
