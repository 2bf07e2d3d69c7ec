//! Axes. One that is known when the derivative is compiled is a literal. Any other one is an
//! integer, and what stands in its scope is a choice among the axes that the arrays there have:
//!
//! ```text
//! let axis = Axis(k); rest   is   if k == 0 { rest where axis = 0 } else { rest where axis = 1 }
//! ```
//!
//! How many there are is known behind the first of these: it is the rank of the arrays that `axis`
//! is used for. Another axis fails where it is used.

use super::branch::Branch;
use super::size::literal;
use super::value::{Plain, Value};
use super::{Binding, Lowerer};
use crate::front::error::{Loc, Result};
use crate::front::surface::{Expr as Surface, Kind, Stmt};
use crate::front::types::Scalar;
use crate::ir::core::Expr;
use crate::ir::prims::Prim;

/// What is known of the arrays that axes are used for which are no literals where they are written.
#[derive(Default)]
pub(super) struct Uses {
    /// The largest rank.
    rank: usize,
    /// Whether one of them has no such axis.
    beyond: bool,
    /// The names that stand for the last of the axes, or else for one that there is not.
    last: Vec<(String, Expr)>,
    /// The names of axes that are only passed on.
    passed: Vec<String>,
}

const CHANGES: &str = "which axis is meant must be known where it is used; give it a name \
                       which does not change, right before: `let axis = Axis(k);`";

