//! A loop that is run to see how long one list gets, where other lists grow in it, too.
//!
//! ```text
//! while c { v.push(e); w.push(f); }      for v:  while c { v.push(e); }
//! while c { v.push(e); w.push(w[k]); }   for v:  let mut w = w.clone();
//!                                                while c { v.push(e); w.push(w[k]); }
//! ```

use super::{GROWING, any_token, bound_in, method_after};
use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};

/// Each copy grows in the trial by a trial of its own, so the program doubles with every one.
const MOST_COPIES: usize = 3;

/// What a trial for one list runs.
pub(super) struct Others {
    /// The loop, without pushes to lists that it does not read.
    pub(super) stmt: syn::Stmt,
    /// Copies of the other lists.
    pub(super) copies: TokenStream,
}

impl Others {
    pub(super) fn of(stmt: &syn::Stmt, list: &Ident) -> Option<Others> {
        let mut tokens = stmt.to_token_stream();
        let mut others = vec![];
        growing(&tokens, &mut others);
        let (mut copies, mut count) = (TokenStream::new(), 0);
        for other in others {
            if other == *list || bound_in(stmt, &other) {
                continue;
            }
            let without = without_pushes(&tokens, &other);
            let is_read = any_token(
                &without,
                &mut |t| matches!(t, TokenTree::Ident(i) if *i == other),
            );
            if is_read {
                count += 1;
                let span = other.span();
                copies.extend(quote_spanned!(span=> let mut #other = #other.clone();));
            } else {
                tokens = without;
            }
        }
        if count > MOST_COPIES {
            return None;
        }
        let stmts = syn::parse::Parser::parse2(syn::Block::parse_within, tokens).ok()?;
        let stmt = stmts.into_iter().next()?;
        Some(Others { stmt, copies })
    }
}

/// The lists whose length a method changes, each once.
fn growing(tokens: &TokenStream, found: &mut Vec<Ident>) {
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    for (k, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => growing(&group.stream(), found),
            TokenTree::Ident(ident) if !found.contains(ident) => {
                let is_field = matches!(
                    k.checked_sub(1).map(|k| &tokens[k]),
                    Some(TokenTree::Punct(p)) if p.as_char() == '.'
                );
                let method = method_after(&tokens[k + 1..]).map(ToString::to_string);
                if !is_field && method.is_some_and(|m| GROWING.contains(&m.as_str())) {
                    found.push(ident.clone());
                }
            }
            TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// The tokens without `list.push(e)`, where `e` changes no list.
fn without_pushes(tokens: &TokenStream, list: &Ident) -> TokenStream {
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let mut out = TokenStream::new();
    let mut k = 0;
    while k < tokens.len() {
        let pushed = match &tokens[k..] {
            [
                TokenTree::Ident(ident),
                TokenTree::Punct(dot),
                TokenTree::Ident(method),
                TokenTree::Group(args),
                ..,
            ] if ident == list && dot.as_char() == '.' && method == "push" => Some(args),
            _ => None,
        };
        if let Some(args) = pushed {
            let mut inner = vec![];
            growing(&args.stream(), &mut inner);
            if inner.is_empty() {
                let ends = matches!(
                    tokens.get(k + 4),
                    Some(TokenTree::Punct(p)) if p.as_char() == ';'
                );
                if !ends {
                    out.extend(quote_spanned!(list.span()=> {}));
                }
                k += 4 + usize::from(ends);
                continue;
            }
        }
        match &tokens[k] {
            TokenTree::Group(group) => {
                let inner = without_pushes(&group.stream(), list);
                let mut new = Group::new(group.delimiter(), inner);
                new.set_span(group.span());
                out.extend([TokenTree::Group(new)]);
            }
            token => out.extend([token.clone()]),
        }
        k += 1;
    }
    out
}
