//! Arrays of Rust itself: `[a, b, c]`, `[x; 3]`, and arrays of arrays, which are indexed one by
//! one.
//!
//! What is written element by element stays so for as long as it can: `p[0]` of `[a, b, c]` is `a`.
//! Only what needs an index that is not a literal makes an array of it. An array of rank 1 is one
//! value with a slice or an `Array1`, so it needs no variant here.

use super::array::{element, length};
use super::columns::Columns;
use super::combinator::built;
use super::size::{excess, literal};
use super::value::{Plain, Value};
use super::way::{Iter, Maybe};
use super::{Binding, Lowerer};
use crate::front::error::{Loc, Result};
use crate::front::surface::{Expr as Surface, Kind};
use crate::front::types::{Length, Scalar, Written, spelled};
use crate::ir::core::{Bound, Expr, Kind as Core, Sym};
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Lit};

/// Up to how many elements `[x; n]` is kept element by element.
const FEW: i64 = 64;

/// An array of Rust.
#[derive(Clone)]
pub(super) enum List {
    /// Element by element, one at least.
    Elements(Vec<Value>),
    /// An array of arrays; the rank is 2 at least.
    Whole(Plain),
    /// A list of any length, of what is made of several.
    Columns(Columns),
    /// Rows as a part of a list: where each begins, how long it is, and all elements.
    Rows(Vec<Value>),
}

impl List {
    /// Whether its elements are tuples or structs, so that no array holds them.
    pub(super) fn is_of_composites(&self) -> bool {
        match self {
            List::Elements(elements) => {
                matches!(elements.first(), Some(Value::Tuple(_) | Value::Struct(..)))
            }
            List::Whole(_) | List::Columns(_) | List::Rows(_) => false,
        }
    }

    pub(super) fn describe(&self) -> String {
        match self {
            List::Elements(elements) => format!("an array of {}", elements.len()),
            List::Whole(_) => "an array of arrays".to_owned(),
            List::Columns(columns) => match &*columns.of {
                Value::Struct(made, _) => format!("a list of `{}`", spelled(&*made.ty)),
                Value::Tuple(_) => "a list of tuples".to_owned(),
                Value::Plain(_)
                | Value::List(_)
                | Value::Closure(..)
                | Value::Shape(_)
                | Value::Way(_) => "a list of arrays".to_owned(),
            },
            List::Rows(_) => "a list of lists".to_owned(),
        }
    }
}

impl Value {
    /// An array of Rust, of which the compiler sees a whole array.
    pub(super) fn of_rust(plain: Plain) -> Value {
        match plain.expr.ty.rank {
            0 | 1 => Value::Plain(plain),
            _ => Value::List(List::Whole(plain)),
        }
    }

    /// The parts of what has parts: those of a tuple, or the elements of an array.
    pub(super) fn components(&self) -> Option<&[Value]> {
        match self {
            Value::Tuple(parts)
            | Value::Struct(_, parts)
            | Value::List(List::Elements(parts) | List::Rows(parts)) => Some(parts),
            Value::List(List::Columns(Columns { of, range: None })) => {
                Some(std::slice::from_ref(&**of))
            }
            Value::Plain(_)
            | Value::List(List::Whole(_) | List::Columns(_))
            | Value::Closure(..)
            | Value::Shape(_)
            | Value::Way(_) => None,
        }
    }

    /// The same with other parts.
    pub(super) fn with_components(&self, mut parts: Vec<Value>) -> Value {
        match self {
            Value::List(List::Columns(_)) if parts.len() == 1 => Columns::whole(parts.remove(0)),
            Value::List(List::Rows(_)) => Value::List(List::Rows(parts)),
            Value::List(_) => Value::List(List::Elements(parts)),
            Value::Struct(made, _) => Value::Struct(made.clone(), parts),
            Value::Tuple(_)
            | Value::Plain(_)
            | Value::Closure(..)
            | Value::Shape(_)
            | Value::Way(_) => Value::Tuple(parts),
        }
    }

    /// Whether two values have parts that match.
    pub(super) fn is_like(&self, other: &Value) -> bool {
        let kinds = matches!(
            (self, other),
            (Value::Tuple(_), Value::Tuple(_))
                | (
                    Value::List(List::Elements(_)),
                    Value::List(List::Elements(_))
                )
                | (Value::List(List::Columns(_)), Value::List(List::Columns(_)))
                | (Value::List(List::Rows(_)), Value::List(List::Rows(_)))
                | (Value::Struct(..), Value::Struct(..))
        );
        if let (Value::Struct(one, _), Value::Struct(two, _)) = (self, other)
            && (one.is_opaque() || two.is_opaque())
            && spelled(&*one.ty) != spelled(&*two.ty)
        {
            return false;
        }
        let counts = [self, other].map(|v| v.components().map(<[Value]>::len));
        kinds && counts[0].is_some() && counts[0] == counts[1]
    }
}

