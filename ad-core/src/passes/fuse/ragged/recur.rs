//! Recurrences along rows of different lengths: one loop over the states of all rows.

use super::{Axis, Flattener, Layout, scalar};
use crate::ir::build::{Builder, without};
use crate::ir::bulk::{Affine, Eq, Feed, Ix, Loop, Looped, Op, Type, Var};
use crate::ir::core::Keep;
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Lit, Size};

/// The loop with its arguments.
struct Running {
    looped: Looped,
    given: Vec<Var>,
    init: Vec<Var>,
}

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
        let steps = rows.total.add(&count);
        let states = self.states(&arrays, fed.map(|_| *b), gaps.is_some(), reverse, &count);
        let shape = vec![steps.clone()];
        let Running {
            looped,
            given,
            init,
        } = states;
        let op = Op::Loop {
            out: looped.states,
            looped,
            steps: Some(steps),
            given,
            init,
        };
        let (elem, guard) = (Elem::Real, None);
        let ty = Type { elem, shape };
        let flat = self.out.push(Eq { ty, guard, op });
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

    /// The loop over the states of all rows: row r has its states at `offsets[r] + r + k` for k up
    /// to its length.
    fn states(
        &mut self,
        arrays: &[Var],
        feed: Option<Feed>,
        has_gaps: bool,
        reverse: bool,
        count: &Size,
    ) -> Running {
        let (given, mut params) = self.given(arrays);
        let first = given.len() - arrays.len();
        let array = |k: usize| Var((first + k) as u32);
        let (offsets, lengths, factors) = (array(0), array(1), array(2));
        let fed = feed.map(|_| array(3));
        let gaps = has_gaps.then(|| array(arrays.len() - 1));
        params.push(scalar("row", Elem::Int));
        params.push(scalar("state", Elem::Real));
        params.push(scalar("k", Elem::Int));
        let [row, state, at] = [0, 1, 2].map(|k| Var((given.len() + k) as u32));
        let mut body = Builder::new(&self.program.name, params);
        let out = &mut body;
        let one = out.fill(Lit::Int(1), &[]);
        let zero = out.fill(Lit::Int(0), &[]);
        let offset = out.gather(offsets, vec![Ix::Data(row)], &[], None);
        let length = out.gather(lengths, vec![Ix::Data(row)], &[], None);
        let length = out.map(Prim::IMax, &[length, zero], None);
        let behind = out.map(Prim::ISub, &[at, row], None);
        let k = out.map(Prim::ISub, &[behind, offset], None);
        let (first, last) = if reverse {
            (length, zero)
        } else {
            (zero, length)
        };
        let is_first = out.map(Prim::IEq, &[k, first], None);
        let runs = out.map(Prim::Not, &[is_first], None);
        let entry = match reverse {
            true => behind,
            false => out.map(Prim::ISub, &[behind, one], Some(runs)),
        };
        let factor = out.gather(factors, vec![Ix::Data(entry)], &[], Some(runs));
        // Where there is a state before.
        let multiplies = match feed {
            Some(Feed::Each(_)) => {
                let second = if reverse {
                    out.map(Prim::ISub, &[length, one], None)
                } else {
                    one
                };
                let is_second = out.map(Prim::IEq, &[k, second], None);
                let not = out.map(Prim::Not, &[is_second], None);
                out.map(Prim::And, &[runs, not], None)
            }
            Some(Feed::One | Feed::First(_) | Feed::All(_)) | None => runs,
        };
        let stepped = match gaps {
            None => out.map(Prim::Mul, &[factor, state], Some(multiplies)),
            Some(gaps) => {
                let there = out.gather(gaps, vec![Ix::Data(entry)], &[], Some(runs));
                let both = out.both(Some(multiplies), Some(there));
                let product = out.map(Prim::Mul, &[factor, state], both);
                out.map(Prim::Select, &[there, product, state], Some(multiplies))
            }
        };
        let next = match (feed, fed) {
            (Some(Feed::Each(_)), Some(fed)) => {
                let enters = out.gather(fed, vec![Ix::Data(entry)], &[], Some(runs));
                let sum = out.map(Prim::Add, &[stepped, enters], Some(multiplies));
                out.map(Prim::Select, &[multiplies, sum, enters], None)
            }
            (_, Some(fed)) => {
                let start = out.gather(fed, vec![Ix::Data(row)], &[], Some(is_first));
                out.map(Prim::Select, &[is_first, start, stepped], None)
            }
            (_, None) => {
                let start = out.fill(Lit::Real(1.0), &[]);
                out.map(Prim::Select, &[is_first, start, stepped], None)
            }
        };
        let is_last = out.map(Prim::IEq, &[k, last], None);
        let neighbour = match reverse {
            true => out.map(Prim::ISub, &[row, one], None),
            false => out.map(Prim::IAdd, &[row, one], None),
        };
        let neighbour = out.map(Prim::Select, &[is_last, neighbour, row], None);
        let looped = Looped::new(Loop {
            body: body.finish(vec![neighbour, next, next]),
            states: 2,
            goes_on: None,
            reverse,
            keep: Keep::Residuals,
        });
        let row = match reverse {
            true => Affine::constant(0, count.plus(-1)),
            false => Affine::constant(0, Size::lit(0)),
        };
        let init = vec![self.out.index(row, &[]), self.out.fill(Lit::Real(0.0), &[])];
        Running {
            looped,
            given,
            init,
        }
    }
}
