//! What is asked about the nodes of a nest again and again, found once: so that writing a nest
//! takes time proportional to its size.

use crate::ir::kernel::{Compute, Loop, Nest, Node};
use crate::ir::prims::Prim;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

/// Facts about the nodes of a nest.
#[derive(Default)]
pub(super) struct Facts {
    /// The nodes that are worth a name, by the loop where they are computed; `None` is the outer
    /// body.
    pub(super) wanted: HashMap<Option<Loop>, Rc<[Node]>>,
    /// For each node whether it is sure to be needed where its own loops run.
    pub(super) needed: Vec<bool>,
    /// For each node the conjunctions that have it as a member and no guard.
    pub(super) conjunctions: Vec<Vec<Node>>,
    /// For each condition the nodes that hold wherever it does not.
    pub(super) negations: Vec<Vec<Node>>,
    /// The positions of extrema whose values are needed as well.
    pub(super) pairs: HashSet<Node>,
    /// The nodes that are needed whenever the outer loops run.
    roots: Vec<Node>,
    ways: OnceCell<Vec<Ways>>,
    guards: OnceCell<Vec<Guards>>,
}

impl Facts {
    pub(super) fn new(
        nest: &Nest,
        wanted: HashMap<Option<Loop>, Rc<[Node]>>,
        needed: Vec<bool>,
        roots: Vec<Node>,
    ) -> Facts {
        let mut negations = vec![vec![]; nest.nodes.len()];
        let mut pairs = HashSet::new();
        // Comparisons that have an opposite, by what they compare.
        let mut comparisons: HashMap<&[Node], Vec<(Prim, Node)>> = HashMap::new();
        for (n, s) in nest.nodes.iter().enumerate() {
            if let Compute::Extreme(place) = &s.compute {
                pairs.insert(*place);
            }
            let Compute::Prim(p, args) = &s.compute else {
                continue;
            };
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
            conjunctions: nest.conjunctions(),
            negations,
            pairs,
            roots,
            ways: OnceCell::new(),
            guards: OnceCell::new(),
        }
    }

    /// The guards of the nodes that need a node; `None` if one of these has none, and is needed.
    pub(super) fn guards(&self, nest: &Nest, n: Node) -> Option<impl Iterator<Item = Node>> {
        let all = (self.guards).get_or_init(|| guards(nest, &self.roots, &self.negations));
        all[n].as_ref().map(|all| all.keys().copied())
    }

    /// The ways in which a node can be needed where its own loops and the outer ones run: each as
    /// loops that must run as well, of those that may not. No two of them are equally long.
    pub(super) fn ways(&self, nest: &Nest, n: Node) -> Vec<Vec<Loop>> {
        let class = classes(nest);
        let runs: Vec<Option<Loop>> = (nest.depends[n].iter().copied())
            .chain(0..nest.outer)
            .map(|l| class[l])
            .collect();
        let mut out = Ways::default();
        let all = self.ways.get_or_init(|| ways(nest, &self.roots, &class));
        for way in &all[n].0 {
            let open = way.iter().copied().filter(|&l| !runs.contains(&Some(l)));
            out.insert(open.collect());
        }
        let lists = out.0.into_iter().map(|way| way.into_iter().collect());
        lists.collect()
    }
}

/// Sets of loops. A set that contains another one is left out: it says nothing more.
#[derive(Clone, Default)]
struct Ways(BTreeSet<BTreeSet<Loop>>);

impl Ways {
    fn insert(&mut self, way: BTreeSet<Loop>) {
        if self.0.iter().any(|w| w.is_subset(&way)) {
            return;
        }
        self.0.retain(|w| !way.is_subset(w));
        self.0.insert(way);
    }
}

/// For each loop the first of equal extent: if one runs, so does the other. `None` for loops that
/// always run.
fn classes(nest: &Nest) -> Vec<Option<Loop>> {
    let mut first = HashMap::new();
    (nest.loops.iter().enumerate())
        .map(|(l, extent)| {
            let class = *first.entry(extent).or_insert(l);
            (!extent.at_least(1)).then_some(class)
        })
        .collect()
}

