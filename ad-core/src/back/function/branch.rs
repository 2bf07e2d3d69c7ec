//! Programs that run where a condition holds.

use super::{Function, Local, Scope, small};
use crate::back::real;
use crate::ir::kernel::{Branch, Out, Side};
use crate::ir::ty::Lit;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};

impl Function<'_> {
    /// `let (t, ..) = if condition { .. } else { .. };`
    pub(super) fn branch(&self, b: &Branch) -> TokenStream {
        let then = self.side(&b.then, &b.outs);
        let otherwise = match &b.otherwise {
            Some(side) => self.side(side, &b.outs),
            None => self.none(&b.outs),
        };
        let (mut names, mut types, mut locals) = (vec![], vec![], vec![]);
        for out in &b.outs {
            let (ty, small) = (&out.ty, small::len(&out.ty));
            let name: Ident = self.fresh(&self.wish(out.var));
            let mutable = self.mutable.contains(&out.var).then(|| quote!(mut));
            names.push(quote!(#mutable #name));
            types.push(match ty.rank() {
                0 => self.scalar(ty.elem),
                _ => self.owned(ty, small),
            });
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
        let (names, types) = (tuple(names), tuple(types));
        quote! {
            let #names: #types = if #when { #then } else { #otherwise };
        }
    }

    /// What a side computes, and its results behind it.
    fn side(&self, side: &Side, outs: &[Out]) -> TokenStream {
        let params: Vec<Local> = side.given.iter().map(|v| self.local(*v)).collect();
        let inner = self.inside(&side.body, &params, 0);
        let steps = inner.steps();
        let mut made = vec![];
        for (k, out) in outs.iter().enumerate() {
            let (v, small) = (side.body.results[out.result], small::len(&out.ty));
            if out.ty.rank() == 0 {
                made.push(inner.read(v, &[]).tokens);
                continue;
            }
            let later = &outs[k + 1..];
            let is_last = later.iter().all(|o| side.body.results[o.result] != v);
            let is_own = v.index() >= side.body.params.len() && !inner.local(v).is_view;
            made.push(match is_last && is_own {
                true => Self::moved(&inner.local(v), small),
                false => inner.copy_of(v, small),
            });
        }
        let made = tuple(made);
        quote!(#steps #made)
    }

    /// The results where no side runs: they are not read.
    fn none(&self, outs: &[Out]) -> TokenStream {
        let zero = |out: &Out| {
            let ty = &out.ty;
            if ty.rank() == 0 {
                return real::literal(Lit::zero(ty.elem), &self.context.signature.real).tokens;
            }
            let shape = self.shape_tokens(ty);
            match small::len(ty) {
                Some(_) => quote!(rt::blank_small([#(#shape),*])),
                None => quote!(rt::blank([#(#shape),*])),
            }
        };
        tuple(outs.iter().map(zero).collect())
    }
}

fn tuple(all: Vec<TokenStream>) -> TokenStream {
    match &all[..] {
        [one] => quote!(#one),
        _ => quote!((#(#all),*)),
    }
}
