//! Arrays that a loop fills, part by part, and which reads of them allow it.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "patterns are looked for, and what is not listed is none of them"
)]

use super::{At, Body, Fill, Role, State};
use crate::ir::core::{Along, Expr, Kind, Ty, Update};
use crate::ir::prims::Prim;
use crate::ir::ty::Elem;
use crate::loops::rename::replaced;
use crate::loops::size;
use crate::loops::terms::plus;
use crate::loops::wiring::variables;
use std::collections::HashSet;

/// Some names of what a state is in a round.
pub(super) struct Versions {
    pub(super) state: usize,
    pub(super) names: HashSet<u32>,
}

impl<'d> Body<'d> {
    /// `x[i] = e`, where `e` does not read another element of `x`.
    pub(super) fn filled(&self, k: usize, state: State<'_>) -> Option<Role> {
        let next = self.resolved(state.next);
        let Kind::Update(u) = &*next.kind else {
            return None;
        };
        if !self.is_state(&u.array, k) {
            return None;
        }
        // A new array in each round of a loop around costs more than its part.
        let is_carried = self.known.is_carried(state.init);
        let Some(at) = Along::of_read(&u.at) else {
            return self.rows_filled(k, u).filter(|_| !is_carried);
        };
        let at = self.places(&at);
        let moving = |i: &Option<Expr>| i.as_ref().is_some_and(|i| !self.is_fixed(i));
        let mut axes = (0..at.len()).filter(|&axis| moving(&at[axis]));
        let (axis, None) = (axes.next()?, axes.next()) else {
            return None;
        };
        let here = at[axis].as_ref()?;
        let (from, reversed) = self.affine(here)?;
        // A part of a row is changed in place. Columns have no vectors.
        let is_in_row = at.len() > 1 && axis + 1 == at.len() && at.iter().all(Option::is_some);
        let may_read = |at: &At| {
            let along = at[axis].as_ref().map(|i| self.written_out(i));
            let along = along.as_ref();
            along.is_some_and(|i| self.is_in_step(i, here))
                || match is_carried {
                    false => along.is_some_and(|i| self.is_apart(i, here, u.when.as_ref())),
                    true => is_in_row && self.beside(at, &[u]).is_some(),
                }
        };
        if !self.reads_only(u, &self.only(k), &may_read) {
            return None;
        }
        Some(Role::Filled(Fill {
            axis,
            at,
            from,
            reversed,
            row: None,
            when: u.when.clone(),
            value: u.value.clone(),
            stacked: false,
        }))
    }

    /// A flat list in which each round fills the next row, or the one before, and reads no other
    /// row that is filled.
    ///
    /// ```text
    /// for i < n { a[c + i m ..][..m] = row }
    /// ```
    fn rows_filled(&self, k: usize, u: &Update) -> Option<Role> {
        let [Along::From(begin)] = &u.at[..] else {
            return None;
        };
        let begin = self.with_sizes(begin);
        let row = self.with_sizes(self.length_of(&u.value)?);
        let index = Expr::var(self.draft.index(), Ty::scalar(Elem::Int));
        let at_round = |i: &Expr| replaced(&begin, self.draft.index(), i);
        let step = size::minus(&at_round(&plus(index.clone(), Expr::int(1))), &begin);
        let reversed = match size::excess(&step, &row) {
            Some(0) => false,
            _ if size::excess(&size::plus(&step, &row), &Expr::int(0)) == Some(0) => true,
            _ => return None,
        };
        let from = size::collected(&at_round(&Expr::int(0)));
        if !self.is_fixed(&row) || !self.is_fixed(&from) {
            return None;
        }
        let here = match reversed {
            false => index,
            true => Expr::prim(Prim::INeg, vec![index]),
        };
        let may_read = |at: &At| {
            let Some(at) = at[0].as_ref().map(|i| self.with_sizes(i)) else {
                return false;
            };
            let is_left_out =
                |(other, _): (Expr, Expr)| self.is_apart(&other, &here, u.when.as_ref());
            self.known.is_inside(&size::minus(&at, &begin), &row)
                || (self.row_of(&size::minus(&at, &from), &row)).is_some_and(is_left_out)
        };
        if !self.reads_only(u, &self.only(k), &may_read) {
            return None;
        }
        Some(Role::Filled(Fill {
            axis: 0,
            at: vec![Some(begin)],
            from,
            reversed,
            row: Some(row),
            when: u.when.clone(),
            value: u.value.clone(),
            stacked: false,
        }))
    }

