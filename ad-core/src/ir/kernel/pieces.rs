//! Loops in pieces: where a loop runs, conditions on its index are known but for its first or last
//! few indices.
//!
//! ```text
//! for k in 0..n { if k == 0 { a } else { x[k] * y[k - 1] } }
//!    =   a, and for k in 1..n { x[k] * y[k - 1] }
//! ```
//!
//! The piece in the middle has no conditions and no comparisons with lengths, so that it is
//! vectorised. The others are written element by element, with the conditions that are left. If the
//! middle is empty, so be it.

use super::along::Along;
use super::{Affine, Compute, Loop, Nest, Node};
use crate::ir::prims::Prim;
use crate::ir::ty::Size;
use std::collections::HashSet;

/// Conditions of which it is known whether they hold.
#[derive(Clone, Default)]
pub struct Known {
    /// Those that hold.
    pub holds: HashSet<Node>,
    /// Those that do not.
    pub fails: HashSet<Node>,
}

/// How many indices of a loop are apart from those in its middle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cut {
    /// So many first ones.
    pub first: i64,
    /// So many last ones.
    pub last: i64,
}

/// What is known in each piece of a loop.
#[derive(Default)]
pub struct Pieces {
    /// In the first one.
    pub head: Known,
    /// In the middle.
    pub middle: Known,
    /// In the last one.
    pub tail: Known,
}

/// A place near one end of a loop.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    FromStart(i64),
    FromEnd(i64),
}

/// When a comparison holds.
enum When {
    /// From a place on, or before it.
    Since(Place, bool),
    /// At an index, between two places, or at all others.
    At([Place; 2], bool),
}

/// Where an index is.
#[derive(Clone, Copy, PartialEq)]
enum Where {
    First,
    Middle,
    Last,
}

impl When {
    /// Whether it holds at an index, if that is known.
    fn holds(&self, index: Where) -> Option<bool> {
        // Whether an index is at a place or behind it.
        let reached = |p: Place| match (index, p) {
            (Where::First, Place::FromStart(k)) => Some(k <= 0),
            (Where::Middle, Place::FromStart(_)) => Some(true),
            (Where::Middle, Place::FromEnd(_)) => Some(false),
            (Where::Last, Place::FromEnd(k)) => Some(k >= 1),
            (Where::First, Place::FromEnd(_)) | (Where::Last, Place::FromStart(_)) => None,
        };
        match self {
            When::Since(p, since) => Some(reached(*p)? == *since),
            When::At([from, to], at) => Some((reached(*from)? && !reached(*to)?) == *at),
        }
    }

    fn places(&self) -> &[Place] {
        match self {
            When::Since(p, _) => std::slice::from_ref(p),
            When::At(places, _) => places,
        }
    }
}

impl Nest {
    /// Where a loop is cut for what is computed in it, if conditions on its index are all near its
    /// ends: at most so near as `most`.
    pub fn cut(&self, along: &Along<'_>, roots: &[Node], most: Cut) -> Option<Cut> {
        let whens = self.whens(along, roots, most)?;
        let mut cut = Cut::default();
        for place in whens.iter().flat_map(|(_, w)| w.places()) {
            match place {
                Place::FromStart(k) => cut.first = cut.first.max(*k),
                Place::FromEnd(k) => cut.last = cut.last.max(*k),
            }
        }
        Some(cut)
    }

    /// What is known in the pieces of a loop that is cut.
    pub fn pieces(&self, along: &Along<'_>, roots: &[Node], cut: Cut) -> Pieces {
        let Some(whens) = self.whens(along, roots, cut) else {
            return Pieces::default();
        };
        let known = |index: Where| {
            let at = |(n, w): &(Node, When)| Some((*n, w.holds(index)?));
            self.followed(whens.iter().filter_map(at))
        };
        // Several indices are no one index.
        let one = |count: i64, index: Where| match count {
            1 => known(index),
            _ => Known::default(),
        };
        Pieces {
            head: one(cut.first, Where::First),
            middle: known(Where::Middle),
            tail: one(cut.last, Where::Last),
        }
    }

