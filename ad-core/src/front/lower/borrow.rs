//! Parts of variables that are borrowed to be changed: `&mut x`, `a.row_mut(i)`, the items of
//! `x.iter_mut()`.
//!
//! A borrow names its variable, and maps its own indices to those of the array in there by affine
//! functions: `view[p] = array[at(p)]`. Reads and writes go through that map to the present value
//! of the variable. A borrow is a value of the front end alone, and costs nothing.
//!
//! Operands read a borrow. It never becomes a value where values are chosen, collected or merged,
//! since changes through a copy would be lost: [`Lowerer::no_copy`] refuses it there.

use super::array::{element, length};
use super::columns::{Columns, element_of};
use super::combinator::{built, entry};
use super::fixed::List;
use super::size::{literal, minus, plus, smaller, times};
use super::slice::Part;
use super::value::{Plain, Value};
use super::way::{Iter, Maybe, Way};
use super::{Binding, Changed, Lowerer};
use crate::front::error::{self, Loc, Reported, Result};
use crate::front::names::makes_view;
use crate::front::surface::{Expr as Surface, Kind, Place, Step};
use crate::ir::core::{Along, Expr, Update};
use crate::ir::prims::Prim;
use crate::ir::ty::Elem;
use std::rc::Rc;

/// A part of a variable.
#[derive(Clone)]
pub(super) struct Borrow {
    /// Which variable.
    cell: u32,
    name: String,
    /// The fields and elements that lead to the part.
    inside: Vec<Inside>,
    /// Which elements of the array there; none is all of a value.
    view: Option<View>,
    /// Whether it is a view of ndarray's, which has an order of axes of its own.
    is_view: bool,
}

/// From a value to a part of it.
#[derive(Clone)]
enum Inside {
    /// A field, or an element of a list that is written out.
    Field(Loc, String),
    /// An element of a list of structs or of lists.
    Element(Loc, Expr),
}

/// Elements of an array.
#[derive(Clone)]
pub(super) struct View {
    /// Whether the array is one of Rust, which is indexed one axis at a time.
    of_rust: bool,
    /// The index along each axis of the array.
    pub(super) at: Vec<At>,
    /// The length of each axis of the view.
    pub(super) sizes: Vec<Expr>,
}

/// An index along an axis of an array.
#[derive(Clone)]
pub(super) enum At {
    /// The same for all elements.
    Index(Expr),
    /// `p[axis]`, over the whole axis of the array
    Whole(usize),
    /// `first + step * p[axis]`
    Along { axis: usize, first: Expr, step: i64 },
}

impl At {
    /// The axis of the view, the first index, and how far it is to the next.
    fn along(&self) -> Option<(usize, Expr, i64)> {
        match self {
            At::Index(_) => None,
            At::Whole(axis) => Some((*axis, Expr::int(0), 1)),
            At::Along { axis, first, step } => Some((*axis, first.clone(), *step)),
        }
    }

    /// The same along another axis of the view.
    fn moved(&self, to: impl Fn(usize) -> usize) -> At {
        match self {
            At::Index(i) => At::Index(i.clone()),
            At::Whole(axis) => At::Whole(to(*axis)),
            At::Along { axis, first, step } => At::Along {
                axis: to(*axis),
                first: first.clone(),
                step: *step,
            },
        }
    }
}

impl View {
    /// All of an array.
    fn whole(sizes: Vec<Expr>, of_rust: bool) -> View {
        View {
            of_rust,
            at: (0..sizes.len()).map(At::Whole).collect(),
            sizes,
        }
    }

    /// The part at an index of an axis.
    fn index_axis(&self, axis: usize, i: &Expr) -> View {
        let fewer = |k: usize| if k > axis { k - 1 } else { k };
        let at = self.at.iter().map(|at| match at {
            At::Whole(k) if *k == axis => At::Index(i.clone()),
            At::Along {
                axis: k,
                first,
                step,
            } if *k == axis => At::Index(plus(first, &times(&Expr::int(*step), i))),
            At::Whole(k) => At::Whole(fewer(*k)),
            At::Along {
                axis: k,
                first,
                step,
            } => At::Along {
                axis: fewer(*k),
                first: first.clone(),
                step: *step,
            },
            At::Index(i) => At::Index(i.clone()),
        });
        let at = at.collect();
        let mut sizes = self.sizes.clone();
        sizes.remove(axis);
        View { at, sizes, ..*self }
    }

    /// So many of the indices of an axis, from one on, so far apart.
    fn narrowed(&self, axis: usize, from: &Expr, by: i64, count: Expr) -> View {
        let mut view = self.clone();
        for at in &mut view.at {
            if let Some((k, first, step)) = at.along()
                && k == axis
            {
                *at = At::Along {
                    axis,
                    first: plus(&first, &times(&Expr::int(step), from)),
                    step: step * by,
                };
            }
        }
        view.sizes[axis] = count;
        view
    }

    /// The elements whose indices are all the same.
    fn diagonal(&self) -> View {
        let mut view = self.clone();
        for at in &mut view.at {
            if let Some((_, first, step)) = at.along() {
                let axis = 0;
                *at = At::Along { axis, first, step };
            }
        }
        let shortest = self.sizes.iter().cloned().reduce(|a, b| smaller(&a, &b));
        view.sizes = shortest.into_iter().collect();
        view
    }

