//! Gradients that are written where the caller has room for them, with memory that is kept between calls.

use super::emit::{Context, name};
use super::names::Names;
use crate::front::attr::Modes;
use crate::pipeline::Derivative;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};

impl Context<'_> {
    /// `f_grad_into` and `f_value_and_grad_into`, if they are asked for: `f_grad` and `f_value_and_grad` in
    /// a workspace.
    /// In an `impl` block, functions are found by way of its type.
    pub(crate) fn functions_into(&self, modes: Modes, in_impl: bool) -> TokenStream {
        if !(modes.into && modes.grad) {
            return TokenStream::new();
        }
        let both = [Derivative::Grad, Derivative::ValueAndGrad];
        both.map(|what| self.function_into(what, in_impl))
            .into_iter()
            .collect()
    }

    fn function_into(&self, what: Derivative, in_impl: bool) -> TokenStream {
        let signature = self.signature;
        let args = &signature.args;
        let of = name(signature, what);
        let name = format_ident!("{of}_into");
        let mut names = Names::without(args.iter().map(|a| a.ident.to_string()));
        let mut fresh = |hint| Ident::new(&names.fresh(hint).to_string(), Span::call_site());
        let (gradient, workspace) = (fresh("gradient"), fresh("workspace"));
        let params = args.iter().map(|a| {
            let (ident, ty) = (&a.ident, &a.ty.ty);
            quote!(#ident: #ty)
        });
        let given = args.iter().map(|a| &a.ident);
        let owner = in_impl.then(|| quote!(Self::));
        let root = &self.root;
        let rt = quote!(#root::runtime::kernels);
        let (vis, cfg) = (&signature.vis, &signature.cfg);
        let (generics, _, clause) = signature.generics.split_for_impl();
        let to = self.gradient();
        let value = self.owned(&signature.result.tree);
        let (output, body) = match (what, &signature.wrapper) {
            (_, Some(wrapper)) => {
                let (ty, taken, back) = match what {
                    Derivative::ValueAndGrad => (value, quote!((value, from)), quote!(value)),
                    Derivative::Value | Derivative::Grad | Derivative::Vjp | Derivative::Jvp => {
                        (quote!(()), quote!(from), quote!(()))
                    }
                };
                let (ty, back) = (self.wrapped(&ty), wrapper.there(&back));
                let body = quote! {
                    #rt::within(#workspace, || -> #ty {
                        let #taken = #owner #of(#(#given),*)?;
                        #rt::Refill::refill(#gradient, from);
                        #back
                    })
                };
                (Some(quote!(-> #ty)), body)
            }
            (Derivative::ValueAndGrad, None) => {
                let body = quote! {
                    #rt::within(#workspace, || {
                        let (value, from) = #owner #of(#(#given),*);
                        #rt::Refill::refill(#gradient, from);
                        value
                    })
                };
                (Some(quote!(-> #value)), body)
            }
            (Derivative::Value | Derivative::Grad | Derivative::Vjp | Derivative::Jvp, None) => {
                let call = quote!(#owner #of(#(#given),*));
                let body = quote!(#rt::refill(#gradient, #workspace, || #call));
                (None, body)
            }
        };
        let docs = [
            format!(" The same as `{of}`, with the gradient written into `{gradient}`."),
            String::new(),
            format!(
                " Memory is that of `{workspace}`: a second call with the same sizes allocates none."
            ),
            String::new(),
            " # Panics".into(),
            String::new(),
            format!(" If `{gradient}` has another shape than the gradient, or as in `{of}`."),
        ];
        let allow = super::emit::allowed();
        quote! {
            #(#cfg)*
            #(#[doc = #docs])*
            #allow
            #[track_caller]
            #vis fn #name #generics (
                #(#params,)* #gradient: &mut #to, #workspace: &mut #root::Workspace
            ) #output #clause {
                #body
            }
        }
    }
}