    /// When the comparisons of the index of a loop hold.
    fn whens(&self, along: &Along<'_>, roots: &[Node], most: Cut) -> Option<Vec<(Node, When)>> {
        let mut whens = vec![];
        for n in along.reached(roots, true) {
            if let Some(form) = self.compared(n, along.l) {
                whens.push((n, self.when(n, along.l, &form, most)?));
            }
        }
        Some(whens)
    }

    /// The difference of what a node compares, if it compares integers that are affine in a loop.
    fn compared(&self, n: Node, l: Loop) -> Option<Affine> {
        let s = &self.nodes[n];
        let Compute::Prim(p, args) = &s.compute else {
            return None;
        };
        let compares = matches!(
            p,
            Prim::ILt | Prim::ILe | Prim::IGt | Prim::IGe | Prim::IEq | Prim::INe
        );
        if !compares || s.guard.is_some() {
            return None;
        }
        let form = self.affine(args[0])?.sub(&self.affine(args[1])?);
        form.coefficient(l).is_some().then_some(form)
    }

    /// When a comparison holds, whose sides differ by a form.
    #[allow(
        clippy::wildcard_enum_match_arm,
        reason = "other primitives do not compare integers"
    )]
    fn when(&self, n: Node, l: Loop, form: &Affine, most: Cut) -> Option<When> {
        let Compute::Prim(p, _) = &self.nodes[n].compute else {
            return None;
        };
        let [(_, c)] = &form.terms[..] else {
            return None;
        };
        let (up, down) = (c.is(1), c.is(-1));
        if !(up || down) {
            return None;
        }
        // The form is c (l - s), and its sign is that of l - s or the opposite.
        let s = match up {
            true => form.constant.neg(),
            false => form.constant.clone(),
        };
        let place = |k: i64| place(&s.plus(k), &self.loops[l], most);
        Some(match p {
            Prim::ILt => When::Since(place(i64::from(down))?, down),
            Prim::IGe => When::Since(place(i64::from(down))?, up),
            Prim::ILe => When::Since(place(i64::from(up))?, down),
            Prim::IGt => When::Since(place(i64::from(up))?, up),
            Prim::IEq => When::At([place(0)?, place(1)?], true),
            Prim::INe => When::At([place(0)?, place(1)?], false),
            _ => return None,
        })
    }

    /// What follows from conditions that hold or not.
    #[allow(
        clippy::wildcard_enum_match_arm,
        reason = "other primitives do not join conditions"
    )]
    fn followed(&self, conditions: impl Iterator<Item = (Node, bool)>) -> Known {
        let mut known = Known::default();
        for (n, holds) in conditions {
            match holds {
                true => known.holds.insert(n),
                false => known.fails.insert(n),
            };
        }
        for (n, s) in self.nodes.iter().enumerate() {
            let (Compute::Prim(p, args), None) = (&s.compute, s.guard) else {
                continue;
            };
            let all = |of: &HashSet<Node>| args.iter().all(|a| of.contains(a));
            let any = |of: &HashSet<Node>| args.iter().any(|a| of.contains(a));
            let (holds, fails) = match p {
                Prim::And => (all(&known.holds), any(&known.fails)),
                Prim::Or => (any(&known.holds), all(&known.fails)),
                Prim::Not => (any(&known.fails), any(&known.holds)),
                _ => (false, false),
            };
            if holds {
                known.holds.insert(n);
            }
            if fails {
                known.fails.insert(n);
            }
        }
        known
    }
}

/// Which end a place of a loop is near to.
fn place(at: &Size, extent: &Size, most: Cut) -> Option<Place> {
    let from_end = extent.sub(at).as_lit();
    match at.as_lit() {
        Some(k) if k <= most.first && from_end.is_none_or(|e| e >= k) => Some(Place::FromStart(k)),
        Some(_) | None => from_end.filter(|k| *k <= most.last).map(Place::FromEnd),
    }
}