    /// Axis `k` of the new view is axis `order[k]` of this one.
    fn permuted(&self, order: &[usize]) -> View {
        let to = |axis: usize| order.iter().position(|&k| k == axis).unwrap_or(axis);
        View {
            at: self.at.iter().map(|at| at.moved(to)).collect(),
            sizes: order.iter().map(|&k| self.sizes[k].clone()).collect(),
            ..*self
        }
    }

    /// The same with one more axis, of length 1.
    fn with_axis(&self, axis: usize) -> View {
        let to = |k: usize| if k >= axis { k + 1 } else { k };
        let at = self.at.iter().map(|at| at.moved(to)).collect();
        let mut sizes = self.sizes.clone();
        sizes.insert(axis, Expr::int(1));
        View { at, sizes, ..*self }
    }

    /// Axes in the order of the array's, each as a whole, at one index, or a stretch of it.
    fn stretches(&self) -> Option<Vec<Along>> {
        let mut next = 0;
        let mut parts = vec![];
        for at in &self.at {
            parts.push(match at {
                At::Index(i) => Along::At(i.clone()),
                At::Whole(axis) if *axis == next => Along::All,
                At::Along {
                    axis,
                    first,
                    step: 1,
                } if *axis == next => Along::From(first.clone()),
                At::Whole(_) | At::Along { .. } => return None,
            });
            next += usize::from(!matches!(at, At::Index(_)));
        }
        (next == self.sizes.len()).then_some(parts)
    }

    /// The same, each as a whole or at one index.
    fn parts(&self) -> Option<Vec<Option<Expr>>> {
        Along::of_read(&self.stretches()?)
    }

    /// The index into the array.
    fn place(&self, p: &[Expr]) -> Vec<Expr> {
        let at = self.at.iter().map(|at| match at {
            At::Index(i) => i.clone(),
            At::Whole(axis) => p[*axis].clone(),
            At::Along { axis, first, step } => plus(first, &times(&Expr::int(*step), &p[*axis])),
        });
        at.collect()
    }

    /// The index along each axis of the array where it is the same for all elements of the view.
    fn fixed(&self) -> Vec<Option<Expr>> {
        let at = self.at.iter().map(|at| match at {
            At::Index(i) => Some(i.clone()),
            At::Whole(_) | At::Along { .. } => None,
        });
        at.collect()
    }

    /// Where an element of the array is in the view, and when it is there. `i` is its index along
    /// the other axes than those of `fixed`.
    fn found(&self, i: &[Expr]) -> (Option<Expr>, Vec<Expr>) {
        let prim = |prim, a: &Expr, b: &Expr| Expr::prim(prim, vec![a.clone(), b.clone()]);
        let mut tests = vec![];
        let mut from: Vec<Option<Expr>> = vec![None; self.sizes.len()];
        let varies = |at: &&At| !matches!(at, At::Index(_));
        for (i, at) in i.iter().zip(self.at.iter().filter(varies)) {
            let (axis, first, step) = match at {
                At::Index(_) => continue,
                At::Whole(axis) => {
                    from[*axis] = Some(i.clone());
                    continue;
                }
                At::Along { axis, first, step } => (*axis, first, *step),
            };
            if let Some(p) = from[axis].clone() {
                let there = plus(first, &times(&Expr::int(step), &p));
                tests.push(prim(Prim::IEq, i, &there));
                continue;
            }
            let (far, by) = match step > 0 {
                true => (minus(i, first), Expr::int(step)),
                false => (minus(first, i), Expr::int(-step)),
            };
            if step != 1 || literal(first) != Some(0) {
                tests.push(prim(Prim::IGe, &far, &Expr::int(0)));
            }
            let p = match step.abs() > 1 {
                true => {
                    let rest = prim(Prim::IRem, &far, &by);
                    tests.push(prim(Prim::IEq, &rest, &Expr::int(0)));
                    prim(Prim::IDiv, &far, &by)
                }
                false => far,
            };
            tests.push(prim(Prim::ILt, &p, &self.sizes[axis]));
            from[axis] = Some(p);
        }
        let test = tests.into_iter().reduce(super::assign::both);
        // An axis that is not one of the array's has one place.
        let from = from.into_iter().map(|p| p.unwrap_or_else(|| Expr::int(0)));
        (test, from.collect())
    }
}

impl From<Borrow> for Value {
    fn from(borrow: Borrow) -> Value {
        Value::Way(Rc::new(Way::Borrow(borrow)))
    }
}

impl Value {
    /// What is borrowed, if it is that.
    pub(super) fn borrow(&self) -> Option<&Borrow> {
        match self {
            Value::Way(way) => match &**way {
                Way::Borrow(borrow) => Some(borrow),
                Way::Iter(_) | Way::Zip(_) | Way::Maybe(_) => None,
            },
            Value::Plain(_)
            | Value::Tuple(_)
            | Value::List(_)
            | Value::Struct(..)
            | Value::Closure(..)
            | Value::Shape(_) => None,
        }
    }

    /// The variables, and parts of variables, that it borrows to change them.
    pub(super) fn borrows(&self) -> Vec<&Borrow> {
        match self {
            Value::Way(way) => match &**way {
                Way::Borrow(borrow) => vec![borrow],
                Way::Maybe(maybe) => maybe.value.borrows(),
                Way::Iter(_) | Way::Zip(_) => vec![],
            },
            Value::Tuple(parts)
            | Value::Struct(_, parts)
            | Value::List(List::Elements(parts) | List::Rows(parts)) => {
                parts.iter().flat_map(Value::borrows).collect()
            }
            Value::List(List::Columns(list)) => list.of.borrows(),
            Value::Plain(_)
            | Value::List(List::Whole(_))
            | Value::Closure(..)
            | Value::Shape(_) => vec![],
        }
    }