impl Lowerer<'_> {
    /// `Axis(k)`
    pub(super) fn axis_value(&mut self, k: &Surface) -> Result<Value> {
        let number = self.number(k)?;
        Ok(Plain::typed(number, Scalar::Axis).into())
    }

    /// The axis of an array of a rank.
    pub(super) fn axis(&mut self, e: &Surface, rank: usize) -> Result<usize> {
        let value = self.expr(e)?;
        let Value::Plain(plain) = &value else {
            return Err(self.no_axis(&value, e.loc));
        };
        if plain.scalar != Some(Scalar::Axis) {
            return Err(self.no_axis(&value, e.loc));
        }
        let Some(k) = literal(&plain.expr) else {
            return Err(self.errors.at(e.loc, CHANGES));
        };
        if !matches!(e.kind, Kind::Call(..)) {
            self.axes.rank = self.axes.rank.max(rank);
            self.axes.beyond |= usize::try_from(k).is_ok_and(|k| k >= rank);
        }
        if let Kind::Path(path) = &e.kind {
            let mut last = self.axes.last.iter().rev();
            let axis = last.find(|(name, _)| path.is_ident(name));
            if let Some((_, axis)) = axis.cloned() {
                self.at_most(&axis, rank);
            }
        }
        self.axis_number(k, rank, e.loc)
    }

    /// Demands on entry that an array has an axis, unless the axis depends on the index of a loop.
    pub(super) fn at_most(&mut self, axis: &Expr, rank: usize) {
        if self.dependence(axis).is_empty() {
            let last = Expr::int(rank as i64 - 1);
            let sure = self.natural(Expr::prim(Prim::ISub, vec![last, axis.clone()]));
            self.share("sure", sure);
        }
    }

    fn no_axis(&mut self, value: &Value, loc: Loc) -> crate::front::error::Reported {
        let message = format!(
            "this is {}, and an axis is needed; write `Axis(0)`",
            value.describe()
        );
        self.errors.at(loc, message)
    }

    /// A method of an axis.
    pub(super) fn axis_method(&mut self, axis: &Plain, name: &syn::Ident) -> Option<Value> {
        let is_axis = axis.scalar == Some(Scalar::Axis);
        (is_axis && name == "index").then(|| axis_index(axis))
    }

    /// Statements and the value behind them.
    pub(super) fn statements(&mut self, stmts: &[Stmt], tail: &Surface) -> Result<Value> {
        for (k, stmt) in stmts.iter().enumerate() {
            if self.open_axis().is_some() {
                return self.in_cases(tail.loc, &mut |l| l.statements(&stmts[k..], tail));
            }
            self.stmt(stmt);
        }
        self.in_cases(tail.loc, &mut |l| l.expr(tail))
    }

    /// Something in the scope of axes, for each of the axes that may be meant.
    pub(super) fn in_cases(
        &mut self,
        loc: Loc,
        f: &mut dyn FnMut(&mut Self) -> Result<Value>,
    ) -> Result<Value> {
        let Some((name, axis)) = self.open_axis() else {
            return f(self);
        };
        let axis = self.share("axis", axis);
        let uses = Uses {
            last: self.axes.last.clone(),
            passed: self.axes.passed.clone(),
            ..Uses::default()
        };
        let uses = std::mem::replace(&mut self.axes, uses);
        let all = self.case(&name, &axis, 0, loc, f);
        if all.is_ok() && self.axes.rank == 0 {
            // No array here is asked for it.
            self.axes = uses;
            self.axes.passed.push(name);
            let value = f(self);
            self.axes.passed.pop();
            return value;
        }
        self.axes.rank = self.axes.rank.max(uses.rank);
        self.axes.beyond |= uses.beyond;
        let branch = all?.unwrap_or_else(|| unreachable!("the first axis is tried in any case"));
        Ok(self.entered(branch))
    }

    /// Axis `k` and those behind it; nothing if there are none.
    fn case(
        &mut self,
        name: &str,
        axis: &Expr,
        k: usize,
        loc: Loc,
        f: &mut dyn FnMut(&mut Self) -> Result<Value>,
    ) -> Result<Option<Branch>> {
        let quiet = self.errors.quiet();
        let before = std::mem::replace(&mut self.errors, quiet);
        self.axes.beyond = false;
        let is_last = k > 0 && k + 1 >= self.axes.rank;
        self.axes
            .last
            .extend(is_last.then(|| (name.to_owned(), axis.clone())));
        let here = self.side(loc, |l| {
            let known = Plain::typed(Expr::int(k as i64), Scalar::Axis);
            let cell = l.cells;
            l.name(name.to_owned(), Binding::Value(known.into()));
            let value = l.in_cases(loc, f);
            let is_it = |binding: &Binding| match binding {
                Binding::Value(Value::Plain(plain)) => literal(&plain.expr) == Some(k as i64),
                Binding::Value(_) | Binding::Import(_) | Binding::Unset | Binding::Hole(_) => false,
            };
            match l.env.cell(cell).is_some_and(is_it) {
                true => value,
                false => Err(l.errors.at(loc, CHANGES)),
            }
        });
        if is_last {
            self.axes.last.pop();
        }
        let errors = std::mem::replace(&mut self.errors, before);
        if k > 0 && self.axes.beyond {
            return Ok(None);
        }
        self.errors.extend(errors);
        let here = here?;
        if k + 1 >= self.axes.rank {
            return Ok(Some(here));
        }
        let Some(other) = self.case(name, axis, k + 1, loc, f)? else {
            return Ok(Some(here));
        };
        let is_this = Expr::prim(Prim::IEq, vec![axis.clone(), Expr::int(k as i64)]);
        self.side(loc, |l| l.either(is_this, here, other, loc))
            .map(Some)
    }

    /// A variable in scope that is an axis, and which one is known at the call only.
    fn open_axis(&self) -> Option<(String, Expr)> {
        let is_open = |binding: &Binding| match binding {
            Binding::Value(Value::Plain(plain)) => {
                plain.scalar == Some(Scalar::Axis) && literal(&plain.expr).is_none()
            }
            Binding::Value(_) | Binding::Import(_) | Binding::Unset | Binding::Hole(_) => false,
        };
        let entry = self.env.first(|e| {
            is_open(&e.binding)
                && !self.axes.passed.contains(&e.name)
                && self.env.get(&e.name).is_some_and(is_open)
        })?;
        match self.env.get(&entry.name)? {
            Binding::Value(Value::Plain(plain)) => Some((entry.name.clone(), plain.expr.clone())),
            Binding::Value(_) | Binding::Import(_) | Binding::Unset | Binding::Hole(_) => None,
        }
    }
}

/// `axis.index()`, `axis.0`
pub(super) fn axis_index(axis: &Plain) -> Value {
    Plain::typed(axis.expr.clone(), Scalar::Usize).into()
}
