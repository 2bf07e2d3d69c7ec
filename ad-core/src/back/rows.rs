//! Rows: neighbours in memory that a loop reads, found before it.
//!
//! An index is compared with the lengths of its array wherever it is used. In a loop over neighbours, one comparison
//! before it says the same, and a loop without comparisons is one that is vectorised. Where the loop runs over an axis
//! of the array, the compiler of generated code sees that indices are inside; where it runs elsewhere, or the array is
//! the state of a loop, it does not.

use super::blocks::Inside;
use super::expr::Expr;
use super::nest::Writer;
use super::range::pattern_of;
use super::sizes::number;
use super::tokens::in_place;
use crate::ir::kernel::{Affine, At, Compute, Loop, Node};
use crate::ir::prims::Prim;
use crate::ir::ty::Lit;
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use std::collections::{BTreeSet, HashSet};

impl Writer<'_> {
    /// Finds the nodes below a node that are not the same for all indices of a loop. What was guarded stays inside of the
    /// loop, even if it is.
    pub(super) fn find_varying(&mut self, l: Loop, n: Node) {
        let nest = self.nest;
        let (mut below, mut open) = (BTreeSet::new(), vec![n]);
        while let Some(n) = open.pop() {
            if nest.depends[n].contains(&l) && below.insert(n) {
                open.extend(nest.operands(n));
            }
        }
        let mut varying: HashSet<Node> = HashSet::new();
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
                | Compute::Same(_) => false,
            };
            let runs = (s.own().iter()).any(|&o| nest.ranges[o].loops().any(|m| m == l));
            if here || runs || nest.operands(n).iter().any(|o| varying.contains(o)) {
                varying.insert(n);
            }
        }
        self.varying.insert(l, varying);
    }

    pub(super) fn varies(&self, n: Node, l: Loop) -> bool {
        self.varying.get(&l).is_some_and(|all| all.contains(&n))
    }

    /// The nodes below a node that vary along a loop; in ascending order. With what sums are made of, if `through` them.
    pub(super) fn reached(&self, l: Loop, n: Node, through: bool) -> BTreeSet<Node> {
        let mut seen = BTreeSet::new();
        let mut open = vec![n];
        while let Some(n) = open.pop() {
            if !self.varies(n, l) || self.rowed.contains_key(&n) || !seen.insert(n) {
                continue;
            }
            if through || self.nest.nodes[n].own().is_empty() {
                open.extend(self.nest.operands(n));
            }
        }
        seen
    }

    /// Where the elements are that a node reads along a loop, at its index 0: if they are neighbours.
    pub(super) fn along(&self, n: Node, l: Loop) -> Option<Vec<Affine>> {
        let Compute::Read(_, at) = &self.nest.nodes[n].compute else {
            return None;
        };
        let mut place = (at.iter())
            .map(|a| match a {
                At::Affine(a) => Some(a.clone()),
                At::Node(_) => None,
            })
            .collect::<Option<Vec<Affine>>>()?;
        let last = place.pop()?;
        let is_unit = last.coefficient(l).is_some_and(|c| c.is(1));
        if !is_unit || place.iter().any(|a| a.coefficient(l).is_some()) {
            return None;
        }
        place.push(last.sub(&Affine::of(l)));
        Some(place)
    }

    /// A value as a function of the index: what it reads and what is the same for all indices, and an expression.
    pub(super) fn element(
        &mut self,
        n: Node,
        inside: Inside<'_>,
        js: &Ident,
    ) -> (TokenStream, TokenStream) {
        let Inside { l, known } = inside;
        let nodes = self.reached(l, n, false);
        let mut before = TokenStream::new();
        let is_same = !self.varies(n, l);
        let mut same: BTreeSet<Node> = is_same.then_some(n).into_iter().collect();
        for &m in &nodes {
            before.extend(self.row(m, l, js));
            let operands = self.nest.operands(m).into_iter();
            same.extend(operands.filter(|o| !self.varies(*o, l)));
        }
        for m in same {
            let is_worth_it = match &self.nest.nodes[m].compute {
                Compute::Read(_, at) => !at.is_empty(),
                Compute::Prim(p, _) => p.cost() > 0,
                Compute::Reduce(..) | Compute::ArgReduce(..) => true,
                Compute::Lit(_) | Compute::Index(_) | Compute::Same(_) => false,
            };
            if is_worth_it && !self.bound.contains_key(&m) && self.is_sure(m) {
                let value = self.node(m, known).tokens;
                let wish = self.wish(m);
                let name = self.name(&wish);
                before.extend(quote!(let #name = #value;));
                self.bound.insert(m, name);
            }
        }
        let mut lets = vec![];
        for &m in &nodes {
            let is_done = self.rowed.contains_key(&m) || self.bound.contains_key(&m);
            if m != n && !is_done && self.wants_name(m, false) {
                let value = self.node(m, known).tokens;
                let wish = self.wish(m);
                let name = self.name(&wish);
                lets.push((name.clone(), value));
                self.bound.insert(m, name);
            }
        }
        let value = self.node(n, known).tokens;
        for m in &nodes {
            self.rowed.remove(m);
            self.bound.remove(m);
        }
        let (lets, value) = in_place(lets, value);
        let value = match lets.is_empty() {
            true => value,
            false => quote!({ #lets #value }),
        };
        (before, value)
    }

    /// A name for the neighbours that a node reads along a loop.
    pub(super) fn row(&mut self, n: Node, l: Loop, js: &Ident) -> TokenStream {
        let Compute::Read(v, _) = &self.nest.nodes[n].compute else {
            return TokenStream::new();
        };
        let v = *v;
        let (array, at) = if let Some(at) = self.along(n, l) {
            let at = at.iter().map(|a| self.affine(a).tokens).collect();
            (self.scope.array(v), at)
        } else if let Some((name, loops)) = self.across(n) {
            let at = loops.iter().map(|m| self.affine(&Affine::of(*m)).tokens);
            (quote!(#name), at.chain([number(0)]).collect::<Vec<_>>())
        } else {
            return TokenStream::new();
        };
        let name = self.name(&format!("{}_row", self.scope.label(v)));
        let index = &self.loops[l];
        let element = self.scope.element(v, Expr::atom(quote!(#name[#index])));
        self.rowed.insert(n, element);
        quote!(let #name = #array.row(#js, [#(#at),*]);)
    }

    pub(super) fn across(&self, n: Node) -> Option<(Ident, Vec<Loop>)> {
        self.blocks.as_ref()?.across.get(&n).cloned()
    }

    /// Whether a value cannot fail wherever the loops around it run.
    pub(super) fn is_sure(&self, n: Node) -> bool {
        let s = &self.nest.nodes[n];
        let here = match &s.compute {
            // The bounds of an unguarded affine place were demanded on entry.
            Compute::Read(_, at) => {
                s.guard.is_none() && at.iter().all(|a| matches!(a, At::Affine(_)))
            }
            Compute::Prim(Prim::IDiv | Prim::IRem | Prim::IRemEuclid | Prim::IPow, args) => {
                let by = &self.nest.nodes[args[1]].compute;
                matches!(by, Compute::Lit(Lit::Int(1..)))
            }
            Compute::Index(a) => a.is_total(),
            Compute::Lit(_)
            | Compute::Prim(..)
            | Compute::Reduce(..)
            | Compute::ArgReduce(..)
            | Compute::Same(_) => true,
        };
        here && (self.nest.operands(n).iter())
            .all(|&o| self.bound.contains_key(&o) || self.is_sure(o))
    }

    /// Whether it is not seen in a loop that what a node reads along it is inside.
    fn is_worth_a_row(&self, n: Node, l: Loop) -> bool {
        let nest = self.nest;
        let s = &nest.nodes[n];
        let Compute::Read(v, at) = &s.compute else {
            return false;
        };
        let is_seen = !self.scope.is_in_loop()
            && nest.ranges[l].to.is_empty()
            && at.last() == Some(&At::Affine(Affine::of(l)))
            && self.scope.shape(*v).last() == Some(&nest.loops[l]);
        s.guard.is_none() && !is_seen && self.along(n, l).is_some()
    }

    /// The last outer loop as one over rows: an index pattern for the others, and what computes a row.
    pub(super) fn by_rows(&mut self) -> Option<TokenStream> {
        let (nest, known) = (self.nest, HashSet::new());
        let (l, root) = (nest.outer.checked_sub(1)?, nest.root);
        self.find_varying(l, root);
        let nodes = self.reached(l, root, true);
        let is_plain = |n: &Node| {
            let s = &nest.nodes[*n];
            s.guard.is_none() && s.own().is_empty()
        };
        if !nodes.iter().all(is_plain) || !nodes.iter().any(|&n| self.is_worth_a_row(n, l)) {
            return None;
        }
        let (js, out) = (self.stretch(l), self.name("out"));
        let lets = self.lets_without(None, Some(l), &known);
        let lets = lets.iter().map(|(name, value)| quote!(let #name = #value;));
        let lets: TokenStream = lets.collect();
        let inside = Inside { l, known: &known };
        let (before, value) = self.element(root, inside, &js);
        let index = pattern_of(&self.loops[l], &value);
        let set = match self.is_costly(&[root], true) {
            true => quote!(set_costly),
            false => quote!(set),
        };
        let body = quote!(#lets #before #out.#set(#js, |#index| #value));
        let index = (self.loops[..l].iter()).map(|i| pattern_of(i, &body));
        Some(quote!(|[#(#index,)* _], #js, #out| { #body }))
    }

    /// Rows for what a light reduction reads.
    pub(super) fn rows(&mut self, l: Loop, body: Node) -> Option<(Ident, TokenStream, Vec<Node>)> {
        self.find_varying(l, body);
        let reads: Vec<Node> = (self.reached(l, body, true).into_iter())
            .filter(|&n| self.is_worth_a_row(n, l))
            .collect();
        if reads.is_empty() {
            return None;
        }
        let js = self.stretch(l);
        let rows = reads.iter().map(|&n| self.row(n, l, &js)).collect();
        Some((js, rows, reads))
    }
}
