//! Annotated functions of one file that call each other, for tools that look at a file without
//! rustc.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "items of a file that are no functions do not matter"
)]

use super::callee;
use super::custom::named;
use super::failing;
use crate::derivative::Derivative;
use crate::front::attr::Attr;
use crate::front::callee::{Callee, Callees};
use crate::front::error::Errors;
use crate::front::signature::Signature;
use crate::front::structs::{self, Struct, Structs};
use crate::front::unit::unit_of;
use crate::front::{self, Annotated, Failure};
use crate::ir::core::{Kind, Routine};
use crate::ir::unit::Unit;
use crate::pipeline;
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

/// The names of the functions of a file.
fn functions(file: &syn::File) -> Vec<String> {
    let names = file.items.iter().filter_map(|item| match item {
        syn::Item::Fn(function) => Some(function.sig.ident.to_string()),
        _ => None,
    });
    names.collect()
}

/// Reads an annotated function of a file, with the functions beside it that it calls.
///
/// # Errors
/// With everything that is wrong with it, or with what it calls that is not in the file.
pub fn analyse(file: &syn::File, name: &str) -> Option<Result<Annotated, Box<Failure>>> {
    let (arguments, function) = find(file, name)?;
    Some(read(file, arguments, &function, false))
}

/// The same, with all functions that it calls taken in: it can be differentiated more than once.
///
/// # Errors
/// As for [`analyse`].
pub fn analyse_inlined(file: &syn::File, name: &str) -> Option<Result<Annotated, Box<Failure>>> {
    let (arguments, function) = find(file, name)?;
    Some(read(file, arguments, &function, true))
}

fn read(
    file: &syn::File,
    arguments: TokenStream,
    function: &syn::ItemFn,
    inline: bool,
) -> Result<Annotated, Box<Failure>> {
    let mut callees = Callees::of(true);
    callees.inline = inline;
    callees.shadowed = functions(file);
    let name = function.sig.ident.to_string();
    loop {
        let item = function.to_token_stream();
        let failure = match front::analyse_with(arguments.clone(), item, &callees) {
            Ok(annotated) => {
                tie(&annotated);
                return Ok(annotated);
            }
            Err(failure) => failure,
        };
        let mut found = false;
        for path in &failure.missing {
            if let Some(of) = structure(file, path) {
                found = true;
                callees.structs.add(path, Some(of));
            }
            if let Some(known) = called(file, path, &name) {
                found = true;
                callees.add(path, Some(known));
            }
        }
        if !found {
            return Err(failure);
        }
    }
}

/// A function of a file without an attribute, or with the one of another name.
fn plain(file: &syn::File, name: &str) -> Option<syn::ItemFn> {
    let mut function = file.items.iter().find_map(|item| match item {
        syn::Item::Fn(function) if function.sig.ident == name => Some(function.clone()),
        _ => None,
    })?;
    function.attrs.clear();
    Some(function)
}

/// The arguments of `#[custom_derivative(..)]` on a function.
fn custom(file: &syn::File, name: &str) -> Option<TokenStream> {
    let function = file.items.iter().find_map(|item| match item {
        syn::Item::Fn(function) if function.sig.ident == name => Some(function),
        _ => None,
    })?;
    let attribute = function.attrs.iter().find(|a| {
        let last = a.path().segments.last();
        last.is_some_and(|s| s.ident == "custom_derivative")
    })?;
    match &attribute.meta {
        syn::Meta::List(list) => Some(list.tokens.clone()),
        syn::Meta::Path(_) | syn::Meta::NameValue(_) => None,
    }
}

