//! `if` and `match`. What is inside of a branch is evaluated only if the branch is taken.

use super::fixed::List;
use super::value::{Plain, Value};
use super::variants;
use super::way::Maybe;
use super::{Binding, Bindings, Changed, Lowerer, under};
use crate::front::error::{Loc, Result};
use crate::front::surface::{Arm, Expr as Surface, Kind as SurfaceKind, Test};
use crate::ir::core::{Expr, Kind as CoreKind};
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Lit};

/// For what is borrowed under a condition.
const IN_BRANCHES: &str = "a condition decides what is borrowed; write the changes into each \
     branch, or read the value by `*`";

/// What is evaluated only under a condition.
pub(super) struct Branch {
    /// The variables that it binds.
    pub(super) bound: Bindings,
    /// What it changes of what is outside.
    pub(super) changed: Vec<Changed>,
    pub(super) value: Value,
    pub(super) loc: Loc,
}

impl Branch {
    /// The same with one part for the value.
    pub(super) fn with(&self, part: &Value) -> Branch {
        Branch {
            bound: self.bound.clone(),
            changed: vec![],
            value: part.clone(),
            loc: self.loc,
        }
    }
}

impl Lowerer<'_> {
    pub(super) fn branch(
        &mut self,
        cond: &Surface,
        then: &Surface,
        other: &Surface,
        loc: Loc,
    ) -> Result<Value> {
        let cond_value = self.expr(cond);
        let cond = cond_value.and_then(|v| self.of(Elem::Bool, v, cond.loc, "a condition"));
        let nevers = (is_never(then), is_never(other));
        let then = self.part_of(then);
        let other = self.part_of(other);
        self.one_of(cond?, (then?, other?), nevers, loc)
    }

    /// One or the other, where the value of one may never be looked at.
    pub(super) fn one_of(
        &mut self,
        cond: Expr,
        (mut then, mut other): (Branch, Branch),
        nevers: (bool, bool),
        loc: Loc,
    ) -> Result<Value> {
        match nevers {
            (true, false) => then.value = self.placeholder(&other.value),
            (false, true) => other.value = self.placeholder(&then.value),
            (true, true) | (false, false) => {}
        }
        self.either(cond, then, other, loc)
    }

    /// What is evaluated only under a condition.
    fn part_of(&mut self, e: &Surface) -> Result<Branch> {
        self.side(e.loc, |l| l.expr(e))
    }

    /// The same of anything.
    pub(super) fn side(
        &mut self,
        loc: Loc,
        f: impl FnOnce(&mut Self) -> Result<Value>,
    ) -> Result<Branch> {
        let (bound, changed, value) = self.open(f);
        match value {
            Ok(value) => Ok(Branch {
                bound,
                changed,
                value,
                loc,
            }),
            Err(reported) => {
                // What it would have changed is as wrong.
                for one in changed {
                    let binding = Binding::Hole(reported);
                    self.change(Changed { binding, ..one });
                }
                Err(reported)
            }
        }
    }

    /// What is evaluated in any case, as it turned out.
    pub(super) fn entered(&mut self, branch: Branch) -> Value {
        branch.changed.into_iter().for_each(|one| self.change(one));
        if let Some(frame) = self.frames.last_mut() {
            frame.extend(branch.bound);
        }
        branch.value
    }

    /// One or the other, which have one type.
    pub(super) fn either(
        &mut self,
        cond: Expr,
        then: Branch,
        other: Branch,
        loc: Loc,
    ) -> Result<Value> {
        if !then.changed.is_empty() || !other.changed.is_empty() {
            let cond = self.share("cond", cond);
            self.merged(&cond, &then, &other, loc);
            return self.chosen(cond, then, other, loc);
        }
        self.chosen(cond, then, other, loc)
    }

    fn chosen(&mut self, cond: Expr, then: Branch, other: Branch, loc: Loc) -> Result<Value> {
        for branch in [&then, &other] {
            self.no_copy(&branch.value, branch.loc, IN_BRANCHES)?;
        }
        if let (Some(a), Some(b)) = (then.value.as_maybe(), other.value.as_maybe()) {
            return self.maybe_chosen(cond, (&then, a), (&other, b), loc);
        }
        if then.value.is_like(&other.value) {
            let cond = self.share("cond", cond);
            return self.each(&cond, &then, &other, loc);
        }
        let of_rust = matches!(&then.value, Value::List(_));
        let mut plain = |branch: Branch| -> Result<Plain> {
            // What makes an array of elements stays in the branch.
            let (more, plain) =
                self.frame(|l| l.single(branch.value, branch.loc, "this branch"))?;
            let expr = under(branch.bound, under(more, plain.expr));
            Ok(Plain { expr, ..plain })
        };
        let (then, other) = (plain(then)?, plain(other)?);
        self.one(cond, then, other, of_rust, loc)
    }

    /// A value of the same form whose numbers are never used.
    pub(super) fn placeholder(&mut self, of: &Value) -> Value {
        if let Some(maybe) = of.as_maybe() {
            return Maybe {
                value: self.placeholder(&maybe.value),
                none: Some(Expr::lit(Lit::Bool(true))),
                sure: vec![],
            }
            .into();
        }
        let mut leaves = vec![];
        for leaf in of.leaves() {
            let zero = Expr::lit(Lit::zero(leaf.elem()));
            let (axes, _) = self.indices(&vec![Expr::int(0); leaf.expr.ty.rank]);
            leaves.push(Plain {
                expr: super::combinator::built(axes, zero),
                ..leaf.clone()
            });
        }
        of.with_leaves(&mut leaves.into_iter())
    }

    /// A value where a condition holds, and another one elsewhere.
    pub(super) fn decided(
        &mut self,
        cond: Expr,
        then: impl FnOnce(&mut Self) -> Result<Value>,
        other: impl FnOnce(&mut Self) -> Result<Value>,
        loc: Loc,
    ) -> Result<Value> {
        let then = self.side(loc, then);
        let other = self.side(loc, other);
        self.either(cond, then?, other?, loc)
    }

    /// A value where a condition holds, and a placeholder elsewhere.
    pub(super) fn decided_where(
        &mut self,
        cond: Expr,
        then: impl FnOnce(&mut Self) -> Result<Value>,
        loc: Loc,
    ) -> Result<Value> {
        let then = self.side(loc, then)?;
        let other = self.side(loc, |_| Ok(Value::Tuple(vec![])))?;
        self.one_of(cond, (then, other), (false, true), loc)
    }

    /// Of an `Option` or a `Result`: whether it has a value, and which.
    pub(super) fn maybe_chosen(
        &mut self,
        cond: Expr,
        (then, a): (&Branch, &Maybe),
        (other, b): (&Branch, &Maybe),
        loc: Loc,
    ) -> Result<Value> {
        let cond = self.share("cond", cond);
        let none = |l: &mut Self, maybe: &Maybe| l.is_none(maybe, loc).map(Value::from);
        let nones = (none(self, a)?, none(self, b)?);
        let none = self.each(&cond, &then.with(&nones.0), &other.with(&nones.1), loc)?;
        let none = self.of(Elem::Bool, none, loc, "a condition")?;
        let values = match (a.is_nothing(), b.is_nothing()) {
            (true, true) => return Ok(Maybe::nothing()),
            (true, _) => (self.placeholder(&b.value), b.value.clone()),
            (_, true) => (a.value.clone(), self.placeholder(&a.value)),
            (false, false) => (a.value.clone(), b.value.clone()),
        };
        let (then, other) = (then.with(&values.0), other.with(&values.1));
        let value = self.chosen(cond, then, other, loc)?;
        // It may be used more than once.
        let (value, none) = (self.named(value, "some"), self.share("none", none));
        Ok(Maybe {
            value,
            none: Some(none),
            sure: vec![],
        }
        .into())
    }

    /// Of tuples part by part. What a branch binds is written down for each part that needs it; it
    /// is the same value under the same condition, so that it is computed once.
    pub(super) fn each(
        &mut self,
        cond: &Expr,
        then: &Branch,
        other: &Branch,
        loc: Loc,
    ) -> Result<Value> {
        if then.value.is_like(&other.value)
            && let Some((a, b)) = variants::aligned(&then.value, &other.value)
                .or_else(|| Some((then.value.clone(), other.value.clone())))
            && let (Some(a), Some(b)) = (a.components(), b.components())
        {
            let mut parts = vec![];
            for (a, b) in a.iter().zip(b) {
                let (then, other) = (then.with(a), other.with(b));
                parts.push(self.each(cond, &then, &other, loc));
            }
            let parts: Result<Vec<Value>> = parts.into_iter().collect();
            return Ok(then.value.with_components(parts?));
        }
        let of_rust = matches!(&then.value, Value::List(_));
        let mut plain = |branch: &Branch| -> Result<Plain> {
            let (more, plain) = self
                .frame(|l| l.single(branch.value.clone(), branch.loc, "this part of a branch"))?;
            let bound: Bindings = branch.bound.iter().cloned().chain(more).collect();
            let expr = self.rebound(&bound, plain.expr);
            Ok(Plain { expr, ..plain })
        };
        let (then, other) = (plain(then)?, plain(other)?);
        self.one(cond.clone(), then, other, of_rust, loc)
    }

    pub(super) fn one(
        &mut self,
        cond: Expr,
        then: Plain,
        other: Plain,
        of_rust: bool,
        loc: Loc,
    ) -> Result<Value> {
        let message = format!(
            "the branches give {} and {}; both must give the same",
            then.describe(),
            other.describe()
        );
        if then.expr.ty.rank != other.expr.ty.rank {
            return Err(self.errors.at(loc, message));
        }
        match self.pair(then, other) {
            Some(pair) => {
                let plain = Plain {
                    expr: Expr::cond(cond, pair.left, pair.right),
                    scalar: pair.scalar,
                    open: pair.open,
                };
                Ok(match of_rust {
                    true => Value::of_rust(plain),
                    false => Value::Plain(plain),
                })
            }
            None => Err(self.errors.at(loc, message)),
        }
    }

    /// The value of a branch that is always taken.
    fn taken(&mut self, branch: Branch) -> Value {
        if let Some(frame) = self.frames.last_mut() {
            frame.extend(branch.bound);
        }
        for one in branch.changed {
            self.change(one);
        }
        branch.value
    }

    pub(super) fn choice(&mut self, on: &Surface, arms: &[Arm], loc: Loc) -> Result<Value> {
        let value = self.expr(on)?;
        let value = self.named(value, "on");
        if let (Value::Closure(..) | Value::Shape(_) | Value::Way(_), None) =
            (&value, value.as_maybe())
        {
            self.plain(value.clone(), on.loc)?;
        }
        // What has no value in any case does not match `Some`.
        let is_nothing = value.as_maybe().is_some_and(Maybe::is_nothing);
        let possible = |arm: &&Arm| !is_nothing || !matches!(arm.test, Test::Some(..));
        let possible: Vec<Arm> = arms.iter().filter(possible).cloned().collect();
        match possible.is_empty() {
            true => self.arms(&value, arms, loc),
            false => self.arms(&value, &possible, loc),
        }
    }

    /// The first arm that matches. rustc has made sure that one does, so the last needs no test.
    fn arms(&mut self, on: &Value, arms: &[Arm], loc: Loc) -> Result<Value> {
        let Some((arm, rest)) = arms.split_first() else {
            return Err(self.errors.at(
                loc,
                "a `match` without arms gives no value; write an arm `_ => ..`",
            ));
        };
        let last = rest.is_empty() && arm.guard.is_none();
        let outer = self.env.clone();
        let test = self.test(on, &arm.test);
        if let Err(reported) = test {
            self.holes(reported, &arm.test.names());
        }
        let guard = match &arm.guard {
            None => Ok(None),
            Some(guard) => self
                .region(guard.loc, "the guard", |l| l.expr(guard))
                .and_then(|p| self.of(Elem::Bool, p.into(), guard.loc, "a guard"))
                .map(Some),
        };
        let of_maybe = on.as_maybe().is_some();
        let body = self.side(arm.body.loc, |l| {
            // The value of an `Option` is computed here only.
            for ident in arm.test.names().iter().filter(|_| of_maybe) {
                let name = ident.to_string();
                if let Some(Binding::Value(value)) = l.env.get(&name).cloned() {
                    let value = l.named(value, &name);
                    l.name(name, Binding::Value(value));
                }
            }
            l.expr(&arm.body)
        });
        self.env = outer;
        let cond = match (test, guard) {
            (Ok(test), Ok(guard)) => Ok(both(test, guard)),
            (Err(reported), _) | (_, Err(reported)) => Err(reported),
        };
        if last {
            cond?;
            return body.map(|b| self.taken(b));
        }
        if let Ok(None) = cond {
            return body.map(|b| self.taken(b));
        }
        if rest.is_empty() {
            return Err(self.errors.at(
                loc,
                "the last arm has a guard, so that none may match; write a last arm `_ => ..`",
            ));
        }
        let nevers = (
            is_never(&arm.body),
            rest.iter().all(|arm| is_never(&arm.body)),
        );
        let other = self.side(loc, |l| l.arms(on, rest, loc));
        let (body, other) = (body?, other?);
        match cond? {
            Some(cond) => self.one_of(cond, (body, other), nevers, loc),
            None => Ok(self.taken(body)),
        }
    }

    /// Whether a value matches; nothing if it always does. Binds the names of the pattern.
    pub(super) fn test(&mut self, on: &Value, test: &Test) -> Result<Option<Expr>> {
        match test {
            Test::Hole(reported, _) => Err(*reported),
            Test::Wild => Ok(None),
            Test::Name(ident) => {
                self.no_alias(on, ident.span().into())?;
                self.name(ident.to_string(), Binding::Value(on.clone()));
                Ok(None)
            }
            Test::None(loc) => {
                let maybe = self.maybe(on.clone(), *loc)?;
                self.is_none(&maybe, *loc).map(Some)
            }
            Test::Some(loc, inner) => {
                let maybe = self.maybe(on.clone(), *loc)?;
                let none = self.is_none(&maybe, *loc)?;
                let there = Expr::prim(Prim::Not, vec![none]);
                if maybe.is_nothing() {
                    self.test(&Value::Tuple(vec![]), inner)?;
                    return Ok(Some(there));
                }
                let more = self.test(&maybe.value, inner)?;
                Ok(both(Some(there), more))
            }
            Test::Int(loc, i) => {
                let on = self.of(
                    Elem::Int,
                    on.clone(),
                    *loc,
                    "what is matched with an integer",
                )?;
                Ok(Some(Expr::prim(Prim::IEq, vec![on, Expr::int(*i)])))
            }
            Test::Bool(loc, value) => {
                let on = self.of(Elem::Bool, on.clone(), *loc, "what is matched with a bool")?;
                Ok(Some(match value {
                    true => on,
                    false => Expr::prim(Prim::Not, vec![on]),
                }))
            }
            Test::Struct(loc, path, fields) => self.test_fields(on, path, fields, *loc),
            Test::Const(loc, path) if matches!(on, Value::Struct(..)) => {
                self.test_fields(on, path, &[], *loc)
            }
            Test::Const(loc, path) => {
                let constant = self.constant(path, *loc)?;
                let on = self.plain(on.clone(), *loc)?;
                let constant = self.plain(constant, *loc)?;
                self.is_constant(on, constant, *loc).map(Some)
            }
            Test::Range(loc, from, to) => {
                let on = self.of(Elem::Int, on.clone(), *loc, "what is matched with a range")?;
                let end = |prim, end: Option<i64>| {
                    end.map(|end| Expr::prim(prim, vec![on.clone(), Expr::int(end)]))
                };
                let (from, to) = (end(Prim::IGe, *from), end(Prim::ILe, *to));
                Ok(match from {
                    Some(from) => both(Some(from), to),
                    None => to,
                })
            }
            Test::Or(tests) => {
                let mut any = Expr::lit(Lit::Bool(false));
                for (k, test) in tests.iter().enumerate() {
                    match self.test(on, test)? {
                        None => return Ok(None),
                        Some(one) if k == 0 => any = one,
                        Some(one) => any = Expr::prim(Prim::Or, vec![any, one]),
                    }
                }
                Ok(Some(any))
            }
            Test::List(loc, tests) => {
                self.of_fixed_length(on, tests.len(), *loc)?;
                let parts = self.taken_apart(on.clone(), tests.len(), *loc)?;
                self.test_all(&parts, tests)
            }
            Test::Tuple(loc, tests) => {
                if let Value::Tuple(parts) = on
                    && parts.len() == tests.len()
                {
                    return self.test_all(parts, tests);
                }

                let message = format!(
                    "this pattern takes a tuple of {} apart, but the value is {}",
                    tests.len(),
                    on.describe()
                );
                Err(self.errors.at(*loc, message))
            }
        }
    }
}

