//! Where iterators end: reductions, `fold`, `collect`.

use super::binder::Axes;
use super::call::Callable;
use super::columns::Columns;
use super::combinator::{built, reduced};
use super::fixed::List;
use super::size::{minus, product_of};
use super::value::{Plain, Value};
use super::way::{Filtered, Iter, Maybe, Stage, Way};
use super::{Lowerer, under};
use crate::front::error::{Loc, Reported, Result};
use crate::front::surface::{Binary, Expr as Surface, Kind, Note, Pattern, Stmt, Unary};
use crate::front::types::Scalar;
use crate::ir::core::{Expr, ReduceOp};
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Lit};

/// A closure of `fold` that combines the state with something else, again and again.
struct Combined {
    op: ReduceOp,
    /// With what, as an expression of the item alone.
    with: Surface,
}

/// What a closure combines its state with, and how, if that is a reduction; and its other
/// parameters.
fn recognised((closure, _): &Callable, elem: Elem) -> Option<(&[(Pattern, Note)], Combined)> {
    let ((Pattern::Name(state), _), items) = closure.params.split_first()? else {
        return None;
    };
    let found = combined(&closure.body, &state.to_string(), elem)?;
    (!items.is_empty()).then_some((items, found))
}

impl Lowerer<'_> {
    /// A method of an iterator, of a `Zip`, an `Option` or a `Result`.
    pub(super) fn way_method(
        &mut self,
        way: &Way,
        name: &syn::Ident,
        args: &[Surface],
        loc: Loc,
    ) -> Result<Value> {
        let iter = match way {
            Way::Maybe(maybe) => return self.maybe_method(maybe, name, args, loc),
            Way::Zip(zip) => return self.zip_method(zip, name, args, loc),
            Way::Iter(iter) => iter,
            Way::Borrow(borrow) => {
                let value = self.read(borrow)?;
                let message = format!(
                    "the method `{name}` of {} is not followed here; read it with `*` first",
                    value.describe()
                );
                return Err(self.errors.at(name.span(), message));
            }
        };
        if let Some(result) = self.adapted(iter, name, args, loc) {
            return result;
        }
        match (name.to_string().as_str(), args) {
            ("sum", []) => self.total(iter, ReduceOp::Sum, loc),
            ("product", []) => self.total(iter, ReduceOp::Product, loc),
            ("count" | "len", []) => self.counted(iter, name, loc),
            ("mean", []) => self.average(iter, name, loc),
            ("is_empty", []) => {
                let count = self.counted(iter, name, loc)?;
                let count = self.of(Elem::Int, count, loc, "a number of items")?;
                Ok(Expr::prim(Prim::IEq, vec![count, Expr::int(0)]).into())
            }
            ("fold", [init, f]) => self.folded(iter, init, f, false, loc),
            ("reduce", [f]) => self.reduced_by(iter, f, loc),
            ("all", [f]) => self.whether(iter, f, true, loc),
            ("any", [f]) => self.whether(iter, f, false, loc),
            ("next" | "first", []) => self.item(iter, Expr::int(0), name),
            ("nth" | "get", [k]) => {
                let k = self.number(k)?;
                self.item(iter, k, name)
            }
            ("last", []) => match iter.items.count() {
                Some(n) => {
                    let last = minus(&n, &Expr::int(1));
                    let none = Expr::prim(Prim::IEq, vec![n, Expr::int(0)]);
                    self.item_or_none(iter, last, Some(none), name)
                }
                None => Err(self.unbounded(loc)),
            },
            ("collect" | "to_vec", []) => self.collected(iter, loc),
            ("unzip", []) => {
                let list = self.collected(iter, loc)?;
                if let Value::List(List::Columns(list)) = &list
                    && let Value::Tuple(parts) = &*list.of
                {
                    let whole = |part: &Value| match part.components() {
                        Some(_) => Columns::whole(part.clone()),
                        None => part.clone(),
                    };
                    return Ok(Value::Tuple(parts.iter().map(whole).collect()));
                }
                let message = format!(
                    "`unzip` takes pairs apart, and this is {}; write `collect`",
                    list.describe()
                );
                Err(self.errors.at(name.span(), message))
            }
            // Of a slice whose length depends on a loop around it.
            ("dot", [other]) => {
                let value = self.expr(other)?;
                let iter = self.unfiltered(iter, loc)?;
                self.ragged_dot(&iter, value, other.loc)
            }
            ("mapv", [_]) => {
                let map = syn::Ident::new("map", name.span());
                self.way_method(way, &map, args, loc)
            }
            ("view" | "to_owned", []) => Ok(Filtered::clone(iter).into()),
            ("max_by" | "min_by", []) => {
                let op = match name == "max_by" {
                    true => ReduceOp::Max,
                    false => ReduceOp::Min,
                };
                let largest = self.total(iter, op, loc)?;
                let plain = self.plain(largest, loc)?;
                if plain.elem() != Elem::Real || plain.expr.ty.rank > 0 {
                    let message = format!("`{name}` is supported for real numbers; write a loop");
                    return Err(self.errors.at(name.span(), message));
                }
                let none = iter.count();
                let none = none.map(|n| Expr::prim(Prim::IEq, vec![n, Expr::int(0)]));
                // It may be used more than once.
                let (value, sure) = (self.named(plain.into(), "some"), vec![]);
                Ok(Maybe { value, none, sure }.into())
            }
            ("max" | "min", []) => Err(self.extreme(iter, name, loc)),
            _ => {
                let _ = self.all(args);
                // A part of an array that is none, as its size depends on a loop around it.
                if let Some(sizes) = &iter.items.extents {
                    self.rectangular_sizes(sizes, name.span().into())?;
                }
                let message = format!(
                    "the method `{name}` of an iterator is not supported yet; write `map`, `zip`, \
                     `filter`, `enumerate`, `rev`, `skip`, `take`, then `sum`, `product`, `fold` or \
                     `collect`, or `sum(n, |i| ..)`"
                );
                Err(self.errors.at(name.span(), message))
            }
        }
    }

    /// `a.dot(&b)` where the lengths depend on a loop around it: they have to be seen to be equal.
    pub(super) fn ragged_dot(&mut self, a: &Iter, b: Value, loc: Loc) -> Result<Value> {
        let b = self.as_iter(b, loc)?;
        let (Some([m]), Some([n])) = (a.extents.as_deref(), b.extents.as_deref()) else {
            return Err(self.errors.at(
                loc,
                "`dot` takes two vectors where a length depends on a loop around it; write \
                 `sum(n, |i| ..)`",
            ));
        };
        if super::size::excess(m, n) != Some(0) {
            return Err(self.errors.at(
                loc,
                "the lengths of these depend on a loop around them, and cannot be seen to be equal; write \
                 `sum(n, |i| x[i] * y[i])`",
            ));
        }
        let (first, second) = (a.at.clone(), b.at.clone());
        let products = Iter::new(vec![m.clone()], move |l, i| {
            let (x, y) = (first(l, i)?, second(l, i)?);
            let (x, y) = (l.plain(x, loc)?, l.plain(y, loc)?);
            let Some(pair) = l.pair(x, y) else {
                return Err(l
                    .errors
                    .at(loc, "`dot` is between numbers of one kind; write `as f64`"));
            };
            let prim = if pair.elem == Elem::Int {
                Prim::IMul
            } else {
                Prim::Mul
            };
            Ok(l.broadcast_prim(prim, pair))
        });
        self.total(&products.into(), ReduceOp::Sum, loc)
    }

    pub(super) fn unbounded(&mut self, loc: Loc) -> Reported {
        self.errors.at(
            loc,
            "this range has no end, so that the loop has none either; write `a..b`, or zip it with \
             something that ends",
        )
    }

    /// The items as a region of its own, with neutral ones in place of those that a `filter` leaves
    /// out.
    pub(super) fn terms(
        &mut self,
        Filtered { items: iter, after }: &Filtered,
        loc: Loc,
        neutral: impl Fn(Elem) -> Lit + Copy,
        f: impl Fn(&mut Self, Value) -> Result<Plain>,
    ) -> Result<(super::binder::Axes, Plain)> {
        let Some(extents) = iter.extents.clone() else {
            return Err(self.unbounded(loc));
        };
        if let Some(rounds) = iter.rounds() {
            let mut items = vec![];
            for round in rounds {
                let item = (iter.at)(self, &[round])?;
                items.push(self.staged(item, after, loc, neutral, &f)?.into());
            }
            let list = self.as_array(List::Elements(items), loc)?;
            let (axes, at) = self.indices(&extents);
            let expr = Self::part_of_rust(list.clone(), at[0].clone());
            return Ok((axes, self.plain(expr, loc)?));
        }
        let (axes, bound, plain) = self.at_each(&extents, |l, at| {
            let item = (iter.at)(l, at)?;
            l.staged(item, after, loc, neutral, &f)
        })?;
        let expr = under(bound, plain.expr);
        Ok((axes, Plain { expr, ..plain }))
    }

    /// An item behind filters.
    fn staged(
        &mut self,
        item: Value,
        stages: &[Stage],
        loc: Loc,
        neutral: impl Fn(Elem) -> Lit + Copy,
        f: &impl Fn(&mut Self, Value) -> Result<Plain>,
    ) -> Result<Plain> {
        match stages.split_first() {
            None => f(self, item),
            Some((Stage::Map(map, at), rest)) => {
                let item = self.applied(map, vec![(Ok(item), *at)], *at)?;
                self.staged(item, rest, loc, neutral, f)
            }
            Some((Stage::Filter(filter, at), rest)) => {
                let item = self.named(item, "item");
                let cond = self.applied(filter, vec![(Ok(item.clone()), *at)], *at)?;
                let cond = self.of(Elem::Bool, cond, filter.0.body.loc, "what `filter` asks")?;
                let (bound, plain) = self.frame(|l| l.staged(item, rest, loc, neutral, f))?;
                if plain.expr.ty.rank > 0 {
                    return Err(self.errors.at(
                        loc,
                        "arrays that `filter` leaves out have no shape; write `sum(n, |i| ..)` of \
                         scalars",
                    ));
                }
                let none = Expr::lit(neutral(plain.elem()));
                let expr = Expr::cond(cond, under(bound, plain.expr), none);
                Ok(Plain { expr, ..plain })
            }
        }
    }

    fn total(&mut self, iter: &Filtered, op: ReduceOp, loc: Loc) -> Result<Value> {
        let (axes, body) = self.terms(
            iter,
            loc,
            move |elem| op.identity(elem),
            |l, item| l.plain(item, loc),
        )?;
        if body.elem() == Elem::Bool {
            let message = "bools have no sum; write `.filter(|&b| b).count()`";
            return Err(self.errors.at(loc, message));
        }
        Ok(Value::Plain(Plain {
            expr: reduced(op, axes, body.expr),
            ..body
        }))
    }

    fn counted(&mut self, iter: &Filtered, name: &syn::Ident, loc: Loc) -> Result<Value> {
        if iter.after.is_empty() {
            let Some(count) = iter.items.count() else {
                let message = format!("`{name}` of a range without an end");
                return Err(self.errors.at(loc, message + "; write `a..b`"));
            };
            return Ok(Plain::typed(count, Scalar::Usize).into());
        }
        let one = |_: &mut Self, _: Value| Ok(Plain::typed(Expr::int(1), Scalar::Usize));
        let (axes, body) = self.terms(iter, loc, Lit::zero, one)?;
        Ok(Plain::typed(reduced(ReduceOp::Sum, axes, body.expr), Scalar::Usize).into())
    }

    /// The sum over the count, if there are items.
    fn average(&mut self, iter: &Filtered, name: &syn::Ident, loc: Loc) -> Result<Value> {
        let total = self.total(iter, ReduceOp::Sum, loc)?;
        let total = self.of(Elem::Real, total, loc, "a sum")?;
        let count = self.counted(iter, name, loc)?;
        let count = self.of(Elem::Int, count, loc, "a number of items")?;
        let none = Expr::prim(Prim::IEq, vec![count.clone(), Expr::int(0)]);
        let count = Expr::prim(Prim::IntToReal, vec![count]);
        let value = Expr::prim(Prim::Div, vec![total, count]).into();
        let (none, sure) = (Some(none), vec![]);
        Ok(Maybe { value, none, sure }.into())
    }

    /// `all` and `any`: whether there is none of the other kind.
    fn whether(&mut self, iter: &Filtered, f: &Surface, all: bool, loc: Loc) -> Result<Value> {
        let f = self.callable(f, 1, if all { "all" } else { "any" })?;
        let (axes, body) = self.terms(iter, loc, Lit::zero, |l, item| {
            let holds = l.applied(&f, vec![(Ok(item), loc)], loc)?;
            let holds = l.of(Elem::Bool, holds, f.0.body.loc, "what is asked of an item")?;
            let counts = if all {
                Expr::prim(Prim::Not, vec![holds])
            } else {
                holds
            };
            Ok(Plain::new(Expr::prim(Prim::BoolToInt, vec![counts])))
        })?;
        let count = reduced(ReduceOp::Sum, axes, body.expr);
        let prim = if all { Prim::IEq } else { Prim::IGt };
        Ok(Expr::prim(prim, vec![count, Expr::int(0)]).into())
    }

    /// One item.
    fn item(&mut self, iter: &Filtered, k: Expr, name: &syn::Ident) -> Result<Value> {
        let count = iter.items.count();
        let none = count.map(|n| Expr::prim(Prim::IGe, vec![k.clone(), n]));
        self.item_or_none(iter, k, none, name)
    }

    fn item_or_none(
        &mut self,
        iter: &Filtered,
        k: Expr,
        none: Option<Expr>,
        name: &syn::Ident,
    ) -> Result<Value> {
        if !iter.after.is_empty() {
            return Err(self.errors.at(
                name.span(),
                "which item is left after `filter` is known at run time only; write `sum` with `if`",
            ));
        }
        let iter = iter.items.clone().flat();
        let item = |l: &mut Self| (iter.at)(l, std::slice::from_ref(&k));
        let (bound, value) = self.frame(item)?;
        let is_scalar = value.is_data() && value.leaves().iter().all(|l| l.expr.ty.rank == 0);
        let value = match &none {
            // What a closure reads for the item is there only if the item is.
            Some(none) if is_scalar && !bound.is_empty() => {
                let there = Expr::prim(Prim::Not, vec![none.clone()]);
                let value = self.decided_where(there, item, name.span().into())?;
                self.named(value, "some")
            }
            Some(_) | None => item(self)?,
        };
        let sure = vec![];
        Ok(Maybe { value, none, sure }.into())
    }

    /// `collect()`, `Array1::from_iter(..)`
    pub(super) fn collected(&mut self, iter: &Filtered, loc: Loc) -> Result<Value> {
        if !iter.after.is_empty() {
            return Err(self.errors.at(
                loc,
                "how many items `filter` leaves is known at run time only, and sizes must be known \
                 before; write `build(n, |i| if .. { .. } else { 0.0 })`, or end with `sum`",
            ));
        }
        self.maybe_uneven(&iter.items, loc)
    }

    /// The items as an array of the same axes.
    pub(super) fn array_of(&mut self, iter: &Iter, loc: Loc) -> Result<Value> {
        let (axes, body) = self.each_item(iter, loc)?;
        if body.expr.ty.rank > 0 {
            let message = format!(
                "these items are {}, and an array is made of scalars here; write `stack`, or \
                 `build((n, m), |(i, j)| ..)`",
                body.describe()
            );
            return Err(self.errors.at(loc, message));
        }
        let expr = built(axes, body.expr);
        Ok(Value::Plain(Plain { expr, ..body }))
    }

    /// An item at each index.
    fn each_item(&mut self, iter: &Iter, loc: Loc) -> Result<(Axes, Plain)> {
        let Some(extents) = iter.extents.clone() else {
            return Err(self.unbounded(loc));
        };
        self.rectangular_sizes(&extents, loc)?;
        let (axes, bound, body) = self.at_each(&extents, |l, at| {
            let item = (iter.at)(l, at)?;
            l.plain(item, loc)
        })?;
        let expr = under(bound, body.expr);
        Ok((axes, Plain { expr, ..body }))
    }

    /// `reduce(f64::max)`
    fn reduced_by(&mut self, iter: &Filtered, given: &Surface, loc: Loc) -> Result<Value> {
        let f = self.callable(given, 2, "reduce")?;
        let none = iter.count();
        let none = none.map(|n| Expr::prim(Prim::IEq, vec![n, Expr::int(0)]));
        let value = match (&none, recognised(&f, Elem::Real)) {
            // The first item is the state, where there is one.
            (Some(none), None) => {
                let there = Expr::prim(Prim::Not, vec![none.clone()]);
                let iter = iter.items.clone().flat();
                let in_order = |l: &mut Self| {
                    let first = (iter.at)(l, &[Expr::int(0)])?;
                    let rest = l.skipped(&iter, &Expr::int(1)).into();
                    l.folded_in_order(&rest, (first, loc), &f, false, loc)
                };
                let value = self.decided_where(there, in_order, loc)?;
                self.named(value, "some")
            }
            // Which item is the first is found out on the way.
            (None, None) => {
                let of = Filtered::clone(iter).into();
                let body = "
                    let (found, state) = this.fold((false, 0.0), |s, v| {
                        (true, if s.0 { f(s.1, v) } else { v })
                    });
                    if found { Some(state) } else { None }";
                let given = std::slice::from_ref(given);
                return self.by_definition(&of, loc.start, &[("f", 2)], body, given);
            }
            (_, Some(_)) => self.accumulate(iter, None, &f, false, loc)?,
        };
        let sure = vec![];
        Ok(Maybe { value, none, sure }.into())
    }

    /// `fold(init, f)`; the closure of a `Zip` takes the parts of an item one by one.
    pub(super) fn folded(
        &mut self,
        iter: &Filtered,
        init: &Surface,
        f: &Surface,
        spread: bool,
        loc: Loc,
    ) -> Result<Value> {
        let start = self.expr(init);
        let arity = if spread { usize::MAX } else { 2 };
        let f = self.callable(f, arity, "fold");
        let (start, f) = (start?, f?);
        if let Value::Plain(plain) = &start
            && recognised(&f, plain.elem()).is_some()
        {
            return self.accumulate(iter, Some(plain.clone()), &f, spread, loc);
        }
        self.folded_in_order(iter, (start, init.loc), &f, spread, loc)
    }

    /// A loop that does to its state what a reduction does.
    fn accumulate(
        &mut self,
        iter: &Filtered,
        init: Option<Plain>,
        f: &Callable,
        spread: bool,
        loc: Loc,
    ) -> Result<Value> {
        let elem = init.as_ref().map_or(Elem::Real, Plain::elem);
        let (closure, env) = f;
        let Some((items, combined)) = recognised(f, elem) else {
            return Err(self.errors.at(
                closure.body.loc,
                "`reduce` is supported where its closure adds, multiplies, or takes the larger or smaller; write \
                 `fold(init, |s, x| ..)`, or a loop",
            ));
        };
        let op = combined.op;
        // The closure without its state: the state is not seen by what is added.
        let term = crate::front::surface::Closure {
            params: items.to_vec(),
            params_loc: closure.params_loc,
            result: crate::front::surface::Note::Infer,
            body: combined.with,
        };
        let term: Callable = (std::rc::Rc::new(term), env.clone());
        let (axes, body) = self.terms(
            iter,
            loc,
            move |elem| op.identity(elem),
            |l, item| {
                let items = if spread { item.parts() } else { vec![item] };
                let items = items.into_iter().map(|item| (Ok(item), loc)).collect();
                let value = l.applied(&term, items, loc)?;
                l.plain(value, loc)
            },
        )?;
        if let (ReduceOp::Max | ReduceOp::Min, Elem::Int | Elem::Bool) = (op, body.elem()) {
            return Err(self.errors.at(
                loc,
                "the largest of integers is not supported here; write `.. as f64`, or `argmax(n, |i| ..)`",
            ));
        }
        let total = Plain {
            expr: reduced(op, axes, body.expr),
            ..body
        };
        let Some(init) = init else {
            return Ok(total.into());
        };
        if let crate::ir::core::Kind::Lit(lit) = &*init.expr.kind
            && *lit == op.identity(init.elem())
            && init.elem() == total.elem()
        {
            return Ok(total.into());
        }
        let (what, with) = (init.describe(), total.describe());
        let pair = match total.expr.ty.rank == 0 || init.expr.ty.rank == total.expr.ty.rank {
            true => self.pair(init, total),
            false => None,
        };
        let Some(pair) = pair else {
            let message = format!("the state is {what}, and what it is combined with is {with}");
            return Err(self.errors.at(loc, message + "; both must be the same"));
        };
        let prim = match (op, pair.elem) {
            (ReduceOp::Sum, Elem::Int) => Prim::IAdd,
            (ReduceOp::Sum, _) => Prim::Add,
            (ReduceOp::Product, Elem::Int) => Prim::IMul,
            (ReduceOp::Product, _) => Prim::Mul,
            (ReduceOp::Max, _) => Prim::Max,
            (ReduceOp::Min, _) => Prim::Min,
            (ReduceOp::LogSumExp, _) => unreachable!("no closure is taken for that"),
        };
        if pair.left.ty.rank == 0 && pair.right.ty.rank == 0 {
            return Ok(Value::Plain(Plain {
                expr: self.after_init(prim, pair.left, pair.right),
                scalar: pair.scalar,
                open: pair.open,
            }));
        }
        Ok(self.broadcast_prim(prim, pair))
    }

    /// `Zip::from(&a).and(&b)`, and what ends it.
    fn zip_method(
        &mut self,
        zip: &Iter,
        name: &syn::Ident,
        args: &[Surface],
        loc: Loc,
    ) -> Result<Value> {
        match (name.to_string().as_str(), args) {
            ("and", [other]) => {
                let value = self.expr(other)?;
                let other_iter = self.as_iter(value, other.loc)?;
                let zip = self.side_by_side(zip, &other_iter, other.loc)?;
                Ok(Value::Way(std::rc::Rc::new(Way::Zip(zip))))
            }
            ("map_collect" | "par_map_collect", [f]) => {
                let f = self.callable(f, usize::MAX, "map_collect")?;
                let at = zip.at.clone();
                let made = Iter::new(zip.extents.clone().unwrap_or_default(), move |l, i| {
                    let items = at(l, i)?
                        .parts()
                        .into_iter()
                        .map(|v| (Ok(v), loc))
                        .collect();
                    l.applied(&f, items, loc)
                });
                self.array_of(&made, loc)
            }
            ("fold", [init, f]) => self.folded(&zip.clone().into(), init, f, true, loc),
            _ => {
                let _ = self.all(args);
                let message = format!(
                    "the method `{name}` of a `Zip` is not supported; write `and(&b)`, then \
                     `map_collect(|x, y| ..)` or `fold(init, |s, x, y| ..)`"
                );
                Err(self.errors.at(name.span(), message))
            }
        }
    }

    /// `Zip::from(a)`, `Zip::indexed(a)`
    pub(super) fn zip_of(&mut self, first: &Surface, with_index: bool) -> Result<Value> {
        let value = self.expr(first)?;
        let iter = self.as_iter(value, first.loc)?;
        let rank = iter.extents.as_ref().map_or(1, Vec::len);
        let iter = if with_index {
            super::iter::indexed(&iter, rank)
        } else {
            let at = iter.at.clone();
            let extents = iter.extents.clone().unwrap_or_default();
            Iter::new(extents, move |l, i| Ok(Value::Tuple(vec![at(l, i)?])))
        };
        Ok(Value::Way(std::rc::Rc::new(Way::Zip(iter))))
    }

    /// Of one shape.
    fn side_by_side(&mut self, zip: &Iter, other: &Iter, loc: Loc) -> Result<Iter> {
        let (Some(m), Some(n)) = (&zip.extents, &other.extents) else {
            return Err(self.unbounded(loc));
        };
        if m.len() != n.len() {
            let message = format!(
                "`Zip` runs over arrays of one shape, and these have {} and {} axes; write \
                 `broadcast(..).unwrap()`",
                m.len(),
                n.len()
            );
            return Err(self.errors.at(loc, message));
        }
        let mut sizes = vec![];
        for (m, n) in m.iter().zip(n) {
            sizes.push(self.one_length(m.clone(), n.clone()));
        }
        let (a, b) = (zip.at.clone(), other.at.clone());
        Ok(Iter::new(sizes, move |l, i| {
            let mut parts = a(l, i)?.parts();
            parts.push(b(l, i)?);
            Ok(Value::Tuple(parts))
        }))
    }

    /// How many items there are, for a mean.
    pub(super) fn real_count(&mut self, sizes: &[Expr]) -> Expr {
        Expr::prim(Prim::IntToReal, vec![product_of(sizes)])
    }
}

