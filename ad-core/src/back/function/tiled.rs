//! Loops that run tile by tile.
//!
//! A sequential loop goes through all of its states in each step, and what is larger than the
//! fastest cache comes from further away each time. Where an element of the next states needs of
//! the states only those at the same index, the steps for a few neighbours need nothing of the
//! others:
//!
//! ```text
//! for i in 0..s { for k in 0..n { e[k] = f(i, k, e[k]); } }   =   for each tile of 0..n { for i in 0..s { for k in the tile { .. } } }
//! ```
//!
//! and the states are changed in place. Sums over all k may be added to other states, at places
//! that do not depend on k: they are the sums of those over the tiles, which are added in their
//! order. Where all of it is a few instructions, a tile is computed a few elements at a time, which
//! stay in registers (`few.rs`).

use super::super::range::pattern_of;
use super::super::rows::Stored;
use super::{Function, Scope};
use crate::back::nest::Writer;
use crate::ir::bulk::Var;
use crate::ir::core::ReduceOp;
use crate::ir::kernel::{
    Affine, At, Compute, Contribution, Fill, Nest, Node, Range, Scalar, Sequence, Work,
};
use crate::ir::ty::{Atom, Elem, Size};
use crate::thresholds::STATES_CHANGED_TOGETHER;
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use std::collections::HashSet;

/// Of a loop over tiles: what its steps do.
pub(super) struct Tiled<'a> {
    /// The length of the tiled axis.
    pub(super) length: &'a Size,
    /// The nest that computes next elements of states.
    pub(super) nest: &'a Nest,
    /// These states, and the nodes.
    pub(super) next: Vec<(usize, Node)>,
    /// Sums that are added to other states.
    pub(super) sums: Vec<(usize, &'a Contribution)>,
}

