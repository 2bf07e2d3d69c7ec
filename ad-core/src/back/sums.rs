//! Rows that are changed, and families that add to rows; `passes/schedule/changed_rows.rs` and
//! `added_rows.rs` say why.

use super::nest::{Bound, Writer};
use super::range::{Run, pattern_of, span};
use super::tokens::in_place;
use crate::ir::kernel::{Addend, Along, At, Compute, Loop, Node};
use crate::ir::prims::Prim;
use crate::ir::ty::Lit;
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use std::collections::{BTreeSet, HashSet};

impl Writer<'_> {
    /// A closure that makes a row of a new array and adds to rows of sums, or that adds alone.
    pub(super) fn added_by_rows(
        &mut self,
        new: Option<Node>,
        sums: &[(Ident, &Addend)],
    ) -> TokenStream {
        let nest = self.nest;
        let l = nest.outer - 1;
        let guard = nest.nodes[sums[0].1.value].guard;
        let values: Vec<Node> = new
            .into_iter()
            .chain(sums.iter().map(|s| s.1.value))
            .collect();
        self.along.insert(l, Along::new(nest, l, &values));
        let known = nest.learned(guard);
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
        let rows: Vec<TokenStream> = (sums.iter())
            .map(|(to, sum)| {
                let start = nest.start_of_row(&sum.at, l).expect("it is a row");
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
        quote!(|[#(#index,)* _], #js #(, #out)*| { #body })
    }

    /// Statements that change parts of rows.
    pub(super) fn changed_by_rows(&mut self, to: &Ident, at: &[At], op: &str) -> TokenStream {
        let nest = self.nest;
        let (l, root, nothing) = (nest.outer - 1, nest.root, HashSet::new());
        let mut runs = self.outer_runs();
        let span = match runs.pop() {
            Some(Run::Count(end)) => end.tokens,
            Some(Run::Part(from, to)) => span(&from, &to),
            Some(Run::Once(_)) | None => unreachable!("the last loop runs over rows"),
        };
        self.along.insert(l, Along::new(nest, l, &[root]));
        let guard = nest.nodes[root].guard;
        let known = nest.learned(guard);
        let js = self.stretch(l);
        let lets = self.lets_without(None, Some(l), &nothing);
        let lets = lets.iter().map(|(name, value)| quote!(let #name = #value;));
        let lets: TokenStream = lets.collect();
        let condition = guard.map(|g| self.node(g, &nothing).tokens);
        let (before, value) = self.row_of_values(l, (&[root], 1), &known, &js);
        let start = nest.start_of_row(at, l).expect("it is a row");
        let place = start.iter().map(|a| self.at(a, &known).tokens);
        let row = quote!(#to.row_mut(#js, [#(#place),*]));
        let index = pattern_of(&self.loops[l], &value);
        let change = match op {
            "+=" => quote!(add),
            _ => quote!(set),
        };
        let mut all = quote! {
            #before
            #row.#change(#js, |#index| #value);
        };
        if let Some(c) = condition {
            all = quote!(if #c { #all });
        }
        // What is the same for all elements may not exist if there are none.
        let all = quote! {
            let #js = rt::stretch(#span);
            if !#js.is_empty() { #lets #all }
        };
        self.around(runs, all, true)
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
        let all = match (new, rest) {
            ([], _) => quote!((#(#rest,)*)),
            ([one], []) => quote!(#one),
            ([one], _) => quote!((#one, (#(#rest,)*))),
            (many, _) => quote!(((#(#many),*), (#(#rest,)*))),
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
