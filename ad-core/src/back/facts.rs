//! What is asked about the nodes of a nest again and again, found once: so that writing a nest takes
//! time proportional to its size.

use crate::ir::kernel::{Compute, Loop, Nest, Node};
use crate::ir::prims::Prim;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::rc::Rc;

/// Facts about the nodes of a nest.
#[derive(Default)]
pub(super) struct Facts {
    /// The nodes that are worth a name, by the loop where they are computed; `None` is the outer body.
    pub(super) wanted: HashMap<Option<Loop>, Rc<[Node]>>,
    /// For each node whether it is sure to be needed where its own loops run.
    pub(super) needed: Vec<bool>,
    /// For each node the conjunctions that have it as a member and no guard.
    pub(super) conjunctions: Vec<Vec<Node>>,
    /// For each condition the nodes that hold wherever it does not.
    pub(super) negations: Vec<Vec<Node>>,
    around: OnceCell<Vec<LoopSet>>,
}

impl Facts {
    pub(super) fn new(
        nest: &Nest,
        wanted: HashMap<Option<Loop>, Rc<[Node]>>,
        needed: Vec<bool>,
    ) -> Facts {
        let mut conjunctions = vec![vec![]; nest.nodes.len()];
        let mut negations = vec![vec![]; nest.nodes.len()];
        // Comparisons that have an opposite, by what they compare.
        let mut comparisons: HashMap<&[Node], Vec<(Prim, Node)>> = HashMap::new();
        for (n, s) in nest.nodes.iter().enumerate() {
            let Compute::Prim(p, args) = &s.compute else {
                continue;
            };
            if *p == Prim::And && s.guard.is_none() {
                args.iter().for_each(|&a| conjunctions[a].push(n));
            }
            if *p == Prim::Not {
                negations[args[0]].push(n);
            }
            if let Some(opposite) = p.negation() {
                let same = comparisons.entry(args).or_default();
                for &(_, m) in same.iter().filter(|(q, _)| *q == opposite) {
                    negations[m].push(n);
                    negations[n].push(m);
                }
                same.push((*p, n));
            }
        }
        Facts {
            wanted,
            needed,
            conjunctions,
            negations,
            around: OnceCell::new(),
        }
    }

    /// Whether a node is used in the body of a loop.
    pub(super) fn is_around(&self, nest: &Nest, l: Loop, n: Node) -> bool {
        self.around.get_or_init(|| around(nest))[n].contains(l)
    }
}

/// A set of loops, one bit for each.
#[derive(Clone)]
struct LoopSet(Vec<u64>);

impl LoopSet {
    fn contains(&self, l: Loop) -> bool {
        self.0[l / 64] >> (l % 64) & 1 == 1
    }

    fn insert(&mut self, l: Loop) {
        self.0[l / 64] |= 1 << (l % 64);
    }

    fn extend(&mut self, other: &LoopSet) {
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            *a |= b;
        }
    }
}

/// For each node the loops in whose bodies it is used; operands come before their uses.
fn around(nest: &Nest) -> Vec<LoopSet> {
    let none = LoopSet(vec![0; nest.loops.len().div_ceil(64)]);
    let mut around = vec![none; nest.nodes.len()];
    for (n, s) in nest.nodes.iter().enumerate().rev() {
        let own = around[n].clone();
        for o in nest.operands(n) {
            around[o].extend(&own);
        }
        match &s.compute {
            Compute::Reduce(_, loops, body) => {
                loops.iter().for_each(|&l| around[*body].insert(l));
            }
            Compute::ArgReduce(_, l, body) => around[*body].insert(*l),
            Compute::Lit(_)
            | Compute::Index(_)
            | Compute::Read(..)
            | Compute::Prim(..)
            | Compute::Same(_) => {}
        }
    }
    around
}
