//! Tiles of loops, a few elements at a time.
//!
//! In a tile, each element of a state is loaded and stored in each step. If few enough elements
//! take all steps before the next ones do, they stay in registers:
//!
//! ```text
//! for i in 0..s { for k in the tile { e[k] = f(i, k, e[k]); } }
//!     =   for each few of the tile { for i in 0..s { for k in these { e[k] = f(i, k, e[k]); } } }
//! ```
//!
//! What is read at the index of the tile must not be another array in each step, as a few elements
//! of each of many rows are slow to come. Sums over the tile need a partial result for each step;
//! they run over a number of steps at a time, so that there is place for these.

use super::tiled::{Around, Tiled, named_as, reads};
use super::{Function, Scope};
use crate::back::nest::Writer;
use crate::back::rows::Stored;
use crate::ir::bulk::Var;
use crate::ir::kernel::{Nest, Node, Sequence};
use crate::ir::ty::Elem;
use crate::thresholds::STATES_IN_REGISTERS;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

impl Function<'_> {
    /// Whether the steps of a tile keep the states in registers.
    pub(super) fn in_registers(&self, s: &Sequence, t: &Tiled<'_>) -> bool {
        let kept = |v: Var| self.is_kept(s, t, v);
        let fits =
            |nest: &Nest, roots: &[Node]| Writer::new(nest, &[], self).is_for_few(roots, &kept);
        let roots: Vec<Node> = t.next.iter().map(|(_, n)| *n).collect();
        t.next.len() <= STATES_IN_REGISTERS
            && fits(t.nest, &roots)
            && t.sums.iter().all(|(_, c)| fits(&c.nest, &[c.nest.root]))
    }

    /// Whether what is read of an array at the index of the tile is the same in all steps, or a
    /// state.
    fn is_kept(&self, s: &Sequence, t: &Tiled<'_>, v: Var) -> bool {
        let ty = match s.body.params.get(v.index()) {
            Some(p) => &p.ty,
            None => return false,
        };
        ty.elem == Elem::Real && ty.shape == [t.length.clone()]
    }

    /// The steps of a tile.
    pub(super) fn few_of_tile(
        &self,
        s: &Sequence,
        t: &Tiled<'_>,
        (states, parts): (&[Ident], &[(usize, Ident)]),
        (tile, around): (&Ident, &Around<'_>),
    ) -> Option<TokenStream> {
        let state = |v: Var| {
            let k = v.index().checked_sub(s.given.len())?;
            t.next.iter().any(|(j, _)| *j == k).then_some(k)
        };
        let few = self.fresh("few");
        let kept: Vec<(usize, Ident)> = (parts.iter())
            .map(|(k, _)| (*k, self.fresh(&format!("{}_few", states[*k]))))
            .collect();
        let mut taken = TokenStream::new();
        let mut put = TokenStream::new();
        for ((_, part), (_, name)) in parts.iter().zip(&kept) {
            taken.extend(quote!(let mut #name = #part.few(#few);));
            put.extend(quote!(#part.put(#few, #name);));
        }
        // What is given, and read at the index of the tile.
        let mut rows: Vec<(Var, Ident)> = vec![];
        let nests = t.sums.iter().map(|(_, c)| &c.nest).chain([t.nest]);
        for v in nests.flat_map(reads) {
            let is_row = state(v).is_none() && self.is_kept(s, t, v);
            if is_row && named_as(&rows, v).is_none() {
                let name = self.fresh(&format!("{}_few", self.label(v)));
                let array = self.array(v);
                taken.extend(quote!(let #name = #array.few(#few);));
                rows.push((v, name));
            }
        }
        let mut steps = TokenStream::new();
        let mut begun = TokenStream::new();
        let mut added = TokenStream::new();
        let (round, index) = (self.fresh("round"), around.index);
        for (k, c) in &t.sums {
            let name = self.fresh(&format!("{}_sums", states[*k]));
            let stored = |v: Var| {
                let name = match state(v) {
                    Some(k) => named_as(&kept, k),
                    None => named_as(&rows, v),
                };
                name.map(Stored::Row)
            };
            let sum = Writer::new(&c.nest, &[], self).sum_of_tile(&few, &stored)?;
            let (before, of, term) = (&sum.before, &sum.of, &sum.term);
            begun.extend(quote!(let mut #name = rt::round_sums #of (#round);));
            let add = quote!(#before #name.add(#index, #few, #term););
            steps.extend(match (&sum.guard, before.is_empty()) {
                (Some(g), _) => quote!(if #g { #add }),
                (None, false) => quote!({ #add }),
                (None, true) => add,
            });
            let total = quote!(#name.total(#index));
            added.extend(self.sum_added(&states[*k], c, (&sum.guard, &total)));
        }
        let idents: Vec<&Ident> = kept.iter().map(|(_, name)| name).collect();
        steps.extend(self.replaced_parts(t, states, &few, &idents, &state, &rows)?);
        let all = |range: &TokenStream| {
            let looped = around.each(range, &steps);
            quote!(for #few in rt::few(#tile) { #taken #looped #put })
        };
        if t.sums.is_empty() {
            return Some(all(&around.range));
        }
        let range = &around.range;
        let rounds = around.directed(&quote!(rt::rounds(#range)));
        let some = quote!(#round.steps());
        let (all, added) = (all(&some), around.each(&some, &added));
        Some(quote!(for #round in #rounds { #begun #all #added }))
    }
}
