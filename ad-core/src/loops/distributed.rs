//! Loop distribution: a loop that changes an array at several places in each round is one loop for
//! each of them, where each round has places of its own.
//!
//! ```text
//! for j < n { m[k, j] = m[p, j];  m[p, j] = m[k, j] }     both read what was there before
//!    =
//! let m' = for j < n { m[k, j] = m[p, j] };  for j < n { m'[p, j] = m[k, j] }
//! ```

use super::draft::Draft;
use super::program::Recogniser;
use super::roles::{Body, Role, bound_within};
use super::wiring::{bound_by, needed};
use crate::ir::core::{Block, Bound, Expr, Kind, Loop, Sym, Update};
use std::collections::{HashMap, HashSet};

/// A change in a round.
struct Piece {
    /// What the array is called before it.
    names: Vec<Sym>,
    change: Update,
}

impl Recogniser {
    /// The last values of states that are changed at several places, by loops of their own. In the
    /// loop that is left they never change.
    pub(super) fn distributed(
        &mut self,
        draft: &mut Draft,
        roles: &mut [Role],
    ) -> Vec<(usize, Expr)> {
        let mut last = vec![];
        for (k, role) in roles.iter_mut().enumerate() {
            if !matches!(role, Role::Sequential) || draft.only || draft.extent.is_none() {
                continue;
            }
            let pieces = self.pieces(draft, k);
            let Some(loops) = pieces.and_then(|p| self.loops_of(draft, k, p)) else {
                continue;
            };
            let mut array = draft.looped.states[k].1.clone();
            let mut names = HashMap::new();
            for (sym, mut piece, roles) in loops {
                piece.looped.states[0].1 = array;
                for b in &mut piece.looped.body.lets {
                    if let Bound::Let(_, is) = b
                        && let Kind::Var(before) = &*is.kind
                        && let Some(array) = names.get(before)
                    {
                        *is = Expr::clone(array);
                    }
                }
                array = self.finish_as(piece, roles).0.remove(0);
                names.insert(sym, array.clone());
            }
            let (sym, init) = &draft.looped.states[k];
            draft.looped.body.results[k] = Expr::var(sym, init.ty);
            *role = Role::Same;
            last.push((k, array));
        }
        last
    }

    /// The changes of a state, in order, if each can have a loop of its own.
    fn pieces(&self, draft: &Draft, k: usize) -> Option<Vec<Piece>> {
        let within = bound_within(draft);
        let body = Body::new(draft, self, &within);
        let versions = body.several(k)?;
        let pieces = versions.windows(2).rev().filter_map(|pair| {
            let names = pair[1].names.iter().map(|sym| (*sym).clone());
            let change = pair[0].change?.clone();
            let names = names.collect();
            Some(Piece { names, change })
        });
        Some(pieces.collect())
    }

    /// One loop for each change, what the array is called behind it, and its role in it, if each
    /// loop is one that fills an array.
    fn loops_of(
        &mut self,
        draft: &Draft,
        k: usize,
        pieces: Vec<Piece>,
    ) -> Option<Vec<(Sym, Draft, Vec<Role>)>> {
        let (state, init) = &draft.looped.states[k];
        let versions: HashSet<&Sym> = pieces.iter().flat_map(|p| &p.names).collect();
        let is_other = |b: &&Bound| !bound_by(b).iter().any(|sym| versions.contains(sym));
        let rest = draft.looped.body.lets.iter().filter(is_other).cloned();
        let rest: Vec<Bound> = rest.collect();
        // What earlier versions are called in loops behind the one that makes them.
        let mut lets = vec![];
        let mut loops = vec![];
        let mut now = init.clone();
        for piece in pieces {
            let before = now.clone();
            let named = piece.names.into_iter();
            lets.extend(named.map(|name| Bound::Let(name, before.clone())));
            let sym = self.fresh.sym(&state.hint);
            self.has_lengths_of(&sym, init);
            let mut change = piece.change;
            change.array = Expr::var(&sym, init.ty);
            let results = vec![Expr::update(change)];
            let all = lets.iter().chain(&rest).cloned().collect();
            let mut piece = Draft {
                looped: Loop {
                    trip: draft.looped.trip.clone(),
                    index: draft.index().clone(),
                    states: vec![(sym, now)],
                    body: Block {
                        lets: needed(&all, &results),
                        results,
                    },
                    outs: vec![],
                    keep: draft.looped.keep,
                },
                extent: draft.extent.clone(),
                only: false,
                on: draft.on.clone(),
            };
            let roles = self.roles(&mut piece);
            if !matches!(roles[..], [Role::Filled(_)]) {
                return None;
            }
            let behind = self.fresh.sym(&state.hint);
            self.has_lengths_of(&behind, init);
            if self.is_carried(init) {
                self.carried.insert(behind.clone());
            }
            now = Expr::var(&behind, init.ty);
            loops.push((behind, piece, roles));
        }
        Some(loops)
    }
}
