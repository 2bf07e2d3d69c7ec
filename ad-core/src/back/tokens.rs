//! Working on tokens that are already written.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::quote;

/// What the runtime is called in a generated function.
pub(super) const RUNTIME: &str = "rt";

/// What stands for a module of the user's of that name until the function is complete.
pub(super) const USERS_RUNTIME: &str = "__rt_of_the_user";

/// Whether a name occurs in tokens.
pub(super) fn mentions(tokens: &TokenStream, name: &str) -> bool {
    tokens.clone().into_iter().any(|t| match t {
        TokenTree::Ident(i) => i == name,
        TokenTree::Group(g) => mentions(&g.stream(), name),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

/// The tokens with another name for a module: that in front of `::`, not a variable of the same name.
pub(super) fn rename_module(tokens: TokenStream, from: &str, to: &str) -> TokenStream {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is_colon =
        |k: usize| matches!(tokens.get(k), Some(TokenTree::Punct(p)) if p.as_char() == ':');
    let renamed = tokens.iter().enumerate().map(|(k, t)| match t {
        TokenTree::Ident(i) if i == from && is_colon(k + 1) && is_colon(k + 2) => {
            Ident::new(to, i.span()).into()
        }
        TokenTree::Group(g) => {
            let inside = rename_module(g.stream(), from, to);
            let mut group = Group::new(g.delimiter(), inside);
            group.set_span(g.span());
            group.into()
        }
        TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => t.clone(),
    });
    renamed.collect()
}

/// `let`s in front of what uses them. A name that turned out to occur once only, as the condition of
/// an `if`, gives way to what it stands for.
pub(super) fn in_place(
    lets: Vec<(Ident, TokenStream)>,
    rest: TokenStream,
) -> (TokenStream, TokenStream) {
    let mut parts: Vec<TokenStream> = vec![rest];
    for (name, value) in lets.into_iter().rev() {
        let text = name.to_string();
        let places: usize = parts.iter().map(|p| occurrences(p, &text)).sum();
        let only = (places == 1)
            .then(|| parts.iter().position(|p| mentions(p, &text)))
            .flatten();
        let condition = only.and_then(|k| Some((k, with_condition(&parts[k], &text, &value)?)));
        match condition {
            Some((k, replaced)) => parts[k] = replaced,
            None => parts.push(quote!(let #name = #value;)),
        }
    }
    let rest = parts.remove(0);
    (parts.into_iter().rev().collect(), rest)
}

/// How often a name occurs.
fn occurrences(tokens: &TokenStream, name: &str) -> usize {
    (tokens.clone().into_iter())
        .map(|t| match t {
            TokenTree::Ident(i) => usize::from(i == name),
            TokenTree::Group(g) => occurrences(&g.stream(), name),
            TokenTree::Punct(_) | TokenTree::Literal(_) => 0,
        })
        .sum()
}

/// The tokens with `if name {` replaced by `if value {`, if that is there.
fn with_condition(tokens: &TokenStream, name: &str, value: &TokenStream) -> Option<TokenStream> {
    let mut out: Vec<TokenTree> = vec![];
    let mut found = false;
    let mut rest = tokens.clone().into_iter().peekable();
    while let Some(t) = rest.next() {
        match t {
            TokenTree::Ident(i) if i == name => {
                let after_if = matches!(out.last(), Some(TokenTree::Ident(k)) if *k == "if");
                let before_block = matches!(
                    rest.peek(),
                    Some(TokenTree::Group(g)) if g.delimiter() == Delimiter::Brace
                );
                if !after_if || !before_block {
                    return None;
                }
                out.extend(value.clone());
                found = true;
            }
            TokenTree::Group(g) => {
                let inner = with_condition(&g.stream(), name, value);
                found |= inner.is_some();
                let stream = inner.unwrap_or(g.stream());
                let mut group = Group::new(g.delimiter(), stream);
                group.set_span(g.span());
                out.push(group.into());
            }
            TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => out.push(t),
        }
    }
    found.then(|| out.into_iter().collect())
}