impl Lowerer<'_> {
    /// `[a, b, c]`
    pub(super) fn fixed(&mut self, parts: &[Surface], loc: Loc) -> Result<Value> {
        if parts.is_empty() {
            return Err(self.errors.at(
                loc,
                "an array without elements has no derivative; leave it out",
            ));
        }
        Ok(Value::List(List::Elements(self.all(parts)?)))
    }

    /// `[x; n]`
    pub(super) fn repeated(&mut self, one: &Surface, count: &Surface) -> Result<Value> {
        let value = self.expr(one)?;
        self.no_copy(
            &value,
            one.loc,
            "change it by its own name, or read its value by `*`",
        )?;
        let value = self.named(value, "x");
        let n = self.expr(count)?;
        let n = self.of(Elem::Int, n, count.loc, "the length of an array")?;
        let is_several = matches!(value, Value::Tuple(_) | Value::Struct(..));
        let is_slot = matches!(one.kind, Kind::Slot(..));
        if let Core::Lit(Lit::Int(k @ 1..=FEW)) = *n.kind
            && !(is_several && is_slot)
        {
            return Ok(Value::List(List::Elements(vec![value; k as usize])));
        }
        if is_several {
            return self.list_of_one(&value, n, one.loc);
        }
        let plain = self.plain(value, one.loc)?;
        let n = self.share_size(n);
        let (axes, _) = self.indices(&[n]);
        Ok(Value::of_rust(Plain {
            expr: built(axes, plain.expr.clone()),
            ..plain
        }))
    }

    /// Elements as one array.
    pub(super) fn as_array(&mut self, list: List, loc: Loc) -> Result<Plain> {
        let elements = match list {
            List::Whole(plain) => return Ok(plain),
            List::Columns(columns) => return self.single_column(&columns, loc),
            List::Rows(_) => unreachable!("a part of a list"),
            List::Elements(elements) => elements,
        };
        let mut plains = vec![];
        for e in elements {
            self.no_copy(
                &e,
                loc,
                "change each by its own name, or read the values by `*`",
            )?;
            let e = self.plain(e, loc)?;
            plains.push(e);
        }
        let settled = plains.iter().find(|p| p.open.is_empty());
        let Some(like) = settled.or(plains.first()).cloned() else {
            return Err(self.errors.at(
                loc,
                "an array without elements has no derivative; leave it out",
            ));
        };
        let (elem, rank) = (like.elem(), like.expr.ty.rank);
        let mut exprs = vec![];
        for p in plains {
            let message = format!(
                "an array holds elements of one type, and these are {} and {}",
                like.describe(),
                p.describe()
            );
            if p.expr.ty.rank != rank {
                return Err(self.errors.at(loc, message));
            }
            let e = match (like.open.is_empty(), p.open.is_empty()) {
                (false, _) => p.expr,
                (true, _) => self.elem(p, elem, loc, &message)?,
            };
            exprs.push(e);
        }
        let are_named = exprs.iter().all(super::is_atom);
        let exprs: Vec<Expr> = exprs.into_iter().map(|e| self.share("e", e)).collect();
        let first = exprs[0].clone();
        let count = i64::try_from(exprs.len()).unwrap_or(i64::MAX);
        let lengths = self.written_lengths(&first);
        let mut own = lengths.clone();
        // Arrays of ndarray in a list may have other lengths; arrays of Rust have one.
        for e in exprs[1..].iter().filter(|e| rank > 0 && **e != first) {
            let others = self.written_lengths(e);
            for (n, m) in own.iter_mut().zip(others) {
                *n = self.one_length(n.clone(), m);
            }
        }
        let are_named = are_named && own == lengths;
        let sizes: Vec<Expr> = std::iter::once(Expr::int(count)).chain(own).collect();
        let (axes, at) = self.indices(&sizes);
        let entry = |e: &Expr| match rank {
            0 => e.clone(),
            _ => element(e.clone(), at[1..].iter().cloned().map(Some).collect()),
        };
        let mut body = entry(&exprs[exprs.len() - 1]);
        for (k, e) in exprs.iter().enumerate().rev().skip(1) {
            let here = entry(e);
            if here != body {
                let k = Expr::int(i64::try_from(k).unwrap_or(i64::MAX));
                let is_here = Expr::prim(Prim::IEq, vec![at[0].clone(), k]);
                body = Expr::cond(is_here, here, body);
            }
        }
        let mut expr = built(axes, body);
        if are_named {
            expr = self.beside(&exprs, expr);
        }
        Ok(Plain { expr, ..like })
    }

    /// A variable for an array of named values, bound where the last of them is: what is written
    /// down once is one array for all the loops that read it.
    fn beside(&mut self, named: &[Expr], array: Expr) -> Expr {
        if !self.dependence(&array).is_empty() {
            return self.share("list", array);
        }
        let binds = |frame: &super::Bindings, sym: &Sym| {
            frame.iter().any(|b| b.syms().into_iter().any(|s| s == sym))
        };
        let mut home = 0;
        for e in named {
            let of = if let Core::Dim(of, _) = &*e.kind {
                of
            } else {
                e
            };
            if let Core::Var(sym) = &*of.kind {
                match self.frames.iter().rposition(|f| binds(f, sym)) {
                    Some(frame) => home = home.max(frame),
                    None if (sym.id as usize) < self.params => {}
                    // Bound by something else around.
                    None => return self.share("list", array),
                }
            }
        }
        let sym = self.fresh.sym("list");
        let var = Expr::var(&sym, array.ty);
        self.bound
            .insert(sym.clone(), std::collections::BTreeSet::new());
        let known = self.known_lengths(&array);
        self.know_lengths(&sym, known);
        self.frames[home].push(Bound::Let(sym, array));
        var
    }

    /// `p[i]`
    pub(super) fn list_entry(
        &mut self,
        list: List,
        at: &[(Value, Loc)],
        loc: Loc,
    ) -> Result<Value> {
        let [(index, at)] = at else {
            let message = format!(
                "{} takes one index at a time; write `[i][j]`",
                list.describe()
            );
            return Err(self.errors.at(loc, message));
        };
        let index = self.of(Elem::Int, index.clone(), *at, "an index")?;
        if let List::Columns(columns) = &list {
            return Ok(self.element_at(columns, index));
        }
        if let (List::Elements(elements), Core::Lit(Lit::Int(k))) = (&list, &*index.kind) {
            let found = usize::try_from(*k).ok().and_then(|k| elements.get(k));
            return found.cloned().ok_or_else(|| {
                let message = format!("there is no element {k} in an array of {}", elements.len());
                self.errors.at(*at, message)
            });
        }
        if let List::Elements(elements) = &list
            && let Some(first @ (Value::Tuple(_) | Value::Struct(..))) = elements.first()
        {
            return self.composite_entry(first, elements, (index, *at), loc);
        }
        let plain = self.as_array(list, loc)?;
        Ok(Self::part_of_rust(plain, index))
    }

    /// `p[i]` where the elements are tuples or structs: each part is chosen from those of all
    /// elements.
    fn composite_entry(
        &mut self,
        first: &Value,
        elements: &[Value],
        (index, at): (Expr, Loc),
        loc: Loc,
    ) -> Result<Value> {
        let mut parts = vec![];
        for (k, part) in first.components().unwrap_or_default().iter().enumerate() {
            let all = elements
                .iter()
                .filter_map(|e| e.components()?.get(k).cloned());
            let all: Vec<Value> = all.collect();
            let of_one_size = |l: &mut Self, v: &Value| match v {
                Value::Plain(p) => {
                    matches!(&*p.expr.kind, Core::Var(sym) if l.fixed.contains(sym))
                        || l.known_lengths(&p.expr).iter().all(Option::is_some)
                }
                Value::Tuple(_)
                | Value::List(_)
                | Value::Struct(..)
                | Value::Closure(..)
                | Value::Shape(_)
                | Value::Way(_) => true,
            };
            if !part.is_data() || !all.iter().all(|v| of_one_size(self, v)) {
                let message = format!(
                    "which element of this list is meant must be known here: its elements are {} with \
                     arrays, which may be of different lengths; write a literal index, or `for p in \
                     ps.iter()`",
                    first.describe()
                );
                return Err(self.errors.at(loc, message));
            }
            let index = Value::Plain(Plain::typed(index.clone(), Scalar::Usize));
            parts.push(self.list_entry(List::Elements(all), &[(index, at)], loc)?);
        }
        Ok(first.with_components(parts))
    }

    /// An element of an array of arrays.
    pub(super) fn part_of_rust(plain: Plain, index: Expr) -> Value {
        let mut at = vec![None; plain.expr.ty.rank];
        at[0] = Some(index);
        Value::of_rust(Plain {
            expr: element(plain.expr, at),
            ..plain
        })
    }

    /// The elements of what `[x, y, z]` takes apart.
    pub(super) fn taken_apart(
        &mut self,
        value: Value,
        count: usize,
        loc: Loc,
    ) -> Result<Vec<Value>> {
        let plain = match self.fetched(value)? {
            Value::List(List::Elements(elements)) if elements.len() == count => {
                return Ok(elements);
            }
            Value::List(List::Whole(plain)) => plain,
            Value::List(List::Columns(columns)) => {
                let index = |k: usize| Expr::int(i64::try_from(k).unwrap_or(i64::MAX));
                let known = self.count_of(&columns);
                // Of a list that has fewer, there is no such element.
                if literal(&known) == i64::try_from(count).ok() {
                    return Ok((0..count).map(|k| columns.item(&index(k))).collect());
                }
                let message = format!(
                    "this pattern takes a list of {count} apart, and how many elements this list has \
                     is known at run time only; write `p[0]`, `p[1]`, .."
                );
                return Err(self.errors.at(loc, message));
            }
            Value::Plain(plain) if plain.expr.ty.rank == 1 => plain,
            other @ (Value::Plain(_)
            | Value::Tuple(_)
            | Value::List(_)
            | Value::Struct(..)
            | Value::Closure(..)
            | Value::Shape(_)
            | Value::Way(_)) => {
                let message = format!(
                    "this pattern takes an array of {count} apart, but the value is {}",
                    other.describe()
                );
                return Err(self.errors.at(loc, message));
            }
        };
        let whole = self.share("a", plain.expr.clone());
        let one = |k: usize| {
            let plain = Plain {
                expr: whole.clone(),
                ..plain.clone()
            };
            (plain, Expr::int(i64::try_from(k).unwrap_or(i64::MAX)))
        };
        let parts: Vec<(Plain, Expr)> = (0..count).map(one).collect();
        Ok((parts.into_iter())
            .map(|(plain, k)| Self::part_of_rust(plain, k))
            .collect())
    }

    /// A value in the form of another one of its type: arrays element by element where that is, and
    /// as a whole where that is a whole.
    pub(super) fn formed_as(&mut self, value: Value, like: &Value, loc: Loc) -> Result<Value> {
        match (like, value) {
            (Value::Plain(of), Value::List(list)) if of.expr.ty.rank == 1 => {
                Ok(Value::Plain(self.as_array(list, loc)?))
            }
            (Value::List(List::Whole(_)), Value::List(list)) => {
                Ok(Value::List(List::Whole(self.as_array(list, loc)?)))
            }
            (
                Value::List(List::Elements(elements)),
                value @ (Value::Plain(_) | Value::List(List::Whole(_))),
            ) if matches!(&value, Value::List(_))
                || matches!(&value, Value::Plain(p) if p.expr.ty.rank == 1) =>
            {
                let parts = self.taken_apart(value, elements.len(), loc)?;
                self.formed_as(Value::List(List::Elements(parts)), like, loc)
            }
            (like, value) if value.is_like(like) => {
                let (Some(parts), Some(likes)) = (value.components(), like.components()) else {
                    return Ok(value);
                };
                let parts = parts.iter().zip(likes);
                let parts = parts.map(|(part, like)| self.formed_as(part.clone(), like, loc));
                let parts = parts.collect::<Result<_>>()?;
                Ok(value.with_components(parts))
            }
            (_, value) => Ok(value),
        }
    }

    /// A value with all arrays as a whole.
    pub(super) fn whole(&mut self, value: &Value, loc: Loc) -> Result<Value> {
        if let Value::List(list) = value {
            return Ok(Value::of_rust(self.as_array(list.clone(), loc)?));
        }
        let Some(parts) = value.components() else {
            return Ok(value.clone());
        };
        let parts = parts.iter().map(|part| self.whole(part, loc));
        let parts = parts.collect::<Result<_>>()?;
        Ok(value.with_components(parts))
    }

    /// A method of an array of Rust; nothing if it is one of all arrays.
    pub(super) fn list_method(
        &mut self,
        list: &List,
        name: &syn::Ident,
        args: &[Surface],
    ) -> Option<Result<Value>> {
        let usize = |expr| Value::Plain(Plain::typed(expr, Scalar::Usize));
        if let List::Columns(columns) = list {
            let known = self.columns_method(columns, name, args);
            return known.or_else(|| self.ragged_method(columns, name, args));
        }
        Some(match (name.to_string().as_str(), list, args) {
            ("len", List::Elements(elements), []) => {
                Ok(usize(Expr::int(i64::try_from(elements.len()).unwrap_or(0))))
            }
            ("len", List::Whole(plain), []) => Ok(usize(length(plain.expr.clone(), 0))),
            ("is_empty", List::Elements(_), []) => Ok(Value::from(Expr::lit(Lit::Bool(false)))),
            ("is_empty", List::Whole(plain), []) => {
                let count = length(plain.expr.clone(), 0);
                Ok(Expr::prim(Prim::IEq, vec![count, Expr::int(0)]).into())
            }
            ("clone" | "to_owned" | "as_slice" | "to_vec", _, []) => Ok(Value::List(list.clone())),
            ("iter" | "into_iter", _, []) => self
                .iter_of_list(list.clone(), name.span().into())
                .map(Value::from),
            ("map", _, [function]) => self.map_of_list(list.clone(), function),
            ("first" | "last", List::Elements(elements), []) => {
                let end = match name == "first" {
                    true => elements.first(),
                    false => elements.last(),
                };
                Ok(end.map_or_else(Maybe::nothing, |e| Maybe::there(e.clone())))
            }
            ("first" | "last", List::Whole(plain), []) => {
                let whole = self.holding(plain.clone());
                let n = length(whole.expr.clone(), 0);
                let none = Some(Expr::prim(Prim::IEq, vec![n.clone(), Expr::int(0)]));
                let at = match name == "first" {
                    true => Expr::int(0),
                    false => super::size::minus(&n, &Expr::int(1)),
                };
                let (value, sure) = (Self::part_of_rust(whole, at), vec![]);
                Ok(Maybe { value, none, sure }.into())
            }
            (_, List::Whole(_), _) => {
                let (of, range) = (Box::new(Value::List(list.clone())), None);
                return self.columns_method(&Columns { of, range }, name, args);
            }
            _ => return None,
        })
    }

    /// Whether the elements hold arrays whose lengths are not seen to be the same.
    pub(super) fn has_own_shapes(&mut self, list: &List) -> bool {
        match list {
            List::Elements(elements) => {
                elements.iter().any(Value::is_borrowing) || self.differ_in_shape(elements)
            }
            List::Whole(_) | List::Columns(_) | List::Rows(_) => false,
        }
    }

    fn differ_in_shape(&mut self, values: &[Value]) -> bool {
        let Some((first, rest)) = values.split_first() else {
            return false;
        };
        match first {
            Value::Plain(plain) | Value::List(List::Whole(plain)) => {
                let lengths = self.written_lengths(&plain.expr);
                rest.iter().flat_map(Value::leaves).any(|other| {
                    let others = self.written_lengths(&other.expr);
                    let differ = |(n, m)| excess(n, m) != Some(0);
                    lengths.len() == others.len() && lengths.iter().zip(&others).any(differ)
                })
            }
            Value::Tuple(parts) | Value::Struct(_, parts) | Value::List(List::Elements(parts)) => {
                (0..parts.len()).any(|k| {
                    let all = values
                        .iter()
                        .filter_map(|v| v.components()?.get(k).cloned());
                    let all: Vec<Value> = all.collect();
                    self.differ_in_shape(&all)
                })
            }
            Value::List(List::Columns(_) | List::Rows(_)) => true,
            Value::Closure(..) | Value::Shape(_) | Value::Way(_) => false,
        }
    }

    /// Over the elements, which may be arrays themselves.
    pub(super) fn iter_of_list(&mut self, list: List, loc: Loc) -> Result<Iter> {
        if let List::Columns(columns) = &list {
            return Ok(self.items_of_list(columns));
        }
        let one_by_one = self.has_own_shapes(&list);
        if let List::Elements(elements) = &list
            && (one_by_one || list.is_of_composites())
        {
            let count = Expr::int(i64::try_from(elements.len()).unwrap_or(i64::MAX));
            let elements = Iter::new(vec![count], move |l, at| {
                l.list_entry(list.clone(), &[(at[0].clone().into(), loc)], loc)
            });
            return Ok(Iter {
                one_by_one,
                ..elements
            });
        }
        let plain = self.as_array(list, loc)?;
        if plain.expr.ty.rank == 1 {
            return Ok(self.elements(plain));
        }
        let plain = self.holding(plain);
        let count = length(plain.expr.clone(), 0);
        Ok(Iter::new(vec![count], move |_, at| {
            Ok(Self::part_of_rust(plain.clone(), at[0].clone()))
        }))
    }

    /// `p.map(|v| ..)`
    fn map_of_list(&mut self, list: List, function: &Surface) -> Result<Value> {
        let callable = match self.expr(function)? {
            Value::Closure(closure, env) => (closure, env),
            other @ (Value::Plain(_)
            | Value::Tuple(_)
            | Value::List(_)
            | Value::Struct(..)
            | Value::Shape(_)
            | Value::Way(_)) => {
                let message = format!(
                    "`map` takes a closure, and this is {}; write `|v| ..`",
                    other.describe()
                );
                return Err(self.errors.at(function.loc, message));
            }
        };
        match list {
            List::Elements(elements) => {
                let mapped = (elements.into_iter())
                    .map(|e| self.applied(&callable, vec![(Ok(e), function.loc)], function.loc))
                    .collect::<Result<_>>()?;
                Ok(Value::List(List::Elements(mapped)))
            }
            List::Columns(_) | List::Rows(_) => {
                unreachable!("it has no method of that name")
            }
            List::Whole(plain) => {
                let whole = Plain {
                    expr: self.share("a", plain.expr),
                    ..plain
                };
                let (axes, at) = self.indices(&[length(whole.expr.clone(), 0)]);
                let depth = self.loops.len();
                self.loops.extend(axes.iter().map(|(sym, _)| sym.clone()));
                let body = self.region(callable.0.body.loc, "the closure of `map`", |l| {
                    let row = Self::part_of_rust(whole, at[0].clone());
                    l.applied(&callable, vec![(Ok(row), function.loc)], function.loc)
                });
                self.loops.truncate(depth);
                let body = body?;
                Ok(Value::of_rust(Plain {
                    expr: built(axes, body.expr),
                    ..body
                }))
            }
        }
    }

    /// An array of Rust with the type that is written for it.
    pub(super) fn annotated_list(&mut self, list: List, of: &Written, loc: Loc) -> Result<Value> {
        match list {
            List::Elements(elements) if self.holds(of, elements.len()) => {
                let of = of.element_of_fixed();
                let one = |e| match e {
                    Value::List(list) => self.annotated_list(list, &of, loc),
                    e @ (Value::Plain(_)
                    | Value::Tuple(_)
                    | Value::Struct(..)
                    | Value::Closure(..)
                    | Value::Shape(_)
                    | Value::Way(_)) => {
                        let plain = self.plain(e, loc)?;
                        let expr = self.matching(plain, &of, loc)?;
                        Ok(Value::of_rust(Plain::typed(expr, of.scalar)))
                    }
                };
                let elements = elements.into_iter().map(one).collect::<Result<_>>()?;
                Ok(Value::List(List::Elements(elements)))
            }
            list @ (List::Elements(_) | List::Whole(_) | List::Columns(_) | List::Rows(_)) => {
                let description = list.describe();
                let other = |n: &Length| n.value.is_some() && matches!(list, List::Elements(_));
                let other = of.fixed_length(0).is_some_and(other);
                let plain = self.as_array(list, loc)?;
                if other || of.fixed.is_empty() && plain.expr.ty.rank > 1 {
                    let message = format!(
                        "this is {description}, but it is declared as `{}`",
                        spelled(&of.ty)
                    );
                    return Err(self.errors.at(loc, message));
                }
                let expr = self.matching(plain, of, loc)?;
                Ok(Value::of_rust(Plain::typed(expr, of.scalar)))
            }
        }
    }

    /// Whether a type is that of an array of so many, as far as it says.
    pub(super) fn holds(&self, of: &Written, count: usize) -> bool {
        let length = of.fixed_length(0).and_then(|n| n.value);
        length.is_some_and(|n| usize::try_from(n) == Ok(count))
    }

    /// Names of lengths, such as `N` in `[f64; N]`, are values in the body.
    pub(super) fn name_length(&mut self, length: &Length, value: Expr) {
        if let syn::Expr::Path(path) = &length.written
            && let Some(ident) = path.path.get_ident()
        {
            let value = Plain::typed(value, Scalar::Usize);
            self.name(ident.to_string(), Binding::Value(value.into()));
        }
    }
}