impl<'a> Tiled<'a> {
    /// What a loop does in tiles, if it can be done so.
    pub(super) fn of(s: &'a Sequence) -> Option<Tiled<'a>> {
        let body = &s.body;
        s.steps.as_ref()?;
        if s.goes_on.is_some() || s.outs.iter().any(|o| o.result >= s.states) {
            return None;
        }
        let state_of = |v: Var| {
            let k = v.index().checked_sub(s.given.len())?;
            (k < s.states).then_some(k)
        };
        let result_of = |v: Var| body.results[..s.states].iter().position(|r| *r == v);
        let mut next = vec![];
        let mut nest = None;
        let mut sums = vec![];
        for step in &body.steps {
            match &step.work {
                Work::Nest(one) if nest.is_none() => {
                    nest = Some(one);
                    next.push((result_of(step.out)?, one.root));
                }
                Work::Family(family) if nest.is_none() => {
                    nest = Some(&family.nest);
                    for m in &family.members {
                        let Fill::Each(root) = &m.fill else {
                            return None;
                        };
                        next.push((result_of(m.var)?, *root));
                    }
                }
                Work::Change { of, adds, parts } => {
                    let k = state_of(of.array)?;
                    let is_array = step.ty.rank() > 0;
                    if !adds || !is_array || !of.taken || result_of(step.out) != Some(k) {
                        return None;
                    }
                    sums.extend(parts.iter().map(|c| (k, c)));
                }
                Work::Nest(_)
                | Work::Family(_)
                | Work::Scatter(_)
                | Work::Contract { .. }
                | Work::Recur { .. }
                | Work::Loop(_)
                | Work::Branch(_)
                | Work::Call(_)
                | Work::Tiles(_) => return None,
            }
        }
        let nest = nest?;
        let [length] = &nest.loops[..] else {
            return None;
        };
        let here = length.as_lit().is_none_or(|n| n > 64) && is_outside(length);
        let is_result_once = |k: &usize| {
            let results = &body.results[..s.states];
            results.iter().filter(|r| **r == results[*k]).count() == 1
        };
        // Each state is changed, added to, or stays.
        let stays = |k: usize| state_of(body.results[k]) == Some(k);
        let changed: HashSet<usize> = next.iter().map(|(k, _)| *k).collect();
        let added: HashSet<usize> = sums.iter().map(|(k, _)| *k).collect();
        let all = (0..s.states)
            .all(|k| stays(k) || changed.contains(&k) != added.contains(&k) && is_result_once(&k));
        let is_tiled = |k: &usize| {
            let ty = &body.params[s.given.len() + k].ty;
            ty.elem == Elem::Real && ty.shape == [length.clone()]
        };
        if !here || !all || next.len() > STATES_CHANGED_TOGETHER || !changed.iter().all(is_tiled) {
            return None;
        }
        let tiled = Tiled {
            length,
            nest,
            next,
            sums,
        };
        let may_read = |v: Var, at: &[At], l: usize| {
            if v.index() < s.given.len() {
                return true;
            }
            match state_of(v) {
                Some(k) if changed.contains(&k) => at == [At::Affine(Affine::of(l))],
                Some(k) => stays(k),
                None => v.index() == s.given.len() + s.states,
            }
        };
        let fits = is_plain(nest, 0, &may_read);
        (fits && tiled.sums.iter().all(|(_, c)| tiled.is_sum(c, &may_read))).then_some(tiled)
    }

    /// Whether a contribution is a sum over the tiled axis, to one place.
    fn is_sum(&self, c: &Contribution, may_read: &dyn Fn(Var, &[At], usize) -> bool) -> bool {
        let nest = &c.nest;
        let root = &nest.nodes[nest.root];
        let Compute::Reduce(ReduceOp::Sum, own, _) = &root.compute else {
            return false;
        };
        let [l] = own[..] else { return false };
        let place = |a: &At| matches!(a, At::Affine(a) if a.terms.is_empty());
        nest.outer == 0
            && nest.loops == [self.length.clone()]
            && c.at.iter().all(place)
            && (nest.nodes.iter().enumerate()).all(|(n, s)| n == nest.root || s.own().is_empty())
            && is_plain(nest, l, may_read)
    }
}

/// Whether a size is known before the loop.
fn is_outside(n: &Size) -> bool {
    let mut outside = true;
    n.visit(&mut |a| outside &= !matches!(a, Atom::Value(_)));
    outside
}

/// Whether a nest runs over all of its only loop, and reads what it may.
fn is_plain(nest: &Nest, l: usize, may_read: &dyn Fn(Var, &[At], usize) -> bool) -> bool {
    nest.ranges.iter().all(Range::is_whole)
        && nest.nodes.iter().all(|s| match &s.compute {
            Compute::Read(v, at) => may_read(*v, at, l),
            Compute::Reduce(..) => nest.outer == 0,
            Compute::ArgReduce(..) | Compute::Extreme(_) => false,
            Compute::Lit(_) | Compute::Index(_) | Compute::Prim(..) | Compute::Same(_) => true,
        })
}

/// Where the steps of a loop in tiles are written.
pub(super) struct Around<'a> {
    /// The index of a step.
    pub(super) index: &'a Ident,
    /// All steps, in ascending order.
    pub(super) range: TokenStream,
    /// Whether they run the other way.
    pub(super) reverse: bool,
}

