//! `a.slice(s![..])`: parts of arrays at affine indices.

use super::Lowerer;
use super::array::{element, length};
use super::combinator::{built, entry};
use super::size::{literal, minus, plus, smaller, times};
use super::value::{Plain, Value};
use super::way::Iter;
use crate::front::error::{Loc, Result};
use crate::front::surface::{Expr as Surface, Kind, Slice};
use crate::front::types::Scalar;
use crate::ir::core::Expr;
use crate::ir::prims::Prim;
use crate::ir::ty::Elem;

/// What becomes of an axis.
#[derive(Clone)]
pub(super) enum Part {
    /// Nothing.
    Whole,
    /// It is gone: this index.
    At(Expr),
    /// So many elements, from here on, so far apart.
    Some {
        first: Expr,
        step: Expr,
        count: Expr,
    },
}

impl Lowerer<'_> {
    /// `a.slice(s![..])`
    pub(super) fn slice(&mut self, array: Plain, args: &[Surface], loc: Loc) -> Result<Value> {
        let [
            Surface {
                kind: Kind::Slices(slices),
                loc: at,
            },
        ] = args
        else {
            self.all(args)?;
            return Err(self.errors.at(
                loc,
                "which part is meant is seen in `s![..]` only; write it where it is used: \
                 `a.slice(s![1.., ..])`",
            ));
        };
        let rank = array.expr.ty.rank;
        let given = slices.iter().filter(|s| !matches!(s, Slice::New)).count();
        if given != rank {
            let message = format!(
                "{} has {rank} axes, and `s![..]` speaks of {given}; write `..` for an axis that stays \
                 whole",
                array.describe()
            );
            return Err(self.errors.at(*at, message));
        }
        let array = self.holding(array);
        let mut parts = vec![];
        let mut axis = 0;
        for slice in slices {
            if let Slice::New = slice {
                parts.push(None);
                continue;
            }
            let n = length(array.expr.clone(), axis);
            parts.push(Some(self.part_of_axis(slice, &n)?));
            axis += 1;
        }
        self.cut(array, &parts, *at)
    }

    /// `a.slice_axis(Axis(k), Slice::from(a..b))`
    pub(super) fn slice_axis(
        &mut self,
        array: Plain,
        axis: &Surface,
        slice: &Surface,
        loc: Loc,
    ) -> Result<Value> {
        let rank = array.expr.ty.rank;
        let axis = self.axis(axis, rank)?;
        let array = self.holding(array);
        let n = length(array.expr.clone(), axis);
        let part = self.slice_value(slice, &n)?;
        let mut parts: Vec<Option<Part>> = vec![Some(Part::Whole); rank];
        parts[axis] = Some(part);
        self.cut(array, &parts, loc)
    }

    /// `a.axis_chunks_iter(Axis(k), size)`: the last part has what is left.
    pub(super) fn axis_chunks(
        &mut self,
        array: Plain,
        axis: &Surface,
        size: &Surface,
    ) -> Result<Iter> {
        let (rank, loc) = (array.expr.ty.rank, size.loc);
        let axis = self.axis(axis, rank)?;
        let size = self.part_length(size)?;
        let array = self.holding(array);
        let all = length(array.expr.clone(), axis);
        let up = minus(&plus(&all, &size), &Expr::int(1));
        let count = self.share_size(Expr::prim(Prim::IDiv, vec![up, size.clone()]));
        Ok(Iter::new(vec![count], move |l, at| {
            let first = times(&at[0], &size);
            let count = l.share_size(smaller(&minus(&all, &first), &size));
            let mut parts = vec![Some(Part::Whole); rank];
            parts[axis] = Some(Part::Some {
                first,
                step: Expr::int(1),
                count,
            });
            l.cut(array.clone(), &parts, loc)
        }))
    }

    /// `Slice::from(a..b)`, `(a..b).into()`, `Slice::new(a, Some(b), k)`
    pub(super) fn slice_value(&mut self, slice: &Surface, n: &Expr) -> Result<Part> {
        let (mut slice, mut step) = (slice, None);
        if let Kind::Method(on, by, args) = &slice.kind
            && by == "step_by"
            && let [k] = &args[..]
        {
            (slice, step) = (&**on, Some(Box::new(k.clone())));
        }
        if let Kind::Call(path, args) = &slice.kind
            && let [.., of, new] = &crate::front::names::segments(path)[..]
            && of == "Slice"
            && new == "new"
            && step.is_none()
            && let [from, end, step] = &args[..]
            && let Kind::Maybe(to) = &end.kind
        {
            let slice = Slice::Range {
                from: Some(Box::new(from.clone())),
                to: to.clone(),
                closed: false,
                step: Some(Box::new(step.clone())),
            };
            return self.part_of_axis(&slice, n);
        }
        let mut range = None;
        if let Kind::Call(path, args) = &slice.kind
            && let [.., of, from] = &crate::front::names::segments(path)[..]
            && of == "Slice"
            && from == "from"
        {
            range = args.first();
        }
        if let Kind::Method(on, into, _) = &slice.kind
            && into == "into"
        {
            range = Some(on);
        }
        if let Some(Surface {
            kind: Kind::Range(from, to, closed),
            ..
        }) = range
        {
            let slice = Slice::Range {
                from: from.clone(),
                to: to.clone(),
                closed: *closed,
                step,
            };
            return self.part_of_axis(&slice, n);
        }
        Err(self.errors.at(
            slice.loc,
            "which part is meant must be seen here; write `Slice::from(a..b)`",
        ))
    }

    /// `x[a..b]`, of slices and vectors; the elements of arrays of Rust may be arrays.
    pub(super) fn stretch(
        &mut self,
        array: Plain,
        of_rust: bool,
        (from, to, closed): (Option<&Surface>, Option<&Surface>, bool),
        loc: Loc,
    ) -> Result<Value> {
        let rank = array.expr.ty.rank;
        if rank != 1 && !of_rust {
            let message = format!(
                "a range is for slices and vectors, and this is {}; write `.slice(s![..])`",
                array.describe()
            );
            return Err(self.errors.at(loc, message));
        }
        let array = self.holding(array);
        let n = length(array.expr.clone(), 0);
        let first = match from {
            Some(from) => self.number(from)?,
            None => Expr::int(0),
        };
        let end = match to {
            Some(to) => {
                let to = self.number(to)?;
                if closed { plus(&to, &Expr::int(1)) } else { to }
            }
            None => n,
        };
        let count = minus(&end, &first);
        let step = Expr::int(1);
        let mut parts = vec![Some(Part::Whole); rank];
        parts[0] = Some(Part::Some { first, step, count });
        let part = self.cut(array, &parts, loc)?;
        if let (true, Value::Plain(part)) = (of_rust, &part) {
            return Ok(Value::of_rust(part.clone()));
        }
        Ok(part)
    }

    /// `a.split_at(Axis(k), i)`, and `x.split_at(i)` of slices.
    pub(super) fn split_at(&mut self, array: Plain, args: &[Surface], loc: Loc) -> Result<Value> {
        let (axis, middle) = match args {
            [axis, middle] => (self.axis(axis, array.expr.ty.rank)?, middle),
            [middle] if array.expr.ty.rank == 1 => (0, middle),
            _ => return Err(self.errors.at(loc, "write `split_at(Axis(k), i)`")),
        };
        let middle = self.number(middle)?;
        let array = self.holding(array);
        let n = length(array.expr.clone(), axis);
        let rest = minus(&n, &middle);
        let mut halves = vec![];
        for (first, count) in [(Expr::int(0), middle.clone()), (middle, rest)] {
            let mut parts: Vec<Option<Part>> = vec![];
            for k in 0..array.expr.ty.rank {
                let (first, count) = (first.clone(), count.clone());
                parts.push(Some(match k == axis {
                    true => Part::Some {
                        first,
                        step: Expr::int(1),
                        count,
                    },
                    false => Part::Whole,
                }));
            }
            halves.push(self.cut(array.clone(), &parts, loc)?);
        }
        Ok(Value::Tuple(halves))
    }

    pub(super) fn part_of_axis(&mut self, slice: &Slice, n: &Expr) -> Result<Part> {
        match slice {
            Slice::New => unreachable!("a new axis is none of the array's"),
            Slice::At(e) => Ok(Part::At(self.place(e, n, "an index")?)),
            Slice::Range {
                from: None,
                to: None,
                step: None,
                ..
            } => Ok(Part::Whole),
            Slice::Range {
                from,
                to,
                closed,
                step,
                ..
            } => {
                let first = match from {
                    Some(e) => self.place(e, n, "where a slice begins")?,
                    None => Expr::int(0),
                };
                let end = match to {
                    None => n.clone(),
                    // `..=-1` goes to the end.
                    Some(e) if *closed && matches!(e.kind, Kind::Int(-1, _)) => n.clone(),
                    Some(e) => {
                        let end = self.place(e, n, "where a slice ends")?;
                        if *closed {
                            plus(&end, &Expr::int(1))
                        } else {
                            end
                        }
                    }
                };
                let span = minus(&end, &first);
                let span = match (from, to) {
                    // One end is an end of the array: what is negative is outside.
                    (None, _) | (_, None) => span,
                    // A slice that ends before it begins is empty.
                    (Some(_), Some(_)) => {
                        // Where something is read, that tells as much.
                        if literal(&span).is_none_or(|k| k <= 0) {
                            self.demand_natural(&minus(n, &first));
                        }
                        self.not_negative(span)
                    }
                };
                let step = match step {
                    None => Expr::int(1),
                    Some(e) => self.step_of_slice(e)?,
                };
                let known = literal(&step);
                let far = known.map_or(step.clone(), |k| Expr::int(k.abs()));
                let count = match literal(&far) {
                    Some(1) => span,
                    _ => {
                        let up = plus(&span, &minus(&far, &Expr::int(1)));
                        Expr::prim(Prim::IDiv, vec![up, far])
                    }
                };
                let first = match known.is_some_and(|k| k < 0) {
                    true => minus(&end, &Expr::int(1)),
                    false => first,
                };
                let count = match known {
                    Some(_) => self.share_size(count),
                    // A computed number, which loops inside of others cannot compute.
                    None => self.share("n", count),
                };
                Ok(Part::Some { first, step, count })
            }
        }
    }

    /// How far apart the elements of a slice are. A computed step must be without a sign, as the
    /// sign decides at which end the slice begins.
    fn step_of_slice(&mut self, e: &Surface) -> Result<Expr> {
        let value = self.expr(e)?;
        let plain = self.scalar(value, e.loc)?;
        let unsigned = plain.scalar.is_some_and(Scalar::is_unsigned) || self.was_unsigned(e);
        let step = self.of(Elem::Int, plain.into(), e.loc, "the step of a slice")?;
        let step = self.share_size(step);
        match literal(&step) {
            Some(0) => {}
            Some(_) => return Ok(step),
            None if unsigned => {
                self.demand_natural(&minus(&step, &Expr::int(1)));
                return Ok(step);
            }
            None => {}
        }
        Err(self.errors.at(
            e.loc,
            "the step of a slice must be a literal that is not 0, or a `usize`, as in \
             `s![..; k as isize]`",
        ))
    }

    /// A place in an axis; what is negative counts from the end.
    fn place(&mut self, e: &Surface, n: &Expr, role: &str) -> Result<Expr> {
        let value = self.expr(e)?;
        let plain = self.scalar(value, e.loc)?;
        let unsigned = plain.scalar.is_some_and(Scalar::is_unsigned) || self.was_unsigned(e);
        let i = self.of(Elem::Int, plain.into(), e.loc, role)?;
        let i = self.share_size(i);
        if let Some(known) = literal(&i) {
            if known >= 0 {
                return Ok(i);
            }
            let place = plus(n, &i);
            self.demand_natural(&place);
            return Ok(place);
        }
        if unsigned {
            return Ok(i);
        }
        // The length is added where it is negative: once, or not at all.
        let below = Expr::prim(Prim::IMax, vec![minus(&Expr::int(0), &i), Expr::int(0)]);
        let once = Expr::prim(Prim::IMin, vec![below, Expr::int(1)]);
        let place = plus(&i, &times(n, &once));
        Ok(self.share_size(place))
    }

    /// Demands that a size is not negative, where it is the same in all loops around.
    fn demand_natural(&mut self, size: &Expr) {
        if self.is_natural(size) || !self.dependence(size).is_disjoint(&self.around()) {
            return;
        }
        let (axes, _) = self.indices(std::slice::from_ref(size));
        self.share("sure", built(axes, Expr::int(0)));
    }

    /// `n as isize` of what has no sign.
    fn was_unsigned(&mut self, e: &Surface) -> bool {
        let Kind::Cast(inner, _) = &e.kind else {
            return false;
        };
        match self.expr(inner) {
            Ok(Value::Plain(plain)) => plain.scalar.is_some_and(Scalar::is_unsigned),
            Ok(_) | Err(_) => false,
        }
    }

    /// The part of an array that is meant; `None` is a new axis.
    fn cut(&mut self, array: Plain, parts: &[Option<Part>], loc: Loc) -> Result<Value> {
        let whole = array.expr;
        let plain_parts = parts
            .iter()
            .all(|p| matches!(p, Some(Part::Whole | Part::At(_))));
        if plain_parts {
            let at = parts.iter().map(|p| match p {
                Some(Part::At(i)) => Some(i.clone()),
                Some(Part::Whole | Part::Some { .. }) | None => None,
            });
            let at = at.collect();
            return Ok(Value::Plain(Plain {
                expr: element(whole, at),
                ..array
            }));
        }
        let is_index = |p: &Option<Part>| matches!(p, Some(Part::At(_)));
        if parts.iter().any(is_index) {
            // Indices first: they have to be inside also where nothing is left of the other axes.
            let at = parts.iter().flatten().map(|part| match part {
                Part::At(i) => Some(i.clone()),
                Part::Whole | Part::Some { .. } => None,
            });
            let part = element(whole, at.collect());
            let expr = self.share("part", part);
            let rest: Vec<_> = parts.iter().filter(|p| !is_index(p)).cloned().collect();
            return self.cut(Plain { expr, ..array }, &rest, loc);
        }
        let own = self.written_lengths(&whole);
        let mut sizes = vec![];
        let mut axis = 0;
        for part in parts {
            match part {
                None => sizes.push(Expr::int(1)),
                Some(part) => {
                    match part {
                        Part::Whole => sizes.push(own[axis].clone()),
                        Part::At(_) => {}
                        Part::Some { count, .. } => sizes.push(count.clone()),
                    }
                    axis += 1;
                }
            }
        }
        let ragged = sizes
            .iter()
            .any(|n| !self.dependence(n).is_disjoint(&self.around()));
        let place = |at: &[Expr]| -> Vec<Expr> {
            let mut places = at.iter();
            let mut next = || places.next().cloned().unwrap_or_else(|| Expr::int(0));
            let mut index = vec![];
            for part in parts {
                match part {
                    None => {
                        next();
                    }
                    Some(Part::Whole) => index.push(next()),
                    Some(Part::At(i)) => index.push(i.clone()),
                    Some(Part::Some { first, step, .. }) => {
                        index.push(plus(first, &times(step, &next())));
                    }
                }
            }
            index
        };
        if ragged {
            // Arrays are rectangular, but loops over a part need not be.
            let indices: Vec<_> = sizes.iter().map(|_| self.fresh.sym("i")).collect();
            let scalar_type = crate::ir::core::Ty::scalar(Elem::Int);
            let vars: Vec<_> = indices.iter().map(|i| Expr::var(i, scalar_type)).collect();
            let (index, scalar, open) = (place(&vars), array.scalar, array.open);
            let part = entry(&whole, index);
            return Ok(Iter::new(sizes, move |_, at| {
                let pairs = indices.iter().zip(at);
                let expr = pairs.fold(part.clone(), |e, (i, at)| {
                    super::rename::replaced(&e, i, at)
                });
                Ok(Value::Plain(Plain {
                    expr,
                    scalar,
                    open: open.clone(),
                }))
            })
            .into());
        }
        self.rectangular_sizes(&sizes, loc)?;
        let (axes, at) = self.indices(&sizes);
        Ok(Value::Plain(Plain {
            expr: built(axes, entry(&whole, place(&at))),
            ..array
        }))
    }

    /// The indices of the loops around.
    fn around(&self) -> std::collections::BTreeSet<crate::ir::core::Sym> {
        self.loops.iter().cloned().collect()
    }
}
