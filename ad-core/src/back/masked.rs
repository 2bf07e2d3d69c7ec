//! Sums whose terms have conditions on data; `passes/schedule/masks.rs` says why.

use super::expr::Expr;
use super::nest::{Bound, Writer};
use crate::ir::kernel::{Compute, Loop, Node};
use crate::ir::prims::{Emit, Prim};
use crate::ir::ty::Elem;
use crate::thresholds::MASKED_TERM;
use proc_macro2::{Ident, TokenStream};
use std::collections::{BTreeSet, HashSet};

impl Writer<'_> {
    /// Whether what a loop reduces is light arithmetic on rows, under conditions on what is read
    /// from rows.
    pub(super) fn is_masked(&mut self, l: Loop, body: Node) -> bool {
        self.find_varying(l, body);
        let nodes = self.reached(l, body, true);
        let is_guarded = |n: &Node| self.nest.nodes[*n].guard.is_some();
        nodes.len() <= MASKED_TERM
            && nodes.iter().any(is_guarded)
            && nodes.iter().all(|&n| self.is_of_rows(n, l))
    }

    /// Whether a node that varies along a loop is read from a row in any case, or is light
    /// arithmetic.
    fn is_of_rows(&self, n: Node, l: Loop) -> bool {
        let s = &self.nest.nodes[n];
        match &s.compute {
            Compute::Read(..) => {
                s.guard.is_none() && s.elem == Elem::Real && self.nest.along(n, l).is_some()
            }
            Compute::Prim(Prim::And | Prim::Or | Prim::Not, _) => true,
            Compute::Prim(p, args) => {
                let is_real = |a: &Node| self.nest.nodes[*a].elem == Elem::Real;
                let is_operator = matches!(p.emission(), Emit::Infix(_) | Emit::Prefix(_));
                is_operator && args.iter().all(is_real)
            }
            Compute::Lit(_)
            | Compute::Index(_)
            | Compute::Reduce(..)
            | Compute::ArgReduce(..)
            | Compute::Same(_)
            | Compute::Extreme(_) => false,
        }
    }

    /// Names for what is the same at all indices, which come before the loop.
    pub(super) fn named_before(
        &mut self,
        l: Loop,
        body: Node,
        known: &HashSet<Node>,
    ) -> Vec<(Ident, TokenStream)> {
        let nodes = self.reached(l, body, true);
        let operands = nodes.iter().flat_map(|n| self.nest.operands(*n));
        let same: BTreeSet<Node> = operands.filter(|o| !self.varies(*o, l)).collect();
        let is_worth_it = |w: &Self, n: Node| match &w.nest.nodes[n].compute {
            Compute::Read(_, at) => !at.is_empty(),
            // Conditions, too: no jump is left in the loop.
            Compute::Prim(p, _) => p.cost() > 0 || w.nest.nodes[n].elem == Elem::Bool,
            Compute::Lit(_)
            | Compute::Index(_)
            | Compute::Reduce(..)
            | Compute::ArgReduce(..)
            | Compute::Same(_)
            | Compute::Extreme(_) => false,
        };
        let mut lets = vec![];
        for n in same {
            let is_done = known.contains(&n) || self.bound.contains_key(&n);
            if !is_done && is_worth_it(self, n) && self.is_sure_where(n, known) {
                let value = self.whole(n, known).tokens;
                lets.push(self.named_here(n, value));
            }
        }
        lets
    }

    /// Names for elements of rows: they are read before the conditions are looked at.
    pub(super) fn read_first(&mut self, reads: &[Node]) -> Vec<(Ident, TokenStream)> {
        let elements: Vec<(Node, Expr)> = (reads.iter())
            .filter_map(|n| Some((*n, self.rowed.get(n)?.clone())))
            .collect();
        (elements.into_iter())
            .map(|(n, e)| self.named_here(n, e.tokens))
            .collect()
    }

    fn named_here(&mut self, n: Node, value: TokenStream) -> (Ident, TokenStream) {
        let name = self.name(&self.wish(n));
        self.bound.insert(n, Bound::Value(name.clone()));
        self.named.push(n);
        (name, value)
    }
}
