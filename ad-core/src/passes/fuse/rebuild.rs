//! A nest again, without conditions that are known to hold, or not to.

use super::graph::Graph;
use crate::ir::kernel::{At, Compute, Loop, Nest, Node, Range, Scalar};
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Lit};
use std::collections::HashMap;

/// What is known of a nest.
#[derive(Default)]
pub(super) struct Known {
    /// For each node whether it is true or false.
    pub(super) truth: Vec<Option<bool>>,
    /// Conditions that sums are guarded by, too. Each is the same at all indices of their loops, and
    /// never fails.
    pub(super) guards: HashMap<Node, Vec<Node>>,
}

/// A nest whose loops run over other ranges, without the conditions that are then known, and the
/// same of `at`, which is computed in the outer loops.
pub(super) fn without(nest: &Nest, at: &[At], known: Known, ranges: Vec<Range>) -> (Nest, Vec<At>) {
    let mut rebuild = Rebuild {
        out: Graph::new(nest.loops.clone(), nest.outer),
        new: vec![None; nest.nodes.len()],
        outside: HashMap::new(),
        nest,
        ranges,
        known,
    };
    for l in 0..nest.outer {
        rebuild.range(l);
    }
    let root = rebuild.node(nest.root);
    let at = at.iter().map(|a| rebuild.at(a)).collect();
    (rebuild.out.finish(root), at)
}

/// A nest on its way.
struct Rebuild<'a> {
    nest: &'a Nest,
    ranges: Vec<Range>,
    known: Known,
    out: Graph,
    new: Vec<Option<Node>>,
    /// The conditions of sums.
    outside: HashMap<Node, Node>,
}

