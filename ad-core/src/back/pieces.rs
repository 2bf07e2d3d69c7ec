//! Loops in pieces: where a loop runs, conditions on its index are known but for its first or last
//! few indices.
//!
//! ```text
//! for k in 0..n { if k == 0 { a } else { x[k] * y[k - 1] } }   =   a, and for k in 1..n { x[k] * y[k - 1] }
//! ```
//!
//! The piece in the middle has no conditions and no comparisons with lengths, so that it is
//! vectorised. The others are written element by element, with the conditions that are left. If the
//! middle is empty, so be it.

use super::nest::Writer;
use crate::ir::kernel::{Affine, At, Compute, Loop, Node};
use crate::ir::prims::Prim;
use crate::ir::ty::Size;
use crate::thresholds::{NODES_OF_PEELED_LOOP, PEELED_INDICES};
use std::collections::{BTreeSet, HashSet};

/// Conditions of which it is known whether they hold.
#[derive(Clone, Default)]
pub(super) struct Known {
    pub(super) holds: HashSet<Node>,
    pub(super) fails: HashSet<Node>,
}

/// Which indices are split off, and what is known in each piece.
#[derive(Default)]
pub(super) struct Pieces {
    /// So many first ones.
    pub(super) first: i64,
    /// So many last ones.
    pub(super) last: i64,
    pub(super) head: Known,
    pub(super) middle: Known,
    pub(super) tail: Known,
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

impl Writer<'_> {
    /// How a loop is cut for what is computed in it, if conditions on its index are all near its
    /// ends.
    pub(super) fn pieces(&self, l: Loop, roots: &[Node]) -> Option<Pieces> {
        let nest = self.nest;
        let (mut seen, mut open) = (BTreeSet::new(), roots.to_vec());
        while let Some(n) = open.pop() {
            if self.varies(n, l) && seen.insert(n) {
                open.extend(nest.operands(n));
            }
        }
        if seen.len() > NODES_OF_PEELED_LOOP {
            return None;
        }
        let mut whens: Vec<(Node, When)> = vec![];
        for &n in &seen {
            if let Some(form) = self.compared(n, l) {
                whens.push((n, self.when(n, l, &form)?));
            }
        }
        let (mut first, mut last) = (0, 0);
        for place in whens.iter().flat_map(|(_, w)| w.places()) {
            match place {
                Place::FromStart(k) => first = first.max(*k),
                Place::FromEnd(k) => last = last.max(*k),
            }
        }
        let known = |index: Where| {
            let at = |(n, w): &(Node, When)| Some((*n, w.holds(index)?));
            self.followed(whens.iter().filter_map(at))
        };
        // Several indices are no one index.
        let head = match first {
            1 => known(Where::First),
            _ => Known::default(),
        };
        let tail = match last {
            1 => known(Where::Last),
            _ => Known::default(),
        };
        Some(Pieces {
            first,
            last,
            head,
            middle: known(Where::Middle),
            tail,
        })
    }

    /// The difference of what a node compares, if it compares integers that are affine in a loop.
    fn compared(&self, n: Node, l: Loop) -> Option<Affine> {
        let s = &self.nest.nodes[n];
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
        let form = self.form(args[0])?.sub(&self.form(args[1])?);
        form.coefficient(l).is_some().then_some(form)
    }

    fn form(&self, n: Node) -> Option<Affine> {
        let s = &self.nest.nodes[n];
        match &s.compute {
            Compute::Index(a) if s.guard.is_none() && a.is_total() => Some(a.clone()),
            Compute::Lit(l) if s.guard.is_none() => l.as_size().map(Affine::constant),
            Compute::Lit(_)
            | Compute::Index(_)
            | Compute::Read(..)
            | Compute::Prim(..)
            | Compute::Reduce(..)
            | Compute::ArgReduce(..)
            | Compute::Extreme(_)
            | Compute::Same(_) => None,
        }
    }

