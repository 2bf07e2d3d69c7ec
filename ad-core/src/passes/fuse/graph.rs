//! The scalars of a nest, shared by construction.

use crate::ir::kernel::{Affine, At, Compute, Form, Loop, Nest, Node, Range, Scalar};
use crate::ir::ty::Size;
use std::collections::HashMap;

/// A nest without a root yet.
pub(super) struct Graph {
    pub(super) loops: Vec<Size>,
    pub(super) ranges: Vec<Range>,
    outer: usize,
    nodes: Vec<Scalar>,
    depends: Vec<Vec<Loop>>,
    known: HashMap<(Scalar, Vec<Loop>), Node>,
}

impl Graph {
    pub(super) fn new(loops: Vec<Size>, outer: usize) -> Graph {
        Graph {
            ranges: vec![Range::default(); loops.len()],
            loops,
            outer,
            nodes: vec![],
            depends: vec![],
            known: HashMap::new(),
        }
    }

    pub(super) fn finish(self, root: Node) -> Nest {
        Nest {
            loops: self.loops,
            ranges: self.ranges,
            outer: self.outer,
            nodes: self.nodes,
            depends: self.depends,
            root,
            form: Form::Plain,
        }
    }

    /// One more loop.
    pub(super) fn enter(&mut self, extent: Size) {
        self.loops.push(extent);
        self.ranges.push(Range::default());
    }

    pub(super) fn scalar(&self, n: Node) -> &Scalar {
        &self.nodes[n]
    }

    /// A node, which is to stay inside of some loops even if they do not occur in it.
    pub(super) fn push(&mut self, scalar: Scalar, inside: &[Loop]) -> Node {
        let mut depends: Vec<Loop> = (scalar.operands().iter())
            .flat_map(|&n| self.depends[n].clone())
            .collect();
        let affine = |a: &Affine| a.terms.iter().map(|(l, _)| *l).collect::<Vec<_>>();
        match &scalar.compute {
            Compute::Index(a) => depends.extend(affine(a)),
            Compute::Read(_, at) => {
                depends.extend(inside);
                for a in at {
                    if let At::Affine(a) = a {
                        depends.extend(affine(a));
                    }
                }
            }
            Compute::Prim(..)
            | Compute::Reduce(..)
            | Compute::ArgReduce(..)
            | Compute::Extreme(_) => {
                depends.extend(inside);
            }
            Compute::Lit(_) | Compute::Same(_) => {}
        }
        for &l in scalar.own() {
            depends.extend(self.ranges[l].loops());
            for n in self.ranges[l].nodes() {
                depends.extend(&self.depends[n]);
            }
        }
        depends.retain(|l| !scalar.own().contains(l));
        depends.sort_unstable();
        depends.dedup();
        let key = (scalar, depends);
        if let Some(&n) = self.known.get(&key) {
            return n;
        }
        self.nodes.push(key.0.clone());
        self.depends.push(key.1.clone());
        self.known.insert(key, self.nodes.len() - 1);
        self.nodes.len() - 1
    }
}
