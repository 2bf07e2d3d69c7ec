//! Annotated functions of one file that call each other, for tools that look at a file without rustc.

use super::{DERIVATIVES, callee};
use crate::front::callee::{Callee, Callees};
use crate::front::error::Errors;
use crate::front::structs::{self, Struct, Structs};
use crate::front::{self, Annotated, Failure};
use crate::pipeline::Derivative;
use proc_macro2::TokenStream;
use quote::ToTokens;

/// An annotated function of a file: the arguments of its attribute, and the function without it.
pub fn find(file: &syn::File, name: &str) -> Option<(TokenStream, syn::ItemFn)> {
    let mut function = file.items.iter().find_map(|item| {
        let syn::Item::Fn(function) = item else {
            return None;
        };
        (function.sig.ident == name).then(|| function.clone())
    })?;
    let is_ours = |a: &syn::Attribute| {
        let last = a.path().segments.last();
        last.is_some_and(|s| s.ident == "differentiable")
    };
    let at = function.attrs.iter().position(is_ours)?;
    let arguments = match function.attrs.remove(at).meta {
        syn::Meta::List(list) => list.tokens,
        syn::Meta::Path(_) | syn::Meta::NameValue(_) => TokenStream::new(),
    };
    Some((arguments, function))
}

/// Reads an annotated function of a file, with the functions beside it that it calls.
///
/// # Errors
/// With everything that is wrong with it, or with what it calls that is not in the file.
pub fn analyse(file: &syn::File, name: &str) -> Option<Result<Annotated, Box<Failure>>> {
    let mut callees = Callees::default();
    let (arguments, function) = find(file, name)?;
    loop {
        let item = function.to_token_stream();
        let failure = match front::analyse_with(arguments.clone(), item, &callees) {
            Ok(annotated) => return Some(Ok(annotated)),
            Err(failure) => failure,
        };
        let mut found = false;
        for path in &failure.missing {
            if let Some(of) = structure(file, path) {
                found = true;
                callees.structs.add(path, Some(of));
            }
            if let Some(known) = called(file, path, name) {
                found = true;
                callees.add(path, Some(known));
            }
        }
        if !found {
            return Some(Err(failure));
        }
    }
}

/// The function that a name calls: an annotated one, or a derivative of one.
pub fn split<'n>(file: &syn::File, name: &'n str) -> Option<(&'n str, Option<Derivative>)> {
    if find(file, name).is_some() {
        return Some((name, None));
    }
    DERIVATIVES.iter().rev().find_map(|(word, what)| {
        let of = name.strip_suffix(word)?.strip_suffix('_')?;
        find(file, of).map(|_| (of, Some(*what)))
    })
}

/// A struct of the file, with those inside of it.
fn structure(file: &syn::File, path: &syn::Path) -> Option<Struct> {
    let name = &path.segments.last()?.ident;
    let of = file.items.iter().find_map(|item| {
        let syn::Item::Struct(of) = item else {
            return None;
        };
        (of.ident == *name).then_some(of)
    })?;
    let mut inner = Structs::default();
    loop {
        let mut errors = Errors::default();
        let derived = structs::derived(of, &inner, &mut errors);
        let missing = errors.take_missing();
        if missing.is_empty() {
            return derived.ok();
        }
        for path in missing {
            inner.add(&path, Some(structure(file, &path)?));
        }
    }
}

fn called(file: &syn::File, path: &syn::Path, caller: &str) -> Option<Callee> {
    let name = path.segments.last()?.ident.to_string();
    let (name, what) = split(file, &name)?;
    if name == caller {
        return None;
    }
    let f = analyse(file, name)?.ok()?;
    let consts: Vec<_> = f.consts.iter().map(|c| c.elem).collect();
    let program = f.called.unwrap_or(f.program);
    callee(f.signature, what, f.promise.wrt, &consts, program).ok()
}
