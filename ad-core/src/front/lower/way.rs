//! What ndarray and iterators make on the way to a value: it lives while lowering only, so that
//! chains of adaptors are one loop.

use super::borrow::Borrow;
use super::call::Callable;
use super::value::Value;
use super::{Bindings, Lowerer, binder::Axes};
use crate::front::error::{Loc, Result};
use crate::front::surface::Kind as Surface;
use crate::ir::core::{Expr, Kind};
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Lit};
use std::rc::Rc;

/// What is on the way.
pub(super) enum Way {
    /// An iterator.
    Iter(Filtered),
    /// `Zip::from(..)`: like an iterator, but closures take each part as an argument of its own.
    Zip(Iter),
    /// An `Option` or a `Result`.
    Maybe(Maybe),
    /// `&mut x`, and parts of it.
    Borrow(Borrow),
}

/// The item at an index.
pub(super) type At = Rc<dyn Fn(&mut Lowerer<'_>, &[Expr]) -> Result<Value>>;

/// An iterator over all items of a box of indices, in the order of rows.
#[derive(Clone)]
pub(super) struct Iter {
    /// The length of each axis, or nothing for `a..`, which has no end.
    pub(super) extents: Option<Vec<Expr>>,
    pub(super) at: At,
    /// Whether the items are arrays with shapes of their own, so that indices must be literals.
    pub(super) one_by_one: bool,
}

/// An iterator that may leave items out. Code that counts items takes an [`Iter`], which only
/// `Lowerer::unfiltered` makes of it, or refuses.
#[derive(Clone)]
pub(super) struct Filtered {
    /// The items before the first `filter`.
    pub(super) items: Iter,
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
            Way::Borrow(_) => "what is borrowed to be changed",
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
            Way::Borrow(_) => "; read it with `*`",
        }
    }
}

impl Filtered {
    /// How many items there are, where none is left out.
    pub(super) fn count(&self) -> Option<Expr> {
        match self.after.is_empty() {
            true => self.items.count(),
            false => None,
        }
    }
}

impl From<Iter> for Filtered {
    fn from(items: Iter) -> Filtered {
        let after = vec![];
        Filtered { items, after }
    }
}

impl From<Iter> for Value {
    fn from(iter: Iter) -> Value {
        Filtered::from(iter).into()
    }
}

impl From<Filtered> for Value {
    fn from(iter: Filtered) -> Value {
        Value::Way(Rc::new(Way::Iter(iter)))
    }
}

impl From<Maybe> for Value {
    fn from(maybe: Maybe) -> Value {
        Value::Way(Rc::new(Way::Maybe(maybe)))
    }
}

impl Value {
    /// An `Option` or a `Result`.
    pub(super) fn as_maybe(&self) -> Option<&Maybe> {
        match self {
            Value::Way(way) => match &**way {
                Way::Maybe(maybe) => Some(maybe),
                Way::Iter(_) | Way::Zip(_) | Way::Borrow(_) => None,
            },
            Value::Plain(_)
            | Value::Tuple(_)
            | Value::List(_)
            | Value::Struct(..)
            | Value::Closure(..)
            | Value::Shape(_) => None,
        }
    }
}

impl Maybe {
    /// `None`
    pub(super) fn nothing() -> Value {
        Maybe {
            value: Value::Tuple(vec![]),
            none: Some(Expr::lit(Lit::Bool(true))),
            sure: vec![],
        }
        .into()
    }

    /// `Some(value)`
    pub(super) fn there(value: Value) -> Value {
        Maybe {
            value,
            none: Some(Expr::lit(Lit::Bool(false))),
            sure: vec![],
        }
        .into()
    }

    /// Whether it is `None` wherever it is.
    pub(super) fn is_nothing(&self) -> bool {
        matches!((&self.none, &self.value), (Some(none), Value::Tuple(parts))
            if parts.is_empty() && matches!(&*none.kind, Kind::Lit(Lit::Bool(true))))
    }

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

    /// An `Option` or a `Result`, which a value has to be.
    pub(super) fn maybe(&mut self, value: Value, loc: Loc) -> Result<Maybe> {
        match value.as_maybe() {
            Some(maybe) => {
                let maybe = maybe.clone();
                self.no_alias(&maybe.value, loc)?;
                Ok(maybe)
            }
            None => {
                let message = format!(
                    "cannot see that this is an `Option` or a `Result`: it is {}",
                    value.describe()
                );
                Err(self.errors.at(loc, message))
            }
        }
    }

    /// Whether there is no value.
    pub(super) fn is_none(&mut self, maybe: &Maybe, loc: Loc) -> Result<Expr> {
        match &maybe.none {
            Some(none) => Ok(none.clone()),
            None => Err(self.errors.at(
                loc,
                "whether there is a value cannot be asked here; write `unwrap()` or `expect(..)`",
            )),
        }
    }

    /// The value, which is there.
    pub(super) fn value_of(&mut self, maybe: &Maybe, loc: Loc) -> Result<Value> {
        if maybe.is_nothing() {
            let message = "this has no value in any case";
            return Err(self.errors.at(loc, message));
        }
        for sure in &maybe.sure {
            self.share("sure", sure.clone());
        }
        Ok(maybe.value.clone())
    }

