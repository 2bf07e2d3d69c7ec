//! Constants that are carried: the program sees handles, see [`crate::front::opaque`].
//!
//! ```text
//! let (name_kept, name) = (name, 3 * PLACES);
//! match result / PLACES { 3 => name_kept.clone(), .. }
//! ```

use super::Function;
use crate::back::data::Given;
use crate::front::opaque::PLACES;
use crate::front::types::{Written, spelled};
use crate::ir::bulk::Var;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

/// The name of what the handles of a parameter stand for.
pub(super) fn kept(param: &TokenStream) -> Ident {
    format_ident!("{}_kept", param.to_string().trim_start_matches("r#"))
}

impl Function<'_> {
    /// What a handle stands for, or a list of handles: a clone of a value that came in.
    pub(in crate::back) fn carried(&self, v: Var, w: &Written) -> TokenStream {
        let ident = self.local(v).ident;
        let places = Literal::i64_unsuffixed(PLACES);
        let same = spelled(&w.ty);
        let params = self.params.iter().enumerate();
        let arms = params.filter_map(|(k, p)| {
            let of = p.written.as_ref()?;
            let is_same = of.is_opaque() && spelled(&of.ty) == same;
            let kept = is_same.then(|| kept(&p.tokens))?;
            let value = match of.rank {
                0 => quote!(#kept),
                _ => quote!(&#kept[(handle % #places) as usize]),
            };
            let k = Literal::i64_unsuffixed(k as i64);
            Some(quote!(#k => ::core::clone::Clone::clone(#value),))
        });
        let arms: TokenStream = arms.collect();
        let chosen = quote!(match handle / #places { #arms _ => rt::no_variant() });
        match w.rank {
            0 => quote!({ let handle: i64 = #ident; #chosen }),
            _ => quote! {
                (0..#ident.len(0))
                    .map(|at| {
                        let handle: i64 = #ident[[at]];
                        #chosen
                    })
                    .collect()
            },
        }
    }

    /// The statements that make the handles of a parameter, beside what they stand for.
    pub(super) fn handles(&self, k: usize, given: &Given, w: &Written) -> TokenStream {
        let (ident, name) = (&given.tokens, &given.said);
        let kept = kept(ident);
        let first = Literal::i64_suffixed(k as i64 * PLACES);
        match w.rank {
            0 => quote!(let (#kept, #ident) = (#ident, #first);),
            _ => quote! {
                let #kept = #ident;
                let #ident: ::std::vec::Vec<i64> =
                    (0..#kept.len() as i64).map(|at| #first + at).collect();
                let #ident = rt::slice(#name, &#ident[..]);
            },
        }
    }
}
