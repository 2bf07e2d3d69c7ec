//! Changes of an array at several places in each round, where each round has places of its own.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "patterns are looked for, and what is not listed is none of them"
)]

use super::filled::Versions;
use super::{At, Body};
use crate::ir::core::{Along, Expr, Kind, Sym, Update};
use crate::loops::draft::State;

/// An array in a round, as a state begins or as a change leaves it.
pub(in crate::loops) struct Version<'b> {
    /// What it is called.
    pub(in crate::loops) names: Vec<&'b Sym>,
    /// The change of the version before.
    pub(in crate::loops) change: Option<&'b Update>,
}

impl Body<'_> {
    /// The versions of a state in a round, the last one first.
    pub(in crate::loops) fn versions(&self, state: usize) -> Option<Vec<Version<'_>>> {
        let State { sym, next, .. } = self.draft.state(state);
        let (mut versions, mut names, mut here) = (vec![], vec![], next);
        loop {
            match &*here.kind {
                Kind::Var(v) if v == sym => {
                    names.push(sym);
                    let change = None;
                    versions.push(Version { names, change });
                    return Some(versions);
                }
                Kind::Var(v) => {
                    names.push(v);
                    here = self.defs.get(&v.id)?;
                }
                Kind::Update(u) => {
                    let names = std::mem::take(&mut names);
                    let change = Some(u);
                    versions.push(Version { names, change });
                    here = &u.array;
                }
                _ => return None,
            }
        }
    }

    /// The versions of a state that is changed several times in each round, if that is all one
    /// after the other for all rounds as well: a round reads and writes along one axis only where
    /// no other round writes, and needs no other state.
    pub(in crate::loops) fn several(&self, k: usize) -> Option<Vec<Version<'_>>> {
        let versions = self.versions(k)?;
        let others = |e: &Expr| self.mask(e) & !(1 << k);
        let changes: Vec<&Update> = versions.iter().filter_map(|v| v.change).collect();
        let needs = changes.iter().flat_map(|u| u.when.iter().chain([&u.value]));
        if changes.len() < 2 || needs.fold(0, |mask, e| mask | others(e)) != 0 {
            return None;
        }
        let count = self.draft.looped.states.len();
        let elsewhere = (0..count).filter(|&j| j != k).map(|j| self.draft.state(j));
        let mut elsewhere = elsewhere.map(|s| s.next).chain(self.draft.stacked());
        if elsewhere.any(|e| self.mask(e) & (1 << k) != 0) {
            return None;
        }
        let places: Vec<At> = changes
            .iter()
            .map(|u| Some(self.places(&Along::of_read(&u.at)?)))
            .collect::<Option<_>>()?;
        let moves = |at: &At, axis: usize| {
            let moving = |i: &Option<Expr>| i.as_ref().is_some_and(|i| !self.is_fixed(i));
            (0..at.len()).all(|k| moving(&at[k]) == (k == axis))
        };
        let rank = places[0].len();
        let axis = (0..rank).find(|&axis| places.iter().all(|at| moves(at, axis)))?;
        let here: Vec<&Expr> = places.iter().filter_map(|at| at[axis].as_ref()).collect();
        let is_own = |at: &Expr| here.iter().all(|here| self.is_in_step(at, here));
        if !here
            .iter()
            .all(|at| self.affine(at).is_some() && is_own(at))
        {
            return None;
        }
        let may_read = |at: &At| {
            let at = at[axis].as_ref().map(|i| self.written_out(i));
            at.is_some_and(|at| is_own(&at))
        };
        let names = versions.iter().flat_map(|v| &v.names);
        let all = Versions {
            state: k,
            names: names.map(|sym| sym.id).collect(),
        };
        let mut changes = changes.iter();
        let is_apart = changes.all(|u| self.reads_only(u, &all, &may_read));
        is_apart.then_some(versions)
    }
}
