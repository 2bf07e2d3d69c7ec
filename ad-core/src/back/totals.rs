//! Families that sum over rows; `passes/schedule/row_totals.rs` says why.

use super::blocks::Inside;
use super::expr::Expr;
use super::nest::Writer;
use super::range::pattern_of;
use crate::ir::kernel::{Addend, Along, Node};
use crate::thresholds::{LIGHT_BESIDE_TOTALS, ROWS_BESIDE_TOTALS};
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use std::collections::{BTreeSet, HashSet};

impl Writer<'_> {
    /// A closure that makes a row of new arrays and adds sums over it to others, or that adds
    /// alone; where a row has less than so many elements, or its conditions do not hold, it does as
    /// `one_by_one` for each. First what is declared outside of it.
    pub(super) fn totals_by_rows(
        &mut self,
        new: &[Node],
        sums: &[(Ident, &Addend)],
        (least, one_by_one): (i64, &TokenStream),
    ) -> (TokenStream, TokenStream) {
        let nest = self.nest;
        let l = nest.outer - 1;
        let added = sums.iter().map(|(_, s)| s.value);
        let values: Vec<Node> = new.iter().copied().chain(added).collect();
        let along = Along::new(nest, l, &values);
        let conditions = along.conditions(&values).expect("it is a row");
        self.along.insert(l, along);
        let known = nest.learned(conditions.iter().copied());
        let nothing = HashSet::new();
        let js = self.stretch(l);
        let out = (!new.is_empty()).then(|| self.name("out"));
        let lets = self.lets_without(None, Some(l), &nothing);
        let mut before: TokenStream = (lets.iter())
            .map(|(name, value)| quote!(let #name = #value;))
            .collect();
        let (mut when, mut outside) = (vec![], TokenStream::new());
        if nest.loops[l].as_lit().is_none() {
            let few = Expr::integer(least);
            when.push(few.infix("<=", self.scope.size(&nest.loops[l])).tokens);
        }
        for g in conditions {
            if !self.varies(g, l) {
                when.push(self.node(g, &nothing).tokens);
                continue;
            }
            let inside = Inside { l, known: &nothing };
            let (rows, condition) = self.together(&[g], inside, Some(&js));
            let index = pattern_of(&self.loops[l], &condition);
            let all = quote!(rt::all(#js, |#index| #condition));
            // Of rows with the same answer, which come one after the other, the first one is asked.
            let depends = &nest.depends[g];
            let same = (0..l).rev().take_while(|k| !depends.contains(k));
            let first = same.map(|k| {
                let index = &self.loops[k];
                quote!(#index == 0)
            });
            let first: Vec<TokenStream> = first.collect();
            if first.is_empty() {
                before.extend(rows);
                when.push(all);
                continue;
            }
            let holds = self.name("hold");
            outside.extend(quote!(let mut #holds = false;));
            before.extend(quote!(if #(#first)&&* { #rows #holds = #all; }));
            when.push(quote!(#holds));
        }
        self.piece.holds.clone_from(&known);
        // So few operations may stand at two places.
        let nodes: BTreeSet<Node> = (values.iter())
            .flat_map(|n| self.reached(l, *n, true))
            .collect();
        let reads = nodes
            .iter()
            .filter(|n| self.nest.nodes[**n].read().is_some());
        let is_light = new.len() <= 1
            && reads.count() <= ROWS_BESIDE_TOTALS
            && self.are_light(l, &values, LIGHT_BESIDE_TOTALS, &known);
        let (rows, value) = self.row_of_values(l, (&values, new.len()), &known, &js);
        self.piece.holds.clear();
        let totals: Vec<Ident> = sums.iter().map(|_| self.name("total")).collect();
        let (set_and_sum, sum) = match is_light {
            true => (quote!(set_and_sum_light), quote!(sums_light)),
            false => (quote!(set_and_sum), quote!(sums)),
        };
        let added = sums.iter().zip(&totals).map(|((to, s), total)| {
            let place = s.at.iter().map(|a| self.at(a, &known).tokens);
            quote!(#to[[#(#place),*]] += #total;)
        });
        let added: TokenStream = added.collect();
        let index = pattern_of(&self.loops[l], &value);
        let fast = match &out {
            Some(out) => quote! {
                #rows
                let (#out, (#(#totals,)*)) = #out.#set_and_sum(#js, |#index| #value);
                #added
                #out
            },
            None => quote! {
                #rows
                let (#(#totals,)*) = rt::#sum(#js, |#index| #value);
                #added
            },
        };
        let index = pattern_of(&self.loops[l], one_by_one);
        let slow = match &out {
            Some(out) => quote!(#out.set(#js, |#index| #one_by_one)),
            None => {
                let length = self.scope.size(&nest.loops[l]).tokens;
                quote!(rt::for_each([#length], |[#index]| #one_by_one);)
            }
        };
        let body = match &when[..] {
            [] => quote!(#before #fast),
            _ => quote!(#before if #(#when)&&* { #fast } else { #slow }),
        };
        let index = (self.loops[..l].iter()).map(|i| pattern_of(i, &body));
        let out = out.iter();
        let row = quote!(|[#(#index,)* _], #js #(, #out)*| { #body });
        (outside, row)
    }
}
