//! Assignments. A variable that changes stands for a new value from there on.

use super::array::{element, length};
use super::borrow::Borrow;
use super::columns::Columns;
use super::combinator::built;
use super::fixed::List;
use super::value::{Plain, Value};
use super::way::Maybe;
use super::{Binding, Changed, Lowerer};
use crate::front::error::{Loc, Reported, Result};
use crate::front::surface::{Assign, How, Place, Swap, Target};
use crate::ir::core::Expr;
use crate::ir::ty::Elem;
pub(super) use crate::loops::terms::both;

/// What is assigned, and where it stands.
struct Operand {
    how: How,
    value: Value,
    value_loc: Loc,
    loc: Loc,
}

/// For `swap` of anything else.
const SWAP: &str = "`swap` is for elements of a list or an array of rank 1; write \
     `let t = x[i]; x[i] = x[j]; x[j] = t;` with the indices of yours";

impl Lowerer<'_> {
    pub(super) fn unset(&mut self, ident: &syn::Ident) -> Reported {
        let message = format!(
            "`{ident}` is not set on every way that leads here; give it a first value at its `let`"
        );
        self.errors.at(ident.span(), message)
    }

    pub(super) fn assign(&mut self, assign: &Assign) {
        let value = self.expr(&assign.value);
        // What is on the right is computed before anything changes.
        let value = value.map(|v| match &assign.target {
            Target::Tuple(..) => self.named(v, "part"),
            Target::Place(_) | Target::Wild => v,
        });
        self.put(&assign.target, assign.how, value, assign);
    }

    fn put(&mut self, target: &Target, how: How, value: Result<Value>, assign: &Assign) {
        match target {
            Target::Wild => {}
            Target::Place(place) => {
                let operand = value.map(|value| Operand {
                    how,
                    value,
                    value_loc: assign.value.loc,
                    loc: assign.loc,
                });
                let turns = matches!(how, How::Axes);
                self.put_place(place, turns, |l, old, of| match (operand?, old, of) {
                    (operand, None, _) => Ok(operand.value),
                    (operand, Some(old), None) => l.compounded(old, operand),
                    (operand, Some(part), Some((whole, of_rust))) => {
                        let part = l.plain(part, operand.loc)?;
                        l.part_value(whole, part.expr, operand, of_rust)
                            .map(Value::from)
                    }
                });
            }
            Target::Tuple(loc, targets) => {
                let parts = match value {
                    Ok(Value::Tuple(parts)) if parts.len() == targets.len() => Ok(parts),
                    Ok(other) => {
                        let message = format!(
                            "this takes a tuple of {} apart, but the value is {}",
                            targets.len(),
                            other.describe()
                        );
                        Err(self.errors.at(*loc, message))
                    }
                    Err(reported) => Err(reported),
                };
                for (k, target) in targets.iter().enumerate() {
                    let part = match &parts {
                        Ok(parts) => Ok(parts[k].clone()),
                        Err(reported) => Err(*reported),
                    };
                    self.put(target, how, part, assign);
                }
            }
        }
    }

    /// Gives a variable, or a part of it, a new value; `new` gets the old one, if there is one, and
    /// the array that it is a part of. `turns` says whether the new value has other axes, which a
    /// view has for itself.
    fn put_place(
        &mut self,
        place: &Place,
        turns: bool,
        new: impl FnOnce(&mut Self, Option<Value>, Option<(&Plain, bool)>) -> Result<Value>,
    ) {
        let name = place.root.to_string();
        match self.borrowed(place) {
            Ok(Some(part)) if turns && part.is_view() => {
                let message = format!(
                    "this turns a view of `{0}`, and `{0}` stays as it is; write the view that is \
                     meant, as `{0}.slice_mut(s![..;-1])` or `{0}.view_mut().reversed_axes()`",
                    part.root()
                );
                let reported = self.errors.at(place.loc, message);
                self.is_wrong(&name, reported);
            }
            Ok(Some(part)) => {
                let new = |l: &mut Self, old, of: Option<(&Plain, bool)>| new(l, Some(old), of);
                let _ = self.write(&part, place.loc, new);
            }
            Ok(None) => {
                let Some(cell) = self.env.entry(&name).map(|e| e.cell) else {
                    return;
                };
                let binding = match new(self, None, None) {
                    Ok(value) => Binding::Value(self.named(value, &name)),
                    Err(reported) => Binding::Hole(reported),
                };
                self.change(Changed {
                    cell,
                    name,
                    binding,
                });
            }
            Err(reported) => {
                self.is_wrong(&name, reported);
            }
        }
    }

    /// What is wrong with a variable is said once.
    fn is_wrong(&mut self, name: &str, reported: Reported) {
        if let Some(cell) = self.env.entry(name).map(|e| e.cell)
            && cell >= self.wall
        {
            let binding = Binding::Hole(reported);
            self.change(Changed {
                cell,
                name: name.to_owned(),
                binding,
            });
        }
    }

    /// A new value of what a call was lent.
    pub(super) fn write_back(&mut self, place: &Borrow, value: Value, loc: Loc) -> Result<()> {
        self.write(place, loc, |l, old, of| match of {
            None => l.set(old, value, loc),
            Some((whole, of_rust)) => {
                let part = l.plain(old, loc)?;
                let operand = Operand {
                    how: How::Copy,
                    value,
                    value_loc: loc,
                    loc,
                };
                l.part_value(whole, part.expr, operand, of_rust)
                    .map(Value::from)
            }
        })
    }

    /// `x.swap(i, j);`
    pub(super) fn swap(&mut self, swap: &Swap) {
        let Swap { place, i, j, rows } = swap;
        if self.is_list_of_lists(place) {
            return self.stmt(rows);
        }
        let values = [i, j].map(|e| self.expr(e));
        // Of more than one axis: what is said is about the array, once.
        let several = |v: &Result<Value>| matches!(v, Ok(Value::Tuple(_) | Value::List(_)));
        let wrong = (values.iter().any(several)).then(|| self.errors.at(place.loc, SWAP));
        let mut locs = [i.loc, j.loc].into_iter();
        let at = values.map(|value| {
            let loc = locs.next().unwrap_or(place.loc);
            match (value, wrong) {
                (_, Some(reported)) | (Err(reported), None) => Err(reported),
                (Ok(index), None) => {
                    let index = self.of(Elem::Int, index, loc, "an index")?;
                    Ok(self.share_size(index))
                }
            }
        });
        self.put_place(place, false, |l, old, _| {
            let [i, j] = at;
            let at = [i?, j?];
            let old = match old {
                Some(Value::List(list @ List::Elements(_))) => {
                    let whole = Value::of_rust(l.as_array(list, place.loc)?);
                    Some(l.named(whole, "x"))
                }
                Some(old) => Some(old),
                None => None,
            };
            match &old {
                Some(Value::Plain(plain)) if plain.expr.ty.rank == 1 => Ok(l.exchanged(plain, &at)),
                Some(Value::List(List::Whole(plain))) => Ok(l.exchanged(plain, &at)),
                Some(Value::List(List::Columns(list)))
                    if list.range.is_none() && !list.of.has_rows() =>
                {
                    Ok(Columns::whole(l.exchanged_columns(&list.of, &at)))
                }
                Some(_) | None => Err(l.errors.at(place.loc, SWAP)),
            }
        });
    }

    /// Whether there is a list of lists at a place.
    fn is_list_of_lists(&mut self, place: &Place) -> bool {
        let there = self.borrowed(place).ok().flatten();
        let value = there.and_then(|there| self.read(&there).ok());
        let Some(Value::List(List::Columns(list))) = value else {
            return false;
        };
        matches!(*list.of, Value::List(List::Rows(_)))
    }

    /// The arrays of a list with two elements exchanged.
    fn exchanged_columns(&mut self, column: &Value, at: &[Expr; 2]) -> Value {
        match column {
            Value::Plain(array) | Value::List(List::Whole(array)) => {
                let new = self.exchanged(array, at);
                match (column, new) {
                    (Value::Plain(_), Value::List(List::Whole(new))) => Value::Plain(new),
                    (_, new) => new,
                }
            }
            Value::Tuple(_)
            | Value::Struct(..)
            | Value::List(_)
            | Value::Closure(..)
            | Value::Shape(_)
            | Value::Way(_) => {
                let parts = column.components().unwrap_or_default().to_vec();
                let parts = parts.iter().map(|part| self.exchanged_columns(part, at));
                column.with_components(parts.collect())
            }
        }
    }

    /// An array with two elements, or two parts along its first axis, exchanged.
    fn exchanged(&mut self, whole: &Plain, [i, j]: &[Expr; 2]) -> Value {
        let rank = whole.expr.ty.rank;
        let array = self.share("x", whole.expr.clone());
        let place = |i: &Expr| {
            let mut at = vec![None; rank];
            at[0] = Some(i.clone());
            at
        };
        let one = |l: &mut Self, i: &Expr| {
            let known = l.replaced_element(&array, &place(i));
            l.share(
                "part",
                known.unwrap_or_else(|| element(array.clone(), place(i))),
            )
        };
        let (a, b) = (one(self, i), one(self, j));
        let first = self.updated(array.clone(), place(i), b);
        let first = self.share("swapped", first);
        let expr = self.updated(first, place(j), a);
        let expr = self.share("swapped", expr);
        Value::of_rust(Plain {
            expr,
            ..whole.clone()
        })
    }

    /// What replaces a part of an array.
    fn part_value(
        &mut self,
        whole: &Plain,
        part: Expr,
        new: Operand,
        of_rust: bool,
    ) -> Result<Expr> {
        let loc = new.value_loc;
        let is_set = matches!(new.how, How::Set | How::Axes);
        let part = Plain {
            expr: part,
            ..whole.clone()
        };
        if is_set && part.expr.ty.rank > 0 && !of_rust {
            return Err(self.errors.at(
                new.loc,
                "a part of an array is no variable; write `.assign(&..)` behind it",
            ));
        }
        let how = match new.how {
            How::Elements => How::Copy,
            how @ (How::Set | How::By(_) | How::Copy | How::Fill | How::Axes) => how,
        };
        let value = self.compounded(Value::Plain(part), Operand { how, ..new })?;
        let plain = self.plain(value, loc)?;
        let message = format!(
            "this is {}, and the array is {}",
            plain.describe(),
            whole.describe()
        );
        let value = self.elem(plain, whole.elem(), loc, &message)?;
        Ok(self.share("v", value))
    }

    /// A whole value after an assignment to it.
    fn compounded(&mut self, old: Value, new: Operand) -> Result<Value> {
        let Operand {
            how,
            value,
            value_loc,
            loc,
        } = new;
        match how {
            How::Set | How::Elements | How::Axes => self.set(old, value, loc),
            How::By(op) => {
                let before = self.plain(old.clone(), loc)?;
                let value = self.combined(op, (Ok(old), loc), (Ok(value), value_loc), loc)?;
                let after = self.plain(value, loc)?;
                if before.expr.ty.rank != after.expr.ty.rank {
                    let message = format!(
                        "this is {}, and it becomes {}; what is assigned to keeps its axes",
                        before.describe(),
                        after.describe()
                    );
                    return Err(self.errors.at(loc, message));
                }
                Ok(Value::Plain(after))
            }
            How::Copy => {
                let old = self.plain(old, loc)?;
                let value = self.plain(value, value_loc)?;
                let (m, n) = (old.expr.ty.rank, value.expr.ty.rank);
                if n > m || m == 0 {
                    let message = format!(
                        "`assign` copies {} into {}, which has fewer axes",
                        value.describe(),
                        old.describe()
                    );
                    return Err(self.errors.at(loc, message));
                }
                let message = format!(
                    "`assign` copies {} into {}",
                    value.describe(),
                    old.describe()
                );
                let value = self.elem(value, old.elem(), value_loc, &message)?;
                let array = self.share("x", old.expr.clone());
                let value = self.repeated_like(value, &array);
                let expr = self.updated(array, vec![None; m], value);
                Ok(Value::Plain(Plain { expr, ..old }))
            }
            How::Fill => {
                let old = self.plain(old, loc)?;
                let value = self.scalar(value, value_loc)?;
                let message = format!("`fill` writes {} into {}", value.describe(), old.describe());
                let value = self.elem(value, old.elem(), value_loc, &message)?;
                let value = self.share("v", value);
                let array = self.share("x", old.expr.clone());
                let expr = self.repeated_like(value, &array);
                Ok(Value::Plain(Plain { expr, ..old }))
            }
        }
    }

    /// A value that is the same along the first axes of an array.
    fn repeated_like(&mut self, value: Expr, array: &Expr) -> Expr {
        let more = array.ty.rank - value.ty.rank;
        if more == 0 {
            return value;
        }
        let value = self.share("v", value);
        let sizes: Vec<Expr> = (0..more).map(|k| length(array.clone(), k)).collect();
        let (axes, _) = self.indices(&sizes);
        built(axes, value)
    }

    /// `x = e`: of one type with what was there.
    fn set(&mut self, old: Value, new: Value, loc: Loc) -> Result<Value> {
        if let (Some(before), Some(after)) = (old.as_maybe(), new.as_maybe()) {
            if before.is_nothing() || after.is_nothing() {
                return Ok(new);
            }
            let value = self.set(before.value.clone(), after.value.clone(), loc)?;
            let (none, sure) = (after.none.clone(), after.sure.clone());
            return Ok(Maybe { value, none, sure }.into());
        }
        if old.as_row().is_some_and(|row| row.range.is_some()) && new.as_row().is_none() {
            return Err(self.whole_row(loc));
        }
        let what = (old.describe(), new.describe());
        let new = self.formed_as(new, &old, loc)?;
        match (old, new) {
            (Value::Plain(old), Value::Plain(new)) if old.expr.ty.rank == new.expr.ty.rank => {
                if let Some(pair) = self.pair(old, new) {
                    return Ok(Value::Plain(Plain {
                        expr: pair.right,
                        scalar: pair.scalar,
                        open: pair.open,
                    }));
                }
            }
            (Value::List(List::Whole(old)), Value::List(List::Whole(new))) => {
                let value = self.set(Value::Plain(old), Value::Plain(new), loc)?;
                return Ok(Value::of_rust(self.plain(value, loc)?));
            }
            // A part of a list becomes a list of its own, as when a copy of it is sorted.
            (Value::List(List::Columns(old)), Value::List(List::Columns(new)))
                if old.range.is_some()
                    && new.range.is_none()
                    && !matches!(*new.of, Value::Plain(_)) =>
            {
                let of = Box::new(self.set(*old.of, *new.of, loc)?);
                return Ok(Value::List(List::Columns(Columns { of, range: None })));
            }
            (old, new) if old.is_like(&new) => {
                if let (Some(a), Some(b)) = (old.components(), new.components()) {
                    let parts = a.iter().cloned().zip(b.iter().cloned());
                    let parts: Result<Vec<Value>> =
                        parts.map(|(a, b)| self.set(a, b, loc)).collect();
                    return Ok(old.with_components(parts?));
                }
            }
            (
                Value::Plain(_)
                | Value::Tuple(_)
                | Value::List(_)
                | Value::Struct(..)
                | Value::Closure(..)
                | Value::Shape(_)
                | Value::Way(_),
                _,
            ) => {}
        }
        let (old, new) = what;
        let message =
            format!("this is {old}, and {new} is assigned to it; bind a new name with `let`");
        Err(self.errors.at(loc, message))
    }
}
