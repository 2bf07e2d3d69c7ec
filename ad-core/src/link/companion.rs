//! Companions as they are emitted beside a function, and the type that holds its constants.

use super::{Around, BROKEN, Place, STRUCT, allowed, constant, encode};
use crate::back::emit;
use crate::expand::generated;
use crate::front::Annotated;
use crate::front::attr::Modes;
use crate::front::lower::annotated::MACROS;
use crate::front::real::RealType;
use crate::front::signature::Signature;
use crate::front::structs::Struct;
use crate::ir::ty::Elem;
use crate::pipeline::Derivative;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt;

/// The companions of a function and of what is generated from it.
pub(crate) fn companions(f: &Annotated, place: &Place) -> TokenStream {
    let said = |what| encode(f, what);
    let companions = all(&f.signature, f.promise.modes, place, &said);
    let constants = constants(f, place);
    quote!(#constants #companions)
}

/// The companions of a function that is wrong.
pub(crate) fn broken(signature: &Signature, modes: Modes, place: &Place) -> TokenStream {
    all(signature, modes, place, &|_| BROKEN.to_owned())
}

/// The names of a function and of what is generated from it, but for those that other macros have.
fn names(signature: &Signature, modes: Modes) -> Vec<(Option<Derivative>, Ident)> {
    let mut names = vec![(None, signature.ident.clone())];
    for what in generated(modes) {
        names.push((Some(what), emit::name(signature, what)));
    }
    names.retain(|(_, name)| !MACROS.contains(&name.to_string().as_str()));
    names
}

/// A name that nothing else in the crate has.
fn hidden(role: &str, name: &Ident, place: &Place) -> Ident {
    let (name, unique) = (name.unraw(), &place.unique);
    format_ident!(
        "__cotangent_{role}_{name}_{unique}",
        span = Span::call_site()
    )
}

/// The type that holds the constants a function uses, under its name and those of what is generated from it;
/// nothing where it uses none.
fn constants(f: &Annotated, place: &Place) -> TokenStream {
    if f.consts.is_empty() {
        return TokenStream::new();
    }
    let Signature {
        ident, vis, cfg, ..
    } = &f.signature;
    let cfg = quote!(#(#cfg)*);
    let holder = hidden("constants", ident, place);
    let allow = allowed();
    // What belongs to the type parameter has another value for each type.
    let real = &f.signature.real;
    let is_fixed = |path: &syn::Path| match real {
        RealType::F64 | RealType::F32 => true,
        RealType::Parameter(own) => path.segments.first().is_none_or(|s| s.ident != *own),
    };
    let consts = f.consts.iter().enumerate();
    let consts = consts.filter(|(_, c)| is_fixed(&c.path)).map(|(k, c)| {
        let (ident, path) = (format_ident!("{}", constant(k)), &c.path);
        let ty = match c.elem {
            Elem::Int => quote!(i64),
            Elem::Real => quote!(f64),
            Elem::Bool => quote!(bool),
        };
        quote!(pub const #ident: #ty = #path as #ty;)
    });
    let names = names(&f.signature, f.promise.modes);
    let names = names.iter().map(|(_, name)| name);
    let imports = match (place.around, one_deeper(vis)) {
        // What the user calls so goes before what comes by `*`.
        (Around::Module, Some(vis_inside)) => {
            let module = hidden("names", ident, place);
            quote! {
                #cfg
                #[doc(hidden)]
                #allow
                mod #module { #(#vis_inside use super::#holder as #names;)* }
                #cfg
                #[doc(hidden)]
                #allow
                #vis use #module::*;
            }
        }
        (Around::Module | Around::Impl | Around::Unknown, _) => {
            quote!(#(#cfg #[doc(hidden)] #allow #vis use #holder as #names;)*)
        }
    };
    quote! {
        #cfg
        #[doc(hidden)]
        #allow
        #vis enum #holder {}
        #cfg
        #allow
        impl #holder { #(#consts)* }
        #imports
    }
}

/// The same visibility, written one module further in.
fn one_deeper(vis: &syn::Visibility) -> Option<syn::Visibility> {
    match vis {
        syn::Visibility::Inherited => Some(syn::parse_quote!(pub(super))),
        syn::Visibility::Public(_) => Some(vis.clone()),
        syn::Visibility::Restricted(restricted) => {
            let path = &restricted.path;
            let first = path.segments.first()?.ident.to_string();
            match first.as_str() {
                "crate" => Some(vis.clone()),
                "super" => Some(syn::parse_quote!(pub(in super::#path))),
                _ => None,
            }
        }
    }
}

fn all(
    signature: &Signature,
    modes: Modes,
    place: &Place,
    said: &dyn Fn(Option<Derivative>) -> String,
) -> TokenStream {
    let names = names(signature, modes).into_iter();
    names
        .map(|(what, name)| {
            let beside = (&signature.vis, &signature.cfg[..]);
            companion(beside, &name, place, &said(what))
        })
        .collect()
}

/// The companion of a struct; of a broken one, if nothing is known.
pub(crate) fn companion_of_struct(
    item: &syn::ItemStruct,
    of: Option<&Struct>,
    place: &Place,
) -> TokenStream {
    let said = of.map_or(BROKEN.to_owned(), |of| format!("{STRUCT}{}", of.encode()));
    let cfg = item.attrs.iter().filter(|a| a.path().is_ident("cfg"));
    let cfg: Vec<syn::Attribute> = cfg.cloned().collect();
    companion((&item.vis, &cfg), &item.ident, place, &said)
}

/// One companion.
fn companion(
    (vis, cfg): (&syn::Visibility, &[syn::Attribute]),
    name: &Ident,
    place: &Place,
    said: &str,
) -> TokenStream {
    let cfg = quote!(#(#cfg)*);
    let allow = allowed();
    let hidden = hidden("of", name, place);
    // Only what is exported can be re-exported.
    let export = matches!(vis, syn::Visibility::Public(_)).then(|| quote!(#[macro_export]));
    let said = Literal::string(said);
    quote! {
        #cfg
        #[doc(hidden)]
        #allow
        #export
        macro_rules! #hidden {
            (($($resume:tt)*) $($state:tt)*) => { $($resume)* ! { $($state)* #said } };
        }
        #cfg
        #[doc(hidden)]
        #allow
        #vis use #hidden as #name;
    }
}
