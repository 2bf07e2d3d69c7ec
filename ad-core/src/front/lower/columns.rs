//! Lists of any length whose elements are made of several: a struct of arrays.
//!
//! ```text
//! points: &[(f64, [f64; 2])]     of = (a: Array1, b: Array2)
//! points[i]                      (a[i], b[i, ..])
//! points[m..n][i]                (a[m + i], b[m + i, ..])
//! ```
//!
//! A list of lists has the elements of all rows one after another. A row is a part of them:
//!
//! ```text
//! rows: &[Vec<f64>]              of = (starts, lengths, all)
//! rows[i]                        all[starts[i]..starts[i] + lengths[i]]
//! rows[i][j]                     all[starts[i] + j]   if 0 <= j < lengths[i]
//! ```

use super::array::element;
use super::combinator::built;
use super::fixed::List;
use super::size::{minus, plus, smaller, times};
use super::value::{Plain, Value};
use super::way::{Iter, Maybe, Way};
use super::{Lowerer, rename, under};
use crate::front::data::Tree;
use crate::front::error::{Loc, Reported, Result};
use crate::front::surface::Expr as Surface;
use crate::front::types::Scalar;
use crate::ir::core::Expr;
use crate::ir::prims::Prim;
use crate::ir::ty::Elem;

/// A list, or a part of one.
#[derive(Clone)]
pub(super) struct Columns {
    /// The arrays of a whole list, in the form of an element; their first axes run over the
    /// elements.
    pub(super) of: Box<Value>,
    /// Where it begins in these, and how many elements it has; all of them, if that is not said.
    pub(super) range: Option<(Expr, Expr)>,
}

impl Columns {
    /// A list of all elements.
    pub(super) fn whole(of: Value) -> Value {
        let of = Box::new(of);
        Value::List(List::Columns(Columns { of, range: None }))
    }

    /// So many elements, from one on.
    pub(super) fn part(&self, from: &Expr, count: Expr) -> Value {
        let first = match &self.range {
            Some((first, _)) => plus(first, from),
            None => from.clone(),
        };
        Value::List(List::Columns(Columns {
            of: self.of.clone(),
            range: Some((first, count)),
        }))
    }

    /// The element at a place that is inside.
    pub(super) fn item(&self, i: &Expr) -> Value {
        let i = match &self.range {
            Some((first, _)) => plus(first, i),
            None => i.clone(),
        };
        element_of(&self.of, &i)
    }
}

impl Value {
    /// Whether rows of different lengths are a part of it.
    pub(super) fn has_rows(&self) -> bool {
        let parts = self.components().unwrap_or_default();
        matches!(self, Value::List(List::Rows(_))) || parts.iter().any(Value::has_rows)
    }

    /// A row of a list of arrays of rank 1.
    pub(super) fn as_row(&self) -> Option<&Columns> {
        match self {
            Value::List(List::Columns(list)) if matches!(*list.of, Value::Plain(_)) => Some(list),
            Value::Plain(_)
            | Value::Tuple(_)
            | Value::List(_)
            | Value::Struct(..)
            | Value::Closure(..)
            | Value::Shape(_)
            | Value::Way(_) => None,
        }
    }
}

/// The element of a column.
pub(super) fn element_of(column: &Value, i: &Expr) -> Value {
    match column {
        Value::Plain(plain) | Value::List(List::Whole(plain)) => {
            let mut at = vec![None; plain.expr.ty.rank];
            at[0] = Some(i.clone());
            let one = Plain {
                expr: element(plain.expr.clone(), at),
                ..plain.clone()
            };
            match column {
                Value::List(_) => Value::of_rust(one),
                Value::Plain(_)
                | Value::Tuple(_)
                | Value::Struct(..)
                | Value::Closure(..)
                | Value::Shape(_)
                | Value::Way(_) => Value::Plain(one),
            }
        }
        Value::Tuple(parts) | Value::Struct(_, parts) | Value::List(List::Elements(parts)) => {
            column.with_components(parts.iter().map(|part| element_of(part, i)).collect())
        }
        Value::List(List::Rows(parts)) => {
            let at = |part: &Value| match element_of(part, i) {
                Value::Plain(plain) => plain.expr,
                Value::Tuple(_)
                | Value::Struct(..)
                | Value::List(_)
                | Value::Closure(..)
                | Value::Shape(_)
                | Value::Way(_) => unreachable!("rows begin and end at integers"),
            };
            Value::List(List::Columns(Columns {
                of: Box::new(parts[2].clone()),
                range: Some((at(&parts[0]), at(&parts[1]))),
            }))
        }
        Value::List(List::Columns(_)) | Value::Closure(..) | Value::Shape(_) | Value::Way(_) => {
            unreachable!("columns are arrays")
        }
    }
}

