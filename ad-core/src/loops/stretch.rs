//! Changes of stretches: of a row from a column on, of a flat list from a place on.
//!
//! What changes a stretch of an array that a loop around carries, another one in each round, costs
//! as much as the stretch is long, and reverse mode keeps as much as that. It has to be as long in
//! all rounds, as what is kept of a round has one shape. Everywhere else the new array is written
//! as one that is built, since then more is known of each of its elements:
//!
//! ```text
//! update(x, [from e] = v)   =   build(n, |i| if 0 ≤ i - e < m { v[i - e] } else { x[i] })
//! ```

use super::program::Recogniser;
use super::size::{self, literal};
use super::terms::{both, built, entry, length, minus};
use crate::ir::core::{Along, Expr, Update};
use crate::ir::prims::Prim;

impl Recogniser {
    /// Whether a stretch is changed in place: one of the array that loops around carry, which is
    /// elsewhere in each of their rounds.
    pub(super) fn is_in_place(&mut self, array: &Expr, at: &[Along], lengths: &[Expr]) -> bool {
        let is_moved = |along: &Along| along.index().is_some_and(|i| self.moves(i));
        if !at.iter().any(is_moved) || !self.is_carried(array) {
            return false;
        }
        !lengths.iter().any(|e| self.moves(e)) && lengths.iter().all(|e| self.is_size_in_loops(e))
    }

    /// Whether loops around carry a list with rows, and fill a part of another row in each round.
    /// A new list in each round would cost as much as all rows.
    pub(super) fn is_in_rows(&self, list: &Expr, begin: &Expr) -> bool {
        let is_of_row =
            |factors: &[Expr]| factors.len() > 1 && factors.iter().any(|f| self.moves(f));
        self.is_carried(list) && size::has_term(&self.with_sizes(begin), &is_of_row)
    }

    /// Whether an expression depends on the rounds of the loops around.
    fn moves(&self, e: &Expr) -> bool {
        let on = self.dependence(e);
        (self.sequences.iter()).any(|around| on.contains(&around.mark))
    }

    /// An update of a stretch, as it is best.
    pub(super) fn stretch_changed(&mut self, mut u: Update) -> Expr {
        // What is under a condition is evaluated only there.
        if u.when.is_some() {
            return Expr::update(u);
        }
        u.value = self.share("part", u.value);
        let lengths = self.written_lengths(&u.value);
        if self.is_in_place(&u.array, &u.at, &lengths) {
            return Expr::update(u);
        }
        let free: Vec<usize> = (0..u.at.len()).filter(|&k| u.at[k].is_axis()).collect();
        let sizes = free.iter().map(|&k| length(u.array.clone(), k));
        let (axes, indices) = self.indices(&sizes.collect::<Vec<_>>());
        let (mut place, mut tests) = (vec![], vec![]);
        for ((&k, i), n) in free.iter().zip(&indices).zip(&lengths) {
            let Along::From(begin) = &u.at[k] else {
                place.push(i.clone());
                continue;
            };
            let p = minus(i.clone(), begin.clone());
            if literal(begin) != Some(0) {
                tests.push(Expr::prim(Prim::IGe, vec![p.clone(), Expr::int(0)]));
            }
            tests.push(Expr::prim(Prim::ILt, vec![p.clone(), n.clone()]));
            place.push(p);
        }
        let mut free = indices.into_iter();
        let old = u.at.iter().filter_map(|along| match along {
            Along::At(i) => Some(i.clone()),
            Along::All | Along::From(_) => free.next(),
        });
        let old = entry(&u.array, old.collect());
        let new = entry(&u.value, place);
        let is_there = tests.into_iter().reduce(both);
        let new = match is_there {
            Some(is_there) => Expr::cond(is_there, new, old),
            None => new,
        };
        let new = built(axes, new);
        let fixed = |along: &Along| match along {
            Along::At(i) => Some(i.clone()),
            Along::All | Along::From(_) => None,
        };
        let at: Vec<Option<Expr>> = u.at.iter().map(fixed).collect();
        match at.iter().all(Option::is_none) {
            true => new,
            false => self.updated(u.array, at, new),
        }
    }
}
