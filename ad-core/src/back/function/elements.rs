//! The elements of an array: all of them by one expression, or some of them added to it.
//!
//! Which order of the loops is the best one is asked of the nest's writer; here is chosen between
//! what it offers, and which builder of the runtime gets it.

use super::{Function, Local, replaced, summed};
use crate::back::nest::Writer;
use crate::back::outside::outside;
use crate::back::range::pattern_of;
use crate::back::turned::turned;
use crate::ir::bulk::Type;
use crate::ir::kernel::{At, Contribution, Form, Nest};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

impl Function<'_> {
    /// A contribution to an array.
    pub(super) fn contribution(&self, c: &Contribution, to: &Ident, op: &str) -> TokenStream {
        let more: Vec<usize> = (c.at.iter())
            .filter_map(|a| match a {
                At::Node(n) => Some(*n),
                At::Affine(_) => None,
            })
            .collect();
        if c.nest.form == Form::ChangedRows {
            return Writer::new(&c.nest, &more, self).changed_by_rows(to, &c.at, op);
        }
        let mut w = Writer::new(&c.nest, &more, self).with_blocks();
        let all = w.assignment(to, &c.at, op);
        let plain = || Writer::new(&c.nest, &more, self).assignment(to, &c.at, op);
        w.choice(&all, &plain).unwrap_or(all)
    }

    /// The elements of a contribution, if it is to all elements of the result, each once.
    pub(super) fn whole(
        &self,
        c: &Contribution,
        ty: &Type,
        local: &mut Local,
    ) -> Option<TokenStream> {
        (c.is_whole(&ty.shape)).then(|| self.build(&c.nest, ty, local, &|| None))
    }

    /// An array by its elements; at a place of its own, if there is one.
    pub(super) fn build(
        &self,
        nest: &Nest,
        ty: &Type,
        local: &mut Local,
        room: &dyn Fn() -> Option<TokenStream>,
    ) -> TokenStream {
        let shape = self.shape_tokens(ty);
        if local.small.is_some() {
            local.is_typed = true;
            if let Some(rows) = outside(nest) {
                let statements = self.added(&rows, ty, local.small);
                return quote!({ #statements });
            }
            let mut w = Writer::new(nest, &[], self);
            return self.elements_of(&mut w, &quote!(build_small), &shape);
        }
        let mut w = Writer::new(nest, &[], self).with_blocks();
        local.is_typed = w.is_typed(nest.root);
        if nest.loops.len() == nest.outer
            && let Some(place) = room()
        {
            local.is_view = true;
            if let Form::Rows(cut) = nest.form {
                let row = Writer::new(nest, &[], self).by_rows(&[nest.root], cut);
                return quote!(rt::build_rows_in(#place, [#(#shape),*], #row));
            }
            let is_costly = w.is_costly(&[nest.root], false);
            let (index, body) = Self::element(&mut w);
            return match is_costly {
                true => quote!(rt::build_costly_in(#place, [#(#shape),*], |[#(#index),*]| #body)),
                false => quote!(rt::build_in(#place, [#(#shape),*], |[#(#index),*]| #body)),
            };
        }
        if let Some(copy) = w.as_copy_across() {
            return copy;
        }
        let blocks = match w.by_blocks() {
            Some(block) => quote!(rt::build_blocks([#(#shape),*], #block)),
            None => match nest.form {
                Form::Rows(cut) => {
                    let row = Writer::new(nest, &[], self).by_rows(&[nest.root], cut);
                    quote!(rt::build_rows([#(#shape),*], #row))
                }
                Form::Plain
                | Form::AddedRows { .. }
                | Form::RowTotals { .. }
                | Form::ChangedRows => self.elements(&mut w, &shape),
            },
        };
        let outside = outside(nest);
        let plain = || match &outside {
            Some(rows) => self.added(rows, ty, None),
            None => self.elements(&mut Writer::new(nest, &[], self), &shape),
        };
        let all = match (w.choice(&blocks, &plain), &outside) {
            (Some(chosen), _) => chosen,
            (None, Some(_)) => {
                let statements = plain();
                quote!({ #statements })
            }
            (None, None) => blocks,
        };
        self.by_points(nest, &shape, &all).unwrap_or(all)
    }

    /// An array of points by blocks of them, or what is written otherwise, whichever is better.
    fn by_points(
        &self,
        nest: &Nest,
        shape: &[TokenStream],
        otherwise: &TokenStream,
    ) -> Option<TokenStream> {
        let nest = turned(nest)?;
        let mut w = Writer::new(&nest, &[], self).with_blocks_of_points();
        let (kept, block) = w.by_points()?;
        let all = quote!(rt::build_turned([#(#shape),*], #kept, #block));
        w.choice(&all, &|| otherwise.clone())
    }

    /// Statements that make an array of a contribution to zeros.
    fn added(&self, c: &Contribution, ty: &Type, small: Option<usize>) -> TokenStream {
        let sums = self.fresh("sums");
        let zeros = self.zeros(None, small, &self.shape_tokens(ty));
        let of = self.annotation(ty, small);
        let all = self.contribution(c, &sums, "+=");
        quote!(let mut #sums #of = #zeros; #all #sums)
    }

    /// An array by its elements, one by one.
    fn elements(&self, w: &mut Writer<'_>, shape: &[TokenStream]) -> TokenStream {
        let old = (self.replaced.take()).map(|v| (self.local(v).ident, replaced::given(w, v)));
        let is_costly = w.is_costly(&[w.nest.root], false);
        let (index, body) = Self::element(w);
        match old {
            Some((array, element)) => {
                let element = pattern_of(&element, &body);
                quote!(rt::replace(#array, [#(#shape),*], |[#(#index),*], #element| #body))
            }
            None if self.summed.take().is_some() => summed::with_sum(shape, (&index, &body)),
            None if is_costly => quote!(rt::build_costly([#(#shape),*], |[#(#index),*]| #body)),
            None => quote!(rt::build([#(#shape),*], |[#(#index),*]| #body)),
        }
    }

    /// The same with a function of the runtime.
    fn elements_of(
        &self,
        w: &mut Writer<'_>,
        builder: &TokenStream,
        shape: &[TokenStream],
    ) -> TokenStream {
        let (index, body) = Self::element(w);
        quote!(rt::#builder([#(#shape),*], |[#(#index),*]| #body))
    }

    /// The element at an index.
    fn element(w: &mut Writer<'_>) -> (Vec<TokenStream>, TokenStream) {
        let (lets, root) = w.body();
        let root = root.tokens;
        let body = match lets.is_empty() {
            true => root,
            false => quote!({ #lets #root }),
        };
        let index = (w.loops[..w.nest.outer].iter()).map(|l| pattern_of(l, &body));
        (index.collect(), body)
    }
}
