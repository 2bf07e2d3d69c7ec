//! A node of a nest as an expression: by its name, if it has one, and with its guard, where that is
//! not known to hold.

use super::{Bound, Writer};
use crate::back::expr::Expr;
use crate::ir::kernel::{Compute, Node};
use crate::ir::ty::{Elem, Lit};
use proc_macro2::TokenStream;
use quote::quote;
use std::collections::HashSet;

impl Writer<'_> {
    /// A node, wherever what is listed is known to hold.
    pub(in crate::back) fn node(&mut self, n: Node, known: &HashSet<Node>) -> Expr {
        match &self.nest.nodes[n].compute {
            Compute::ArgReduce(..) if self.facts.pairs.contains(&n) => {
                self.whole(n, known).field(0)
            }
            &Compute::Extreme(place) if !self.bound.contains_key(&n) => {
                self.whole(place, known).field(1)
            }
            Compute::Lit(_)
            | Compute::Index(_)
            | Compute::Read(..)
            | Compute::Prim(..)
            | Compute::Reduce(..)
            | Compute::ArgReduce(..)
            | Compute::Extreme(_)
            | Compute::Same(_) => self.whole(n, known),
        }
    }

    /// What a name stands for: a node, or a position with the extremum there.
    pub(in crate::back) fn whole(&mut self, n: Node, known: &HashSet<Node>) -> Expr {
        match self.bound.get(&n) {
            Some(Bound::Value(name)) => return Expr::atom(quote!(#name)),
            Some(Bound::Lazy(name)) => return Expr::prefix("*", Expr::atom(quote!(#name))),
            None => {}
        }
        if let Some(element) = self.rowed.get(&n) {
            return element.clone();
        }
        if known.contains(&n) {
            return Expr::atom(quote!(true));
        }
        if self.piece.fails.contains(&n) {
            return Expr::atom(quote!(false));
        }
        let s = &self.nest.nodes[n];
        if s.guard.is_some_and(|g| self.piece.fails.contains(&g)) {
            return self.literal(Lit::zero(s.elem));
        }
        let Some(g) = s.guard.filter(|g| !known.contains(g)) else {
            return self.compute(n, known);
        };
        let guard = self.node(g, known);
        let mut inner = known.clone();
        self.learn(g, &mut inner);
        let value = self.compute(n, &inner);
        if s.elem == Elem::Bool {
            return guard.infix("&&", value);
        }
        Expr::choice(guard.tokens, value, self.nothing(n))
    }

    /// What stands for a value that is not computed.
    pub(super) fn nothing(&self, n: Node) -> Expr {
        let zero = self.literal(Lit::zero(self.nest.nodes[n].elem));
        if !self.facts.pairs.contains(&n) {
            return zero;
        }
        let (place, value) = (zero.tokens, self.literal(Lit::Real(0.0)).tokens);
        Expr::atom(quote!((#place, #value)))
    }

    /// What holds where a guard does.
    pub(in crate::back) fn learn(&self, g: Node, known: &mut HashSet<Node>) {
        self.nest.learn(g, &self.facts.conjunctions, known);
    }

    /// What a node is where its guard holds.
    fn compute(&mut self, n: Node, known: &HashSet<Node>) -> Expr {
        match &self.nest.nodes[n].compute {
            Compute::Lit(l) => self.literal(*l),
            Compute::Index(a) => self.affine(a),
            Compute::Same(n) => self.node(*n, known),
            Compute::Extreme(place) => self.whole(*place, known).field(1),
            Compute::Read(v, at) => {
                let at: Vec<TokenStream> = at.iter().map(|a| self.at(a, known).tokens).collect();
                self.scope.read(*v, &at)
            }
            Compute::Prim(p, args) => self.prim(*p, args, known),
            Compute::Reduce(op, own, body) => self.reduced(*op, own, *body, known),
            Compute::ArgReduce(op, own, body) => self.position(n, *op, *own, *body, known),
        }
    }
}