impl Rebuild<'_> {
    /// Where a loop runs, in terms of the new nodes.
    fn range(&mut self, l: Loop) {
        let range = self.ranges[l].clone();
        self.out.ranges[l].from = range.from;
        self.out.ranges[l].to = range.to.iter().map(|e| self.at(e)).collect();
    }

    fn at(&mut self, a: &At) -> At {
        match a {
            At::Affine(a) => At::Affine(a.clone()),
            At::Node(n) => At::Node(self.node(*n)),
        }
    }

    fn node(&mut self, n: Node) -> Node {
        if let Some(new) = self.new[n] {
            return new;
        }
        let new = self.rebuilt(n);
        self.new[n] = Some(new);
        new
    }

    fn rebuilt(&mut self, n: Node) -> Node {
        let nest = self.nest;
        let s = &nest.nodes[n];
        let inside = &nest.depends[n];
        let mut guard = s.guard.map(|g| self.node(g));
        for p in self.known.guards.get(&n).cloned().unwrap_or_default() {
            let is_inside = s.own().iter().any(|l| nest.depends[p].contains(l));
            let p = match is_inside {
                true => self.outside(p),
                false => self.node(p),
            };
            guard = Some(guard.map_or(p, |g| self.both(g, p)));
        }
        let guard = match guard.map(|g| (g, self.truth(g))) {
            None | Some((_, Some(true))) => None,
            Some((g, None)) => Some(g),
            Some((g, Some(false))) => {
                let zero = Compute::Lit(Lit::zero(s.elem));
                return self.push(s.elem, Some(g), zero, inside);
            }
        };
        if let Some(b) = self.known.truth[n] {
            return match (b, guard) {
                // `[g] true` is g.
                (true, Some(g)) => g,
                (true, None) | (false, _) => self.lit(b),
            };
        }
        let compute = match &s.compute {
            c @ (Compute::Lit(_) | Compute::Index(_)) => c.clone(),
            Compute::Read(v, at) => Compute::Read(*v, at.iter().map(|a| self.at(a)).collect()),
            Compute::Prim(p, args) => match self.prim(*p, args) {
                Ok(same) => Compute::Same(same),
                Err(args) => Compute::Prim(*p, args),
            },
            Compute::Reduce(op, own, body) => {
                own.iter().for_each(|&l| self.range(l));
                Compute::Reduce(*op, own.clone(), self.node(*body))
            }
            Compute::ArgReduce(op, own, body) => {
                self.range(*own);
                Compute::ArgReduce(*op, *own, self.node(*body))
            }
            Compute::Extreme(m) => Compute::Extreme(self.node(*m)),
            Compute::Same(m) => Compute::Same(self.node(*m)),
        };
        match (compute, guard) {
            (Compute::Same(m), None) => m,
            (compute, guard) => self.push(s.elem, guard, compute, inside),
        }
    }

    /// A primitive of new nodes, or the node that it is the same as.
    ///
    /// ```text
    /// true ∧ a = a    false ∧ a = false    select(true, a, b) = a     a + [false] b = a
    /// true ∨ a = true   false ∨ a = a      select(false, a, b) = b    a − [false] b = a
    /// a ∧ a = a         ¬ true = false     select(a, true, false) = a  [false] a + b = b
    ///                   ¬ false = true     select(a, a, false) = a
    /// ```
    fn prim(&mut self, p: Prim, args: &[Node]) -> Result<Node, Vec<Node>> {
        if p == Prim::Select {
            let c = self.node(args[0]);
            match self.truth(c) {
                Some(true) => return Ok(self.node(args[1])),
                Some(false) => return Ok(self.node(args[2])),
                None => {}
            }
        }
        let new: Vec<Node> = args.iter().map(|&a| self.node(a)).collect();
        let truth: Vec<Option<bool>> = new.iter().map(|&n| self.truth(n)).collect();
        #[allow(
            clippy::wildcard_enum_match_arm,
            reason = "other primitives say nothing about known operands"
        )]
        match (p, &truth[..]) {
            (Prim::And, &[Some(true), _]) | (Prim::Or, &[Some(false), _]) => Ok(new[1]),
            (Prim::And, &[_, Some(true)]) | (Prim::Or, &[_, Some(false)]) => Ok(new[0]),
            (Prim::And, &[Some(false), _]) | (Prim::Or, &[Some(true), _]) => Ok(new[0]),
            (Prim::And, &[_, Some(false)]) | (Prim::Or, &[_, Some(true)]) => Ok(new[1]),
            (Prim::Select, &[_, Some(true), Some(false)]) => Ok(new[0]),
            (Prim::Select, &[_, _, Some(false)]) if new[0] == new[1] => Ok(new[0]),
            (Prim::And, _) if new[0] == new[1] => Ok(new[0]),
            (Prim::Not, &[Some(b)]) => Ok(self.lit(!b)),
            (Prim::Add | Prim::Sub, _) if self.is_nothing(new[1]) => Ok(new[0]),
            (Prim::Add, _) if self.is_nothing(new[0]) => Ok(new[1]),
            _ => Err(new),
        }
    }

    /// A condition inside of those loops only that occur in it.
    fn outside(&mut self, n: Node) -> Node {
        if let Some(new) = self.outside.get(&n) {
            return *new;
        }
        let s = self.nest.nodes[n].clone();
        let guard = s.guard.map(|g| self.outside(g));
        let compute = match s.compute {
            Compute::Prim(p, args) => {
                Compute::Prim(p, args.iter().map(|&a| self.outside(a)).collect())
            }
            Compute::Same(m) => Compute::Same(self.outside(m)),
            Compute::Lit(_)
            | Compute::Index(_)
            | Compute::Read(..)
            | Compute::Reduce(..)
            | Compute::ArgReduce(..)
            | Compute::Extreme(_) => s.compute,
        };
        let new = match (compute, guard) {
            (Compute::Same(m), None) => m,
            (compute, guard) => self.push(s.elem, guard, compute, &[]),
        };
        self.outside.insert(n, new);
        new
    }

    /// The conjunction of two new nodes.
    fn both(&mut self, a: Node, b: Node) -> Node {
        match (self.truth(a), self.truth(b)) {
            (Some(true), _) | (_, Some(false)) => b,
            (_, Some(true)) | (Some(false), _) => a,
            (None, None) => self.push(Elem::Bool, None, Compute::Prim(Prim::And, vec![a, b]), &[]),
        }
    }

    /// What a new node is known to be.
    fn truth(&self, n: Node) -> Option<bool> {
        let s = self.out.scalar(n);
        match &s.compute {
            Compute::Lit(Lit::Bool(b)) if s.guard.is_none() => Some(*b),
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

    /// Whether a new node is a structural zero.
    fn is_nothing(&self, n: Node) -> bool {
        let guard = self.out.scalar(n).guard;
        guard.is_some_and(|g| self.truth(g) == Some(false))
    }

    fn lit(&mut self, b: bool) -> Node {
        self.push(Elem::Bool, None, Compute::Lit(Lit::Bool(b)), &[])
    }

    fn push(&mut self, elem: Elem, guard: Option<Node>, compute: Compute, inside: &[Loop]) -> Node {
        let scalar = Scalar {
            elem,
            guard,
            compute,
        };
        self.out.push(scalar, inside)
    }
}
