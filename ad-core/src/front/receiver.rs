//! Methods. The expansion of an attribute does not see the `impl` block around it; what `self` is
//! has to be found out first, and is then written out.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "the enums of syn are open; what is not listed is left alone"
)]

use super::nesting::too_deep;
use super::structs::put;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

/// A method with the type of `self` written out, `self: &Model` for `&self`, and with that type for
/// `Self`. What is no method, or no function at all, is left alone; so is a method if nobody says
/// what `self` is. `is_member`: the block is annotated, and `Self` is known in functions without
/// `self`, too.
pub fn explicit(item: TokenStream, self_type: Option<&syn::Type>, is_member: bool) -> TokenStream {
    if too_deep(&item).is_some() {
        return item;
    }
    let Ok(mut function) = syn::parse2::<syn::ItemFn>(item.clone()) else {
        return item;
    };
    let Some(syn::FnArg::Receiver(receiver)) = function.sig.inputs.first() else {
        return match self_type.filter(|_| is_member) {
            Some(ty) => without_self(function, ty),
            None => item,
        };
    };
    if receiver.mutability.is_some() {
        return item;
    }
    let token = &receiver.self_token;
    let (ty, first) = match (&receiver.kind, self_type) {
        (syn::ReceiverKind::Typed(_, ty), _) if !names_self(ty) => {
            let bare = match &**ty {
                syn::Type::Reference(r) => &*r.elem,
                ty => ty,
            };
            (bare.clone(), quote!(#token: #ty))
        }
        (syn::ReceiverKind::Value, Some(ty)) => (ty.clone(), quote!(#token: #ty)),
        (syn::ReceiverKind::Reference(and, life, mutable), Some(ty)) => {
            (ty.clone(), quote!(#token: #and #life #mutable #ty))
        }
        (..) => return item,
    };
    let Ok(first) = syn::parse2::<syn::FnArg>(first) else {
        return item;
    };
    if let Some(receiver) = function.sig.inputs.first_mut() {
        *receiver = first;
    }
    without_self(function, &ty)
}

/// A function with this type for `Self`.
fn without_self(function: syn::ItemFn, ty: &syn::Type) -> TokenStream {
    // In an expression a type has no arguments, and is not borrowed.
    let bare = match ty {
        syn::Type::Reference(r) => &*r.elem,
        ty => ty,
    };
    let path = match bare {
        syn::Type::Path(path) => super::callee::without_arguments(&path.path).to_token_stream(),
        ty => ty.to_token_stream(),
    };
    let written = |tokens, of| put(tokens, &[("Self".to_owned(), of)]);
    let body = written(function.block.to_token_stream(), path);
    let syn::ItemFn {
        attrs, vis, sig, ..
    } = function;
    let sig = written(sig.to_token_stream(), ty.to_token_stream());
    quote!(#(#attrs)* #vis #sig #body)
}

fn names_self(ty: &syn::Type) -> bool {
    let bare = match ty {
        syn::Type::Reference(r) => &*r.elem,
        ty => ty,
    };
    matches!(bare, syn::Type::Path(path) if path.path.is_ident("Self"))
}