    /// How long a list is that the body makes.
    pub(super) fn length_of<'e>(&self, list: &'e Expr) -> Option<&'e Expr>
    where
        'd: 'e,
    {
        match &*self.resolved(list).kind {
            Kind::Build(b, _) => Some(&b.extent),
            Kind::Let(sym, is, body) => match &*body.kind {
                Kind::Var(v) if v == sym => self.length_of(is),
                _ => self.length_of(body),
            },
            Kind::Update(u) => self.length_of(&u.array),
            _ => None,
        }
    }

    /// The state itself, of its versions in a round.
    fn only(&self, k: usize) -> Versions {
        let names = HashSet::from([self.draft.state(k).sym.id]);
        Versions { state: k, names }
    }

    /// Whether an update reads a state only where that is allowed.
    pub(super) fn reads_only(
        &self,
        u: &Update,
        of: &Versions,
        may_read: &dyn Fn(&At) -> bool,
    ) -> bool {
        let mut seen = HashSet::new();
        let mut all = u.when.iter().chain([&u.value]);
        all.all(|e| self.reads_there(e, of, may_read, &mut seen))
    }

    fn reads_there(
        &self,
        e: &Expr,
        of: &Versions,
        may_read: &dyn Fn(&At) -> bool,
        seen: &mut HashSet<u32>,
    ) -> bool {
        let bit = 1 << of.state;
        if self.mask(e) & bit == 0 {
            return true;
        }
        let is_version =
            |e: &Expr| matches!(&*e.kind, Kind::Var(sym) if of.names.contains(&sym.id));
        match &*e.kind {
            Kind::Var(_) if is_version(e) => false,
            Kind::Var(sym) => {
                if !seen.insert(sym.id) {
                    return true;
                }
                match self.defs.get(&sym.id) {
                    Some(def) => self.reads_there(def, of, may_read, seen),
                    None => self.masks.get(&sym.id).is_none_or(|m| m & bit == 0),
                }
            }
            Kind::Dim(array, _) if is_version(array) => true,
            Kind::Index(array, at) if is_version(array) && may_read(at) => {
                let mut at = at.iter().flatten();
                at.all(|i| self.reads_there(i, of, may_read, seen))
            }
            _ => {
                let mut all = e.parts().into_iter();
                all.all(|p| self.reads_there(p, of, may_read, seen))
            }
        }
    }

    /// Whether a place is the one that a round fills, or goes with it through another row.
    pub(super) fn is_in_step(&self, at: &Expr, here: &Expr) -> bool {
        let in_other_row = |count| {
            let apart = self.is_fixed(&size::minus(at, here));
            apart && self.known.is_whole_rows_apart(at, here, count)
        };
        at == here || self.draft.extent.as_ref().is_some_and(in_other_row)
    }

    /// Whether a place is none that any round of the loop fills, each at `here` if a condition
    /// holds.
    pub(super) fn is_apart(&self, at: &Expr, here: &Expr, when: Option<&Expr>) -> bool {
        self.is_same_in_all_rounds(at)
            && (self.is_on_one_side(at, here)
                || when.is_some_and(|when| self.says_apart(when, at, here)))
    }

    /// Whether one index is always behind the other, or always before it.
    pub(super) fn is_on_one_side(&self, a: &Expr, b: &Expr) -> bool {
        let is_behind = |a: &Expr, b: &Expr| {
            let between = size::minus(&size::minus(a, b), &Expr::int(1));
            self.known.is_natural(&between)
        };
        is_behind(a, b) || is_behind(b, a)
    }

    /// Whether an index takes the same values in each round: it is known before the loop, but for
    /// indices that go equally far in all rounds.
    fn is_same_in_all_rounds(&self, e: &Expr) -> bool {
        let mut same = true;
        variables(e, &mut |sym| {
            same &= match self.within.get(sym) {
                None => !self.inside.contains(&sym.id),
                Some(extent) => extent.as_ref().is_some_and(|n| self.is_fixed(n)),
            };
        });
        same
    }

    /// Whether a condition says that two integers differ.
    fn says_apart(&self, when: &Expr, a: &Expr, b: &Expr) -> bool {
        let same = |x: &Expr, y: &Expr| size::excess(&self.written_out(x), y) == Some(0);
        match &*self.resolved(when).kind {
            Kind::Prim(Prim::INe, args) => {
                let (x, y) = (&args[0], &args[1]);
                (same(x, a) && same(y, b)) || (same(x, b) && same(y, a))
            }
            Kind::Prim(Prim::And, args) => args.iter().any(|c| self.says_apart(c, a, b)),
            _ => false,
        }
    }
}