impl Around<'_> {
    /// Something for all steps in a range.
    pub(super) fn each(&self, range: &TokenStream, body: &TokenStream) -> TokenStream {
        let pattern = pattern_of(self.index, body);
        let range = self.directed(range);
        quote!(for #pattern in #range { #body })
    }

    /// A range in the direction of the loop.
    pub(super) fn directed(&self, range: &TokenStream) -> TokenStream {
        match self.reverse {
            true => quote!((#range).rev()),
            false => range.clone(),
        }
    }
}

impl Function<'_> {
    /// The steps of a loop, tile by tile, in its body; `states` are their names. `None` if rows
    /// cannot be read there.
    pub(super) fn tile(
        &self,
        s: &Sequence,
        t: &Tiled<'_>,
        states: &[Ident],
        around: &Around<'_>,
    ) -> Option<TokenStream> {
        let state = |v: Var| {
            let k = v.index().checked_sub(s.given.len())?;
            t.next.iter().any(|(j, _)| *j == k).then_some(k)
        };
        let tile = self.fresh("tile");
        let parts: Vec<(usize, Ident)> = (t.next.iter())
            .map(|(k, _)| (*k, self.fresh(&format!("{}_part", states[*k]))))
            .collect();
        let looped = match self.in_registers(s, t) {
            true => self.few_of_tile(s, t, (states, &parts), (&tile, around))?,
            false => {
                let mut steps = TokenStream::new();
                for (k, c) in &t.sums {
                    let mut rows = TokenStream::new();
                    let mut named = vec![];
                    for (k, part) in &parts {
                        let row = self.fresh(&format!("{}_row", states[*k]));
                        if (reads(&c.nest)).any(|v| state(v) == Some(*k)) {
                            rows.extend(quote!(let #row = #part.row(#tile);));
                        }
                        named.push((*k, row));
                    }
                    let stored = |v: Var| named_as(&named, state(v)?).map(Stored::Row);
                    let sum = Writer::new(&c.nest, &[], self).sum_of_tile(&tile, &stored)?;
                    let name = match sum.light {
                        true => quote!(sum_light),
                        false => quote!(sum),
                    };
                    let (before, of, term) = (&sum.before, &sum.of, &sum.term);
                    let value = quote!({ #rows #before rt::#name #of (#tile, #term) });
                    steps.extend(self.sum_added(&states[*k], c, (&sum.guard, &value)));
                }
                let idents: Vec<&Ident> = parts.iter().map(|(_, part)| part).collect();
                steps.extend(self.replaced_parts(t, states, &tile, &idents, &state, &[])?);
                around.each(&around.range, &steps)
            }
        };
        let taken = parts.iter().map(|(k, part)| {
            let whole = &states[*k];
            quote!(let mut #part = #whole.part(#tile);)
        });
        let length = self.size(t.length).tokens;
        Some(quote!(for #tile in rt::tiles(#length) { #(#taken)* #looped }))
    }

    /// A sum is added where it belongs.
    pub(super) fn sum_added(
        &self,
        to: &Ident,
        c: &Contribution,
        (guard, value): (&Option<TokenStream>, &TokenStream),
    ) -> TokenStream {
        let place = c.at.iter().map(|a| match a {
            At::Affine(a) => self.size(&a.constant).tokens,
            At::Node(_) => unreachable!("places of sums are sizes"),
        });
        let add = quote!(#to[[#(#place),*]] += #value;);
        match guard {
            Some(g) => quote!(if #g { #add }),
            None => add,
        }
    }

    /// All next elements; `rows` are names for neighbours of what is given.
    pub(super) fn replaced_parts(
        &self,
        t: &Tiled<'_>,
        states: &[Ident],
        tile: &Ident,
        parts: &[&Ident],
        state: &dyn Fn(Var) -> Option<usize>,
        rows: &[(Var, Ident)],
    ) -> Option<TokenStream> {
        let roots: Vec<Node> = t.next.iter().map(|(_, n)| *n).collect();
        let mut w = Writer::new(t.nest, &roots[1..], self);
        let old: Vec<(usize, Ident)> = (t.next.iter())
            .map(|(k, _)| (*k, self.fresh(&format!("{}_old", states[*k]))))
            .collect();
        let stored = |v: Var| match state(v) {
            Some(k) => named_as(&old, k).map(Stored::Element),
            None => named_as(rows, v).map(Stored::Row),
        };
        let (before, index, value) = w.elements_of_tile(&roots, tile, &stored)?;
        let text = value.to_string();
        let names = old.iter().map(|(_, name)| {
            match text
                .split(|c: char| !c.is_alphanumeric() && c != '_')
                .any(|word| *name == word)
            {
                true => quote!(#name),
                false => quote!(_),
            }
        });
        let value = match &roots[..] {
            [_] => quote!((#value,)),
            _ => value,
        };
        Some(quote!(
            #before
            rt::replace_parts((#(&mut #parts,)*), |#index, (#(#names,)*)| #value);
        ))
    }
}

/// The arrays that a nest reads.
pub(super) fn reads(nest: &Nest) -> impl Iterator<Item = Var> {
    nest.nodes.iter().filter_map(Scalar::read)
}

/// What something is called.
pub(super) fn named_as<K: PartialEq>(names: &[(K, Ident)], k: K) -> Option<Ident> {
    let (_, name) = names.iter().find(|(j, _)| *j == k)?;
    Some(name.clone())
}
