//! Several arrays in one pass.

use super::{Function, Local, Scope, pattern_of, real};
use crate::back::nest::Writer;
use crate::ir::kernel::{Family, Fill, Member};
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};

/// For how many arrays the runtime has a function that fills them together.
const TOGETHER: usize = 16;

impl Function<'_> {
    /// Sums begin as arrays of their own; new arrays are what the pass returns.
    pub(super) fn family(&self, f: &Family) -> TokenStream {
        let mut before = TokenStream::new();
        let mut sums: Vec<(Ident, &Member)> = vec![];
        let mut new: Vec<(Ident, &Member)> = vec![];
        let mut placed: Vec<(Ident, &Member)> = vec![];
        for m in &f.members {
            match &m.fill {
                Fill::Each(_) if new.len() < TOGETHER => {
                    new.push((self.fresh(&self.wish(m.var)), m));
                }
                Fill::Each(_) => {
                    let name = self.fresh(&self.wish(m.var));
                    before.extend(self.stack(&name, &m.ty, true));
                    placed.push((name, m));
                }
                Fill::Sum { to, .. } => {
                    let (name, made) = match to {
                        Some(k) => self.begun(&f.begins[*k], m.var, &m.ty),
                        None => {
                            let name = self.fresh(&self.wish(m.var));
                            let shape = self.shape_tokens(&m.ty);
                            let called = self.model(m.var, &m.ty);
                            let real = &self.context.signature.real;
                            let zeros = real::zeros(real, called.as_deref(), &shape);
                            (name.clone(), quote!(let mut #name = #zeros;))
                        }
                    };
                    before.extend(made);
                    sums.push((name, m));
                }
            }
        }
        let more: Vec<usize> = f.roots().skip(1).chain(f.indices()).collect();
        let mut w = Writer::new(&f.nest, &more, self);
        let addends: Vec<_> = (sums.iter())
            .flat_map(|(to, m)| m.fill.parts().iter().map(|p| (to.clone(), p)))
            .collect();
        let elements: Vec<usize> = new.iter().flat_map(|(_, m)| m.fill.roots()).collect();
        let rest: Vec<_> = placed
            .iter()
            .map(|(to, m)| (to.clone(), m.fill.roots()[0]))
            .collect();
        let (lets, rest) = w.members(&rest, &addends, &elements);
        let is_block = !lets.is_empty() || !addends.is_empty() || !placed.is_empty();
        let body = quote!(#lets #rest);
        let index = w.loops[..f.nest.outer].iter();
        let index: Vec<TokenStream> = index.map(|l| pattern_of(l, &body)).collect();
        let extents = f.nest.loops[..f.nest.outer].iter();
        let extents = extents.map(|n| self.size(n).tokens);
        let body = match is_block {
            true => quote!({ #body }),
            false => body,
        };
        let patterns: Vec<TokenStream> = (new.iter())
            .map(|(name, m)| {
                let mutable = self.mutable.contains(&m.var).then(|| quote!(mut));
                quote!(#mutable #name)
            })
            .collect();
        let pass = quote!(([#(#extents),*], |[#(#index),*]| #body));
        // What is added somewhere is added once.
        let is_costly = addends.is_empty() && placed.is_empty() && w.is_costly(&elements, false);
        let pass = match (&patterns[..], is_costly) {
            ([], _) => quote!(rt::for_each #pass;),
            ([one], false) => quote!(let #one = rt::build #pass;),
            ([one], true) => quote!(let #one = rt::build_costly #pass;),
            (many, false) => quote!(let (#(#many),*) = rt::build_all #pass;),
            (many, true) => quote!(let (#(#many),*) = rt::build_all_costly #pass;),
        };
        for (name, m) in sums.iter().chain(&placed).chain(&new) {
            let is_typed = match &m.fill {
                Fill::Each(n) => w.is_typed(*n),
                Fill::Sum { to: None, .. } => true,
                Fill::Sum { to: Some(k), .. } => self.is_typed(f.begins[*k].array),
            };
            let local = Local {
                ident: name.to_token_stream(),
                scalar: None,
                bare: false,
                is_view: false,
                is_typed,
            };
            self.locals.borrow_mut().insert(m.var, local);
        }
        quote!(#before #pass)
    }
}
