//! Reads of parts of an array that a loop does not write, though it writes others.
//!
//! ```text
//! for i < n { a[i, _] = row(a[i, _], a[k, _]) if i ≠ k }
//!    =   let r = a[k, _];  for i < n { a[i, _] = row(a[i, _], r) if i ≠ k }
//! ```
//!
//! Reverse mode keeps `r` once, not in each round. A part is an element, a row or a column of a
//! matrix, or a row of a flat list. Where what is written lies behind it in all rounds, as in an
//! elimination, the part is most often not written later either, and nothing is kept of it at all:
//! such reads stay.
//!
//! A loop that changes a part of a row may read single elements beside it, `m[i, k]` in
//! `for j in k + 1..n { m[i, j] -= m[i, k] * m[k, j]; }`. These are read before the loop.
//!
//! A loop that only reads a matrix which a loop around changes is given the row or the column
//! alone: a search of a pivot in a column.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "patterns are looked for, and what is not listed is none of them"
)]

use super::{At, Body, Role, bound_within};
use crate::ir::core::{Along, Expr, Kind, Sym, Update};
use crate::ir::ty::Elem;
use crate::loops::draft::{Draft, State};
use crate::loops::program::Recogniser;
use crate::loops::size::{self, literal};
use crate::loops::terms::{built, element, entry};
use crate::loops::wiring::variables;
use std::collections::HashSet;

/// A read of what a loop does not write.
pub(in crate::loops) struct Unwritten {
    /// What is read, and where.
    array: Sym,
    at: At,
    /// What it is a version of.
    init: Expr,
    part: Part,
}

/// A part of an array, and where a read is in it.
enum Part {
    /// An element at a place that is the same in all rounds.
    Element(Vec<Expr>),
    /// What is at an index along an axis of a matrix.
    Line(usize, Expr),
    /// A row of a flat list: which, how long rows are, and the position in it.
    Row(Expr, Expr, Expr),
}