    /// Whether changes through it are lost where it becomes a value.
    pub(super) fn is_borrowing(&self) -> bool {
        !self.borrows().is_empty()
    }

    /// The part of that name, or the element with that number.
    fn component(&self, name: &str) -> Option<usize> {
        match self {
            Value::List(List::Elements(elements)) => {
                name.parse().ok().filter(|k| *k < elements.len())
            }
            Value::Plain(_)
            | Value::Tuple(_)
            | Value::List(List::Whole(_) | List::Columns(_) | List::Rows(_))
            | Value::Struct(..)
            | Value::Closure(..)
            | Value::Shape(_)
            | Value::Way(_) => self.place_of(name),
        }
    }
}

impl Borrow {
    fn with(&self, view: View) -> Borrow {
        Borrow {
            view: Some(view),
            ..self.clone()
        }
    }

    /// A view of ndarray's of the same elements.
    fn as_view(&self) -> Borrow {
        Borrow {
            is_view: true,
            ..self.clone()
        }
    }

    /// Whether turning its axes leaves the array as it is.
    pub(super) fn is_view(&self) -> bool {
        self.is_view
    }

    /// Which variable.
    pub(super) fn cell(&self) -> u32 {
        self.cell
    }

    /// Its name.
    pub(super) fn root(&self) -> &str {
        &self.name
    }
}