/// What a closure of `fold` does to its state, if it is what a reduction does.
fn combined(body: &Surface, state: &str, elem: Elem) -> Option<Combined> {
    let loc = body.loc;
    let is_state = |e: &Surface| matches!(&e.kind, Kind::Path(p) if p.is_ident(state));
    let free = |e: &Surface| !super::mention::mentions(e, state);
    let made = |kind| Surface { loc, kind };
    match &body.kind {
        Kind::Binary(op @ (Binary::Add | Binary::Sub | Binary::Mul | Binary::Div), left, right) => {
            let adds = matches!(op, Binary::Add | Binary::Sub);
            let reduction = if adds {
                ReduceOp::Sum
            } else {
                ReduceOp::Product
            };
            if *op == Binary::Div && elem != Elem::Real {
                return None;
            }
            let with = if *op == Binary::Sub {
                made(Kind::Unary(Unary::Neg, right.clone()))
            } else if *op == Binary::Div {
                let one = Box::new(made(Kind::Real(1.0)));
                made(Kind::Binary(Binary::Div, one, right.clone()))
            } else {
                Surface::clone(right)
            };
            if is_state(left) && free(right) {
                let op = reduction;
                return Some(Combined { op, with });
            }
            if matches!(op, Binary::Add | Binary::Mul) && is_state(right) && free(left) {
                let (op, with) = (reduction, Surface::clone(left));
                return Some(Combined { op, with });
            }
            // `s + x + y`
            let first = combined(left, state, elem).filter(|c| c.op == reduction && free(right))?;
            let again = if reduction == ReduceOp::Sum {
                Binary::Add
            } else {
                Binary::Mul
            };
            let with = made(Kind::Binary(again, Box::new(first.with), Box::new(with)));
            let op = reduction;
            Some(Combined { op, with })
        }
        Kind::Method(receiver, name, args) => {
            let op = extremum(&name.to_string())?;
            let [arg] = &args[..] else { return None };
            let with = match (is_state(receiver), is_state(arg)) {
                (true, false) if free(arg) => arg,
                (false, true) if free(receiver) => receiver,
                _ => return None,
            };
            let with = Surface::clone(with);
            Some(Combined { op, with })
        }
        Kind::Call(path, args) => {
            let op = extremum(&path.segments.last()?.ident.to_string())?;
            let [a, b] = &args[..] else { return None };
            let with = match (is_state(a), is_state(b)) {
                (true, false) if free(b) => b.clone(),
                (false, true) if free(a) => a.clone(),
                _ => return None,
            };
            Some(Combined { op, with })
        }
        Kind::If(cond, then, other) if free(cond) => {
            let neutral = |op: ReduceOp| {
                made(match op.identity(elem) {
                    Lit::Real(x) => Kind::Real(x),
                    Lit::Int(i) => Kind::Int(i, None),
                    Lit::Bool(b) => Kind::Bool(b),
                })
            };
            let (a, b) = match (is_state(then), is_state(other)) {
                (true, true) => return None,
                (true, false) => {
                    let other = combined(other, state, elem)?;
                    let op = other.op;
                    let with = neutral(op);
                    (Combined { op, with }, other)
                }
                (false, true) => {
                    let then = combined(then, state, elem)?;
                    let op = then.op;
                    let with = neutral(op);
                    (then, Combined { op, with })
                }
                (false, false) => (combined(then, state, elem)?, combined(other, state, elem)?),
            };
            let op = a.op;
            (op == b.op).then(|| Combined {
                op,
                with: made(Kind::If(cond.clone(), Box::new(a.with), Box::new(b.with))),
            })
        }
        Kind::Block(stmts, tail) => {
            let free_of = |stmt: &Stmt| match stmt {
                Stmt::Let(pattern, _, init) => free(init) && !super::mention::binds(pattern, state),
                Stmt::Use(..)
                | Stmt::Later(_)
                | Stmt::Do(_)
                | Stmt::Assign(_)
                | Stmt::Swap(_)
                | Stmt::For(_)
                | Stmt::While(_)
                | Stmt::Hole(..) => false,
            };
            if !stmts.iter().all(free_of) {
                return None;
            }
            let inner = combined(tail, state, elem)?;
            Some(Combined {
                op: inner.op,
                with: made(Kind::Block(stmts.clone(), Box::new(inner.with))),
            })
        }
        Kind::Real(_)
        | Kind::Int(..)
        | Kind::Bool(_)
        | Kind::Path(_)
        | Kind::Unary(..)
        | Kind::Binary(..)
        | Kind::Cast(..)
        // A comparison with the state is no `max`: NaN decides. `loops` finds what agrees.
        | Kind::If(..)
        | Kind::Match(..)
        | Kind::Tuple(_)
        | Kind::Borrow(_)
        | Kind::Lent(..)
        | Kind::Copied(_)
        | Kind::Field(..)
        | Kind::Member(..)
        | Kind::Struct(..)
        | Kind::Index(..)
        | Kind::Part(..)
        | Kind::Closure(_)
        | Kind::List(_)
        | Kind::Repeat(..)
        | Kind::Range(..)
        | Kind::Macro(..)
        | Kind::Slices(_)
        | Kind::Slot(..)
        | Kind::Trial(_)
        | Kind::Maybe(_)
        | Kind::Take(_)
        | Kind::IsNone(_)
        | Kind::Tried(_)
        | Kind::Never
        | Kind::Impossible
        | Kind::Hole(_) => None,
    }
}

fn extremum(name: &str) -> Option<ReduceOp> {
    match name {
        "max" => Some(ReduceOp::Max),
        "min" => Some(ReduceOp::Min),
        _ => None,
    }
}
