//! Arrays of points, written by blocks of points.
//!
//! ```text
//! out[v, k] = Σ b: w[v, b] · Σ c: a[b, k, c] · p[v, c]      k and c are few
//!
//! for each block of v: copies of w and p with v as the last axis
//!   for k: t = 0; for b: for v in the block: t[v] += w[v, b] · (a[b, k, 0] · p[v, 0] + a[b, k, 1] · p[v, 1] + ..)
//! ```
//!
//! The last axis is too short for blocks (`blocks.rs`), and a short sum within a long one makes bad
//! vectors. Along the points, steps do not depend on each other, and the terms of the short sum
//! stand in one expression. Nothing is computed more often or in another order; what the points
//! have is copied block by block, so that neighbours are points.

use super::blocks::Inside;
use super::nest::Writer;
use super::range::pattern_of;
use crate::ir::core::ReduceOp;
use crate::ir::kernel::{Affine, At, Compute, Form, Loop, Nest, Node, Range, Scalar};
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Lit, Size};
use crate::thresholds::ELEMENTS_OF_POINT;
use proc_macro2::TokenStream;
use quote::quote;
use std::collections::HashSet;

/// The nest of an array of points with the loop over the points as its last outer one, and without
/// the short sums that it has within others; `None` if it has none.
pub(super) fn turned(nest: &Nest) -> Option<Nest> {
    let few = nest.loops.get(1..nest.outer)?;
    let count = few
        .iter()
        .try_fold(1_i64, |n, l| n.checked_mul(l.as_lit()?))?;
    let is_possible = nest.outer >= 2
        && (2..=ELEMENTS_OF_POINT).contains(&count)
        && nest.loops[0].as_lit().is_none()
        && nest.ranges.iter().all(Range::is_whole);
    if !is_possible {
        return None;
    }
    let order: Vec<Loop> = (1..nest.outer)
        .chain([0])
        .chain(nest.outer..nest.loops.len())
        .collect();
    let all = nest.reordered(&order, nest.outer, nest.root);
    let users = users(&all);
    let written = Unrolled::new(&all, &users).nest()?;
    Some(eager(written))
}

/// The nodes that use each node.
fn users(nest: &Nest) -> Vec<Vec<Node>> {
    let mut out = vec![vec![]; nest.nodes.len()];
    for (n, s) in nest.nodes.iter().enumerate() {
        for o in s.operands() {
            out[o].push(n);
        }
    }
    out
}

/// A nest whose short sums are written out, on its way.
struct Unrolled<'a> {
    old: &'a Nest,
    users: &'a [Vec<Node>],
    nodes: Vec<Scalar>,
    depends: Vec<Vec<Loop>>,
    /// Where the nodes are; those inside of a short sum are at several places.
    new: Vec<Option<Node>>,
}

impl<'a> Unrolled<'a> {
    fn new(old: &'a Nest, users: &'a [Vec<Node>]) -> Self {
        Unrolled {
            old,
            users,
            nodes: vec![],
            depends: vec![],
            new: vec![None; old.nodes.len()],
        }
    }

    /// The nest without them, if there are any.
    fn nest(mut self) -> Option<Nest> {
        let mut short = HashSet::new();
        for n in 0..self.old.nodes.len() {
            short.extend(self.short(n).map(|(l, ..)| l));
        }
        if short.is_empty() {
            return None;
        }
        for n in 0..self.old.nodes.len() {
            if self.old.depends[n].iter().any(|l| short.contains(l)) {
                continue;
            }
            self.new[n] = Some(match self.short(n) {
                Some((l, terms, body)) => self.written_out(n, l, terms, body),
                None => {
                    let new = self.new.clone();
                    self.copy(n, &|o| new[o], &|a| a.clone())
                }
            });
        }
        Some(Nest {
            loops: self.old.loops.clone(),
            ranges: self.old.ranges.clone(),
            outer: self.old.outer,
            root: self.new[self.old.root]?,
            form: Form::Plain,
            nodes: self.nodes,
            depends: self.depends,
        })
    }

    /// The loop, the number of terms and the term of a short sum within another sum.
    fn short(&self, n: Node) -> Option<(Loop, i64, Node)> {
        let s = &self.old.nodes[n];
        let Compute::Reduce(ReduceOp::Sum, own, body) = &s.compute else {
            return None;
        };
        let &[l] = &own[..] else { return None };
        let terms = self.old.loops[l].as_lit()?;
        let is_plain = |m: Node| {
            let s = &self.old.nodes[m];
            !self.old.depends[m].contains(&l) || (s.own().is_empty() && s.guard.is_none())
        };
        let is_short =
            s.elem == Elem::Real && s.guard.is_none() && (2..=ELEMENTS_OF_POINT).contains(&terms);
        let is_inside = self.old.depends[n].iter().any(|&l| l >= self.old.outer);
        let all = is_short && is_inside && (0..self.old.nodes.len()).all(is_plain);
        all.then_some((l, terms, *body))
    }

