//! The values of a nest along one of its loops: which of them vary, and which are neighbours in
//! memory.

use super::{Affine, At, Compute, Cut, Known, Loop, Nest, Node, Range};
use crate::ir::prims::Prim;
use crate::ir::ty::Size;
use std::collections::{BTreeSet, HashSet};

/// Some values of a nest along a loop.
pub struct Along<'a> {
    nest: &'a Nest,
    /// The loop.
    pub l: Loop,
    /// The nodes that are not the same for all of its indices.
    varying: HashSet<Node>,
}

impl<'a> Along<'a> {
    /// Finds which of some nodes and of their operands vary. A node may be inside of the loop
    /// ([`Nest::depends`]) without varying.
    pub fn new(nest: &'a Nest, l: Loop, roots: &[Node]) -> Along<'a> {
        let varying = HashSet::new();
        let mut along = Along { nest, l, varying };
        along.add(roots);
        along
    }

    /// The same, for more nodes.
    pub fn add(&mut self, roots: &[Node]) {
        let (nest, l) = (self.nest, self.l);
        let (mut below, mut open) = (BTreeSet::new(), roots.to_vec());
        while let Some(n) = open.pop() {
            if nest.depends[n].contains(&l) && below.insert(n) {
                open.extend(nest.operands(n));
            }
        }
        let mentions = |a: &Affine| a.coefficient(l).is_some();
        for n in below {
            let s = &nest.nodes[n];
            let here = match &s.compute {
                Compute::Index(a) => mentions(a),
                Compute::Read(_, at) => at.iter().any(|a| match a {
                    At::Affine(a) => mentions(a),
                    At::Node(_) => false,
                }),
                Compute::Lit(_)
                | Compute::Prim(..)
                | Compute::Reduce(..)
                | Compute::ArgReduce(..)
                | Compute::Same(_)
                | Compute::Extreme(_) => false,
            };
            let runs = (s.own().iter()).any(|&o| nest.ranges[o].loops().any(|m| m == l));
            if here || runs || nest.operands(n).iter().any(|&o| self.varies(o)) {
                self.varying.insert(n);
            }
        }
    }

    /// Whether a node is not the same for all indices.
    pub fn varies(&self, n: Node) -> bool {
        self.varying.contains(&n)
    }

    /// The nodes below some that vary; in ascending order. With what sums are made of, if `through`
    /// them.
    pub fn reached(&self, roots: &[Node], through: bool) -> BTreeSet<Node> {
        self.reached_where(roots, through, &Known::default(), &|_| false)
    }

    /// The same, where some conditions hold or not; but for what is done.
    pub fn reached_where(
        &self,
        roots: &[Node],
        through: bool,
        known: &Known,
        is_done: &dyn Fn(Node) -> bool,
    ) -> BTreeSet<Node> {
        let (mut seen, mut open) = (BTreeSet::new(), roots.to_vec());
        while let Some(n) = open.pop() {
            if !self.varies(n) || is_done(n) || !seen.insert(n) {
                continue;
            }
            if through || self.nest.nodes[n].own().is_empty() {
                open.extend(self.nest.live_operands(n, known));
            }
        }
        seen
    }

    /// Whether all values that vary can be computed from rows, given that some conditions hold.
    pub fn are_rows(&self, values: &[Node], holds: &HashSet<Node>) -> bool {
        self.reached(values, true).into_iter().all(|n| {
            let s = &self.nest.nodes[n];
            let fits = match &s.compute {
                Compute::Read(..) => self.nest.along(n, self.l).is_some(),
                Compute::Prim(p, _) if p.is_partial() => false,
                Compute::Lit(_) | Compute::Index(_) | Compute::Prim(..) | Compute::Same(_) => true,
                Compute::Reduce(..) | Compute::ArgReduce(..) | Compute::Extreme(_) => false,
            };
            s.guard.is_none_or(|g| holds.contains(&g)) && fits
        })
    }

    /// What some values are guarded by, if one condition of these varies at most, and no condition
    /// is guarded itself.
    pub fn conditions(&self, values: &[Node]) -> Option<BTreeSet<Node>> {
        let guard = |n: &Node| self.nest.nodes[*n].guard;
        let nodes = self.reached(values, true);
        let conditions: BTreeSet<Node> = nodes.iter().chain(values).filter_map(guard).collect();
        let is_bare = |g: &Node| {
            let below = self.reached(&[*g], true);
            guard(g).is_none() && below.iter().all(|n| guard(n).is_none())
        };
        let varying = conditions.iter().filter(|g| self.varies(**g)).count();
        (varying <= 1 && conditions.iter().all(is_bare)).then_some(conditions)
    }
}

impl Nest {
    /// An integer that a node computes without a guard, if it is affine in the loops.
    pub fn affine(&self, n: Node) -> Option<Affine> {
        let s = &self.nodes[n];
        match &s.compute {
            // It has a value even where its loops have nothing to run over.
            Compute::Index(a) if s.guard.is_none() && a.is_total() => Some(a.clone()),
            Compute::Lit(l) if s.guard.is_none() => l.as_size().map(Affine::constant),
            Compute::Lit(_)
            | Compute::Index(_)
            | Compute::Read(..)
            | Compute::Prim(..)
            | Compute::Reduce(..)
            | Compute::ArgReduce(..)
            | Compute::Same(_)
            | Compute::Extreme(_) => None,
        }
    }