/// For each node the ways in which it is used: the classes of the loops in whose bodies that is.
/// Operands come before their uses.
fn ways(nest: &Nest, roots: &[Node], class: &[Option<Loop>]) -> Vec<Ways> {
    let mut ways = vec![Ways::default(); nest.nodes.len()];
    for &r in roots {
        ways[r].insert(BTreeSet::new());
    }
    for (n, s) in nest.nodes.iter().enumerate().rev() {
        let own = ways[n].clone();
        let body = match &s.compute {
            Compute::Reduce(_, _, body) | Compute::ArgReduce(_, _, body) => Some(*body),
            Compute::Lit(_)
            | Compute::Index(_)
            | Compute::Read(..)
            | Compute::Prim(..)
            | Compute::Same(_)
            | Compute::Extreme(_) => None,
        };
        // Where a loop ends matters only if it has an extent.
        for (k, &l) in s.own().iter().enumerate() {
            for o in nest.ranges[l].nodes() {
                for way in &own.0 {
                    let mut way = way.clone();
                    way.extend(s.own()[..=k].iter().filter_map(|&l| class[l]));
                    ways[o].insert(way);
                }
            }
        }
        for o in s.operands() {
            for way in &own.0 {
                let mut way = way.clone();
                if Some(o) == body {
                    way.extend(s.own().iter().filter_map(|&l| class[l]));
                }
                ways[o].insert(way);
            }
        }
    }
    ways
}

/// A node is needed only if one of these conditions holds. Each comes with whether the node is
/// needed wherever it holds. `None` if the node may be needed under no condition.
type Guards = Option<BTreeMap<Node, bool>>;

/// The guards of each node.
fn guards(nest: &Nest, roots: &[Node], negations: &[Vec<Node>]) -> Vec<Guards> {
    let mut guards: Vec<Guards> = vec![Some(BTreeMap::new()); nest.nodes.len()];
    roots.iter().for_each(|&r| guards[r] = None);
    for (n, s) in nest.nodes.iter().enumerate().rev() {
        if guards[n]
            .as_mut()
            .is_some_and(|all| always(nest, all, negations))
        {
            guards[n] = None;
        }
        for o in nest.operands(n) {
            let Some(own) = s.guard.filter(|&g| g != o) else {
                let mine = guards[n].clone();
                match (&mut guards[o], mine) {
                    (Some(all), Some(mine)) => mine.into_iter().for_each(|(g, is)| {
                        *all.entry(g).or_default() |= is;
                    }),
                    (all, _) => *all = None,
                }
                continue;
            };
            let is_needed = (guards[n].as_ref()).is_none_or(|all| all.get(&own) == Some(&true));
            if let Some(all) = &mut guards[o] {
                *all.entry(own).or_default() |= is_needed;
            }
        }
    }
    guards
}

/// Whether one of some conditions always holds. Two that differ in one member, which one of them
/// negates, become one.
fn always(nest: &Nest, all: &mut BTreeMap<Node, bool>, negations: &[Vec<Node>]) -> bool {
    let operands = |g: Node, of: Prim| match &nest.nodes[g].compute {
        Compute::Prim(p, args) if *p == of => &args[..],
        Compute::Lit(_)
        | Compute::Index(_)
        | Compute::Read(..)
        | Compute::Prim(..)
        | Compute::Reduce(..)
        | Compute::ArgReduce(..)
        | Compute::Same(_)
        | Compute::Extreme(_) => &[],
    };
    let are_opposite = |a: Node, b: Node| negations[a].contains(&b) || negations[b].contains(&a);
    // Whether a condition holds wherever another does not: that negates a conjunction of it.
    let is_rest = |a: Node, b: Node| {
        let mut negated = operands(b, Prim::Not).to_vec();
        while let Some(g) = negated.pop() {
            if g == a {
                return true;
            }
            negated.extend(operands(g, Prim::And));
        }
        are_opposite(a, b)
    };
    loop {
        let whole: Vec<Node> = all.iter().filter(|(_, is)| **is).map(|(g, _)| *g).collect();
        let mut found = None;
        for (k, &a) in whole.iter().enumerate() {
            for &b in &whole[..k] {
                if is_rest(a, b) || is_rest(b, a) {
                    return true;
                }
                let (&[h, c], &[i, d]) = (operands(a, Prim::And), operands(b, Prim::And)) else {
                    continue;
                };
                if h == i && are_opposite(c, d) {
                    found = Some((a, b, h));
                }
            }
        }
        let Some((a, b, common)) = found else {
            return false;
        };
        all.remove(&a);
        all.remove(&b);
        all.insert(common, true);
    }
}