    /// When a comparison holds, whose sides differ by a form.
    #[allow(
        clippy::wildcard_enum_match_arm,
        reason = "other primitives do not compare integers"
    )]
    fn when(&self, n: Node, l: Loop, form: &Affine) -> Option<When> {
        let Compute::Prim(p, _) = &self.nest.nodes[n].compute else {
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
        let place = |k: i64| self.place(&s.plus(k), &self.nest.loops[l]);
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

    /// Which end a place of a loop is near to.
    fn place(&self, at: &Size, extent: &Size) -> Option<Place> {
        let from_end = extent.sub(at).as_lit();
        match at.as_lit() {
            Some(k) if k <= PEELED_INDICES && from_end.is_none_or(|e| e >= k) => {
                Some(Place::FromStart(k))
            }
            Some(_) | None => from_end
                .filter(|k| *k <= PEELED_INDICES)
                .map(Place::FromEnd),
        }
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
        for (n, s) in self.nest.nodes.iter().enumerate() {
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

    /// What a node is made of where some conditions hold and others do not.
    pub(super) fn live_operands(&self, n: Node) -> Vec<Node> {
        let s = &self.nest.nodes[n];
        let Known { holds, fails } = &self.piece;
        if s.guard.is_some_and(|g| fails.contains(&g)) {
            return vec![];
        }
        let mut all = match &s.compute {
            Compute::Prim(Prim::Select, args) if holds.contains(&args[0]) => vec![args[1]],
            Compute::Prim(Prim::Select, args) if fails.contains(&args[0]) => vec![args[2]],
            Compute::Lit(_)
            | Compute::Index(_)
            | Compute::Read(..)
            | Compute::Prim(..)
            | Compute::Reduce(..)
            | Compute::ArgReduce(..)
            | Compute::Extreme(_)
            | Compute::Same(_) => {
                let mut all = self.nest.operands(n);
                if let Some(g) = s.guard.filter(|g| holds.contains(g)) {
                    all.retain(|o| *o != g);
                }
                all
            }
        };
        all.retain(|o| !holds.contains(o) && !fails.contains(o));
        all
    }

    /// Whether a node is written without a guard here.
    pub(super) fn is_bare(&self, n: Node) -> bool {
        let guard = self.nest.nodes[n].guard;
        guard.is_none_or(|g| self.piece.holds.contains(&g))
    }

    /// What is computed at each index of the middle of a loop, whatever the conditions are that are
    /// left.
    pub(super) fn always(&self, roots: &[Node]) -> HashSet<Node> {
        let (mut seen, mut open) = (HashSet::new(), roots.to_vec());
        while let Some(n) = open.pop() {
            if !self.is_bare(n) || !seen.insert(n) {
                continue;
            }
            let mut below = self.live_operands(n);
            if let Compute::Prim(Prim::Select | Prim::And | Prim::Or, args) =
                &self.nest.nodes[n].compute
                && below.len() > 1
            {
                below.retain(|o| *o == args[0]);
            }
            open.extend(below);
        }
        seen
    }

    /// Whether what is read along a loop, in its middle, is inside of the array also where it is
    /// not used.
    pub(super) fn is_inside(
        &self,
        n: Node,
        l: Loop,
        pieces: &Pieces,
        always: &HashSet<Node>,
    ) -> bool {
        let s = &self.nest.nodes[n];
        let Compute::Read(v, at) = &s.compute else {
            return true;
        };
        if s.guard.is_none() || always.contains(&n) {
            return true;
        }
        let low = Affine::constant(Size::lit(pieces.first));
        let high = Affine::constant(self.nest.loops[l].plus(-pieces.last - 1));
        let least = |a: &Affine| -> Option<Affine> {
            let c = a.coefficient(l)?;
            let end = if c.at_least(0) { &low } else { &high };
            let index = Affine::of(l);
            Some(a.add_scaled(&index, &c.neg()).add_scaled(end, c))
        };
        let is_nonnegative = |a: &Affine| {
            let a = least(a).unwrap_or_else(|| a.clone());
            a.is_nonnegative(&self.nest.loops, &[])
        };
        at.iter().zip(self.scope.shape(*v)).all(|(a, len)| match a {
            At::Affine(a) => {
                let room = Affine::constant(len.plus(-1)).sub(a);
                is_nonnegative(a) && is_nonnegative(&room)
            }
            At::Node(_) => false,
        })
    }
}