/// Whether the elements of rows have the rank of those of a table's rows.
fn is_row_of(all: &Tree, table: &Plain) -> bool {
    match all {
        Tree::Leaf(all) => all.rank + 1 == table.expr.ty.rank,
        Tree::Rows(parts) => {
            let (all, rank) = (&parts[2], table.expr.ty.rank);
            matches!(all, Tree::Leaf(all) if all.rank + 2 == rank)
        }
        Tree::Tuple(_) | Tree::List(_) | Tree::Struct(..) | Tree::Many(_) | Tree::Optional(_) => {
            false
        }
    }
}

/// Whether a list can hold it: its parts are numbers and arrays.
fn is_element(item: &Value) -> bool {
    match item {
        Value::Plain(plain) | Value::List(List::Whole(plain)) => plain.expr.ty.rank < 6,
        Value::Tuple(parts) | Value::Struct(_, parts) | Value::List(List::Elements(parts)) => {
            parts.iter().all(is_element)
        }
        Value::List(List::Columns(_) | List::Rows(_))
        | Value::Closure(..)
        | Value::Shape(_)
        | Value::Way(_) => false,
    }
}

/// The arrays of a list, in the form of an item.
fn column(item: &Value, arrays: &mut impl Iterator<Item = Plain>) -> Value {
    match item.components() {
        Some(parts) => {
            let parts = parts.iter().map(|part| column(part, arrays)).collect();
            item.with_components(parts)
        }
        None => match arrays.next() {
            Some(array) => match item {
                // An array of ndarray is read by all indices at once.
                Value::Plain(plain) if plain.expr.ty.rank > 1 => Value::Plain(array),
                Value::Plain(_)
                | Value::Tuple(_)
                | Value::List(_)
                | Value::Struct(..)
                | Value::Closure(..)
                | Value::Shape(_)
                | Value::Way(_) => Value::of_rust(array),
            },
            None => unreachable!("there is an array for each part"),
        },
    }
}

/// For items that are collected.
const COLLECTED: &str =
    "collect the values, as `.map(|v| *v)`, or change the items in a `for` loop";

