//! Tiles: a loop whose steps make some neighbouring elements of arrays.

use super::{Function, Local, Scope, memory};
use crate::ir::kernel::{Out, Tiles};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, quote};

impl Function<'_> {
    pub(super) fn tiles(&self, t: &Tiles) -> TokenStream {
        let named = |ident: &Ident, bare: bool| Local {
            ident: ident.to_token_stream(),
            scalar: None,
            bare,
            is_view: false,
            is_typed: true,
        };
        let mut params: Vec<Local> = t.given.iter().map(|v| self.local(*v)).collect();
        let (first, length) = (self.fresh("first"), self.fresh("len"));
        params.extend([&first, &length].map(|name| named(name, true)));
        let inner = self.inside(&t.body, &params, 0);
        let mut steps = TokenStream::new();
        for (step, gone) in t.body.steps.iter().zip(memory::gone(&t.body)) {
            steps.extend(inner.step(step));
            for v in gone {
                let array = &inner.local(v).ident;
                steps.extend(quote!(::core::mem::drop(#array);));
            }
        }
        let mut before = TokenStream::new();
        let mut after = TokenStream::new();
        let mut names = vec![];
        for out in &t.outs {
            let name = self.fresh(&self.wish(out.var));
            let (elem, rank) = self.elem_and_rank(out);
            let shape = self.shape_tokens(&out.ty);
            before.extend(quote!(let mut #name = rt::Slabs::<#elem, #rank>::new([#(#shape),*]);));
            let v = t.body.results[out.result];
            let part = match inner.local(v).is_view {
                true => inner.copy_of(v),
                false => inner.local(v).ident,
            };
            steps.extend(quote!(#name.put(#first, #part);));
            let mutable = self.mutable.contains(&out.var).then(|| quote!(mut));
            after.extend(quote!(let #mutable #name = #name.finish();));
            names.push(name);
        }
        for (out, name) in t.outs.iter().zip(&names) {
            self.locals.borrow_mut().insert(out.var, named(name, false));
        }
        let (extent, each) = (self.size(&t.extent).tokens, self.size(&t.each).tokens);
        quote! {
            #before
            for (#first, #length) in rt::tiles(#extent, #each) { #steps }
            #after
        }
    }

    fn elem_and_rank(&self, out: &Out) -> (TokenStream, Literal) {
        let rank = Literal::usize_unsuffixed(out.ty.rank());
        (self.scalar(out.ty.elem), rank)
    }
}
