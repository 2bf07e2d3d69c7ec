//! What the companion of a functional says: its source, and what the companions said that it asked
//! itself.
//!
//! The parts are written one behind the other, each with its length before it, so that what
//! companions say can hold what other companions say without growing.

use crate::front::callee::{Callee, Callees};
use crate::front::error::Errors;
use crate::front::functional::{Functional, functions, stand_in};
use crate::front::signature::Signature;
use crate::ir::ty::Elem;
use quote::ToTokens;
use std::rc::Rc;
use syn::parse::Parser;

/// What the companion says.
pub(super) fn encode(of: &Functional) -> String {
    let mut out = super::FUNCTIONAL.to_owned();
    let root = of
        .root
        .as_ref()
        .map(|path| path.to_token_stream().to_string());
    add(&mut out, &root.unwrap_or_default());
    add(&mut out, &of.callees.shadowed.join(" "));
    add(
        &mut out,
        &without_attributes(&of.item).to_token_stream().to_string(),
    );
    add(&mut out, &of.consts.len().to_string());
    for (path, elem) in &of.consts {
        add(&mut out, path);
        add(&mut out, &elem.to_string());
    }
    for (path, text) in &of.callees.said {
        add(&mut out, path);
        add(&mut out, text);
    }
    out
}

fn without_attributes(item: &syn::ItemFn) -> syn::ItemFn {
    syn::ItemFn {
        attrs: vec![],
        ..item.clone()
    }
}

fn add(out: &mut String, part: &str) {
    out.push_str(&format!("{} {part}", part.len()));
}

/// The next part of a text.
fn part<'t>(text: &mut &'t str) -> Result<&'t str, String> {
    let wrong = || "it is cut off".to_owned();
    let (length, rest) = text.split_once(' ').ok_or_else(wrong)?;
    let length: usize = length.parse().map_err(|_| wrong())?;
    let (part, rest) = rest.split_at_checked(length).ok_or_else(wrong)?;
    *text = rest;
    Ok(part)
}

/// The reverse.
pub(super) fn decode(mut text: &str) -> Result<Callee, String> {
    let path = |text: &str| {
        let path = syn::Path::parse_mod_style.parse_str(text);
        path.map_err(|e| e.to_string())
    };
    let root = match part(&mut text)? {
        "" => None,
        root => Some(path(root)?),
    };
    let shadowed = part(&mut text)?.split_whitespace().map(str::to_owned);
    let mut callees = Callees::of(true);
    callees.shadowed = shadowed.collect();
    let item: syn::ItemFn = syn::parse_str(part(&mut text)?).map_err(|e| e.to_string())?;
    let count: usize = part(&mut text)?.parse().map_err(|_| "a number is wrong")?;
    let mut consts = vec![];
    for _ in 0..count {
        let path = part(&mut text)?.to_owned();
        let elem: &[Elem] = &super::kinds(part(&mut text)?)?;
        let [elem] = elem else {
            return Err("a constant has no kind".into());
        };
        consts.push((path, *elem));
    }
    let mut known = vec![];
    while !text.is_empty() {
        let at = path(part(&mut text)?)?;
        known.push((at, part(&mut text)?.to_owned()));
    }
    super::read(&known, &mut callees)?;
    let mut errors = Errors::knowing(callees.structs.clone());
    let wrong = "its signature is not understood";
    let functions = functions(&item.sig, &mut errors).map_err(|_| wrong)?;
    let stand_in = stand_in(&item, &functions, &mut errors).map_err(|_| wrong)?;
    let signature = Signature::read(&stand_in, &mut errors).map_err(|_| wrong)?;
    let functional = Functional {
        item,
        functions,
        root,
        consts,
        callees: callees.inlined(),
    };
    Ok(Callee::of_functional(signature, Rc::new(functional)))
}