impl Body<'_> {
    /// The reads of states that run round after round and are carried by loops around as well, and
    /// of other arrays that these carry.
    pub(in crate::loops) fn unwritten(&self, roles: &[Role]) -> Vec<Unwritten> {
        let mut all = vec![];
        let body = &self.draft.looped.body;
        for (state, role) in roles.iter().enumerate() {
            let init = self.draft.state(state).init;
            let is_filled = matches!(role, Role::Filled(_));
            if !(is_filled || matches!(role, Role::Sequential)) || !self.known.is_carried(init) {
                continue;
            }
            let Some(versions) = self.versions(state) else {
                continue;
            };
            let writes: Vec<&Update> = versions.iter().filter_map(|v| v.change).collect();
            let names = versions.iter().flat_map(|v| &v.names);
            let versions: HashSet<u32> = names.map(|sym| sym.id).collect();
            let part = |at: &At| match is_filled {
                true => self.beside(at, &writes).map(Part::Element),
                false => self.part(at, &writes),
            };
            let mut look = |e: &Expr| self.reads(e, (init, &versions), &part, &mut all);
            body.parts().into_iter().for_each(&mut look);
        }
        // No other loop has a derivative.
        let is_real = |(state, role): (State<'_>, &Role)| {
            matches!(role, Role::Sequential) && state.init.ty.elem == Elem::Real
        };
        if self.draft.states().zip(roles).any(is_real) {
            let mut look = |e: &Expr| self.lines(e, &mut all);
            body.parts().into_iter().for_each(&mut look);
        }
        all
    }

    /// The reads of rows and columns of matrices that the loop is given.
    fn lines(&self, e: &Expr, all: &mut Vec<Unwritten>) {
        if let Kind::Index(of, at) = &*e.kind
            && let Kind::Var(array) = &*of.kind
            && self.known.is_carried(of)
            && self.is_known(of)
            && !all.iter().any(|u| u.array == *array && u.at == *at)
            && let [Some(i), Some(j)] = &at[..]
        {
            let place = [self.with_sizes(i), self.with_sizes(j)];
            let known = place.each_ref().map(|i| self.is_known(i));
            if let Some(axis) = [[true, false], [false, true]]
                .iter()
                .position(|k| *k == known)
            {
                all.push(Unwritten {
                    array: array.clone(),
                    at: at.clone(),
                    init: of.clone(),
                    part: Part::Line(axis, place[axis].clone()),
                });
            }
        }
        for part in e.parts() {
            self.lines(part, all);
        }
    }

    /// Whether an expression mentions nothing that is bound in the loop, at any depth.
    fn is_known(&self, e: &Expr) -> bool {
        let mut known = self.is_fixed(e);
        variables(e, &mut |sym| known &= !self.within.contains_key(sym));
        known
    }

    fn reads(
        &self,
        e: &Expr,
        (init, versions): (&Expr, &HashSet<u32>),
        part: &dyn Fn(&At) -> Option<Part>,
        all: &mut Vec<Unwritten>,
    ) {
        if let Kind::Index(array, at) = &*e.kind
            && let Kind::Var(array) = &*array.kind
            && versions.contains(&array.id)
            && !all.iter().any(|u| u.array == *array && u.at == *at)
            && let Some(part) = part(at)
        {
            let (array, at, init) = (array.clone(), at.clone(), init.clone());
            all.push(Unwritten {
                array,
                at,
                init,
                part,
            });
        }
        for e in e.parts() {
            self.reads(e, (init, versions), part, all);
        }
    }

    /// The indices of an element that is the same in all rounds, as no round writes there.
    pub(super) fn beside(&self, at: &At, writes: &[&Update]) -> Option<Vec<Expr>> {
        let at = at.iter().map(|i| i.as_ref().map(|i| self.with_sizes(i)));
        let at: Vec<Expr> = at.collect::<Option<_>>()?;
        let is_left_out = |u: &&Update| {
            (at.iter().zip(&u.at)).any(|(i, along)| match along {
                Along::At(w) => self.is_apart(i, &self.with_sizes(w), u.when.as_ref()),
                Along::All | Along::From(_) => false,
            })
        };
        (at.iter().all(|i| self.is_known(i)) && writes.iter().all(is_left_out)).then_some(at)
    }

    /// The part that a read is of, if no round writes there.
    fn part(&self, at: &At, writes: &[&Update]) -> Option<Part> {
        let written = |e: &Expr| self.with_sizes(e);
        let at: Vec<Expr> = at
            .iter()
            .map(|i| i.as_ref().map(written))
            .collect::<Option<_>>()?;
        let is_known = |e: &Expr| self.is_known(e);
        if let [p] = &at[..] {
            let rows = writes.iter().find_map(|u| match &u.at[..] {
                [Along::From(_)] => self.length_of(&u.value),
                _ => None,
            });
            let row = written(rows?);
            let (which, position) = self.row_of(p, &row)?;
            let row_written = |u: &Update| match &u.at[0] {
                Along::All => None,
                Along::At(i) => self.row_of(&written(i), &row).map(|(which, _)| which),
                Along::From(i) => {
                    let (which, position) = size::divided(&written(i), &row);
                    let length = self.length_of(&u.value).map(written);
                    let is_row = literal(&position) == Some(0) && length.as_ref() == Some(&row);
                    is_row.then_some(which)
                }
            };
            let rows: Vec<Expr> = writes
                .iter()
                .map(|u| row_written(u))
                .collect::<Option<_>>()?;
            let known = is_known(&which) && is_known(&row);
            return (known && self.is_left_out(&which, &rows, writes)).then(|| {
                match is_known(&position) {
                    true => Part::Element(at),
                    false => Part::Row(which, row, position),
                }
            });
        }
        let [_, _] = &at[..] else { return None };
        let axis = (0..2).find(|&axis| {
            let place = |u: &&Update| match &u.at[axis] {
                Along::At(w) => Some(written(w)),
                Along::All | Along::From(_) => None,
            };
            let places: Option<Vec<Expr>> = writes.iter().map(place).collect();
            let is_left_out = |w: Vec<Expr>| self.is_left_out(&at[axis], &w, writes);
            is_known(&at[axis]) && places.is_some_and(is_left_out)
        })?;
        Some(match at.iter().all(is_known) {
            true => Part::Element(at),
            false => Part::Line(axis, at[axis].clone()),
        })
    }

    /// Whether writes leave an index out, and it is not just behind or before what they write.
    fn is_left_out(&self, at: &Expr, places: &[Expr], writes: &[&Update]) -> bool {
        let mut all = places.iter().zip(writes);
        all.all(|(w, u)| self.is_apart(at, w, u.when.as_ref()))
            && places.iter().any(|w| !self.is_on_one_side(at, w))
    }
}