impl Lowerer<'_> {
    /// Whether all parts match.
    fn test_all(&mut self, parts: &[Value], tests: &[Test]) -> Result<Option<Expr>> {
        let mut all = None;
        for (part, test) in parts.iter().zip(tests) {
            let one = self.test(part, test)?;
            all = both(all, one);
        }
        Ok(all)
    }

    /// A pattern of elements always matches: the length of the array is part of its type.
    fn of_fixed_length(&mut self, on: &Value, count: usize, loc: Loc) -> Result<()> {
        let is_fixed = match on {
            Value::List(List::Elements(elements)) => elements.len() == count,
            Value::Plain(plain) | Value::List(List::Whole(plain)) => {
                matches!(&*plain.expr.kind, CoreKind::Var(sym) if self.fixed.contains(sym))
            }
            Value::Tuple(_)
            | Value::List(List::Columns(_) | List::Rows(_))
            | Value::Struct(..)
            | Value::Closure(..)
            | Value::Shape(_)
            | Value::Way(_) => false,
        };
        match is_fixed {
            true => Ok(()),
            false => Err(self.errors.at(
                loc,
                "how many elements this has is not seen here, and the pattern asks for it; bind a name, \
                 and read `p[0]`, `p[1]`, ..",
            )),
        }
    }

    /// Whether an integer is a constant that the user has named.
    fn is_constant(&mut self, on: Plain, constant: Plain, loc: Loc) -> Result<Expr> {
        let role = "what is matched with a constant";
        let on = self.of(Elem::Int, on.into(), loc, role)?;
        let constant = self.of(
            Elem::Int,
            constant.into(),
            loc,
            "a constant that is matched",
        )?;
        Ok(Expr::prim(Prim::IEq, vec![on, constant]))
    }
}

/// Whether the value of an expression is never looked at.
fn is_never(e: &Surface) -> bool {
    let mut e = e;
    while let SurfaceKind::Block(_, tail) = &e.kind {
        e = tail;
    }
    if let SurfaceKind::If(_, then, other) = &e.kind {
        return is_never(then) && is_never(other);
    }
    if let SurfaceKind::Match(_, arms) = &e.kind {
        return arms.iter().all(|arm| is_never(&arm.body));
    }
    matches!(e.kind, SurfaceKind::Never | SurfaceKind::Impossible)
}

/// The second only where the first holds.
pub(super) fn both(first: Option<Expr>, second: Option<Expr>) -> Option<Expr> {
    match (first, second) {
        (Some(first), Some(second)) => Some(Expr::cond(first, second, Expr::lit(Lit::Bool(false)))),
        (one, other) => one.or(other),
    }
}