impl Lowerer<'_> {
    /// What a place stands for: a variable, or a part of one. None if the variable has no value
    /// yet.
    pub(super) fn borrowed(&mut self, place: &Place) -> Result<Option<Borrow>> {
        let name = place.root.to_string();
        let found = self.env.entry(&name);
        let Some((cell, binding)) = found.map(|e| (e.cell, e.binding.clone())) else {
            let message = format!(
                "cannot find the variable `{name}` in this function; only variables of the function \
                 itself can change"
            );
            return Err(self.errors.at(place.root.span(), message));
        };
        let direct = Borrow {
            cell,
            name: name.clone(),
            inside: vec![],
            view: None,
            is_view: false,
        };
        let mut here = match binding {
            Binding::Hole(reported) => return Err(reported),
            Binding::Value(value) => match (value.borrow(), place.deref) {
                (Some(borrow), _) => borrow.clone(),
                (None, false) => direct,
                (None, true) => {
                    let message = format!(
                        "cannot see what `{name}` borrows here, so it cannot be changed through it; \
                         assign to the variable itself, as `x[i] = ..`"
                    );
                    return Err(self.errors.at(place.loc, message));
                }
            },
            Binding::Unset if place.steps.is_empty() => return Ok(None),
            Binding::Unset => return Err(self.unset(&place.root)),
            Binding::Import(_) => {
                let message = format!("`{name}` is no variable");
                return Err(self.errors.at(place.loc, message));
            }
        };
        self.may_change(&here, place.loc)?;
        for step in &place.steps {
            here = self.step(&here, step)?;
        }
        Ok(Some(here))
    }

    /// What is borrowed has a name by `let` and `for` only, where reads of it are told from the
    /// borrow.
    pub(super) fn no_alias(&mut self, value: &Value, loc: Loc) -> Result<()> {
        match value.borrow() {
            None => Ok(()),
            Some(_) => Err(self.errors.at(
                loc,
                "what is borrowed to be changed gets a name by `let` or `for` only; write `x[i] = ..`, or \
                 `let v = x.last_mut().unwrap();`",
            )),
        }
    }

    /// What is borrowed to be changed does not become a value: changes through it would be lost.
    pub(super) fn no_copy(&mut self, value: &Value, loc: Loc, instead: &str) -> Result<()> {
        let Some(borrow) = value.borrows().first().map(|b| b.name.clone()) else {
            return Ok(());
        };
        let message = format!(
            "this borrows `{borrow}` to change it, and changes through it cannot be followed from \
             here; {instead}"
        );
        Err(self.errors.at(loc, message))
    }

    /// The parts that a pattern takes out of what is borrowed, each as a borrow.
    pub(super) fn parts_of_borrow(
        &mut self,
        here: &Borrow,
        steps: impl Iterator<Item = Step>,
    ) -> Result<Vec<Value>> {
        let parts: Vec<Result<Borrow>> = steps.map(|step| self.step(here, &step)).collect();
        parts.into_iter().map(|part| Ok(part?.into())).collect()
    }

    /// The place itself, or what stands there, if that is a borrow.
    fn followed(&mut self, here: Borrow, loc: Loc) -> Result<Borrow> {
        let Some(Binding::Value(value)) = self.env.cell(here.cell) else {
            return Ok(here);
        };
        let mut value = Some(value);
        for inside in &here.inside {
            value = match inside {
                Inside::Field(_, name) => value.and_then(|value| {
                    let k = value.component(name)?;
                    value.components()?.get(k)
                }),
                Inside::Element(..) => None,
            };
        }
        match value.and_then(Value::borrow).cloned() {
            Some(borrow) if here.view.is_none() => {
                self.may_change(&borrow, loc)?;
                Ok(borrow)
            }
            Some(_) | None => Ok(here),
        }
    }

    fn may_change(&mut self, borrow: &Borrow, loc: Loc) -> Result<()> {
        if borrow.cell >= self.wall {
            return Ok(());
        }
        let name = &borrow.name;
        let message = format!(
            "a closure cannot change `{name}`, which stands outside of it: what is inside may run in \
             any order; give the new value as the result, as `{name} = f(..)`, or write `fold(n, \
             {name}, |{name}, i| ..)`"
        );
        Err(self.errors.at(loc, message))
    }

    fn step(&mut self, here: &Borrow, step: &Step) -> Result<Borrow> {
        match step {
            Step::Field(loc, name) if here.view.is_none() => {
                self.followed(here.at(Inside::Field(*loc, name.clone())), *loc)
            }
            Step::Field(loc, name) => {
                let message = format!(
                    "there is no `.{name}` in an element of an array, which is a number; write `x[i] = ..`"
                );
                Err(self.errors.at(*loc, message))
            }
            Step::At(loc, at) => self.at(here, at, *loc),
            Step::Method(loc, name, args) => {
                let part = match self.borrow_method(here, name, args, *loc) {
                    Some(part) => part?,
                    None => return Err(self.no_place(name)),
                };
                // The `unwrap` of `x.last_mut().unwrap()` is no step: a place outside panics as
                // well.
                let inner = match &part {
                    Value::Way(way) => match &**way {
                        Way::Maybe(maybe) => maybe.value.borrow(),
                        Way::Borrow(borrow) => Some(borrow),
                        Way::Iter(_) | Way::Zip(_) => None,
                    },
                    Value::Plain(_)
                    | Value::Tuple(_)
                    | Value::List(_)
                    | Value::Struct(..)
                    | Value::Closure(..)
                    | Value::Shape(_) => None,
                };
                inner.cloned().ok_or_else(|| self.no_place(name))
            }
        }
    }

    fn no_place(&mut self, name: &syn::Ident) -> Reported {
        let message = format!(
            "what `{name}` gives cannot be assigned to here; write `x[i] = ..`, \
             `a.row_mut(i).assign(&..)` or `x.slice_mut(s![..]).assign(&..)`"
        );
        self.errors.at(name.span(), message)
    }

    /// `x[i]`, `a[[i, j]]`, `x[a..b]`
    fn at(&mut self, here: &Borrow, at: &[Surface], loc: Loc) -> Result<Borrow> {
        if here.view.is_none()
            && let [
                Surface {
                    kind: Kind::Int(k, _),
                    ..
                },
            ] = at
            && let value = self.present(here)?
            && value.component(&k.to_string()).is_some()
            && matches!(value, Value::List(_))
        {
            return self.followed(here.at(Inside::Field(loc, k.to_string())), loc);
        }
        if let [index] = at
            && !matches!(index.kind, Kind::Range(..))
            && self.is_list_of_several(here)?
        {
            let i = self.number(index)?;
            let i = self.share_size(i);
            return Ok(here.at(Inside::Element(loc, i)));
        }
        let mut view = self.view(here, loc)?;
        if let [
            Surface {
                kind: Kind::Range(from, to, closed),
                ..
            },
        ] = at
        {
            let slice = crate::front::surface::Slice::Range {
                from: from.clone(),
                to: to.clone(),
                closed: *closed,
                step: None,
            };
            let n = view.sizes.first().cloned();
            if let Some(n) = n {
                let part = self.part_of_axis(&slice, &n)?;
                return Ok(here.with(cut(&view, 0, &part)));
            }
        }
        let mut indices = vec![];
        for e in at {
            let value = self.expr(e)?;
            let parts = if let Value::List(List::Elements(parts)) = value {
                parts
            } else {
                value.parts()
            };
            for part in parts {
                let index = self.of(Elem::Int, part, e.loc, "an index")?;
                indices.push(self.share_size(index));
            }
        }
        let fits = match view.of_rust {
            true => indices.len() == 1 && !view.sizes.is_empty(),
            false => indices.len() == view.sizes.len(),
        };
        if !fits {
            let message = format!(
                "this has {}, and {}; write one for each axis",
                error::counted(view.sizes.len(), "axis", "axes"),
                error::counted(indices.len(), "index is given", "indices are given")
            );
            return Err(self.errors.at(loc, message));
        }
        for index in &indices {
            view = view.index_axis(0, index);
        }
        Ok(here.with(view))
    }

    /// Whether this is a list whose elements are structs or lists.
    fn is_list_of_several(&mut self, here: &Borrow) -> Result<bool> {
        let value = match here.view {
            None => self.present(here)?,
            Some(_) => return Ok(false),
        };
        Ok(matches!(value, Value::List(List::Columns(_))))
    }

    /// The value of a variable, or of the part that is borrowed of it. A view is one of the arrays
    /// of all elements.
    fn present(&mut self, here: &Borrow) -> Result<Value> {
        if here.view.is_none() {
            return Ok(self.located(here)?.0);
        }
        let mut value = self.variable(here)?;
        for inside in &here.inside {
            value = match (inside, value) {
                (Inside::Element(..), Value::List(List::Columns(list))) => *list.of,
                (Inside::Element(..), Value::List(List::Rows(mut parts))) => parts.swap_remove(2),
                (inside, value) => {
                    let (k, mut parts) = self.parts_around(inside, &value)?;
                    parts.swap_remove(k)
                }
            };
        }
        Ok(value)
    }

    /// The value of a part, and where it is in the arrays of the innermost list around it.
    fn located(&mut self, here: &Borrow) -> Result<(Value, Option<Expr>)> {
        let (mut value, mut place) = (self.variable(here)?, None);
        for inside in &here.inside {
            value = match (inside, value) {
                (Inside::Element(_, i), Value::List(List::Columns(list))) => {
                    let at = self.place_in(&list, i.clone());
                    place = Some(at.clone());
                    element_of(&list.of, &at)
                }
                (inside, value) => {
                    let (k, mut parts) = self.parts_around(inside, &value)?;
                    parts.swap_remove(k)
                }
            };
        }
        Ok((value, place))
    }

    /// The value of the variable.
    fn variable(&mut self, here: &Borrow) -> Result<Value> {
        match self.env.cell(here.cell).cloned() {
            Some(Binding::Value(value)) => Ok(value),
            Some(Binding::Hole(reported)) => Err(reported),
            Some(Binding::Unset | Binding::Import(_)) | None => {
                let ident = syn::Ident::new(&here.name, proc_macro2::Span::call_site());
                Err(self.unset(&ident))
            }
        }
    }

    /// The parts of a value, and which of them is meant.
    fn parts_around(&mut self, inside: &Inside, value: &Value) -> Result<(usize, Vec<Value>)> {
        let (loc, name) = match inside {
            Inside::Field(loc, name) => (*loc, name.as_str()),
            Inside::Element(loc, _) => (*loc, "[..]"),
        };
        let part = value.component(name);
        let parts = value.components().map(<[Value]>::to_vec);
        match (part, parts) {
            (Some(k), Some(parts)) => Ok((k, parts)),
            (..) => {
                let message = format!(
                    "there is no `.{name}` in this value: it is {}",
                    value.describe()
                );
                Err(self.errors.at(loc, message))
            }
        }
    }

    /// The elements that are borrowed; what is written element by element becomes an array.
    fn view(&mut self, here: &Borrow, loc: Loc) -> Result<View> {
        if let Some(view) = &here.view {
            return Ok(view.clone());
        }
        if let Some(view) = self.view_of_leaf(here)?
            && !view.sizes.is_empty()
        {
            return Ok(view);
        }
        let (value, place) = self.located(here)?;
        let of_rust = matches!(value, Value::List(_));
        let is_list = matches!(value, Value::List(List::Elements(_)));
        if matches!(value, Value::List(List::Columns(_))) || is_list && place.is_some() {
            let message = format!(
                "a part of {} is changed element by element only; write a loop, as \
                 `for i in 0..n {{ ps[i] = ..; }}` or `for p in &mut ps`",
                value.describe()
            );
            return Err(self.errors.at(loc, message));
        }
        let plain = self.plain(value, loc)?;
        if plain.expr.ty.rank == 0 {
            let message = format!(
                "this is {}, which has no elements; write the value itself",
                plain.describe()
            );
            return Err(self.errors.at(loc, message));
        }
        let of_rust = of_rust && plain.expr.ty.rank > 1;
        if !is_list {
            let whole = self.share("x", plain.expr);
            return Ok(View::whole(self.written_lengths(&whole), of_rust));
        }
        let whole = Plain {
            expr: self.share("x", plain.expr),
            ..plain
        };
        let sizes = self.written_lengths(&whole.expr);
        self.changed(here, |_, _| Ok(Value::of_rust(whole)))?;
        Ok(View::whole(sizes, of_rust))
    }

    /// A number or an array in an element of a list, as a part of the array of all elements.
    fn view_of_leaf(&mut self, here: &Borrow) -> Result<Option<View>> {
        let (value, place) = self.located(here)?;
        let (Value::Plain(plain) | Value::List(List::Whole(plain)), Some(place)) = (&value, place)
        else {
            return Ok(None);
        };
        let sizes = match plain.expr.ty.rank {
            0 => vec![],
            _ => self.written_lengths(&plain.expr),
        };
        let of_rust = matches!(value, Value::List(_)) && sizes.len() > 1;
        let mut view = View::whole(sizes, of_rust);
        view.at.insert(0, At::Index(place));
        Ok(Some(view))
    }

    /// The present value of what is borrowed.
    pub(super) fn read(&mut self, here: &Borrow) -> Result<Value> {
        let value = self.present(here)?;
        let Some(view) = &here.view else {
            return Ok(value);
        };
        let whole = self.plain(value, Loc::from(proc_macro2::Span::call_site()))?;
        let array = self.held(whole.expr.clone());
        let expr = self.seen(&array, view);
        let plain = Plain { expr, ..whole };
        Ok(match view.of_rust {
            true => Value::of_rust(plain),
            false => plain.into(),
        })
    }

    /// The same value, or the present one of what is borrowed.
    pub(super) fn fetched(&mut self, value: Value) -> Result<Value> {
        match value.borrow().cloned() {
            Some(borrow) => self.read(&borrow),
            None => Ok(value),
        }
    }

    /// The elements of an array that a view has.
    fn seen(&mut self, array: &Expr, view: &View) -> Expr {
        if let Some(at) = view.parts() {
            if at.iter().all(Option::is_none) {
                return array.clone();
            }
            let known = self.replaced_element(array, &at);
            return known.unwrap_or_else(|| element(array.clone(), at));
        }
        let (axes, p) = self.indices(&view.sizes);
        built(axes, entry(array, view.place(&p)))
    }

    /// Gives what is borrowed as a whole a new value.
    fn changed(
        &mut self,
        here: &Borrow,
        new: impl FnOnce(&mut Self, Value) -> Result<Value>,
    ) -> Result<()> {
        let old = self.variable(here)?;
        let place = match here.view {
            None => self.located(here)?.1,
            Some(_) => None,
        };
        let loc = Loc::from(proc_macro2::Span::call_site());
        let new = |l: &mut Self, old: Value| match place {
            None => new(l, old),
            Some(place) => {
                let one = new(l, element_of(&old, &place))?;
                l.with_element(&old, &place, one, loc)
            }
        };
        let binding = match self.with_part(old, &here.inside, new) {
            Ok(value) => Binding::Value(self.named(value, &here.name)),
            Err(reported) => Binding::Hole(reported),
        };
        let failed = match &binding {
            Binding::Hole(reported) => Some(*reported),
            Binding::Value(_) | Binding::Unset | Binding::Import(_) => None,
        };
        self.change(Changed {
            cell: here.cell,
            name: here.name.clone(),
            binding,
        });
        failed.map_or(Ok(()), Err)
    }

    /// The value with a new part. Of an element of a list, `new` gets the arrays of all elements.
    fn with_part(
        &mut self,
        old: Value,
        inside: &[Inside],
        new: impl FnOnce(&mut Self, Value) -> Result<Value>,
    ) -> Result<Value> {
        let Some((first, rest)) = inside.split_first() else {
            return new(self, old);
        };
        match (first, old) {
            (Inside::Element(..), Value::List(List::Columns(list))) => {
                let of = Box::new(self.with_part(*list.of, rest, new)?);
                Ok(Value::List(List::Columns(Columns { of, ..list })))
            }
            (Inside::Element(..), Value::List(List::Rows(mut parts))) => {
                parts[2] = self.with_part(parts[2].clone(), rest, new)?;
                Ok(Value::List(List::Rows(parts)))
            }
            (inside, old) => {
                let (k, mut parts) = self.parts_around(inside, &old)?;
                parts[k] = self.with_part(parts[k].clone(), rest, new)?;
                Ok(old.with_components(parts))
            }
        }
    }

    /// Changes what is borrowed. `new` gets the old value, and whether it is an array of Rust.
    pub(super) fn write(
        &mut self,
        here: &Borrow,
        loc: Loc,
        new: impl FnOnce(&mut Self, Value, Option<(&Plain, bool)>) -> Result<Value>,
    ) -> Result<()> {
        let view = match here.view {
            None => self.view_of_leaf(here)?,
            Some(_) => here.view.clone(),
        };
        let Some(view) = view else {
            return self.changed(here, |l, old| new(l, old, None));
        };
        // A number or an array in an element of a list is a variable of its own.
        let is_variable = view.of_rust || here.view.is_none();
        let here = &here.with(view.clone());
        self.changed(here, |l, old| {
            let is_list = matches!(old, Value::List(_));
            let whole = l.plain(old, loc)?;
            let whole = Plain {
                expr: l.share("x", whole.expr.clone()),
                ..whole
            };
            let array = whole.expr.clone();
            let expr = match view.parts() {
                Some(at) => {
                    let part = l.seen(&array, &view);
                    let part = Plain {
                        expr: part,
                        ..whole.clone()
                    };
                    let value = new(l, part.into(), Some((&whole, is_variable)))?;
                    let value = l.plain(value, loc)?.expr;
                    match at.iter().all(Option::is_none) {
                        true => value,
                        false => l.updated(array, at, value),
                    }
                }
                None => {
                    let part = l.seen(&array, &view);
                    let part = Plain {
                        expr: l.share("part", part),
                        ..whole.clone()
                    };
                    let value = new(l, part.clone().into(), Some((&whole, is_variable)))?;
                    let value = l.plain(value, loc)?.expr;
                    // One shape for both, which is demanded.
                    let rank = value.ty.rank;
                    let value = match rank {
                        0 => value,
                        _ => l.updated(part.expr, vec![None; rank], value),
                    };
                    let value = l.share("part", value);
                    let when = None;
                    match view.stretches() {
                        Some(at) => Expr::update(Update {
                            array,
                            at,
                            when,
                            value,
                        }),
                        None => l.scattered_over(array, &view, value),
                    }
                }
            };
            let plain = Plain { expr, ..whole };
            Ok(match is_list {
                true => Value::of_rust(plain),
                false => plain.into(),
            })
        })
    }

    /// An array with the elements of a view replaced, which lie in one row, column or plane.
    fn scattered_over(&mut self, array: Expr, view: &View, value: Expr) -> Expr {
        let fixed = view.fixed();
        let free = (0..array.ty.rank).filter(|k| fixed[*k].is_none());
        let sizes: Vec<Expr> = free.map(|k| length(array.clone(), k)).collect();
        let (axes, i) = self.indices(&sizes);
        let (there, from) = view.found(&i);
        let mut free = i.into_iter();
        let at = (fixed.iter()).filter_map(|k| k.clone().or_else(|| free.next()));
        let old = entry(&array, at.collect());
        let new = match from.is_empty() {
            true => value,
            false => entry(&value, from),
        };
        let new = match there {
            Some(there) => Expr::cond(there, new, old),
            None => new,
        };
        match fixed.iter().all(Option::is_none) {
            true => built(axes, new),
            false => self.updated(array, fixed, built(axes, new)),
        }
    }

    /// Whether a method is one of what is borrowed to be changed, and what it gives.
    pub(super) fn borrow_method(
        &mut self,
        here: &Borrow,
        name: &syn::Ident,
        args: &[Surface],
        loc: Loc,
    ) -> Option<Result<Value>> {
        let method = name.to_string();
        match (method.as_str(), args) {
            ("view_mut" | "reborrow", []) => return Some(Ok(here.as_view().into())),
            ("by_ref" | "as_mut" | "borrow_mut" | "as_mut_slice", []) => {
                return Some(Ok(here.clone().into()));
            }
            // Of two arguments, it is the one of views.
            ("split_at", [_, _]) => {}
            _ if is_of_borrows(&method) => {}
            _ => return None,
        }
        Some(self.part_by_method(here, name, args, loc))
    }

    fn part_by_method(
        &mut self,
        here: &Borrow,
        name: &syn::Ident,
        args: &[Surface],
        loc: Loc,
    ) -> Result<Value> {
        if let ("iter_mut" | "into_iter", []) = (name.to_string().as_str(), args) {
            return Ok(self.items_of_borrow(here, loc)?.into());
        }
        let view = self.view(here, loc)?;
        let rank = view.sizes.len();
        let of_rust = view.of_rust;
        let method = name.to_string();
        let part = |view: View| -> Value { here.with(view).into() };
        let index = |l: &mut Self, e: &Surface| -> Result<Expr> {
            let value = l.expr(e)?;
            let i = l.of(Elem::Int, value, e.loc, "an index")?;
            Ok(l.share_size(i))
        };
        let others = |axis: usize| (0..rank).filter(|&k| k != axis).collect::<Vec<_>>();
        let along = |axes: Vec<usize>| -> Iter { here.items(&view, axes) };
        Ok(match (method.as_str(), args) {
            ("as_slice_mut", []) if rank == 1 => Maybe::sure(here.clone().into(), vec![]),
            ("row_mut", [i]) if rank == 2 => {
                let i = index(self, i)?;
                part(view.index_axis(0, &i))
            }
            ("column_mut", [i]) if rank == 2 => {
                let i = index(self, i)?;
                part(view.index_axis(1, &i))
            }
            ("index_axis_mut" | "index_axis_move", [axis, i]) => {
                let axis = self.axis(axis, rank)?;
                let i = index(self, i)?;
                part(view.index_axis(axis, &i))
            }
            ("slice_mut" | "slice_move", [slices]) => part(self.sliced(&view, slices)?),
            ("slice_axis_mut", [axis, slice]) => {
                let axis = self.axis(axis, rank)?;
                let taken = self.slice_value(slice, &view.sizes[axis])?;
                part(cut(&view, axis, &taken))
            }
            ("diag_mut" | "into_diag", []) if rank > 1 => part(view.diagonal()),
            ("reversed_axes", []) => {
                let order: Vec<usize> = (0..rank).rev().collect();
                part(view.permuted(&order))
            }
            ("permuted_axes", [order]) => part(view.permuted(&self.order_of(rank, order)?)),
            ("insert_axis", [axis]) => part(view.with_axis(self.new_axis(axis, rank)?)),
            ("remove_axis", [axis]) => {
                let axis = self.axis(axis, rank)?;
                part(view.index_axis(axis, &Expr::int(0)))
            }
            ("split_at_mut" | "split_at", args @ ([_] | [_, _])) => {
                let (axis, middle) = match args {
                    [axis, middle] => (self.axis(axis, rank)?, middle),
                    [middle, ..] => (0, middle),
                    [] => unreachable!("there are one or two"),
                };
                let middle = self.number(middle)?;
                let rest = minus(&view.sizes[axis], &middle);
                let first = view.narrowed(axis, &Expr::int(0), 1, middle.clone());
                let second = view.narrowed(axis, &middle, 1, rest);
                Value::Tuple(vec![part(first), part(second)])
            }
            ("first_mut" | "last_mut", []) if rank == 1 || of_rust => {
                let n = view.sizes[0].clone();
                let i = match method.as_str() {
                    "first_mut" => Expr::int(0),
                    _ => minus(&n, &Expr::int(1)),
                };
                let value = part(view.index_axis(0, &i));
                let none = Some(Expr::prim(Prim::IEq, vec![n, Expr::int(0)]));
                let sure = vec![];
                Maybe { value, none, sure }.into()
            }
            ("get_mut", [i]) if rank == 1 || of_rust => {
                let i = index(self, i)?;
                let value = part(view.index_axis(0, &i));
                let none = Some(Expr::prim(Prim::IGe, vec![i, view.sizes[0].clone()]));
                let sure = vec![];
                Maybe { value, none, sure }.into()
            }
            ("indexed_iter_mut", []) => {
                super::iter::indexed(&along((0..rank).collect()), rank).into()
            }
            ("outer_iter_mut", []) => along(vec![0]).into(),
            ("axis_iter_mut", [axis]) => along(vec![self.axis(axis, rank)?]).into(),
            ("lanes_mut", [axis]) => along(others(self.axis(axis, rank)?)).into(),
            ("rows_mut", []) => along(others(rank - 1)).into(),
            ("columns_mut", []) if rank > 1 => along(others(rank - 2)).into(),
            ("chunks_exact_mut" | "exact_chunks_mut", [size]) if rank == 1 => {
                self.chunks_of_borrow(here, &view, 0, size, false)?.into()
            }
            ("chunks_mut", [size]) if rank == 1 => {
                self.chunks_of_borrow(here, &view, 0, size, true)?.into()
            }
            ("axis_chunks_iter_mut", [axis, size]) => {
                let axis = self.axis(axis, rank)?;
                self.chunks_of_borrow(here, &view, axis, size, true)?.into()
            }
            ("zip_mut_with", [other]) => {
                let value = self.expr(other)?;
                let other_plain = self.plain(value, other.loc)?;
                let spread = self.broadcast_to(other_plain, &view.sizes, other.loc)?;
                let here = here.items(&view, (0..rank).collect());
                let other = self.elements(spread);
                let (a, b) = (here.at, other.at);
                let pairs = Iter::new(here.extents.unwrap_or_default(), move |l, i| {
                    Ok(Value::Tuple(vec![a(l, i)?, b(l, i)?]))
                });
                Value::Way(Rc::new(Way::Zip(pairs)))
            }
            _ => {
                let _ = self.all(args);
                let message = format!(
                    "the method `{name}` of what is borrowed here is not supported; write `x[i] = ..` \
                     in a loop, or `.assign(&..)` behind `row_mut(i)` or `slice_mut(s![..])`"
                );
                return Err(self.errors.at(name.span(), message));
            }
        })
    }

    /// Parts of a length along an axis; whether a last one has what is left.
    fn chunks_of_borrow(
        &mut self,
        here: &Borrow,
        view: &View,
        axis: usize,
        size: &Surface,
        rest: bool,
    ) -> Result<Iter> {
        let size = self.part_length(size)?;
        let all = view.sizes[axis].clone();
        let counted = match rest {
            true => minus(&plus(&all, &size), &Expr::int(1)),
            false => all.clone(),
        };
        let count = self.share_size(Expr::prim(Prim::IDiv, vec![counted, size.clone()]));
        let (here, view) = (here.clone(), view.clone());
        Ok(Iter::new(vec![count], move |l, at| {
            let first = l.share_size(times(&at[0], &size));
            let length = match rest {
                true => l.share_size(smaller(&minus(&all, &first), &size)),
                false => size.clone(),
            };
            let view = view.narrowed(axis, &first, 1, length);
            Ok(here.with(view).into())
        }))
    }

    /// What a loop over a borrow runs over.
    pub(super) fn items_of_borrow(&mut self, here: &Borrow, loc: Loc) -> Result<Iter> {
        if here.view.is_none()
            && let Value::List(List::Columns(list)) = self.present(here)?
        {
            let (here, count) = (here.clone(), self.count_of(&list));
            return Ok(Iter::new(vec![count], move |l, at| {
                let i = l.share_size(at[0].clone());
                Ok(here.at(Inside::Element(loc, i)).into())
            }));
        }
        let view = self.view(here, loc)?;
        let axes = match view.of_rust {
            true => vec![0],
            false => (0..view.sizes.len()).collect(),
        };
        Ok(here.items(&view, axes))
    }

    /// `slice_mut(s![..])`
    fn sliced(&mut self, view: &View, slices: &Surface) -> Result<View> {
        use crate::front::surface::Slice;
        let Kind::Slices(slices) = &slices.kind else {
            self.expr(slices)?;
            return Err(self.errors.at(
                slices.loc,
                "which part is meant is seen in `s![..]` only; write it where it is used: \
                 `a.slice_mut(s![1.., ..])`",
            ));
        };
        let loc = match slices.first() {
            Some(Slice::At(e)) => e.loc,
            Some(Slice::Range { .. } | Slice::New) | None => proc_macro2::Span::call_site().into(),
        };
        if slices.len() != view.sizes.len() || slices.iter().any(|s| matches!(s, Slice::New)) {
            let message = format!(
                "this has {}, and {}; write one for each axis",
                error::counted(view.sizes.len(), "axis", "axes"),
                error::counted(slices.len(), "index is given", "indices are given")
            );
            return Err(self.errors.at(loc, message));
        }
        let mut view = view.clone();
        let mut axis = 0;
        for slice in slices {
            let part = self.part_of_axis(slice, &view.sizes[axis].clone())?;
            if let (Part::Some { step, .. }, Slice::Range { step: Some(e), .. }) = (&part, slice)
                && literal(step).is_none()
            {
                let message = "the step of a slice that is changed must be a literal; write a loop \
                               over `x[a + k * i]`";
                return Err(self.errors.at(e.loc, message));
            }
            view = cut(&view, axis, &part);
            if !matches!(part, Part::At(_)) {
                axis += 1;
            }
        }
        Ok(view)
    }
}