    /// A node with other operands and indices.
    fn copy(
        &mut self,
        n: Node,
        node: &dyn Fn(Node) -> Option<Node>,
        affine: &dyn Fn(&Affine) -> Affine,
    ) -> Node {
        let mut s = self.old.nodes[n].clone();
        let node = |o: Node| node(o).expect("operands come before their uses");
        s.guard = s.guard.map(node);
        match &mut s.compute {
            Compute::Lit(_) => {}
            Compute::Index(a) => *a = affine(a),
            Compute::Read(_, at) => {
                for a in at {
                    *a = match a {
                        At::Affine(a) => At::Affine(affine(a)),
                        At::Node(o) => At::Node(node(*o)),
                    };
                }
            }
            Compute::Prim(_, args) => args.iter_mut().for_each(|o| *o = node(*o)),
            Compute::Reduce(_, _, o)
            | Compute::ArgReduce(_, _, o)
            | Compute::Same(o)
            | Compute::Extreme(o) => *o = node(*o),
        }
        self.push(s, self.old.depends[n].clone())
    }

    fn push(&mut self, s: Scalar, depends: Vec<Loop>) -> Node {
        self.nodes.push(s);
        self.depends.push(depends);
        self.nodes.len() - 1
    }

    /// The terms of a sum, added in their order.
    fn written_out(&mut self, n: Node, l: Loop, terms: i64, body: Node) -> Node {
        let real = |compute| Scalar {
            elem: Elem::Real,
            guard: None,
            compute,
        };
        // A sum is never −0. In a product that is added to something it does not matter.
        let mut sum = (!self.is_in_sums(n)).then(|| {
            let zero = real(Compute::Lit(Lit::Real(0.0)));
            self.push(zero, vec![])
        });
        for k in 0..terms {
            let mut new = self.new.clone();
            for m in 0..=body {
                if !self.old.depends[m].contains(&l) {
                    continue;
                }
                let here = new.clone();
                let at = |a: &Affine| {
                    let c = a.coefficient(l).cloned().unwrap_or_default();
                    let rest = a.add_scaled(&Affine::of(l), &c.scale(-1));
                    rest.add_scaled(&Affine::constant(c), &Size::lit(k))
                };
                let copy = self.copy(m, &|o| here[o], &at);
                self.depends[copy].retain(|&m| m != l);
                new[m] = Some(copy);
            }
            let term = new[body].expect("a term of the sum");
            sum = Some(match sum {
                None => term,
                Some(before) => {
                    let add = real(Compute::Prim(Prim::Add, vec![before, term]));
                    self.push(add, self.old.depends[n].clone())
                }
            });
        }
        sum.expect("there are terms")
    }

    /// Whether it is only added to something, alone or as a factor: then its sign does not matter
    /// where it is zero.
    fn is_in_sums(&self, n: Node) -> bool {
        let nodes = &self.old.nodes;
        let is_added = |n: Node, u: Node| matches!(&nodes[u].compute, Compute::Reduce(ReduceOp::Sum, _, body) if *body == n);
        self.users[n].iter().all(|&u| {
            let is_product = matches!(nodes[u].compute, Compute::Prim(Prim::Mul, _));
            let is_used = || !self.users[u].is_empty();
            let all_added = || self.users[u].iter().all(|&v| is_added(u, v));
            is_added(n, u) || (is_product && is_used() && all_added())
        })
    }
}

/// What is arithmetic without calls, and guarded by a condition for which it is selected, is
/// computed in any case: a selection between two values has no branch.
fn eager(mut nest: Nest) -> Nest {
    for (n, users) in users(&nest).into_iter().enumerate() {
        let s = &nest.nodes[n];
        let Some(g) = s.guard else { continue };
        let is_arithmetic = matches!(
            s.compute,
            Compute::Prim(Prim::Neg | Prim::Add | Prim::Sub | Prim::Mul, _)
        );
        let is_selected = |&u: &Node| match &nest.nodes[u].compute {
            Compute::Prim(Prim::Select, args) => {
                args[0] == g && args[1] == n && args[2] != n && nest.nodes[u].guard != Some(n)
            }
            Compute::Lit(_)
            | Compute::Index(_)
            | Compute::Read(..)
            | Compute::Prim(..)
            | Compute::Reduce(..)
            | Compute::ArgReduce(..)
            | Compute::Same(_)
            | Compute::Extreme(_) => false,
        };
        if is_arithmetic && n != nest.root && users.iter().all(is_selected) {
            nest.nodes[n].guard = None;
        }
    }
    nest
}

impl Writer<'_> {
    /// What computes the elements of a block of points, given the names of the block and of what
    /// they are written to, and how many numbers are copied for each point; for a nest that has
    /// been turned.
    pub(super) fn by_points(&mut self) -> Option<(TokenStream, TokenStream)> {
        let l = self.nest.outer.checked_sub(1)?;
        let known = HashSet::new();
        let plan = self.plan(l, self.nest.root, &known)?;
        let js = self.stretch(l);
        let first = self.name("first");
        self.begin_within(plan, l, Some((&js, &first)));
        let (columns, out) = (self.name("columns"), self.name("out"));
        let (copies, kept) = self.copied();
        let lets = self.lets_without(None, Some(l), &known);
        let lets = lets.iter().map(|(name, value)| quote!(let #name = #value;));
        let mut body: TokenStream = lets.collect();
        let inside = Inside { l, known: &known };
        body.extend(self.fill(self.nest.root, inside, &js, &out));
        let index = (self.loops[..l].iter()).map(|i| pattern_of(i, &body));
        let block = quote!(|#js, #columns| {
            let #first = #js.first();
            #copies
            #columns.each(|[_, #(#index),*], #out| { #body });
        });
        Some((kept, block))
    }
}