impl Lowerer<'_> {
    /// How many elements a list has.
    pub(super) fn count_of(&mut self, list: &Columns) -> Expr {
        if let Some((_, count)) = &list.range {
            return count.clone();
        }
        match list.of.leaves().first() {
            Some(first) => {
                let first = first.expr.clone();
                self.written_lengths(&first).swap_remove(0)
            }
            None => Expr::int(0),
        }
    }

    /// `points[i]`
    pub(super) fn element_at(&mut self, list: &Columns, i: Expr) -> Value {
        let place = self.place_in(list, i);
        element_of(&list.of, &place)
    }

    /// Where an element is in the arrays of a list. Of a part of a list, what lies outside of the
    /// part is outside.
    pub(super) fn place_in(&mut self, list: &Columns, i: Expr) -> Expr {
        let Some((first, count)) = list.range.clone() else {
            return i;
        };
        let i = self.share_size(i);
        let last = minus(&count, &Expr::int(1));
        let (is_natural, is_below) = (self.is_natural(&i), self.is_natural(&minus(&last, &i)));
        let mut place = plus(&first, &i);
        if is_natural && is_below {
            return place;
        }
        let outside = Expr::int(-1);
        if !is_below {
            let inside = Expr::prim(Prim::ILt, vec![i.clone(), count]);
            place = Expr::cond(inside, place, outside.clone());
        }
        if !is_natural {
            let inside = Expr::prim(Prim::IGe, vec![i, Expr::int(0)]);
            place = Expr::cond(inside, place, outside);
        }
        self.share("place", place)
    }

    /// The arrays of a list with another element at a place.
    pub(super) fn with_element(
        &mut self,
        column: &Value,
        place: &Expr,
        new: Value,
        loc: Loc,
    ) -> Result<Value> {
        match (column, new) {
            (Value::Plain(array) | Value::List(List::Whole(array)), new) => {
                let new = self.plain(new, loc)?;
                let mut at = vec![None; array.expr.ty.rank];
                at[0] = Some(place.clone());
                let all = self.share("x", array.expr.clone());
                let array = Plain {
                    expr: self.updated(all, at, new.expr),
                    ..array.clone()
                };
                Ok(match column {
                    Value::List(_) => Value::of_rust(array),
                    Value::Plain(_)
                    | Value::Tuple(_)
                    | Value::Struct(..)
                    | Value::Closure(..)
                    | Value::Shape(_)
                    | Value::Way(_) => Value::Plain(array),
                })
            }
            (Value::List(List::Rows(parts)), Value::List(List::Columns(row))) => {
                let mut parts = parts.clone();
                let was = element_of(column, place);
                let is_same =
                    matches!(&was, Value::List(List::Columns(was)) if was.range == row.range);
                if !is_same {
                    return Err(self.whole_row(loc));
                }
                parts[2] = *row.of;
                Ok(Value::List(List::Rows(parts)))
            }
            (Value::List(List::Rows(_)), _) => Err(self.whole_row(loc)),
            (column, new) => match (column.components(), new.components()) {
                (Some(columns), Some(parts)) if columns.len() == parts.len() => {
                    let (columns, parts) = (columns.to_vec(), parts.to_vec());
                    let both = columns.iter().zip(parts);
                    let parts: Result<Vec<Value>> = both
                        .map(|(column, part)| self.with_element(column, place, part, loc))
                        .collect();
                    Ok(column.with_components(parts?))
                }
                (..) => {
                    let message = format!(
                        "an element of this list is {}, and the new one is {}",
                        element_of(column, place).describe(),
                        new.describe()
                    );
                    Err(self.errors.at(loc, message))
                }
            },
        }
    }

    /// For a row that becomes another one.
    pub(super) fn whole_row(&mut self, loc: Loc) -> Reported {
        self.errors.at(
            loc,
            "a row of a list of lists keeps its length, and is changed element by element; write `rows[i][j] \
             = ..` in a loop",
        )
    }

    /// A list of numbers or of arrays as one array.
    pub(super) fn single_column(&mut self, list: &Columns, loc: Loc) -> Result<Plain> {
        let whole = match &*list.of {
            Value::Plain(plain) | Value::List(List::Whole(plain)) => Some(plain.clone()),
            Value::Tuple(_)
            | Value::Struct(..)
            | Value::List(_)
            | Value::Closure(..)
            | Value::Shape(_)
            | Value::Way(_) => None,
        };
        match (whole, &list.range) {
            (Some(whole), None) => Ok(whole),
            (Some(_), Some(_)) => {
                let items = self.items_of_list(list);
                let value = self.list_of_items(&items, loc)?;
                self.plain(value, loc)
            }
            (None, _) => {
                let message = format!(
                    "this is {}, which is no array of numbers; write `p[i]` for an element, or `.iter()`",
                    List::Columns(list.clone()).describe()
                );
                Err(self.errors.at(loc, message))
            }
        }
    }

    /// The operands of an operator, with rows of lists as arrays. Beside an array, a row has the
    /// length of that array:
    ///
    /// ```text
    /// x + rows[i]   =   x + build(j < x.len() => all[starts[i] + j])   if lengths[i] == x.len()
    /// ```
    ///
    /// Otherwise the read is outside of the list, which panics.
    pub(super) fn rows_beside(
        &mut self,
        (a, a_loc): (Result<Value>, Loc),
        (b, b_loc): (Result<Value>, Loc),
    ) -> (Result<Value>, Result<Value>) {
        let (a, b) = match (a, b) {
            (Ok(a), Ok(b)) => (a, b),
            either => return either,
        };
        match (a.as_row(), b.as_row()) {
            (None, None) => (Ok(a), Ok(b)),
            (Some(row), None) => (self.row_like(row, &b, a_loc), Ok(b)),
            (None, Some(row)) => (Ok(a.clone()), self.row_like(row, &a, b_loc)),
            (Some(first), Some(second)) => {
                let first = self.single_column(first, a_loc);
                let first = first.map(|p| Value::from(self.holding(p)));
                let second = match &first {
                    Ok(first) => self.row_like(second, first, b_loc),
                    Err(reported) => Err(*reported),
                };
                (first, second)
            }
        }
    }

    /// A row as an array with the length of another array's last axis.
    fn row_like(&mut self, row: &Columns, other: &Value, loc: Loc) -> Result<Value> {
        let length = match other {
            Value::Plain(plain) => self.written_lengths(&plain.expr).pop(),
            Value::Tuple(_)
            | Value::List(_)
            | Value::Struct(..)
            | Value::Closure(..)
            | Value::Shape(_)
            | Value::Way(_) => None,
        };
        Ok(self.row_of_length(row, length, loc)?.into())
    }

    /// `rows[i].dot(&b)`
    fn row_product(&mut self, row: &Columns, other: &Surface) -> Result<Value> {
        let b = self.expr(other)?;
        let b = self.fetched(b)?;
        if let Some(second) = b.as_row()
            && let (Some((_, m)), Some((_, n))) = (&row.range, &second.range)
            && super::size::excess(m, n) == Some(0)
        {
            let (first, second) = (self.items_of_list(row), self.items_of_list(second));
            return self.ragged_dot(&first, second.into(), other.loc);
        }
        let b = match b.as_row() {
            Some(second) => self.single_column(second, other.loc)?,
            None => self.plain(b, other.loc)?,
        };
        let b = self.holding(b);
        let length = self.written_lengths(&b.expr).into_iter().next();
        let a = self.row_of_length(row, length, other.loc)?;
        self.product(a, b, other.loc)
    }

    /// A method of a row whose length depends on a loop around it, where it is no array: that of an
    /// iterator over its elements.
    pub(super) fn ragged_method(
        &mut self,
        list: &Columns,
        name: &syn::Ident,
        args: &[Surface],
    ) -> Option<Result<Value>> {
        let (Value::Plain(_), Some((_, count))) = (&*list.of, &list.range) else {
            return None;
        };
        let on = self.dependence(count);
        if !self.loops.iter().any(|index| on.contains(index)) {
            return None;
        }
        let items = Way::Iter(self.items_of_list(list).into());
        Some(self.way_method(&items, name, args, name.span().into()))
    }

    /// A row as an array of a length, which it has to have.
    pub(super) fn row_of_length(
        &mut self,
        row: &Columns,
        length: Option<Expr>,
        loc: Loc,
    ) -> Result<Plain> {
        let row = match (&row.range, length) {
            (Some((first, count)), Some(length)) if count != &length => {
                let fits = Expr::prim(Prim::IEq, vec![count.clone(), length.clone()]);
                let first = Expr::cond(fits, first.clone(), minus(&Expr::int(-1), &length));
                Columns {
                    of: row.of.clone(),
                    range: Some((self.share("first", first), length)),
                }
            }
            (..) => row.clone(),
        };
        self.single_column(&row, loc)
    }

    /// `points[a..b]`
    pub(super) fn part_of_list(
        &mut self,
        list: &Columns,
        from: Option<&Surface>,
        to: Option<&Surface>,
        closed: bool,
        loc: Loc,
    ) -> Result<Value> {
        let from = from.map(|from| self.number(from));
        let to = to.map(|to| self.number(to));
        let from = from.transpose()?.unwrap_or_else(|| Expr::int(0));
        let end = match to.transpose()? {
            Some(to) if closed => plus(&to, &Expr::int(1)),
            Some(to) => to,
            None => self.count_of(list),
        };
        self.ends_inside(list, &end, loc)?;
        let count = self.share_size(minus(&end, &from));
        Ok(list.part(&from, count))
    }

    /// Of a part, a part has to be seen to end inside: reads are checked against the whole list.
    fn ends_inside(&mut self, list: &Columns, end: &Expr, loc: Loc) -> Result<()> {
        match &list.range {
            Some((_, count)) if !self.is_natural(&minus(count, end)) => Err(self.errors.at(
                loc,
                "whether this ends inside of the part that it is a part of is not seen here; write the \
                 indices of the whole list: `&points[a..b]`",
            )),
            Some(_) | None => Ok(()),
        }
    }

    /// The elements one after another.
    pub(super) fn items_of_list(&mut self, list: &Columns) -> Iter {
        let count = self.count_of(list);
        let count = self.not_negative(count);
        let list = list.clone();
        Iter::new(vec![count], move |_, at| Ok(list.item(&at[0])))
    }

    /// `points.chunks(n)`, `points.rchunks(n)`: the last one has what is left.
    pub(super) fn chunks_of(
        &mut self,
        list: Columns,
        all: Expr,
        size: Expr,
        from_end: bool,
    ) -> Iter {
        let up = minus(&plus(&all, &size), &Expr::int(1));
        let count = Expr::prim(Prim::IDiv, vec![up, size.clone()]);
        let count = self.share_size(count);
        Iter::new(vec![count], move |_, at| {
            let start = times(&at[0], &size);
            let rest = minus(&all, &start);
            let length = smaller(&rest, &size);
            let start = match from_end {
                true => minus(&rest, &length),
                false => start,
            };
            Ok(list.part(&start, length))
        })
    }

    /// A list in the form that an argument or a result of a type has, and what it is made of.
    pub(super) fn listed(&mut self, value: Value, tree: &Tree, loc: Loc) -> Result<Value> {
        match (tree, &value) {
            (Tree::Many(many), Value::List(List::Columns(list))) => match &list.range {
                None => Ok(Columns::whole(
                    self.rows_of(*list.of.clone(), &many.columns),
                )),
                Some(_) if tree.has_rows() => Err(self.errors.at(
                    loc,
                    "a part of a list of lists cannot be passed on; pass the whole list, and where \
                     the part begins",
                )),
                Some(_) => {
                    let items = self.items_of_list(list);
                    self.list_of_items(&items, loc)
                }
            },
            (Tree::Many(many), Value::List(List::Whole(_)) | Value::Plain(_))
                if tree.has_rows() =>
            {
                let rows = self.rows_of(value.clone(), &many.columns);
                Ok(match matches!(rows, Value::List(List::Rows(_))) {
                    true => Columns::whole(rows),
                    false => value,
                })
            }
            (Tree::Many(_), Value::List(List::Elements(elements))) if tree.has_rows() => {
                let whole = self.as_array(List::Elements(elements.clone()), loc)?;
                self.listed(Value::of_rust(whole), tree, loc)
            }
            (Tree::Many(many), Value::List(List::Elements(elements))) => {
                let mut columns = vec![vec![]; many.columns.leaves().len()];
                for e in elements {
                    let e = self.listed(e.clone(), &many.one, loc)?;
                    let mut leaves = vec![];
                    self.argument(
                        ("the list", "an element"),
                        &many.one,
                        false,
                        e,
                        loc,
                        &mut leaves,
                    )?;
                    for (column, leaf) in columns.iter_mut().zip(leaves) {
                        column.push(leaf);
                    }
                }
                let mut whole = vec![];
                for (column, written) in columns.into_iter().zip(many.columns.leaves()) {
                    let typed = |e| Value::of_rust(Plain::typed(e, written.scalar));
                    let elements = column.into_iter().map(typed).collect();
                    let plain = self.as_array(List::Elements(elements), loc)?;
                    whole.push(Value::of_rust(Plain {
                        expr: self.share("list", plain.expr),
                        ..plain
                    }));
                }
                let mut whole = whole.into_iter();
                Ok(Columns::whole(
                    many.columns.assembled(&mut |_| whole.next()),
                ))
            }
            (Tree::Tuple(types) | Tree::List(types) | Tree::Struct(_, types), _) => {
                let Some(parts) = value.components().filter(|p| p.len() == types.len()) else {
                    return Ok(value);
                };
                let parts = parts.iter().zip(types);
                let parts = parts.map(|(part, of)| self.listed(part.clone(), of, loc));
                let parts = parts.collect::<Result<_>>()?;
                Ok(value.with_components(parts))
            }
            (Tree::Leaf(_) | Tree::Many(_) | Tree::Optional(_) | Tree::Rows(_), _) => Ok(value),
        }
    }

    /// The arrays of a list, with its tables as rows one after another:
    ///
    /// ```text
    /// a: n by m    starts[i] = i m, lengths[i] = m, all[k] = a[k / m, k % m]
    /// ```
    fn rows_of(&mut self, of: Value, columns: &Tree) -> Value {
        match (columns, of) {
            (Tree::Rows(parts), Value::Plain(table) | Value::List(List::Whole(table)))
                if is_row_of(&parts[2], &table) =>
            {
                let table = self.holding(table);
                let mut sizes = self.written_lengths(&table.expr);
                let (n, m) = (
                    self.share_size(sizes.remove(0)),
                    self.share_size(sizes.remove(0)),
                );
                let of_rows = |l: &mut Self, of: &dyn Fn(&Expr) -> Expr| {
                    let (axes, at) = l.indices(std::slice::from_ref(&n));
                    let all = l.share("rows", built(axes, of(&at[0])));
                    Value::Plain(Plain::typed(all, Scalar::Usize))
                };
                let starts = of_rows(self, &|i| times(i, &m));
                let lengths = of_rows(self, &|_| m.clone());
                sizes.insert(0, self.share_size(times(&n, &m)));
                let all = self.reshaped(table, sizes);
                let all = self.rows_of(Value::of_rust(all), &parts[2]);
                let all = self.named(all, "all");
                Value::List(List::Rows(vec![starts, lengths, all]))
            }
            (Tree::Tuple(types) | Tree::List(types) | Tree::Struct(_, types), of) => {
                let Some(parts) = of.components().filter(|p| p.len() == types.len()) else {
                    return of;
                };
                let parts = parts.iter().zip(types);
                let parts = parts.map(|(part, tree)| self.rows_of(part.clone(), tree));
                of.with_components(parts.collect())
            }
            (Tree::Leaf(_) | Tree::Many(_) | Tree::Optional(_) | Tree::Rows(_), of) => of,
        }
    }

    /// A list of what an iterator gives, where that is made of several.
    pub(super) fn list_of_items(&mut self, iter: &Iter, loc: Loc) -> Result<Value> {
        let iter = iter.clone().flat();
        let Some(extents) = iter.extents.clone() else {
            return Err(self.unbounded(loc));
        };
        if let Some(rounds) = iter.rounds() {
            let items = rounds.map(|round| {
                let item = (iter.at)(self, &[round])?;
                self.no_copy(&item, loc, COLLECTED)?;
                Ok(item)
            });
            return Ok(Value::List(List::Elements(items.collect::<Result<_>>()?)));
        }
        self.rectangular_sizes(&extents, loc)?;
        let (axes, bound, item) = self.at_each(&extents, |l, at| {
            let item = (iter.at)(l, at)?;
            l.no_copy(&item, loc, COLLECTED)?;
            l.settled(item, loc)
        })?;
        if !matches!(item, Value::Plain(_)) && !is_element(&item) {
            self.uneven = item.as_row().map(|row| self.count_of(row));
            let message = format!(
                "these items are {}, which no list holds here{}",
                item.describe(),
                item.advice()
            );
            return Err(self.errors.at(loc, message));
        }
        if let Value::Plain(leaf) | Value::List(List::Whole(leaf)) = &item {
            let whole = Plain {
                expr: built(axes, under(bound, leaf.expr.clone())),
                ..leaf.clone()
            };
            let all = column(&item, &mut std::iter::once(whole));
            if let Value::Plain(whole) = &all
                && whole.expr.ty.rank > 2
            {
                return Ok(Columns::whole(whole.clone().into()));
            }
            return Ok(all);
        }
        let mut columns = vec![];
        for leaf in item.leaves() {
            let column = built(axes.clone(), under(bound.clone(), leaf.expr.clone()));
            // Each binder has its own symbol.
            let column = match columns.is_empty() {
                true => column,
                false => self.copied(&column, &mut rename::Names::new()),
            };
            columns.push(Plain {
                expr: self.share("list", column),
                ..leaf.clone()
            });
        }
        Ok(Columns::whole(column(&item, &mut columns.into_iter())))
    }

    /// `vec![p; n]`, where an element is made of several.
    pub(super) fn list_of_one(&mut self, one: &Value, n: Expr, loc: Loc) -> Result<Value> {
        let one = self.settled(one.clone(), loc)?;
        if !is_element(&one) {
            let message = format!("these elements are {}, which no list holds", one.describe());
            return Err(self.errors.at(loc, message));
        }
        let n = self.share_size(n);
        let mut columns = vec![];
        for leaf in one.leaves() {
            let (axes, _) = self.indices(std::slice::from_ref(&n));
            let all = built(axes, leaf.expr.clone());
            columns.push(Plain {
                expr: self.share("list", all),
                ..leaf.clone()
            });
        }
        Ok(Columns::whole(column(&one, &mut columns.into_iter())))
    }

    /// An item with arrays of numbers as a whole.
    fn settled(&mut self, item: Value, loc: Loc) -> Result<Value> {
        if let Value::List(List::Elements(elements)) = &item
            && elements.iter().all(|e| e.components().is_none())
        {
            return self.whole(&item, loc);
        }
        let Some(parts) = item.components() else {
            return Ok(item);
        };
        let parts = parts.iter().map(|part| self.settled(part.clone(), loc));
        let parts = parts.collect::<Result<_>>()?;
        Ok(item.with_components(parts))
    }

    /// A method of a list; nothing if there is none of that name.
    pub(super) fn columns_method(
        &mut self,
        list: &Columns,
        name: &syn::Ident,
        args: &[Surface],
    ) -> Option<Result<Value>> {
        let count = self.count_of(list);
        let usize = |expr| Value::Plain(Plain::typed(expr, Scalar::Usize));
        let at = |l: &mut Self, i: Expr| -> Value {
            let none = Expr::prim(Prim::ILt, vec![i.clone(), Expr::int(0)]);
            let past = Expr::prim(Prim::IGe, vec![i.clone(), count.clone()]);
            let none = Expr::prim(Prim::Or, vec![none, past]);
            let (none, sure) = (Some(l.share("none", none)), vec![]);
            let value = list.item(&i);
            Maybe { value, none, sure }.into()
        };
        Some(Ok(match (name.to_string().as_str(), args) {
            ("len", []) => usize(self.not_negative(count)),
            ("is_empty", []) => Expr::prim(Prim::ILe, vec![count, Expr::int(0)]).into(),
            ("clone" | "to_owned" | "as_slice" | "to_vec" | "as_ref", []) => {
                Value::List(List::Columns(list.clone()))
            }
            ("iter" | "into_iter", []) => self.items_of_list(list).into(),
            ("dot", [other]) if matches!(*list.of, Value::Plain(_)) => {
                return Some(self.row_product(list, other));
            }
            ("first", []) => at(self, Expr::int(0)),
            ("last", []) => at(self, minus(&count, &Expr::int(1))),
            ("get", [i]) => {
                let value = self
                    .expr(i)
                    .and_then(|v| self.of(Elem::Int, v, i.loc, "an index"));
                match value {
                    Ok(i) => {
                        let i = self.share_size(i);
                        at(self, i)
                    }
                    Err(reported) => return Some(Err(reported)),
                }
            }
            ("windows", [size]) => {
                let size = match self.part_length(size) {
                    Ok(size) => size,
                    Err(reported) => return Some(Err(reported)),
                };
                let more = plus(&minus(&count, &size), &Expr::int(1));
                let more = self.not_negative(more);
                let more = self.share_size(more);
                let list = list.clone();
                Iter::new(vec![more], move |_, at| Ok(list.part(&at[0], size.clone()))).into()
            }
            ("chunks" | "rchunks", [size]) => match self.part_length(size) {
                Ok(size) => {
                    let from_end = name == "rchunks";
                    self.chunks_of(list.clone(), count, size, from_end).into()
                }
                Err(reported) => return Some(Err(reported)),
            },
            ("chunks_exact", [size]) => {
                let size = match self.part_length(size) {
                    Ok(size) => size,
                    Err(reported) => return Some(Err(reported)),
                };
                let chunks = Expr::prim(Prim::IDiv, vec![count, size.clone()]);
                let chunks = self.share_size(chunks);
                let list = list.clone();
                Iter::new(vec![chunks], move |_, at| {
                    Ok(list.part(&times(&at[0], &size), size.clone()))
                })
                .into()
            }
            ("split_at", [middle]) => {
                let middle = match self.number(middle) {
                    Ok(middle) => middle,
                    Err(reported) => return Some(Err(reported)),
                };
                if let Err(reported) = self.ends_inside(list, &middle, name.span().into()) {
                    return Some(Err(reported));
                }
                let rest = minus(&count, &middle);
                Value::Tuple(vec![
                    list.part(&Expr::int(0), middle.clone()),
                    list.part(&middle, rest),
                ])
            }
            _ => return None,
        }))
    }
}
