//! Programs that run where a condition holds.

use super::{Function, Local, Scope, small};
use crate::back::real;
use crate::ir::kernel::Branch;
use crate::ir::ty::Lit;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};

impl Function<'_> {
    /// `let (t, ..) = if condition { .. } else { zeros };`
    pub(super) fn branch(&self, b: &Branch) -> TokenStream {
        let params: Vec<Local> = b.given.iter().map(|v| self.local(*v)).collect();
        let inner = self.inside(&b.body, &params, 0);
        let steps = inner.steps();
        let (mut names, mut types, mut made, mut zeros) = (vec![], vec![], vec![], vec![]);
        let mut locals = vec![];
        for (k, out) in b.outs.iter().enumerate() {
            let (ty, small) = (&out.ty, small::len(&out.ty));
            let name: Ident = self.fresh(&self.wish(out.var));
            let mutable = self.mutable.contains(&out.var).then(|| quote!(mut));
            names.push(quote!(#mutable #name));
            let v = b.body.results[out.result];
            if ty.rank() == 0 {
                types.push(self.scalar(ty.elem));
                made.push(inner.read(v, &[]).tokens);
                let real = &self.context.signature.real;
                zeros.push(real::literal(Lit::zero(ty.elem), real).tokens);
            } else {
                types.push(self.owned(ty, small));
                let later = &b.outs[k + 1..];
                let is_last = later.iter().all(|o| b.body.results[o.result] != v);
                let is_own = v.index() >= b.body.params.len() && !inner.local(v).is_view;
                made.push(match is_last && is_own {
                    true => Self::moved(&inner.local(v), small),
                    false => inner.copy_of(v, small),
                });
                let shape = self.shape_tokens(ty);
                zeros.push(match small {
                    Some(_) => quote!(rt::blank_small([#(#shape),*])),
                    None => quote!(rt::blank([#(#shape),*])),
                });
            }
            let local = Local {
                ident: name.to_token_stream(),
                scalar: None,
                bare: ty.rank() == 0,
                is_view: false,
                small: small.filter(|_| ty.rank() > 0),
                is_typed: true,
            };
            locals.push((out.var, local));
        }
        let when = self.read(b.when, &[]).tokens;
        self.locals.borrow_mut().extend(locals);
        let tuple = |all: Vec<TokenStream>| match &all[..] {
            [one] => quote!(#one),
            _ => quote!((#(#all),*)),
        };
        let [names, types, made, zeros] = [names, types, made, zeros].map(tuple);
        quote! {
            let #names: #types = if #when {
                #steps
                #made
            } else {
                #zeros
            };
        }
    }
}
