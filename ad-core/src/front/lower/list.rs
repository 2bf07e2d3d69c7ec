//! Arrays that are written out: `array![..]`, `vec![..]`, `arr1(&[..])`. An element is chosen by
//! comparing the index; where that is a literal, it is the element itself.

use super::Lowerer;
use super::array::element;
use super::combinator::built;
use super::fixed::List;
use super::size::{minus, plus};
use super::value::{Plain, Value};
use super::way::Iter;
use crate::front::error::{Loc, Result};
use crate::front::surface::{Expr as Surface, Kind};
use crate::ir::core::{Expr, Kind as Core};
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Lit};

impl Lowerer<'_> {
    /// Elements, or lists of elements.
    pub(super) fn list_of(&mut self, parts: &[Surface], loc: Loc) -> Result<Plain> {
        let mut all = vec![];
        for part in parts {
            all.push(if let Kind::List(inner) = &part.kind {
                self.list_of(inner, part.loc)
            } else {
                self.expr(part).and_then(|v| self.plain(v, part.loc))
            });
        }
        let all: Result<Vec<Plain>> = all.into_iter().collect();
        let all = self.of_one_kind(all?, loc)?;
        let lists = parts
            .iter()
            .filter(|p| matches!(p.kind, Kind::List(_)))
            .count();
        let Some(first) = all.first() else {
            return Err(self.errors.at(
                loc,
                "of an empty list the kind cannot be seen; write `vec![0.0; 0]` or `Array1::zeros(0)`",
            ));
        };
        if lists == 0 && first.expr.ty.rank > 0 {
            let message = format!(
                "this is a list of arrays, each {}, which is no array; write `stack![Axis(0), ..]`",
                first.describe()
            );
            return Err(self.errors.at(loc, message));
        }
        self.stacked(all, 0)
    }

    /// Values that have one kind and one rank.
    fn of_one_kind(&mut self, parts: Vec<Plain>, loc: Loc) -> Result<Vec<Plain>> {
        let Some(like) = parts.iter().find(|p| p.open.is_empty()).or(parts.first()) else {
            return Ok(vec![]);
        };
        let (elem, rank, scalar) = (like.elem(), like.expr.ty.rank, like.scalar);
        let what = like.describe();
        let mut all = vec![];
        for part in parts {
            let message = format!(
                "the elements of a list are of one kind, and these are {what} and {}",
                part.describe()
            );
            if part.expr.ty.rank != rank {
                return Err(self.errors.at(loc, message));
            }
            let open = if like_open(&part, elem) {
                part.open.clone()
            } else {
                vec![]
            };
            let expr = self.elem(part, elem, loc, &message)?;
            all.push(Plain { expr, scalar, open });
        }
        Ok(all)
    }

    /// Arrays of one shape as one, along a new axis.
    fn stacked(&mut self, parts: Vec<Plain>, axis: usize) -> Result<Plain> {
        let mut held = vec![];
        for part in parts {
            let expr = match part.expr.ty.rank {
                0 => self.share("e", part.expr),
                _ => self.held(part.expr),
            };
            held.push(Plain { expr, ..part });
        }
        let Some(first) = held.first().cloned() else {
            unreachable!("a list has an element");
        };
        let mut sizes = self.written_lengths(&first.expr);
        for part in &held[1..] {
            let own = self.written_lengths(&part.expr);
            for (n, m) in sizes.iter_mut().zip(own) {
                *n = self.one_length(n.clone(), m);
            }
        }
        let count = i64::try_from(held.len()).unwrap_or(i64::MAX);
        sizes.insert(axis, Expr::int(count));
        let (axes, mut at) = self.indices(&sizes);
        let which = at.remove(axis);
        let read = |part: &Plain| match part.expr.ty.rank {
            0 => part.expr.clone(),
            _ => element(part.expr.clone(), at.iter().cloned().map(Some).collect()),
        };
        let mut chosen: Option<Expr> = None;
        for (k, part) in held.iter().enumerate().rev() {
            let k = Expr::int(i64::try_from(k).unwrap_or(0));
            let rest = chosen.unwrap_or_else(|| Expr::lit(Lit::zero(part.elem())));
            let here = Expr::prim(Prim::IEq, vec![which.clone(), k]);
            chosen = Some(Expr::cond(here, read(part), rest));
        }
        let Some(chosen) = chosen else {
            unreachable!("a list has an element");
        };
        let expr = self.share("list", built(axes, chosen));
        if let (Core::Var(sym), 0) = (&*expr.kind, axis) {
            self.lists.insert(sym.clone(), held);
        }
        Ok(Plain { expr, ..first })
    }

    /// The arguments of `stack` and `concatenate`: an axis, and arrays.
    pub(super) fn joined(&mut self, axis: &Surface, parts: &[Surface], new: bool) -> Result<Plain> {
        let values = self.all(parts)?;
        let mut all = vec![];
        for (value, part) in values.into_iter().zip(parts) {
            all.push(self.plain(value, part.loc)?);
        }
        let Some(rank) = all.first().map(|p| p.expr.ty.rank) else {
            return Err(self.errors.at(
                axis.loc,
                "there is nothing to put together; write one array at least",
            ));
        };
        let all = self.of_one_kind(all, axis.loc)?;
        if new && rank == 6 {
            return Err(self.errors.at(
                axis.loc,
                "arrays have at most 6 axes; write one axis for two, with the index `i * m + j`",
            ));
        }
        let axis_number = self.axis(axis, rank + usize::from(new))?;
        match new {
            true => self.stacked(all, axis_number),
            false => self.concatenated(all, axis_number),
        }
    }

    /// Arrays one after another along an axis.
    fn concatenated(&mut self, parts: Vec<Plain>, axis: usize) -> Result<Plain> {
        let mut held = vec![];
        for part in parts {
            let expr = self.held(part.expr);
            held.push(Plain { expr, ..part });
        }
        let Some(first) = held.first().cloned() else {
            unreachable!("there is one array at least");
        };
        let mut sizes = self.written_lengths(&first.expr);
        let mut starts = vec![Expr::int(0)];
        let mut end = sizes[axis].clone();
        for part in &held[1..] {
            let own = self.written_lengths(&part.expr);
            for (k, (n, m)) in sizes.iter_mut().zip(own).enumerate() {
                if k == axis {
                    starts.push(end.clone());
                    end = plus(&end, &m);
                } else {
                    *n = self.one_length(n.clone(), m);
                }
            }
        }
        sizes[axis] = end;
        let (axes, at) = self.indices(&sizes);
        let mut chosen: Option<Expr> = None;
        for (k, part) in held.iter().enumerate().rev() {
            let mut index = at.clone();
            index[axis] = minus(&at[axis], &starts[k]);
            let here = element(part.expr.clone(), index.into_iter().map(Some).collect());
            chosen = Some(match chosen {
                None => here,
                Some(rest) => {
                    let before =
                        Expr::prim(Prim::ILt, vec![at[axis].clone(), starts[k + 1].clone()]);
                    Expr::cond(before, here, rest)
                }
            });
        }
        let Some(chosen) = chosen else {
            unreachable!("there is one array at least");
        };
        Ok(Plain {
            expr: built(axes, chosen),
            ..first
        })
    }

    /// `array![..]` and other macros.
    pub(super) fn made(&mut self, name: &syn::Ident, parts: &[Surface], loc: Loc) -> Result<Value> {
        match (name.to_string().as_str(), parts) {
            ("stack" | "concatenate", [axis, parts @ ..]) => {
                Ok(self.joined(axis, parts, name == "stack")?.into())
            }
            ("vec", [list]) if composites(list).is_some() => {
                self.fixed(composites(list).unwrap_or_default(), loc)
            }
            ("vec", [list]) if matches!(list.kind, Kind::Repeat(..)) => self.repeated_list(list),
            ("vec", [list]) if values(list).is_some() => {
                let values = self.all(values(list).unwrap_or_default())?;
                let is_number = |v: &Value| matches!(v, Value::Plain(p) if p.expr.ty.rank == 0);
                if !values.iter().all(is_number) {
                    return Ok(Value::List(List::Elements(values)));
                }
                let plain = values.into_iter().map(|v| self.plain(v, loc));
                let plain = plain.collect::<Result<_>>()?;
                let all = self.of_one_kind(plain, loc)?;
                Ok(self.stacked(all, 0)?.into())
            }
            (_, [list]) => Ok(self.list(list)?.into()),
            _ => Err(self.errors.at(
                loc,
                "this says nothing about what to put together; write `stack![Axis(0), a, b]`",
            )),
        }
    }

    /// `[..]`, `[x; n]`, `vec![..]` or an array.
    pub(super) fn list(&mut self, e: &Surface) -> Result<Plain> {
        if let Kind::List(parts) = &e.kind {
            return self.list_of(parts, e.loc);
        }
        let value = self.repeated_list(e)?;
        self.plain(value, e.loc)
    }

    /// `vec![x; n]`, with any other value as it is.
    fn repeated_list(&mut self, e: &Surface) -> Result<Value> {
        let Kind::Repeat(one, count) = &e.kind else {
            return self.expr(e);
        };
        let value = self.expr(one)?;
        let count = self.number(count)?;
        self.rectangular_sizes(std::slice::from_ref(&count), e.loc)?;
        if let Value::Plain(plain) = &value
            && plain.expr.ty.rank == 0
        {
            return Ok(self.filled(plain.clone(), &[count]).into());
        }
        let value = self.named(value, "x");
        let items = Iter::new(vec![count], move |_, _| Ok(value.clone()));
        self.list_of_items(&items, e.loc)
    }

    /// One value everywhere.
    pub(super) fn filled(&mut self, value: Plain, sizes: &[Expr]) -> Plain {
        let element = self.share("e", value.expr);
        let (axes, _) = self.indices(sizes);
        Plain {
            expr: built(axes, element),
            ..value
        }
    }
}

/// The elements of a list whose first one is a tuple or a struct.
fn composites(list: &Surface) -> Option<&[Surface]> {
    let Kind::List(parts) = &list.kind else {
        return None;
    };
    let first = &parts.first()?.kind;
    matches!(first, Kind::Tuple(_) | Kind::Struct(..)).then_some(parts)
}

/// The elements of a list, if all are values and none is an array in brackets.
fn values(list: &Surface) -> Option<&[Surface]> {
    let Kind::List(parts) = &list.kind else {
        return None;
    };
    let is_array = |p: &Surface| matches!(p.kind, Kind::List(_) | Kind::Repeat(..));
    (!parts.is_empty() && !parts.iter().any(is_array)).then_some(parts)
}

/// Whether a part leaves its kind open, and it was taken for the right one.
fn like_open(part: &Plain, elem: Elem) -> bool {
    !part.open.is_empty() && part.elem() == elem
}