    /// Whether nothing is reduced, and all loops run over their whole extents.
    pub fn is_elementwise(&self) -> bool {
        self.loops.len() == self.outer && self.ranges.iter().all(Range::is_whole)
    }

    /// Where the elements are that a node reads along a loop, at its index 0: if they are
    /// neighbours.
    pub fn along(&self, n: Node, l: Loop) -> Option<Vec<At>> {
        match &self.nodes[n].compute {
            Compute::Read(_, at) => self.start_of_row(at, l),
            Compute::Lit(_)
            | Compute::Index(_)
            | Compute::Prim(..)
            | Compute::Reduce(..)
            | Compute::ArgReduce(..)
            | Compute::Same(_)
            | Compute::Extreme(_) => None,
        }
    }

    /// A place at the index 0 of a loop, if the loop runs over neighbours from there.
    pub fn start_of_row(&self, at: &[At], l: Loop) -> Option<Vec<At>> {
        let (last, before) = at.split_last()?;
        let last = match last {
            At::Affine(a) => a,
            // An index that is compared with the length where it is used, as the row is.
            At::Node(n) => {
                let Compute::Index(a) = &self.nodes[*n].compute else {
                    return None;
                };
                a
            }
        };
        let is_unit = last.coefficient(l).is_some_and(|c| c.is(1));
        if !is_unit || before.iter().any(|a| self.mentions(a, l)) {
            return None;
        }
        let first = At::Affine(last.sub(&Affine::of(l)));
        Some(before.iter().cloned().chain([first]).collect())
    }

    /// Whether it is seen wherever a loop begins that what a node reads of an array of this shape
    /// is inside, as the index is that of an axis of the same length. Other comparisons keep a loop
    /// that begins elsewhere from being vectorised.
    pub fn is_seen(&self, n: Node, l: Loop, shape: &[Size]) -> bool {
        let Compute::Read(_, at) = &self.nodes[n].compute else {
            return false;
        };
        self.ranges[l].to.is_empty()
            && self.along(n, l).is_some()
            && at.iter().all(|a| matches!(a, At::Affine(_)))
            && at.last() == Some(&At::Affine(Affine::of(l)))
            && shape.last() == Some(&self.loops[l])
    }

    /// For each node the conjunctions that have it as a member and no guard.
    pub fn conjunctions(&self) -> Vec<Vec<Node>> {
        let mut out = vec![vec![]; self.nodes.len()];
        for (n, s) in self.nodes.iter().enumerate() {
            if let (Compute::Prim(Prim::And, args), None) = (&s.compute, s.guard) {
                args.iter().for_each(|&a| out[a].push(n));
            }
        }
        out
    }

