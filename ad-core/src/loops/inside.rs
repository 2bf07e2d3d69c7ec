//! Whether what a loop fills is inside of the array.
//!
//! An array that is filled becomes a `build` over the array, which never comes to a place behind
//! its end. The function as written panics there. So a loop is taken for a fill only if all places
//! are seen to be inside, or if it can be demanded on entry that they are; all others stay as they
//! are, and each write is checked where it happens.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "patterns are looked for, and what is not listed is none of them"
)]

use super::draft::Draft;
use super::program::Recogniser;
use super::rename::{Names, mentions, replaced};
use super::roles::{At, Fill, Role};
use super::size::{literal, times};
use super::terms::{built, minus, plus, reduced};
use crate::ir::core::{Bound, Expr, Kind, ReduceOp, Sym, Ty};
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Lit};

/// A loop around a write: its index, and how many rounds it has.
type Around = (Sym, Expr);

impl Recogniser {
    /// Fills that may go beyond the end run one after another.
    pub(super) fn fills_stay_inside(&mut self, draft: &Draft, roles: &mut [Role]) {
        for (state, role) in draft.states().zip(roles) {
            let Role::Filled(fill) = role else { continue };
            // A change of a part is checked where it happens.
            if self.is_part(draft, state.init, fill) {
                continue;
            }
            let is_row = fill.at.len() == 1 && self.is_in_rows(state.init, &fill.from);
            // What a round leaves as it is comes out of the loop as well.
            let mut at = fill.at.clone();
            at[fill.axis] = None;
            let leaves = fill.when.is_some() && fill.stacked;
            let is_outside = leaves && self.may_be_outside(state.init, &at);
            if is_row || is_outside || !self.stays_inside(draft, state.init, fill) {
                *role = Role::Sequential;
            }
        }
    }

    fn stays_inside(&mut self, draft: &Draft, init: &Expr, fill: &Fill) -> bool {
        let length = self.written_size(&Expr::dim(init.clone(), fill.axis));
        let count = self.written_size(&draft.count());
        let from = self.written_size(&fill.from);
        // Where it is possible that there are no rounds, nothing is written then.
        let counts = match &*count.kind {
            Kind::Prim(Prim::IMax, args) if is_zero(&args[1]) => vec![args[0].clone()],
            Kind::Prim(Prim::IMin, args) => args.clone(),
            _ => vec![count.clone()],
        };
        let one = Expr::int(1);
        let row = fill.row.as_ref().map_or(one, |row| self.written_size(row));
        for n in &counts {
            let all = times(n, &row);
            let (low, end) = match fill.reversed {
                false => (from.clone(), plus(from.clone(), all)),
                true => {
                    let end = plus(from.clone(), row.clone());
                    (minus(end.clone(), all), end)
                }
            };
            if self.is_natural(&low) && self.is_natural(&minus(length.clone(), end)) {
                return true;
            }
        }
        fill.when.is_none() && self.demands_inside(draft, fill, (&length, &count, &from))
    }

