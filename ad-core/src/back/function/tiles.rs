//! Tiles: a closure that makes some neighbouring elements of arrays.

use super::{Function, Local, Scope, memory};
use crate::ir::bulk::Var;
use crate::ir::kernel::{Division, Tiles};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};

impl Function<'_> {
    pub(super) fn tiles(&self, t: &Tiles) -> TokenStream {
        let named = |ident: &Ident, bare: bool| Local {
            ident: ident.to_token_stream(),
            scalar: None,
            bare,
            is_view: false,
            small: None,
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
        let (mut shapes, mut pieces, mut pattern) = (vec![], vec![], vec![]);
        let mut names: Vec<(Var, Ident)> = vec![];
        for out in &t.outs {
            let name = self.fresh(&self.wish(out.var));
            let mutable = self.mutable.contains(&out.var).then(|| quote!(mut));
            pattern.push(quote!(#mutable #name));
            names.push((out.var, name));
            let v = t.body.results[out.result];
            let piece = match inner.local(v).is_view {
                true => inner.copy_of(v, None),
                false => Self::moved(&inner.local(v), None),
            };
            let shape = self.shape_tokens(&out.ty);
            let (shape, piece) = match t.added.contains(&out.result) {
                true => (quote!(()), quote!(rt::Added(#piece))),
                false => (quote!([#(#shape),*]), piece),
            };
            shapes.push(shape);
            pieces.push(piece);
        }
        for (v, name) in &names {
            self.locals.borrow_mut().insert(*v, named(name, false));
        }
        let extent = self.size(&t.extent).tokens;
        let (kernel, each) = match &t.division {
            Division::Tiles(elements) => (quote!(in_tiles), elements),
            Division::Shares(work) => (quote!(in_shares), work),
        };
        let (each, set) = (self.size(each).tokens, self.instruction_set());
        quote! {
            let (#(#pattern,)*) = rt::#kernel::<#set, _>(#extent, #each, (#(#shapes,)*), |#first, #length| {
                #steps
                (#(#pieces,)*)
            });
        }
    }

    /// What the code of a body is compiled for.
    fn instruction_set(&self) -> TokenStream {
        match self.root().dispatched {
            true => self.set().into_token_stream(),
            false => quote!(rt::Baseline),
        }
    }

    /// The name of the type parameter that says so.
    pub(super) fn set(&self) -> Ident {
        let real = &self.context.signature.real;
        let name = if real.name() == "Set" { "Set_" } else { "Set" };
        Ident::new(name, Span::mixed_site())
    }
}
