//! Results that are written where the caller has room for them, with memory that is kept between
//! calls.

use super::emit::{Context, name, tuple};
use super::names::Names;
use crate::derivative::{Derivative, Gives, Modes};
use crate::front::data::Tree;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};

impl Context<'_> {
    /// `f_grad_into` and its like, if they are asked for: the generated functions in a workspace.
    /// In an `impl` block, functions are found by way of its type.
    pub(crate) fn functions_into(&self, modes: Modes, in_impl: bool) -> TokenStream {
        let all = modes.derivatives().into_iter().filter(|_| modes.into);
        let derived = all.filter(|what| what.has_into());
        derived
            .map(|what| self.function_into(what, in_impl))
            .collect()
    }

    fn function_into(&self, what: Derivative, in_impl: bool) -> TokenStream {
        if let Some(single) = self.single(what) {
            return self.of_signature(&single).function_into(what, in_impl);
        }
        let signature = self.signature;
        let args = &signature.args;
        let of = name(signature, what);
        let name = format_ident!("{of}_into");
        let extra = self.extra_params(what);
        let own = args.iter().map(|a| a.ident.to_string());
        let mut names = Names::without(own.chain(extra.iter().map(|(ident, _)| ident.to_string())));
        let mut fresh = |hint: &str| Ident::new(&names.fresh(hint).to_string(), Span::call_site());
        let mut rooms: Vec<(Ident, TokenStream)> = vec![];
        let (mut returned, mut parts, mut refills) = (None, vec![], vec![]);
        let root = &self.root;
        let rt = quote!(#root::runtime::kernels);
        for (gives, ty) in self.parts(what) {
            let part = fresh("part");
            let is_returned = match gives {
                Gives::Value => !has_array(&signature.result.tree),
                Gives::Aux => !has_array(self.aux()),
                Gives::Tangent
                | Gives::Gradient
                | Gives::Jacobian
                | Gives::Tangents
                | Gives::Gradients
                | Gives::Sparse
                | Gives::Linear
                | Gives::Coefficients => false,
            };
            if is_returned {
                returned = Some((quote!(#part), ty));
            } else {
                let room = fresh(match gives {
                    Gives::Value => "value",
                    Gives::Aux => "aux",
                    Gives::Tangent => "tangent",
                    Gives::Tangents => "tangents",
                    Gives::Gradients => "gradients",
                    Gives::Gradient => "gradient",
                    Gives::Jacobian => "jacobian",
                    Gives::Sparse | Gives::Linear | Gives::Coefficients => {
                        unreachable!("has no form of its own")
                    }
                });
                refills.push(quote!(#rt::Refill::refill(#room, #part);));
                // Results come before derivatives.
                let at = match gives {
                    Gives::Aux => 0,
                    Gives::Value
                    | Gives::Tangent
                    | Gives::Gradient
                    | Gives::Jacobian
                    | Gives::Tangents
                    | Gives::Gradients
                    | Gives::Sparse
                    | Gives::Linear
                    | Gives::Coefficients => rooms.len(),
                };
                rooms.insert(at, (room, ty));
            }
            parts.push(quote!(#part));
        }
        let workspace = fresh("workspace");
        let params = self.own_params().into_iter();
        let params = params.map(|(ident, ty)| quote!(#ident: #ty));
        let more = extra.iter().map(|(ident, ty)| quote!(#ident: #ty));
        let written = rooms.iter().map(|(room, ty)| quote!(#room: &mut #ty));
        let given = (args.iter().map(|a| &a.ident)).chain(extra.iter().map(|(ident, _)| ident));
        let owner = in_impl.then(|| quote!(Self::));
        let (vis, cfg) = (&signature.vis, &signature.cfg);
        let (generics, _, clause) = signature.own_generics.split_for_impl();
        let parts = tuple(parts);
        let call = quote!(#owner #of(#(#given),*));
        let (output, body) = match &signature.wrapper {
            Some(wrapper) => {
                let (back, ty) = returned.unwrap_or((quote!(()), quote!(())));
                let (ty, back) = (self.wrapped(&ty), wrapper.there(&back));
                let body = quote! {
                    #rt::within(#workspace, || -> #ty {
                        let #parts = #call?;
                        #(#refills)*
                        #back
                    })
                };
                (Some(quote!(-> #ty)), body)
            }
            None => {
                let (returned, ty): (Option<_>, Option<_>) = returned.unzip();
                let body = quote! {
                    #rt::within(#workspace, || {
                        let #parts = #call;
                        #(#refills)*
                        #returned
                    })
                };
                (ty.map(|ty| quote!(-> #ty)), body)
            }
        };
        let rooms: Vec<String> = rooms.iter().map(|(room, _)| format!("`{room}`")).collect();
        let rooms = rooms.join(" and ");
        let docs = [
            format!(" The same as `{of}`, with results written into {rooms}."),
            String::new(),
            format!(
                " Memory is that of `{workspace}`: a second call with the same sizes allocates none."
            ),
            String::new(),
            " # Panics".into(),
            String::new(),
            format!(" If {rooms} has another shape than the result, or as in `{of}`."),
        ];
        let allow = super::emit::allowed();
        quote! {
            #(#cfg)*
            #(#[doc = #docs])*
            #allow
            #[track_caller]
            #vis fn #name #generics (
                #(#params,)* #(#more,)* #(#written,)* #workspace: &mut #root::Workspace
            ) #output #clause {
                #body
            }
        }
    }
}

/// Whether a part of it is an array whose length its type does not fix.
fn has_array(tree: &Tree) -> bool {
    !tree.leaves().iter().all(|written| written.is_fixed())
}