    /// Demands on entry that all places are inside, if that can be said in terms of the arguments.
    fn demands_inside(
        &mut self,
        draft: &Draft,
        fill: &Fill,
        (length, count, from): (&Expr, &Expr, &Expr),
    ) -> bool {
        // Nothing but loops around: what is behind a condition may not happen. A function that
        // calls this one may do so behind a condition.
        if self.called || self.frames.len() != self.sequences.len() + 1 {
            return false;
        }
        let mut around: Vec<Around> = vec![];
        for sequence in &self.sequences {
            match &sequence.rounds {
                Some(rounds) => around.push(rounds.clone()),
                None => return false,
            }
        }
        around.push((draft.index().clone(), count.clone()));
        if let Kind::Var(value) = &*fill.value.kind
            && let Some(inner) = self.rounds.get(value)
        {
            around.push(inner.clone());
        }
        let mut axes: Vec<Around> = vec![];
        for (index, count) in around {
            let count = self.written_size(&count);
            let count = match &*count.kind {
                Kind::Prim(Prim::IMax, args) if is_zero(&args[1]) && self.is_natural(&args[0]) => {
                    args[0].clone()
                }
                _ => count,
            };
            if !self.is_on_entry(&count, &axes) {
                return false;
            }
            axes.push((index, count));
        }
        let mut round = Expr::var(draft.index(), Ty::scalar(Elem::Int));
        let mut within = Expr::int(0);
        if let Some(row) = &fill.row {
            let row = self.written_size(row);
            let sym = self.fresh.sym("j");
            if !self.is_on_entry(&row, &[]) {
                return false;
            }
            within = Expr::var(&sym, Ty::scalar(Elem::Int));
            round = times(&round, &row);
            axes.push((sym, row));
        }
        let place = match fill.reversed {
            false => plus(from.clone(), round),
            true => minus(from.clone(), round),
        };
        let place = plus(place, within);
        if !self.is_on_entry(length, &[]) || !self.is_on_entry(&place, &axes) {
            return false;
        }
        if !self.is_reached(&place, &axes) {
            return false;
        }
        // An array of this length is read there, for nothing.
        let (all, _) = self.indices(std::slice::from_ref(length));
        let there = Expr::index(built(all, Expr::int(0)), vec![Some(place)]);
        let all = reduced(ReduceOp::Sum, axes, there);
        let all = self.copied(&all, &mut Names::new());
        let sym = self.fresh.sym("inside");
        self.frames[0].push(Bound::Let(sym, all));
        self.demands = true;
        true
    }

    /// Whether the place that is furthest out is one that is written, if any is: where each loop
    /// has as many rounds in all rounds of those around it, and where the last ones have the most
    /// rounds.
    fn is_reached(&self, place: &Expr, axes: &[Around]) -> bool {
        let moves = |e: &Expr| (axes.iter()).any(|(index, _)| mentions(e, index));
        let mut grows = true;
        for (index, _) in axes {
            let next = plus(Expr::var(index, Ty::scalar(Elem::Int)), Expr::int(1));
            grows &= (axes.iter().map(|(_, n)| n).chain([place])).all(|e| {
                let after = replaced(e, index, &next);
                self.is_natural(&minus(after, e.clone()))
            });
        }
        let boxed = !axes.iter().any(|(_, n)| moves(n));
        boxed || (grows && self.is_natural(place))
    }

    /// Whether an index is known on entry, but for the indices of loops, in which it is linear.
    fn is_on_entry(&self, e: &Expr, axes: &[Around]) -> bool {
        let moves = |e: &Expr| (axes.iter()).any(|(index, _)| mentions(e, index));
        let known = |e: &Expr| self.is_on_entry(e, axes);
        match &*e.kind {
            Kind::Lit(Lit::Int(_)) => true,
            Kind::Var(sym) => self.is_parameter(sym) || axes.iter().any(|(index, _)| index == sym),
            Kind::Dim(array, _) => {
                matches!(&*array.kind, Kind::Var(sym) if self.is_parameter(sym))
            }
            Kind::Prim(Prim::IAdd | Prim::ISub | Prim::INeg, args) => args.iter().all(known),
            Kind::Prim(Prim::IMul, args) => {
                let natural = |e: &Expr| !moves(e) && self.is_natural(e);
                let (a, b) = (&args[0], &args[1]);
                let linear = !(moves(a) || moves(b)) || natural(a) || natural(b);
                args.iter().all(known) && linear
            }
            Kind::Prim(Prim::IMin | Prim::IMax, args) => args.iter().all(|a| known(a) && !moves(a)),
            _ => false,
        }
    }

    /// Whether the part of an array at some indices is not seen to be there.
    pub(super) fn may_be_outside(&mut self, array: &Expr, at: &At) -> bool {
        let mut is_outside = |axis: usize, i: &Expr| {
            let i = self.written_size(i);
            let length = self.written_size(&Expr::dim(array.clone(), axis));
            let last = minus(length, Expr::int(1));
            !self.is_natural(&i) || !self.is_natural(&minus(last, i))
        };
        let mut axes = at.iter().enumerate();
        axes.any(|(axis, i)| i.as_ref().is_some_and(|i| is_outside(axis, i)))
    }

    fn is_parameter(&self, sym: &Sym) -> bool {
        self.params.contains(sym)
    }
}

fn is_zero(e: &Expr) -> bool {
    literal(e) == Some(0)
}
