//! Recurrences along rows of different lengths: a loop over the rows, and one along each.

use super::{Axis, Flattener, Layout, scalar};
use crate::ir::build::{Builder, translate_size, without};
use crate::ir::bulk::{Affine, Eq, Feed, Ix, Loop, Looped, Op, Param, Part, Type, Var};
use crate::ir::core::Keep;
use crate::ir::prims::Prim;
use crate::ir::ty::{Atom, Elem, Lit, Size};
use crate::passes::fuse::more::from_on;

impl Flattener<'_> {
    /// A recurrence along a last axis that is ragged, and is the only one.
    pub(super) fn recur(&mut self, eq: &Eq) -> Option<Var> {
        let Op::Recur {
            a,
            mask: Some(mask),
            b,
            axis,
            reverse,
        } = &eq.op
        else {
            return None;
        };
        let (condition, reverse) = (*mask, *reverse);
        let layout = self.layout(self.program.ty(*a), condition)?;
        let (rank, rows) = (layout.axes.len(), layout.rows(*axis)?.clone());
        let is_alone = (0..*axis).all(|k| layout.rows(k).is_none());
        if *axis + 1 != rank || !is_alone {
            return None;
        }
        let fits = match b {
            Feed::One | Feed::First(_) => true,
            // What enters behind the end of a row would count.
            Feed::Each(b) => self
                .program
                .eq(*b)
                .is_some_and(|e| e.guard == Some(condition)),
            Feed::All(_) => false,
        };
        if !fits {
            return None;
        }
        let (a, condition) = (self.at(*a), self.at(condition));
        let space = self.out.shape(a);
        let entries = self.mask(&layout, &space).expect("an axis is ragged");
        let factors = self.stored(a, &layout, condition);
        let counts = layout.counts.clone();
        let heads = Layout {
            axes: layout.axes[..*axis].to_vec(),
            counts: counts[..=*axis].to_vec(),
        };
        let mut arrays = vec![rows.offsets, rows.lengths, factors];
        let fed = match b {
            Feed::One | Feed::All(_) => None,
            Feed::First(b) => {
                let (b, space) = (self.at(*b), without(&space, &[*axis]));
                Some(match heads.axes[..] {
                    [Axis::Dense(_)] => b,
                    _ => {
                        let all = self.out.fill(Lit::Bool(true), &space);
                        self.stored(b, &heads, all)
                    }
                })
            }
            Feed::Each(b) => {
                let b = self.at(*b);
                Some(self.stored(b, &layout, condition))
            }
        };
        arrays.extend(fed);
        // Entries without a factor.
        let gaps = (condition != entries).then(|| self.stored(condition, &layout, condition));
        arrays.extend(gaps);
        let count = heads.total().clone();
        let recurrence = Recurrence {
            feed: fed.map(|_| *b),
            has_gaps: gaps.is_some(),
            reverse,
        };
        let flat = self.states(&arrays, &recurrence, &count, &rows.total.add(&count));
        // Behind its end a row keeps the state there.
        let space = self.shape(&eq.ty);
        let row = self.place(&heads, &space);
        let first = self
            .out
            .gather(rows.offsets, vec![row.clone()], &space, None);
        let row = match row {
            Ix::Affine(row) => self.out.index(row, &space),
            Ix::Data(row) => row,
        };
        let first = self.out.map(Prim::IAdd, &[first, row], None);
        let before: Vec<usize> = (0..*axis).collect();
        let end = self.out.spread(rows.ends, &before, &space);
        let zero = self.out.fill(Lit::Int(0), &space);
        let end = self.out.map(Prim::IMax, &[end, zero], None);
        let k = self.out.index(Affine::axis(rank, *axis), &space);
        let k = self.out.map(Prim::IMin, &[k, end], None);
        let place = self.out.map(Prim::IAdd, &[first, k], None);
        let read = self.out.gather(flat, vec![Ix::Data(place)], &space, None);
        self.flat.insert(read, None);
        Some(read)
    }

    /// The states of all rows, one behind another: a row has one more than entries.
    fn states(
        &mut self,
        arrays: &[Var],
        recurrence: &Recurrence,
        count: &Size,
        total: &Size,
    ) -> Var {
        let (given, own) = self.given(arrays);
        let first = given.len() - arrays.len();
        let array = |k: usize| Var((first + k) as u32);
        let inside = |v: Var| {
            let at = given.iter().position(|w| *w == v);
            Var(at.expect("lengths of arrays that are given") as u32)
        };
        let shape = vec![translate_size(total, &mut |v| inside(v))];
        let ty = Type {
            elem: Elem::Real,
            shape,
        };
        let mut params = own.clone();
        params.push(Param {
            name: String::from("states"),
            ty: ty.clone(),
        });
        params.push(scalar("row", Elem::Int));
        let [states, row] = [0, 1].map(|k| Var((given.len() + k) as u32));
        let mut out = Builder::new(&self.program.name, params);
        let [zero, one] = [0, 1].map(|k| out.fill(Lit::Int(k), &[]));
        let offset = out.gather(array(0), vec![Ix::Data(row)], &[], None);
        let length = out.gather(array(1), vec![Ix::Data(row)], &[], None);
        let length = out.map(Prim::IMax, &[length, zero], None);
        let begin = out.map(Prim::IAdd, &[offset, row], None);
        let start = match recurrence.feed {
            None | Some(Feed::One | Feed::All(_)) => out.fill(Lit::Real(1.0), &[]),
            Some(Feed::First(_)) => out.gather(array(3), vec![Ix::Data(row)], &[], None),
            Some(Feed::Each(_)) => out.fill(Lit::Real(0.0), &[]),
        };
        let (of_start, of_others, head) = match recurrence.reverse {
            true => {
                let end = out.map(Prim::IAdd, &[begin, length], None);
                (end, begin, out.map(Prim::ISub, &[length, one], None))
            }
            false => (begin, out.map(Prim::IAdd, &[begin, one], None), zero),
        };
        let steps = Size::atom(Atom::Value(length.0));
        let looped = Looped::new(recurrence.row(&self.program.name, own, first));
        let op = Op::Loop {
            looped,
            steps: Some(steps.clone()),
            given: (0..given.len() as u32)
                .map(Var)
                .chain([offset, head])
                .collect(),
            init: vec![start],
            out: 1,
        };
        let (guard, elem) = (None, Elem::Real);
        let own = Type {
            elem,
            shape: vec![steps],
        };
        let others = out.push(Eq { ty: own, guard, op });
        let from = from_on(1, Size::atom(Atom::Value(of_others.0)));
        let parts = [(start, Ix::Data(of_start)), (others, Ix::Affine(from))];
        let all = parts.into_iter().fold(states, |states, (src, at)| {
            let index = vec![at];
            let (ty, op) = (ty.clone(), Op::update(states, Part { src, index }, None));
            out.push(Eq { ty, guard, op })
        });
        let looped = Looped::new(Loop {
            body: out.finish(vec![all]),
            states: 1,
            goes_on: None,
            reverse: false,
            keep: Keep::Residuals,
        });
        let shape = vec![total.clone()];
        let op = Op::Loop {
            looped,
            steps: Some(count.clone()),
            given,
            init: vec![self.out.fill(Lit::Real(0.0), &shape)],
            out: 0,
        };
        let ty = Type { elem, shape };
        self.out.push(Eq { ty, guard, op })
    }
}

