//! Families that add to rows: a row of all that is made and added to at a time.
//!
//! ```text
//! for i, j: if c(i) { s[i, j] += f(i, j); t[j] += g(i, j) }
//!    =   for i: if c(i) { rows of s, t and of what is read;  for j: s[j], t[j] += f(i, j), g(i, j) }
//! ```
//!
//! What is added to an element at an index is behind two comparisons, and behind a condition, which
//! may be the same for the whole row. Then no loop over a row is vectorised. Slices are taken
//! before it, and the condition is looked at once: a row for which it does not hold costs what is
//! written to it. Each element is the same sum in the same order.
//!
//! Rows of a few elements are not worth their slices. How long they are is known when the program
//! runs, so both ways are written.

use super::nest::{Bound, Writer};
use super::range::pattern_of;
use super::tokens::in_place;
use crate::ir::kernel::{Addend, At, Compute, Loop, Node, Range};
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Lit};
use crate::thresholds::ARRAYS_ADDED_TOGETHER;
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use std::collections::{BTreeSet, HashSet};

impl Writer<'_> {
    /// A closure that makes a row of a new array and adds to rows of sums, or that adds alone, if
    /// it can be done by rows.
    pub(super) fn added_by_rows(
        &mut self,
        new: Option<Node>,
        sums: &[(Ident, &Addend)],
    ) -> Option<TokenStream> {
        let nest = self.nest;
        let l = nest.outer.checked_sub(1)?;
        let guard = nest.nodes[sums.first()?.1.value].guard;
        let names: HashSet<String> = sums.iter().map(|(to, _)| to.to_string()).collect();
        let is_possible = nest.loops.len() == nest.outer
            && nest.ranges.iter().all(Range::is_whole)
            && names.len() == sums.len()
            && sums.len() <= ARRAYS_ADDED_TOGETHER
            && (sums.iter()).all(|(_, s)| nest.nodes[s.value].guard == guard)
            && new.is_none_or(|n| nest.nodes[n].elem == Elem::Real);
        if !is_possible {
            return None;
        }
        let values: Vec<Node> = new
            .into_iter()
            .chain(sums.iter().map(|s| s.1.value))
            .collect();
        self.find_varying_below(l, &values);
        let mut known = HashSet::new();
        if let Some(g) = guard {
            self.learn(g, &mut known);
        }
        let starts = sums.iter().map(|(_, s)| self.start_of_row(&s.at, l));
        let starts: Vec<Vec<At>> = starts.collect::<Option<_>>()?;
        if guard.is_some_and(|g| self.varies(g, l)) || !self.are_rows(l, &values, &known) {
            return None;
        }
        let js = self.stretch(l);
        let out = new.map(|_| self.name("out"));
        let nothing = HashSet::new();
        let lets = self.lets_without(None, Some(l), &nothing);
        let lets: TokenStream = (lets.iter())
            .map(|(name, value)| quote!(let #name = #value;))
            .collect();
        let condition = guard.map(|g| self.node(g, &nothing).tokens);
        let (before, value) =
            self.row_of_values(l, (&values, usize::from(new.is_some())), &known, &js);
        let rows: Vec<TokenStream> = (sums.iter().zip(&starts))
            .map(|((to, _), start)| {
                let place = start.iter().map(|a| self.at(a, &known).tokens);
                quote!(#to.row_mut(#js, [#(#place),*]))
            })
            .collect();
        let index = pattern_of(&self.loops[l], &value);
        let all = match &out {
            Some(out) => quote!(#before #out.set_and_add(#js, (#(#rows,)*), |#index| #value)),
            None => quote!(#before rt::add_to_rows(#js, (#(#rows,)*), |#index| #value);),
        };
        let body = match (condition, &out, new) {
            (None, _, _) => all,
            (Some(c), Some(out), Some(n)) => {
                let value = match nest.nodes[n].guard == guard {
                    true => self.literal(Lit::Real(0.0)).tokens,
                    false => self.node(n, &nothing).tokens,
                };
                let index = pattern_of(&self.loops[l], &value);
                quote!(if #c { #all } else { #out.set(#js, |#index| #value) })
            }
            (Some(c), _, _) => quote!(if #c { #all }),
        };
        let body = quote!(#lets #body);
        let index = (self.loops[..l].iter()).map(|i| pattern_of(i, &body));
        let out = out.iter();
        Some(quote!(|[#(#index,)* _], #js #(, #out)*| { #body }))
    }

    /// The same as [`Self::find_varying`], below several nodes.
    pub(super) fn find_varying_below(&mut self, l: Loop, nodes: &[Node]) {
        let mut all = HashSet::new();
        for &n in nodes {
            self.find_varying(l, n);
            all.extend(self.varying.remove(&l).unwrap_or_default());
        }
        self.varying.insert(l, all);
    }

    /// Whether all that varies along a loop is made of rows, where some conditions hold.
    pub(super) fn are_rows(&self, l: Loop, values: &[Node], known: &HashSet<Node>) -> bool {
        let nodes: BTreeSet<Node> = (values.iter())
            .flat_map(|&n| self.reached(l, n, true))
            .collect();
        nodes.iter().all(|&n| {
            let s = &self.nest.nodes[n];
            let holds = s.guard.is_none_or(|g| known.contains(&g));
            let fits = match &s.compute {
                Compute::Read(..) => self.along(n, l).is_some(),
                Compute::Prim(p, _) if p.is_partial() => false,
                Compute::Lit(_) | Compute::Index(_) | Compute::Prim(..) | Compute::Same(_) => true,
                Compute::Reduce(..) | Compute::ArgReduce(..) | Compute::Extreme(_) => false,
            };
            holds && fits
        })
    }

    /// Slices and what is the same in the whole row, and the values at an index: where some
    /// conditions hold. So many of the first are new.
    pub(super) fn row_of_values(
        &mut self,
        l: Loop,
        (values, new): (&[Node], usize),
        known: &HashSet<Node>,
        js: &Ident,
    ) -> (TokenStream, TokenStream) {
        let nodes: BTreeSet<Node> = (values.iter())
            .flat_map(|&n| self.reached(l, n, true))
            .collect();
        let bound = self.bound.clone();
        let mut before = TokenStream::new();
        let mut same: BTreeSet<Node> = BTreeSet::new();
        same.extend(values.iter().filter(|n| !self.varies(**n, l)));
        for &m in &nodes {
            before.extend(self.row(m, l, js));
            let operands = self.nest.operands(m).into_iter();
            same.extend(operands.filter(|o| !self.varies(*o, l)));
        }
        for m in same {
            let is_worth_it = match &self.nest.nodes[m].compute {
                Compute::Read(_, at) => !at.is_empty(),
                Compute::Prim(p, _) => p.cost() > 0 || *p == Prim::Select,
                Compute::Reduce(..) | Compute::ArgReduce(..) | Compute::Extreme(_) => true,
                Compute::Lit(_) | Compute::Index(_) | Compute::Same(_) => false,
            };
            let is_done = known.contains(&m) || self.bound.contains_key(&m);
            if is_worth_it && !is_done && self.is_sure_where(m, known) {
                let value = self.whole(m, known).tokens;
                let wish = self.wish(m);
                let name = self.name(&wish);
                before.extend(quote!(let #name = #value;));
                self.bound.insert(m, Bound::Value(name));
            }
        }
        let mut lets = vec![];
        for &m in &nodes {
            let is_done = self.rowed.contains_key(&m) || self.bound.contains_key(&m);
            if !is_done && self.wants_name(m, false) {
                let value = self.node(m, known).tokens;
                let wish = self.wish(m);
                let name = self.name(&wish);
                lets.push((name.clone(), value));
                self.bound.insert(m, Bound::Value(name));
            }
        }
        let all: Vec<TokenStream> = (values.iter())
            .map(|n| self.node(*n, known).tokens)
            .collect();
        let (new, rest) = all.split_at(new);
        let all = match new {
            [] => quote!((#(#rest,)*)),
            [one] => quote!((#one, (#(#rest,)*))),
            many => quote!(((#(#many),*), (#(#rest,)*))),
        };
        for m in &nodes {
            self.rowed.remove(m);
        }
        self.bound = bound;
        let (lets, value) = in_place(lets, all);
        let value = match lets.is_empty() {
            true => value,
            false => quote!({ #lets #value }),
        };
        (before, value)
    }
}