    /// The value of a closure, computed only where a condition holds, and another value elsewhere.
    fn value_or(
        &mut self,
        maybe: &Maybe,
        with: impl FnOnce(&mut Self, Value) -> Result<Value>,
        other: impl FnOnce(&mut Self) -> Result<Value>,
        loc: Loc,
    ) -> Result<Value> {
        let none = self.is_none(maybe, loc)?;
        if maybe.is_nothing() {
            return other(self);
        }
        let there = Expr::prim(Prim::Not, vec![none]);
        let value = maybe.value.clone();
        self.decided(there, |l| with(l, value), other, loc)
    }

    /// A call of a closure.
    fn apply(&mut self, f: &Callable, args: Vec<Value>, loc: Loc) -> Result<Value> {
        let args = args.into_iter().map(|v| (Ok(v), loc)).collect();
        self.applied(f, args, loc)
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
            ("unwrap" | "expect", []) => self.value_of(maybe, loc),
            ("copied" | "cloned", []) => {
                let value = self.fetched(maybe.value.clone())?;
                let maybe = Maybe::clone(maybe);
                Ok(Maybe { value, ..maybe }.into())
            }
            ("clone" | "ok" | "ok_or" | "ok_or_else" | "map_err" | "as_ref" | "as_deref", []) => {
                Ok(Maybe::clone(maybe).into())
            }
            ("is_some" | "is_ok", []) => {
                let none = self.is_none(maybe, loc)?;
                Ok(Expr::prim(Prim::Not, vec![none]).into())
            }
            ("is_none" | "is_err", []) => self.is_none(maybe, loc).map(Value::from),
            ("unwrap_or", [other]) => self.value_or(maybe, |_, v| Ok(v), |l| l.expr(other), loc),
            ("unwrap_or_default", []) => {
                let zero = self.placeholder(&maybe.value);
                self.value_or(maybe, |_, v| Ok(v), |_| Ok(zero), loc)
            }
            ("unwrap_or_else", [other]) => {
                let mut params = 0;
                if let Surface::Closure(closure) = &other.kind {
                    params = closure.params.len();
                }
                let f = self.callable(other, params, "unwrap_or_else")?;
                let args = match params {
                    0 => vec![],
                    _ => vec![Value::Tuple(vec![])],
                };
                self.value_or(maybe, |_, v| Ok(v), |l| l.apply(&f, args, loc), loc)
            }
            ("map", [f]) => {
                let f = self.callable(f, 1, "map")?;
                let none = Some(self.is_none(maybe, loc)?);
                if maybe.is_nothing() {
                    return Ok(Maybe::nothing());
                }
                let with = |l: &mut Self, v: Value| {
                    let v = l.named(v, "some");
                    l.apply(&f, vec![v], loc)
                };
                // Where there is no value, a placeholder stands for it.
                let there = Expr::prim(Prim::Not, vec![self.is_none(maybe, loc)?]);
                let value = maybe.value.clone();
                let value = self.decided_where(there, |l| with(l, value), loc)?;
                let value = self.named(value, "some");
                let sure = vec![];
                Ok(Maybe { value, none, sure }.into())
            }
            ("map_or", [other, f]) => {
                let f = self.callable(f, 1, "map_or")?;
                let with = |l: &mut Self, v: Value| {
                    let v = l.named(v, "some");
                    l.apply(&f, vec![v], loc)
                };
                self.value_or(maybe, with, |l| l.expr(other), loc)
            }
            ("map_or_else", [other, f]) => {
                let other = self.callable(other, 0, "map_or_else")?;
                let f = self.callable(f, 1, "map_or_else")?;
                let with = |l: &mut Self, v: Value| {
                    let v = l.named(v, "some");
                    l.apply(&f, vec![v], loc)
                };
                self.value_or(maybe, with, |l| l.apply(&other, vec![], loc), loc)
            }
            ("is_some_and", [f]) => {
                let f = self.callable(f, 1, "is_some_and")?;
                let with = |l: &mut Self, v: Value| {
                    let v = l.named(v, "some");
                    l.apply(&f, vec![v], loc)
                };
                let other = |_: &mut Self| Ok(Expr::lit(Lit::Bool(false)).into());
                self.value_or(maybe, with, other, loc)
            }
            ("and_then", [f]) => {
                let f = self.callable(f, 1, "and_then")?;
                let with = |l: &mut Self, v: Value| {
                    let v = l.named(v, "some");
                    l.apply(&f, vec![v], loc)
                };
                self.value_or(maybe, with, |_| Ok(Maybe::nothing()), loc)
            }
            ("filter", [f]) => {
                let f = self.callable(f, 1, "filter")?;
                let value = maybe.value.clone();
                let with = |l: &mut Self, v: Value| {
                    let v = l.named(v, "some");
                    l.apply(&f, vec![v], loc)
                };
                let other = |_: &mut Self| Ok(Expr::lit(Lit::Bool(false)).into());
                let there = self.value_or(maybe, with, other, loc)?;
                let there = self.of(Elem::Bool, there, loc, "a condition")?;
                let none = Expr::prim(Prim::Not, vec![there]);
                let none = Some(self.share("none", none));
                let sure = vec![];
                Ok(Maybe { value, none, sure }.into())
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