/// The file with `#[differentiable]` in place of the attributes of a function, so that its own
/// rules can call it as any other.
fn annotated(file: &syn::File, name: &str) -> syn::File {
    let mut file = file.clone();
    for item in &mut file.items {
        if let syn::Item::Fn(function) = item
            && function.sig.ident == name
        {
            function.attrs = vec![syn::parse_quote!(#[differentiable])];
        }
    }
    file
}

/// A function with derivatives of its own. What it computes is known as far as it, and they, could
/// be annotated themselves.
fn with_derivatives(file: &syn::File, name: &str) -> Option<Callee> {
    let named = named(custom(file, name)?, &mut Errors::default())?;
    let within = annotated(file, name);
    let routine = |name: &str| {
        let f = read(&within, TokenStream::new(), &plain(file, name)?, true).ok()?;
        f.consts.is_empty().then(|| Routine::from(f.program))
    };
    let of = |path: &Option<syn::Path>| routine(&path.as_ref()?.get_ident()?.to_string());
    let function = plain(file, name)?;
    let mut structs = Structs::default();
    let signature = loop {
        let mut errors = Errors::knowing(structs.clone());
        let read = Signature::read(&function, &mut errors).ok();
        let missing = errors.take_missing();
        if missing.is_empty() {
            break read?;
        }
        for path in missing {
            structs.add(&path, Some(structure(file, &path)?));
        }
    };
    let unit = named.unit(&signature, &mut Errors::default());
    let routines = [routine(name), of(&named.jvp), of(&named.vjp)];
    unit.routines.fill(routines);
    let real = signature.args.iter().enumerate();
    let real = real.filter(|(_, a)| a.ty.is_real());
    Some(Callee {
        wrt: real.map(|(k, _)| k).collect(),
        signature,
        what: None,
        routine: None,
        unit: Some(unit),
        rules: None,
        consts: vec![],
        recursive: false,
        fails: None,
        functional: None,
    })
}

/// The function that a name calls: an annotated one, or a derivative of one.
pub fn split<'n>(file: &syn::File, name: &'n str) -> Option<(&'n str, Option<Derivative>)> {
    if find(file, name).is_some() {
        return Some((name, None));
    }
    let mut all = Derivative::ALL.into_iter().filter_map(|what| {
        let of = name.strip_suffix(what.suffix())?.strip_suffix('_')?;
        let (attr, _) = find(file, of)?;
        let attr = Attr::read(attr, &mut Errors::default()).ok();
        Some((of, what, attr.is_some_and(|attr| attr.modes.has(what))))
    });
    // Several functions have one name, and the attribute says which of them there is.
    let first = all.next()?;
    let named = std::iter::once(first).chain(all).find(|(.., named)| *named);
    let (of, what, _) = named.unwrap_or(first);
    Some((of, Some(what)))
}

/// A struct or an enum of the file, with those inside of it.
fn structure(file: &syn::File, path: &syn::Path) -> Option<Struct> {
    let name = &path.segments.last()?.ident;
    let of = file.items.iter().find_map(|item| match item {
        syn::Item::Struct(of) if of.ident == *name => Some(of.to_token_stream()),
        syn::Item::Enum(of) if of.ident == *name => Some(of.to_token_stream()),
        _ => None,
    })?;
    let of: syn::DeriveInput = syn::parse2(of).ok()?;
    let mut inner = Structs::default();
    loop {
        let mut errors = Errors::default();
        let derived = structs::derived(&of, &inner, &mut errors);
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
    if let Some(callee) = with_derivatives(file, &name) {
        return Some(callee);
    }
    let (name, what) = split(file, &name)?;
    if name == caller {
        return None;
    }
    let (arguments, function) = find(file, name)?;
    let f = read(file, arguments, &function, true).ok()?;
    if let Some(functional) = &f.functional {
        let signature = Signature {
            wrapper: f.signature.wrapper.clone(),
            ..f.whole_signature()
        };
        return Some(Callee::of_functional(signature, functional.clone()));
    }
    let consts: Vec<_> = f.consts.iter().map(|c| c.elem).collect();
    let whole = f.whole_signature();
    let unit = (what.is_none() && f.is_unit() && consts.is_empty()).then(|| unit(&f));
    let recursive = f.is_unit();
    let program = f.called.unwrap_or(f.program);
    let mut callee = callee(f.signature, what, f.promise.wrt, &consts, program).ok()?;
    callee.fails = f.fails.map(|fails| {
        let kinds: Vec<_> = fails.consts.iter().map(|c| c.elem).collect();
        failing(fails.program, consts.len(), &kinds)
    });
    callee.recursive = recursive;
    if let Some(unit) = unit {
        callee.unit = Some(unit);
        callee.signature = whole;
    }
    Some(callee)
}

/// An annotated function as a unit, with what it computes.
fn unit(f: &Annotated) -> Unit {
    let unit = unit_of(&f.whole_signature(), true, true);
    unit.routines.fill(routines(f));
    unit
}

fn routines(f: &Annotated) -> [Option<Routine>; 3] {
    let real = f.signature.args.iter().enumerate();
    let real: Vec<usize> = real
        .filter(|(_, a)| a.ty.is_real())
        .map(|(k, _)| k)
        .collect();
    let wrt = f.signature.real_leaves(&real);
    let routine = |what| pipeline::routine(&f.program, what, &wrt).ok();
    let value = Some(Routine::from(f.program.clone()));
    [value, routine(Derivative::Jvp), routine(Derivative::Vjp)]
}

/// Says of a function that calls itself what it calls there.
fn tie(f: &Annotated) {
    let own = f.signature.ident.to_string();
    let mut look = f.program.body.parts();
    while let Some(e) = look.pop() {
        look.extend(e.parts());
        if let Kind::Call(call) = &*e.kind
            && call.unit.is_itself(&own)
        {
            return call.unit.routines.fill(routines(f));
        }
    }
}
