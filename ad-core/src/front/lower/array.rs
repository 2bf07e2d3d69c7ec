//! Arrays: indexing, lengths, parts.

use super::Lowerer;
use super::fixed::List;
use super::size::{literal, product_of};
use super::value::{Plain, Value};
use crate::front::error::{self, Loc, Result};
use crate::front::surface::{Expr as Surface, Kind};
use crate::front::types::Scalar;
use crate::ir::core::{Expr, Kind as Core};
use crate::ir::prims::Prim;
use crate::ir::ty::Elem;
pub(super) use crate::loops::terms::{element, length};

impl Lowerer<'_> {
    pub(super) fn index(&mut self, array: &Surface, at: &[Surface], loc: Loc) -> Result<Value> {
        let base = self.expr(array).and_then(|v| self.fetched(v));
        if let [
            Surface {
                kind: Kind::Range(from, to, closed),
                ..
            },
        ] = at
        {
            let base = base?;
            if let Value::List(List::Columns(list)) = &base {
                return self.part_of_list(list, from.as_deref(), to.as_deref(), *closed, loc);
            }
            let of_rust = matches!(base, Value::List(_));
            let base = self.plain(base, array.loc)?;
            let range = (from.as_deref(), to.as_deref(), *closed);
            return self.stretch(base, of_rust, range, loc);
        }
        let at_values: Vec<_> = at.iter().map(|e| (self.expr(e), e.loc)).collect();
        let base = base?;
        if let Value::Shape(of) = base {
            return self.shape_entry(of, at);
        }
        if let Value::List(list) = base {
            let at: Result<Vec<_>> = at_values.into_iter().map(|(v, l)| Ok((v?, l))).collect();
            return self.list_entry(list, &at?, array.loc);
        }
        self.not_sparse(&base, array.loc)?;
        let base = self.plain(base, array.loc)?;
        let mut flat = vec![];
        for (value, loc) in at_values {
            flat.extend(value?.parts().into_iter().map(|p| (p, loc)));
        }
        let rank = base.expr.ty.rank;
        let at_loc = match at {
            [first, .., last] => Loc {
                start: first.loc.start,
                end: last.loc.end,
            },
            [one] => one.loc,
            [] => array.loc,
        };
        if rank == 0 && flat.is_empty() {
            // `a[()]`, the element of an `Array0`.
            return Ok(base.into());
        }
        if rank == 0 {
            let message = match base.open.is_empty() {
                true => format!(
                    "this is {}, which has no elements; write the value itself",
                    base.describe()
                ),
                false => "of a constant of another module only a number is known; declare the table in this \
                          module, or pass it as an argument"
                    .to_owned(),
            };
            return Err(self.errors.at(array.loc, message));
        }
        if flat.len() != rank {
            let letters = ["i", "j", "k", "l", "m", "n"];
            let axes = letters.get(..rank).unwrap_or(&letters).join(", ");
            let written = if rank == 1 { axes } else { format!("[{axes}]") };
            let message = format!(
                "{} takes {}, and {}; write `[{written}]`{}",
                base.describe(),
                error::counted(rank, "index", "indices"),
                error::given(flat.len()),
                if flat.len() == 1 {
                    ", or take a part with `.row(i)`, `.column(j)` or `.index_axis(Axis(k), i)`"
                } else {
                    ""
                }
            );
            return Err(self.errors.at(at_loc, message));
        }
        let mut indices = vec![];
        for (value, loc) in flat {
            indices.push(Some(self.of(Elem::Int, value, loc, "an index")?));
        }
        Ok(self.entry_of(base, indices).into())
    }

    /// `array[at]`; of a list that is written out, and of what was just replaced, the element
    /// itself.
    fn entry_of(&mut self, base: Plain, mut at: Vec<Option<Expr>>) -> Plain {
        let listed = if let Core::Var(sym) = &*base.expr.kind {
            self.lists.get(sym)
        } else {
            None
        };
        let first = at.first().and_then(Option::as_ref).and_then(literal);
        let item = first.and_then(|k| listed?.get(usize::try_from(k).ok()?));
        if let Some(item) = item.cloned() {
            at.remove(0);
            return match at.is_empty() {
                true => item,
                false => self.entry_of(item, at),
            };
        }
        let known = self.replaced_element(&base.expr, &at);
        Plain {
            expr: known.unwrap_or_else(|| element(base.expr.clone(), at)),
            ..base
        }
    }

    /// `a.shape()[k]`: of an axis that is computed, one of the lengths.
    fn shape_entry(&mut self, array: Expr, at: &[Surface]) -> Result<Value> {
        let [k] = at else {
            let loc = at
                .first()
                .map_or(proc_macro2::Span::call_site().into(), |e| e.loc);
            return Err(self
                .errors
                .at(loc, "a shape has one index, such as `a.shape()[0]`"));
        };
        let rank = array.ty.rank;
        let axis = self.number(k)?;
        let usize = |e| Plain::typed(e, Scalar::Usize).into();
        if let Some(axis) = literal(&axis) {
            let axis = self.axis_number(axis, rank, k.loc)?;
            return Ok(usize(length(array, axis)));
        }
        let array = self.held(array);
        let axis = self.share("axis", axis);
        self.at_most(&axis, rank);
        let lengths = self.written_lengths(&array).into_iter().enumerate().rev();
        let is = |k: usize| Expr::prim(Prim::IEq, vec![axis.clone(), Expr::int(k as i64)]);
        let chosen = lengths.reduce(|(_, rest), (k, n)| (k, Expr::cond(is(k), n, rest)));
        Ok(usize(chosen.map_or(Expr::int(0), |(_, n)| n)))
    }

    pub(super) fn axis_number(&mut self, k: i64, rank: usize, loc: Loc) -> Result<usize> {
        match usize::try_from(k) {
            Ok(axis) if axis < rank => Ok(axis),
            Ok(_) | Err(_) => {
                let message = format!(
                    "there is no axis {k}: the array has rank {rank}, and axes count from 0"
                );
                Err(self.errors.at(loc, message))
            }
        }
    }

    /// A method on an array; nothing if arrays have none of that name.
    pub(super) fn array_method(
        &mut self,
        array: Plain,
        name: &syn::Ident,
        args: &[Surface],
        loc: Loc,
    ) -> Option<Result<Value>> {
        let rank = array.expr.ty.rank;
        let method = name.to_string();
        let (arity, ranks) = match method.as_str() {
            "view" | "to_owned" | "clone" | "into_owned" | "len" | "is_empty" | "shape" | "dim"
            | "raw_dim" | "ndim" | "to_vec" | "reborrow" | "into_scalar" => (0, 0..=usize::MAX),
            "nrows" | "ncols" => (0, 2..=2),
            "row" | "column" => (1, 2..=2),
            "sum" | "t" => (0, 1..=usize::MAX),
            "len_of" | "dot" | "map" | "mapv" | "mapv_into" | "mapv_into_any" | "map_into" => {
                (1, 1..=usize::MAX)
            }
            "index_axis" | "index_axis_move" => (2, 1..=usize::MAX),
            _ => return self.ndarray_method(array, name, args, loc),
        };
        if args.len() != arity {
            let message = format!(
                "`{name}` takes {}, and {}",
                error::counted(arity, "argument", "arguments"),
                error::given(args.len())
            );
            return Some(Err(self.errors.at(loc, message)));
        }
        if !ranks.contains(&rank) {
            let instead = match (method.as_str(), rank) {
                ("nrows" | "ncols", 1) => "`.len()`".to_string(),
                ("row" | "column", 1) => "`[i]`".to_string(),
                ("row" | "column", _) => "`.index_axis(Axis(k), i)`".to_string(),
                (_, _) => "`.len_of(Axis(k))`".to_string(),
            };
            let message = format!(
                "`{name}` is for arrays of rank 2, and this is {}; write {instead}",
                array.describe()
            );
            return Some(Err(self.errors.at(name.span(), message)));
        }
        if method == "to_vec" && rank != 1 {
            let message = format!(
                "`to_vec` is for rank 1, and this is {}; write `a.iter().copied().collect::<Vec<_>>()`",
                array.describe()
            );
            return Some(Err(self.errors.at(name.span(), message)));
        }
        Some(self.known_array_method(array, name, args, loc))
    }

    fn known_array_method(
        &mut self,
        array: Plain,
        name: &syn::Ident,
        args: &[Surface],
        loc: Loc,
    ) -> Result<Value> {
        let rank = array.expr.ty.rank;
        let usize = |expr| Value::Plain(Plain::typed(expr, Scalar::Usize));
        Ok(match name.to_string().as_str() {
            "sum" => self.sum_of_elements(array, loc)?,
            "t" => self.transposed(array),
            "dot" => self.dot(array, &args[0], loc)?,
            "map" | "mapv" | "mapv_into" | "mapv_into_any" | "map_into" => {
                self.mapped(array, name, &args[0])?
            }
            "nrows" => usize(self.length_of(&array.expr, 0)),
            "ncols" => usize(self.length_of(&array.expr, 1)),
            "ndim" => usize(Expr::int(i64::try_from(rank).unwrap_or(0))),
            "len" => usize(self.count(array.expr)),
            "is_empty" => {
                let count = self.count(array.expr);
                Expr::prim(Prim::IEq, vec![count, Expr::int(0)]).into()
            }
            "shape" => Value::Shape(array.expr),
            "dim" | "raw_dim" if rank == 1 => usize(self.length_of(&array.expr, 0)),
            "dim" | "raw_dim" => {
                let array = self.held(array.expr);
                let sizes = self.written_lengths(&array);
                Value::Tuple(sizes.into_iter().map(usize).collect())
            }
            "len_of" => {
                let axis = self.axis(&args[0], rank)?;
                usize(self.length_of(&array.expr, axis))
            }
            "row" => self.part(array, 0, &args[0])?,
            "column" => self.part(array, 1, &args[0])?,
            "index_axis" | "index_axis_move" => {
                let axis = self.axis(&args[0], rank)?;
                self.part(array, axis, &args[1])?
            }
            // Views, copies and the array itself are one value.
            _ => Value::Plain(array),
        })
    }

    fn part(&mut self, array: Plain, axis: usize, at: &Surface) -> Result<Value> {
        let index = self.expr(at)?;
        let index = self.of(Elem::Int, index, at.loc, "an index")?;
        let mut indices = vec![None; array.expr.ty.rank];
        indices[axis] = Some(index);
        Ok(self.entry_of(array, indices).into())
    }

    /// How many elements an array has.
    fn count(&mut self, array: Expr) -> Expr {
        let rank = array.ty.rank;
        if rank == 1 {
            return self.length_of(&array, 0);
        }
        let array = self.held(array);
        product_of(&self.written_lengths(&array))
    }

    /// The length of an axis.
    fn length_of(&mut self, array: &Expr, axis: usize) -> Expr {
        let known = self.known_lengths(array).swap_remove(axis);
        known.unwrap_or_else(|| length(array.clone(), axis))
    }
}