    /// What holds where a guard does, given the conjunctions that nodes are members of.
    pub fn learn(&self, g: Node, conjunctions: &[Vec<Node>], known: &mut HashSet<Node>) {
        let mut stack = vec![g];
        let mut new = vec![];
        while let Some(g) = stack.pop() {
            if !known.insert(g) {
                continue;
            }
            new.push(g);
            if let Compute::Prim(Prim::And, args) = &self.nodes[g].compute {
                stack.extend(args);
            }
        }
        // A conjunction of what is known is known.
        while let Some(g) = new.pop() {
            for &n in &conjunctions[g] {
                if let Compute::Prim(_, args) = &self.nodes[n].compute
                    && args.iter().all(|a| known.contains(a))
                    && known.insert(n)
                {
                    new.push(n);
                }
            }
        }
    }

    /// What holds where some guards do.
    pub fn learned(&self, guards: impl IntoIterator<Item = Node>) -> HashSet<Node> {
        let (conjunctions, mut known) = (self.conjunctions(), HashSet::new());
        (guards.into_iter()).for_each(|g| self.learn(g, &conjunctions, &mut known));
        known
    }

    /// What a node is made of where some conditions hold and others do not.
    pub fn live_operands(&self, n: Node, known: &Known) -> Vec<Node> {
        let s = &self.nodes[n];
        let Known { holds, fails } = known;
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
                let mut all = self.operands(n);
                if let Some(g) = s.guard.filter(|g| holds.contains(g)) {
                    all.retain(|o| *o != g);
                }
                all
            }
        };
        all.retain(|o| !holds.contains(o) && !fails.contains(o));
        all
    }

    /// Whether a node is written without a guard where some conditions hold.
    pub fn is_bare(&self, n: Node, known: &Known) -> bool {
        (self.nodes[n].guard).is_none_or(|g| known.holds.contains(&g))
    }

    /// What is computed at each index of the middle of a loop, whatever the conditions are that are
    /// left.
    pub fn always(&self, roots: &[Node], known: &Known) -> HashSet<Node> {
        let (mut seen, mut open) = (HashSet::new(), roots.to_vec());
        while let Some(n) = open.pop() {
            if !self.is_bare(n, known) || !seen.insert(n) {
                continue;
            }
            let below = self.strict_operands(n, known);
            open.extend(below);
        }
        seen
    }

    /// What is computed at each index, outside of sums, with what has a condition and is 0 where
    /// that does not hold.
    pub fn needed(&self, root: Node, known: &Known) -> HashSet<Node> {
        let (mut seen, mut open) = (HashSet::new(), vec![root]);
        while let Some(n) = open.pop() {
            let is_new = seen.insert(n);
            if is_new && self.is_bare(n, known) && self.nodes[n].own().is_empty() {
                open.extend(self.strict_operands(n, known));
            }
        }
        seen
    }

    /// What a node is made of whatever its conditions are.
    fn strict_operands(&self, n: Node, known: &Known) -> Vec<Node> {
        let mut below = self.live_operands(n, known);
        if let Compute::Prim(Prim::Select | Prim::And | Prim::Or, args) = &self.nodes[n].compute
            && below.len() > 1
        {
            below.retain(|o| *o == args[0]);
        }
        below
    }

    /// Whether what is read along a loop, in its middle, is inside of the array also where it is
    /// not used.
    pub fn is_inside(
        &self,
        n: Node,
        (l, cut): (Loop, Cut),
        always: &HashSet<Node>,
        shape: &[Size],
    ) -> bool {
        let s = &self.nodes[n];
        let Compute::Read(_, at) = &s.compute else {
            return true;
        };
        if s.guard.is_none() || always.contains(&n) {
            return true;
        }
        let low = Affine::constant(Size::lit(cut.first));
        let high = Affine::constant(self.loops[l].plus(-cut.last - 1));
        let least = |a: &Affine| -> Option<Affine> {
            let c = a.coefficient(l)?;
            let end = if c.at_least(0) { &low } else { &high };
            let index = Affine::of(l);
            Some(a.add_scaled(&index, &c.neg()).add_scaled(end, c))
        };
        let is_nonnegative = |a: &Affine| {
            let a = least(a).unwrap_or_else(|| a.clone());
            a.is_nonnegative(&self.loops, &[])
        };
        at.iter().zip(shape).all(|(a, len)| match a {
            At::Affine(a) => {
                let room = Affine::constant(len.plus(-1)).sub(a);
                is_nonnegative(a) && is_nonnegative(&room)
            }
            At::Node(_) => false,
        })
    }
}
