//! Generic code over the traits of `num_traits` and ndarray: what its generated functions are
//! generic over.
//!
//! ```text
//! fn f<T: Float>(x: &[T]) -> T                  fn f_grad<T: Float + Real>(x: &[T]) -> Vec<T>
//! fn f<S: Data<Elem = f64>>(x: &ArrayBase<S, Ix1>) -> f64
//!                                               fn f_grad(x: &ArrayRef<f64, Ix1>) -> Array<f64, Ix1>
//! ```
//!
//! The function itself stays as it is. A reference to any `ArrayBase` coerces to an `ArrayRef`, so
//! the generated functions take the same arguments.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "the enums of syn are open; what is not listed is left as it is"
)]

use proc_macro2::TokenStream;
use quote::ToTokens;
use std::collections::HashMap;
use syn::parse_quote;

/// The traits that only types of real numbers have, besides `Real`.
const REALS: [&str; 3] = ["Float", "NdFloat", "FloatCore"];

/// The traits of what an array keeps its elements in.
const STORAGE: [&str; 5] = ["Data", "RawData", "DataMut", "DataOwned", "RawDataClone"];

/// Whether a type parameter stands for real numbers.
pub(super) fn is_real(generics: &syn::Generics, param: &syn::Ident) -> bool {
    bounds(generics, param).any(|b| is_named(b, &["Real"]) || is_named(b, &REALS))
}

/// The signature in terms of `Real` and of arrays of a known storage.
pub(super) fn in_own_terms(sig: &syn::Signature, root: &TokenStream) -> syn::Signature {
    let mut sig = sig.clone();
    let names: Vec<syn::Ident> = (sig.generics.type_params())
        .map(|p| p.ident.clone())
        .collect();
    let mut elements = HashMap::new();
    for name in names {
        if let Some(element) = element_of_storage(&sig.generics, &name) {
            elements.insert(name.to_string(), element);
        } else if bounds(&sig.generics, &name).any(|b| is_named(b, &REALS))
            && !bounds(&sig.generics, &name).any(|b| is_named(b, &["Real"]))
        {
            let param = sig.generics.type_params_mut().find(|p| p.ident == name);
            if let Some(param) = param {
                param.bounds.push(parse_quote!(#root::prelude::Real));
            }
        }
    }
    if elements.is_empty() {
        return sig;
    }
    for input in &mut sig.inputs {
        if let syn::FnArg::Typed(typed) = input {
            as_array_ref(&mut typed.ty, &elements, root);
        }
    }
    without(&mut sig.generics, &elements);
    sig
}

/// The bounds of a type parameter, where it is declared and in the `where` clause.
fn bounds<'g>(
    generics: &'g syn::Generics,
    name: &'g syn::Ident,
) -> impl Iterator<Item = &'g syn::TypeParamBound> {
    let own = generics.type_params().filter(move |p| p.ident == *name);
    let clauses = generics.where_clause.iter().flat_map(|w| &w.predicates);
    let clauses = clauses.filter_map(move |clause| match clause {
        syn::WherePredicate::Type(of) if is_type(&of.bounded_ty, name) => Some(&of.bounds),
        _ => None,
    });
    own.flat_map(|p| &p.bounds).chain(clauses.flatten())
}

fn is_type(ty: &syn::Type, name: &syn::Ident) -> bool {
    matches!(ty, syn::Type::Path(path) if path.path.is_ident(name))
}

/// Whether a bound is a trait with one of these names.
fn is_named(bound: &syn::TypeParamBound, names: &[&str]) -> bool {
    last(bound).is_some_and(|s| s.arguments.is_none() && names.iter().any(|n| s.ident == n))
}

fn last(bound: &syn::TypeParamBound) -> Option<&syn::PathSegment> {
    match bound {
        syn::TypeParamBound::Trait(bound) => bound.path.segments.last(),
        _ => None,
    }
}

/// `f64` of `S: Data<Elem = f64>`
fn element_of_storage(generics: &syn::Generics, name: &syn::Ident) -> Option<syn::Type> {
    let mut found = bounds(generics, name).filter_map(|bound| {
        let segment = last(bound).filter(|s| STORAGE.iter().any(|n| s.ident == n))?;
        let syn::PathArguments::AngleBracketed(arguments) = &segment.arguments else {
            return None;
        };
        arguments.args.iter().find_map(|a| match a {
            syn::GenericArgument::AssocType(of) if of.ident == "Elem" => Some(of.ty.clone()),
            _ => None,
        })
    });
    found.next()
}

/// `&ArrayRef<f64, D>` in place of `&ArrayBase<S, D>`.
fn as_array_ref(ty: &mut syn::Type, elements: &HashMap<String, syn::Type>, root: &TokenStream) {
    if let syn::Type::Reference(reference) = ty
        && reference.mutability.is_none()
        && let syn::Type::Path(path) = &*reference.elem
        && let Some(last) = path.path.segments.last().filter(|s| s.ident == "ArrayBase")
        && let syn::PathArguments::AngleBracketed(arguments) = &last.arguments
        && let [
            syn::GenericArgument::Type(storage),
            syn::GenericArgument::Type(dimension),
        ] = &arguments.args.iter().collect::<Vec<_>>()[..]
        && let Some(element) = elements.get(&storage.to_token_stream().to_string())
    {
        *reference.elem = parse_quote!(#root::ndarray::ArrayRef<#element, #dimension>);
    }
}

/// The generics without these parameters.
fn without(generics: &mut syn::Generics, gone: &HashMap<String, syn::Type>) {
    let kept = generics.params.iter().filter(|p| match p {
        syn::GenericParam::Type(p) => !gone.contains_key(&p.ident.to_string()),
        _ => true,
    });
    generics.params = kept.cloned().collect();
    if let Some(clause) = &mut generics.where_clause {
        let kept = clause.predicates.iter().filter(|p| match p {
            syn::WherePredicate::Type(of) => {
                !gone.contains_key(&of.bounded_ty.to_token_stream().to_string())
            }
            _ => true,
        });
        clause.predicates = kept.cloned().collect();
    }
    if generics.params.is_empty() {
        (generics.lt_token, generics.gt_token) = (None, None);
    }
}
