//! `#[cfg(..)]` inside of a function, told by its tokens: a macro cannot tell whether it holds, so
//! what stands under it cannot be read. On the function itself it is copied to what is generated.

use super::error::Errors;
use proc_macro2::{TokenStream, TokenTree};
use quote::quote;

/// What to say of each.
pub(super) const MESSAGE: &str = "the macro cannot tell whether this `cfg` holds; put it on the \
    whole function, and write one function for each case";

/// Reports each `#[cfg(..)]` and `#[cfg_attr(..)]` inside of a function: in its signature, in its
/// body, and in macros there. Attributes in front of it are its own.
pub(super) fn refuse(function: &TokenStream, errors: &mut Errors) {
    search(function, true, errors);
}

/// Whether an attribute is one of these.
pub(super) fn is_condition(attribute: &syn::Attribute) -> bool {
    let path = attribute.path();
    path.is_ident("cfg") || path.is_ident("cfg_attr")
}

fn search(tokens: &TokenStream, is_outside: bool, errors: &mut Errors) {
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    for (k, token) in tokens.iter().enumerate() {
        let TokenTree::Group(group) = token else {
            continue;
        };
        let before = match &tokens[..k] {
            [.., hash, bang] if is_punct(bang, '!') && is_punct(hash, '#') => Some(hash),
            [.., hash] if is_punct(hash, '#') => Some(hash),
            _ => None,
        };
        let name = group.stream().into_iter().next();
        let is_condition = matches!(name, Some(TokenTree::Ident(word))
            if word == "cfg" || word == "cfg_attr");
        match before {
            Some(_) if is_outside => {}
            Some(hash) if is_condition => {
                errors.on(&quote!(#hash #group), MESSAGE);
            }
            Some(_) | None => search(&group.stream(), false, errors),
        }
    }
}

fn is_punct(token: &TokenTree, of: char) -> bool {
    matches!(token, TokenTree::Punct(p) if p.as_char() == of)
}