impl Borrow {
    /// A part of it.
    fn at(&self, inside: Inside) -> Borrow {
        let mut part = self.clone();
        part.inside.push(inside);
        part
    }

    /// The parts at each index of some axes.
    fn items(&self, view: &View, along: Vec<usize>) -> Iter {
        let sizes = along.iter().map(|&k| view.sizes[k].clone()).collect();
        let (here, view) = (self.clone(), view.clone());
        Iter::new(sizes, move |l, at| {
            let mut view = view.clone();
            for (&axis, i) in along.iter().zip(at).rev() {
                let i = l.share_size(i.clone());
                view = view.index_axis(axis, &i);
            }
            Ok(here.with(view).into())
        })
    }
}

/// A part of an axis of a view, with a literal as its step.
fn cut(view: &View, axis: usize, part: &Part) -> View {
    match part {
        Part::Whole => view.clone(),
        Part::At(i) => view.index_axis(axis, i),
        Part::Some { first, step, count } => {
            let step = literal(step).expect("a computed step is an error");
            view.narrowed(axis, first, step, count.clone())
        }
    }
}

/// The methods of what is borrowed to be changed.
pub(super) fn is_of_borrows(method: &str) -> bool {
    let is_known = matches!(method, "into_iter" | "zip_mut_with");
    is_known || method.ends_with("_mut") || makes_view(method)
}