impl Recogniser {
    /// What changes a part of a row beside elements that it reads runs one after another, unless
    /// these are inside of the array for sure.
    pub(in crate::loops) fn reads_stay_inside(&mut self, draft: &Draft, roles: &mut [Role]) {
        let fills = roles.iter().any(|role| matches!(role, Role::Filled(_)));
        if self.carried.is_empty() || !fills {
            return;
        }
        let within = bound_within(draft);
        for read in Body::new(draft, self, &within).unwritten(roles) {
            if let Part::Element(at) = &read.part
                && !self.has_element(&read.init, at)
            {
                let of = (draft.states().zip(&mut *roles)).filter(|(s, _)| *s.init == read.init);
                of.filter(|(_, role)| matches!(role, Role::Filled(_)))
                    .for_each(|(_, role)| *role = Role::Sequential);
            }
        }
    }

    pub(in crate::loops) fn has_element(&mut self, array: &Expr, at: &[Expr]) -> bool {
        let lengths = self.written_lengths(array);
        let mut all = at.iter().zip(lengths);
        all.all(|(i, n)| {
            let n = self.written_size(&n);
            self.is_inside(i, &n)
        })
    }

    /// Reads these parts before the loop, if they are inside of the array for sure.
    pub(in crate::loops) fn read_before(
        &mut self,
        draft: &mut Draft,
        roles: &mut [Role],
        reads: Vec<Unwritten>,
    ) {
        for read in reads {
            let init = read.init;
            let lengths = self.written_lengths(&init);
            let lengths: Vec<Expr> = lengths.iter().map(|n| self.written_size(n)).collect();
            let new = match read.part {
                Part::Element(at) => {
                    if !self.has_element(&init, &at) {
                        continue;
                    }
                    self.share("given", entry(&init, at))
                }
                Part::Line(axis, i) => {
                    if !self.is_inside(&i, &lengths[axis]) {
                        continue;
                    }
                    let mut at = vec![None; 2];
                    at[axis] = Some(i);
                    let line = self.share("line", element(init, at));
                    let rest = read.at[1 - axis].clone();
                    element(line, vec![rest])
                }
                Part::Row(which, row, position) => {
                    let begin = size::times(&which, &row);
                    let behind = size::minus(&lengths[0], &size::plus(&begin, &row));
                    if !self.is_natural(&begin) || !self.is_natural(&behind) {
                        continue;
                    }
                    let (axes, j) = self.indices(std::slice::from_ref(&row));
                    let there = j.into_iter().map(|j| size::plus(&begin, &j));
                    let there = there.collect();
                    let line = built(axes, entry(&init, there));
                    let line = self.share("line", line);
                    entry(&line, vec![position])
                }
            };
            let body = draft.looped.body.parts_mut().into_iter();
            body.chain(roles.iter_mut().flat_map(Role::filling))
                .for_each(|e| replace(e, &read.array, &read.at, &new));
        }
    }
}

/// The same with something else in the place of some reads.
fn replace(e: &mut Expr, array: &Sym, at: &At, by: &Expr) {
    match &*e.kind {
        Kind::Index(a, i) if i == at && matches!(&*a.kind, Kind::Var(a) if a == array) => {
            *e = by.clone();
        }
        _ => {
            let parts = e.parts_mut().into_iter();
            parts.for_each(|part| replace(part, array, at, by));
        }
    }
}
