//! Assignments. A variable that changes stands for a new value from there on.

use super::array::{element, length};
use super::combinator::{built, entry};
use super::fixed::List;
use super::value::{Plain, Value};
use super::{Binding, Changed, Lowerer};
use crate::front::error::{Loc, Reported, Result};
use crate::front::surface::{Assign, Cut, Expr as Surface, How, Place, Step, Target};
use crate::ir::core::{Expr, Kind, Update};
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Lit};

/// What is assigned, and where it stands.
struct Operand {
    how: How,
    value: Value,
    value_loc: Loc,
    loc: Loc,
}

/// For `swap` of anything else.
const SWAP: &str = "`swap` is for elements of a variable of rank 1; write `let t = x[i]; x[i] = x[j]; \
     x[j] = t;` with the indices of yours";

/// What a place takes of an axis.
#[derive(Clone)]
enum Take {
    One(Expr),
    All,
    /// From here, so many.
    Span(Expr, Expr),
}

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
                self.put_place(place, |l, old| match operand {
                    Ok(operand) => l.replaced(old, &place.steps, operand),
                    Err(reported) => Err(reported),
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

    /// Gives a variable a new value; `new` gets the old one, if there is one.
    fn put_place(
        &mut self,
        place: &Place,
        new: impl FnOnce(&mut Self, Option<Value>) -> Result<Value>,
    ) {
        let name = place.root.to_string();
        let found = self.env.entry(&name);
        let Some((cell, binding)) = found.map(|e| (e.cell, e.binding.clone())) else {
            let message = format!(
                "cannot find the variable `{name}` in this function; only variables of the function \
                 itself can change"
            );
            self.errors.at(place.root.span(), message);
            return;
        };
        if cell < self.wall {
            let message = format!(
                "a closure cannot change `{name}`, which stands outside of it: what is inside may run \
                 in any order; give the new value as the result, as `{name} = f(..)`, or write `fold(n, \
                 {name}, |{name}, i| ..)`"
            );
            self.errors.at(place.loc, message);
            return;
        }
        let old = match binding {
            Binding::Hole(_) => return,
            Binding::Value(value) => Some(value),
            Binding::Unset if place.steps.is_empty() => None,
            Binding::Unset => {
                self.unset(&place.root);
                return;
            }
            Binding::Import(_) => {
                let message = format!("`{name}` is no variable");
                self.errors.at(place.loc, message);
                return;
            }
        };
        let binding = match new(self, old) {
            Ok(value) => Binding::Value(self.named(value, &name)),
            Err(reported) => Binding::Hole(reported),
        };
        self.change(Changed {
            cell,
            name,
            binding,
        });
    }

    /// `x.swap(i, j);`
    pub(super) fn swap(&mut self, place: &Place, i: &Surface, j: &Surface) {
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
        self.put_place(place, |l, old| {
            let [i, j] = at;
            let (i, j) = (i?, j?);
            let old = match old {
                Some(Value::List(list)) if place.steps.is_empty() => {
                    let whole = Value::of_rust(l.as_array(list, place.loc)?);
                    Some(l.named(whole, "x"))
                }
                Some(old) => Some(old),
                None => None,
            };
            let whole = match old {
                Some(Value::Plain(plain)) if plain.expr.ty.rank == 1 && place.steps.is_empty() => {
                    plain
                }
                Some(_) | None => {
                    return Err(l.errors.at(place.loc, SWAP));
                }
            };
            let (array, ty) = (whole.expr.clone(), whole);
            let one = |l: &mut Self, i: &Expr| {
                let at = vec![Some(i.clone())];
                let known = l.replaced_element(&array, &at);
                l.share("part", known.unwrap_or_else(|| element(array.clone(), at)))
            };
            let (a, b) = (one(l, &i), one(l, &j));
            let first = l.updated(array.clone(), vec![Some(i)], b);
            let first = l.share("swapped", first);
            let expr = l.updated(first, vec![Some(j)], a);
            Ok(Value::Plain(Plain { expr, ..ty }))
        });
    }

    /// A value with a part of it replaced.
    fn replaced(&mut self, old: Option<Value>, steps: &[Step], new: Operand) -> Result<Value> {
        let Some(old) = old else {
            return Ok(new.value);
        };
        match steps {
            [] => self.compounded(old, new),
            [Step::Field(loc, name), rest @ ..] => {
                let place = old.place_of(name);
                let parts = old.components().map(<[Value]>::to_vec);
                let (Some(k), Some(mut parts)) = (place, parts) else {
                    let message = format!(
                        "there is no `.{name}` in this value: it is {}",
                        old.describe()
                    );
                    return Err(self.errors.at(*loc, message));
                };
                parts[k] = self.replaced(Some(parts[k].clone()), rest, new)?;
                Ok(old.with_components(parts))
            }
            [Step::At(loc, at), rest @ ..] if matches!(&old, Value::List(_)) => {
                let Value::List(list) = old else {
                    unreachable!("it was looked at");
                };
                if let (List::Elements(elements), [one]) = (&list, &at[..])
                    && let crate::front::surface::Kind::Int(k, _) = &one.kind
                    && let Some(k) = usize::try_from(*k).ok().filter(|k| *k < elements.len())
                {
                    let mut elements = elements.clone();
                    elements[k] = self.replaced(Some(elements[k].clone()), rest, new)?;
                    return Ok(Value::List(List::Elements(elements)));
                }
                let whole = self.as_array(list, *loc)?;
                let whole = Plain {
                    expr: self.share("x", whole.expr.clone()),
                    ..whole
                };
                let takes = self.takes(&whole, steps, true)?;
                let replaced = self.part_replaced(whole, takes, new, true)?;
                Ok(Value::of_rust(self.plain(replaced, *loc)?))
            }
            [
                Step::At(loc, _) | Step::Axis(loc, ..) | Step::Slice(loc, _),
                ..,
            ] => {
                let whole = self.plain(old, *loc)?;
                let whole = Plain {
                    expr: self.share("x", whole.expr.clone()),
                    ..whole
                };
                let takes = self.takes(&whole, steps, false)?;
                self.part_replaced(whole, takes, new, false)
            }
        }
    }

    /// What steps into an array take of its axes; an index into an array of Rust takes one only.
    fn takes(&mut self, whole: &Plain, steps: &[Step], of_rust: bool) -> Result<Vec<Take>> {
        let mut takes = vec![Take::All; whole.expr.ty.rank];
        for step in steps {
            let open = takes.iter().enumerate();
            let open = open.filter(|(_, t)| !matches!(t, Take::One(_)));
            let open: Vec<usize> = open.map(|(k, _)| k).collect();
            let wrong = |l: &mut Self, loc: Loc, given: usize| {
                let message = format!(
                    "this takes {given} indices for {} axes; write one for each axis",
                    open.len()
                );
                Err(l.errors.at(loc, message))
            };
            match step {
                Step::Field(loc, k) => {
                    let message = format!(
                        "there is no `.{k}` in an element of an array, which is a number; write `x[i] = ..`"
                    );
                    return Err(self.errors.at(*loc, message));
                }
                Step::At(loc, at) => {
                    let mut indices = vec![];
                    for e in at {
                        let value = self.expr(e)?;
                        for part in value.parts() {
                            indices.push(self.of(Elem::Int, part, e.loc, "an index")?);
                        }
                    }
                    let fits = match of_rust {
                        true => indices.len() == 1 && !open.is_empty(),
                        false => indices.len() == open.len(),
                    };
                    if !fits {
                        return wrong(self, *loc, indices.len());
                    }
                    for (k, index) in open.into_iter().zip(indices) {
                        takes[k] = self.within(&takes[k], index);
                    }
                }
                Step::Axis(loc, axis, rank, e) => {
                    let fits = rank.is_none_or(|r| r == open.len()) && *axis < open.len();
                    if !fits {
                        return wrong(self, *loc, axis + 1);
                    }
                    let index = self.expr(e)?;
                    let index = self.of(Elem::Int, index, e.loc, "an index")?;
                    takes[open[*axis]] = self.within(&takes[open[*axis]], index);
                }
                Step::Slice(loc, cuts) => {
                    if cuts.len() != open.len() {
                        return wrong(self, *loc, cuts.len());
                    }
                    for (k, cut) in open.into_iter().zip(cuts) {
                        takes[k] = self.narrowed(&whole.expr, k, &takes[k], cut)?;
                    }
                }
            }
        }
        Ok(takes)
    }

    /// An index into what is taken of an axis.
    fn within(&mut self, take: &Take, index: Expr) -> Take {
        let index = match take {
            Take::Span(from, _) => Expr::prim(Prim::IAdd, vec![from.clone(), index]),
            Take::All | Take::One(_) => index,
        };
        Take::One(self.share_size(index))
    }

    fn narrowed(&mut self, whole: &Expr, axis: usize, take: &Take, cut: &Cut) -> Result<Take> {
        let (from, to) = match cut {
            Cut::Range(None, None) => return Ok(take.clone()),
            Cut::Range(from, to) => (from, to),
            Cut::One(e) => {
                let index = self.expr(e)?;
                let index = self.of(Elem::Int, index, e.loc, "an index")?;
                return Ok(self.within(take, index));
            }
        };
        let mut end = |e: &Option<Surface>| match e {
            None => Ok(None),
            Some(e) => {
                if let crate::front::surface::Kind::Int(i, _) = &e.kind
                    && *i < 0
                {
                    let message = "ends that count from behind are not supported here; write \
                                   `x.len() - k`";
                    return Err(self.errors.at(e.loc, message));
                }
                let end = self.expr(e)?;
                let end = self.of(Elem::Int, end, e.loc, "the end of a range")?;
                Ok(Some(self.share_size(end)))
            }
        };
        let (from, to) = (end(from)?, end(to)?);
        let (start, count) = match take {
            Take::Span(start, count) => (start.clone(), count.clone()),
            Take::All | Take::One(_) => (Expr::int(0), length(whole.clone(), axis)),
        };
        let from = from.unwrap_or_else(|| Expr::int(0));
        let to = to.unwrap_or(count);
        let count = Expr::prim(Prim::ISub, vec![to, from.clone()]);
        let start = Expr::prim(Prim::IAdd, vec![start, from]);
        Ok(Take::Span(self.share_size(start), self.share_size(count)))
    }

    /// An array with a part of it replaced.
    fn part_replaced(
        &mut self,
        whole: Plain,
        takes: Vec<Take>,
        new: Operand,
        of_rust: bool,
    ) -> Result<Value> {
        let array = whole.expr.clone();
        let at: Option<Vec<Option<Expr>>> = takes
            .iter()
            .map(|t| match t {
                Take::One(i) => Some(Some(i.clone())),
                Take::All => Some(None),
                Take::Span(..) => None,
            })
            .collect();
        let loc = new.loc;
        if let Some(at) = at {
            let known = self.replaced_element(&array, &at);
            let part = known.unwrap_or_else(|| element(array.clone(), at.clone()));
            let value = self.part_value(&whole, part, new, of_rust)?;
            let expr = self.updated(array, at, value);
            return Ok(Value::Plain(Plain { expr, ..whole }));
        }
        // A range along an axis: each element is that of the new part, or as it was.
        let sizes: Vec<Expr> = (takes.iter().enumerate())
            .filter_map(|(k, t)| match t {
                Take::One(_) => None,
                Take::All => Some(length(array.clone(), k)),
                Take::Span(_, count) => Some(count.clone()),
            })
            .collect();
        let (axes, inside) = self.indices(&sizes);
        let mut each = inside.into_iter();
        let at = takes.iter().map(|t| match t {
            Take::One(i) => Some(i.clone()),
            Take::All => each.next(),
            Take::Span(from, _) => each
                .next()
                .map(|i| Expr::prim(Prim::IAdd, vec![from.clone(), i])),
        });
        let part = built(axes, element(array.clone(), at.collect()));
        let part = self.share("part", part);
        let value = self.part_value(&whole, part.clone(), new, of_rust)?;
        // One shape for both, which is demanded.
        let value = self.updated(part, vec![None; value.ty.rank], value);
        let value = self.share("part", value);
        let sizes: Vec<Expr> = (0..array.ty.rank)
            .map(|k| length(array.clone(), k))
            .collect();
        let (axes, at) = self.indices(&sizes);
        let (mut within, mut from) = (None, vec![]);
        for (i, take) in at.iter().zip(&takes) {
            let is = |prim, by: Expr| Expr::prim(prim, vec![i.clone(), by]);
            let test = match take {
                Take::All => {
                    from.push(i.clone());
                    continue;
                }
                Take::One(one) => is(Prim::IEq, one.clone()),
                Take::Span(start, count) => {
                    from.push(is(Prim::ISub, start.clone()));
                    let end = Expr::prim(Prim::IAdd, vec![start.clone(), count.clone()]);
                    both(is(Prim::IGe, start.clone()), is(Prim::ILt, end))
                }
            };
            within = Some(match within {
                None => test,
                Some(before) => both(before, test),
            });
        }
        let old = entry(&array, at);
        let new = entry(&value, from);
        let expr = match within {
            Some(within) => built(axes, Expr::cond(within, new, old)),
            None => return Err(self.errors.at(loc, "this part is the whole array")),
        };
        Ok(Value::Plain(Plain { expr, ..whole }))
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
        let is_set = matches!(new.how, How::Set);
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
        let value = self.compounded(Value::Plain(part), new)?;
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
            How::Set => self.set(old, value, loc),
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

    /// An array with a part replaced. What was at the same place before does not matter.
    pub(super) fn updated(&mut self, array: Expr, at: Vec<Option<Expr>>, value: Expr) -> Expr {
        let before = match &*array.kind {
            Kind::Var(sym) => self.updates.get(sym),
            Kind::Lit(_)
            | Kind::Prim(..)
            | Kind::Let(..)
            | Kind::Loop(..)
            | Kind::If(..)
            | Kind::Build(..)
            | Kind::Reduce(..)
            | Kind::ArgReduce(..)
            | Kind::Scatter(_)
            | Kind::Index(..)
            | Kind::Update(_)
            | Kind::Dim(..)
            | Kind::Stop(_)
            | Kind::Where(..)
            | Kind::Call(_)
            | Kind::Recur(_)
            | Kind::Demand(..) => None,
        };
        let base = before
            .filter(|(_, before, _)| *before == at)
            .map(|(base, ..)| base.clone());
        Expr::update(Update {
            array: base.unwrap_or(array),
            at,
            when: None,
            value,
        })
    }

    /// The part of an array that was just put there.
    pub(super) fn replaced_element(&self, array: &Expr, at: &[Option<Expr>]) -> Option<Expr> {
        let Kind::Var(sym) = &*array.kind else {
            return None;
        };
        match self.updates.get(sym) {
            Some((_, before, value)) if before == at => Some(value.clone()),
            Some(_) | None => None,
        }
    }
}

/// The second only where the first holds.
pub(super) fn both(first: Expr, second: Expr) -> Expr {
    Expr::cond(first, second, Expr::lit(Lit::Bool(false)))
}