/// A recurrence along rows.
struct Recurrence {
    feed: Option<Feed>,
    has_gaps: bool,
    reverse: bool,
}

impl Recurrence {
    /// The loop along one row, which keeps the state after each step. It is given arrays, and where
    /// the row begins in them and which step is the first.
    fn row(&self, name: &str, given: Vec<Param>, first: usize) -> Loop {
        let array = |k: usize| Var((first + k) as u32);
        let factors = array(2);
        let gaps = self.has_gaps.then(|| Var(given.len() as u32 - 1));
        let [offset, head, state, at] = [0, 1, 2, 3].map(|k| Var((given.len() + k) as u32));
        let mut params = given;
        params.extend(["offset", "head"].map(|name| scalar(name, Elem::Int)));
        params.push(scalar("state", Elem::Real));
        params.push(scalar("k", Elem::Int));
        let mut body = Builder::new(name, params);
        let out = &mut body;
        let entry = out.map(Prim::IAdd, &[offset, at], None);
        let entry = || vec![Ix::Data(entry)];
        let factor = out.gather(factors, entry(), &[], None);
        // Where there is a state before.
        let multiplies = matches!(self.feed, Some(Feed::Each(_))).then(|| {
            let is_head = out.map(Prim::IEq, &[at, head], None);
            out.map(Prim::Not, &[is_head], None)
        });
        let stepped = match gaps {
            None => out.map(Prim::Mul, &[factor, state], multiplies),
            Some(gaps) => {
                let there = out.gather(gaps, entry(), &[], None);
                let both = out.both(multiplies, Some(there));
                let product = out.map(Prim::Mul, &[factor, state], both);
                out.map(Prim::Select, &[there, product, state], multiplies)
            }
        };
        let next = match multiplies {
            None => stepped,
            Some(multiplies) => {
                let enters = out.gather(array(3), entry(), &[], None);
                let sum = out.map(Prim::Add, &[stepped, enters], Some(multiplies));
                out.map(Prim::Select, &[multiplies, sum, enters], None)
            }
        };
        Loop {
            body: body.finish(vec![next, next]),
            states: 1,
            goes_on: None,
            reverse: self.reverse,
            keep: Keep::Residuals,
        }
    }
}
