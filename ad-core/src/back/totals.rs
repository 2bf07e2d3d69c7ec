//! Families that sum over rows: a row of all that is made, and its sums, at a time.
//!
//! ```text
//! for i, j: { t[i, j] = f(i, j); if c(i, j) { s[i] += g(i, j); u[i] += h(i, j) } }
//!    =   for i: if all c(i, ..) { t[i, ..], a, b = f, Σ g, Σ h; s[i] += a; u[i] += b } else { one by one }
//! ```
//!
//! An element that is added to at each index of the innermost loop is a chain of additions, each of
//! which waits for the one before, behind conditions which may be other ones at each index. A sum
//! in several parts is not; and if the conditions hold in the whole row, which is a short look,
//! they need not be looked at in the loop that does the work. Where they do not hold everywhere, or
//! a row is short, it is done one by one.

use super::blocks::Inside;
use super::expr::Expr;
use super::nest::Writer;
use super::range::pattern_of;
use crate::ir::kernel::{Addend, At, Loop, Node, Range};
use crate::ir::ty::Elem;
use crate::thresholds::{LIGHT_BESIDE_TOTALS, ROW_WORTH_PARTS, TOTALS_TOGETHER};
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use std::collections::{BTreeSet, HashSet};

impl Writer<'_> {
    /// A closure that makes a row of new arrays and adds sums over it to others, or that adds
    /// alone; where that is not better it does as `one_by_one` for each element. First what is
    /// declared outside of it.
    pub(super) fn totals_by_rows(
        &mut self,
        new: &[Node],
        sums: &[(Ident, &Addend)],
        one_by_one: &TokenStream,
    ) -> Option<(TokenStream, TokenStream)> {
        let nest = self.nest;
        let l = nest.outer.checked_sub(1)?;
        let names: HashSet<String> = sums.iter().map(|(to, _)| to.to_string()).collect();
        let stays = |a: &At| matches!(a, At::Affine(a) if a.coefficient(l).is_none());
        let is_real = |n: &Node| nest.nodes[*n].elem == Elem::Real;
        let is_possible = nest.loops.len() == nest.outer
            && nest.ranges.iter().all(Range::is_whole)
            && !sums.is_empty()
            && names.len() == sums.len()
            && sums.len() <= TOTALS_TOGETHER
            && sums.iter().all(|(_, s)| s.at.iter().all(stays))
            && new
                .iter()
                .chain(sums.iter().map(|(_, s)| &s.value))
                .all(is_real)
            && nest.loops[l].as_lit().is_none_or(|n| n >= ROW_WORTH_PARTS);
        if !is_possible {
            return None;
        }
        let added = sums.iter().map(|(_, s)| s.value);
        let values: Vec<Node> = new.iter().copied().chain(added).collect();
        self.find_varying_below(l, &values);
        let conditions = self.conditions_in_row(l, &values)?;
        let mut known = HashSet::new();
        conditions.iter().for_each(|&g| self.learn(g, &mut known));
        if !self.are_rows(l, &values, &known) {
            return None;
        }
        let nothing = HashSet::new();
        let js = self.stretch(l);
        let out = (!new.is_empty()).then(|| self.name("out"));
        let lets = self.lets_without(None, Some(l), &nothing);
        let mut before: TokenStream = (lets.iter())
            .map(|(name, value)| quote!(let #name = #value;))
            .collect();
        let (mut when, mut outside) = (vec![], TokenStream::new());
        if nest.loops[l].as_lit().is_none() {
            let few = Expr::integer(ROW_WORTH_PARTS);
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
        let (rows, value) = self.row_of_values(l, (&values, new.len()), &known, &js);
        self.piece.holds.clear();
        let totals: Vec<Ident> = sums.iter().map(|_| self.name("total")).collect();
        // So few operations may stand at two places.
        let (set_and_sum, sum) =
            match new.len() <= 1 && self.are_light(l, &values, LIGHT_BESIDE_TOTALS, &known) {
                true => (quote!(set_and_sum_light), quote!(sums_light)),
                false => (quote!(set_and_sum), quote!(sums)),
            };
        let added = sums.iter().zip(&totals).map(|((to, s), total)| {
            let place = s.at.iter().map(|a| match a {
                At::Affine(a) => self.affine(a).tokens,
                At::Node(_) => unreachable!("these are affine"),
            });
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
        Some((outside, row))
    }

    /// What some values are guarded by, if one condition of these varies along a loop at most, and
    /// no condition is guarded itself.
    fn conditions_in_row(&self, l: Loop, values: &[Node]) -> Option<BTreeSet<Node>> {
        let guard = |n: &Node| self.nest.nodes[*n].guard;
        let reached = |n: Node| self.reached(l, n, true);
        let nodes: BTreeSet<Node> = values.iter().flat_map(|&n| reached(n)).collect();
        let conditions: BTreeSet<Node> = nodes.iter().chain(values).filter_map(guard).collect();
        let bare = |g: &Node| guard(g).is_none() && reached(*g).iter().all(|n| guard(n).is_none());
        let varying = conditions.iter().filter(|g| self.varies(**g, l)).count();
        (varying <= 1 && conditions.iter().all(bare)).then_some(conditions)
    }
}
