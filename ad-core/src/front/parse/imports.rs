//! `use std::cmp;` in a body: paths that begin with the name are written out, so that they mean the
//! same outside of the body. A name alone is resolved with the variables, see `Stmt::Use`.
//!
//! ```text
//! { use std::cmp; cmp::max(n, 3) }    is    { use std::cmp; std::cmp::max(n, 3) }
//! ```

use proc_macro2::{Delimiter, Group, Ident, Punct, Spacing, TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::HashMap;

/// What names of modules stand for.
type Names = HashMap<String, Vec<Ident>>;

/// The block with paths written out, if any is.
pub(super) fn written_out(block: &syn::Block) -> Option<syn::Block> {
    let mut found = false;
    let tokens = within(block.to_token_stream(), &Names::new(), &mut found);
    found.then(|| syn::parse2(tokens).ok()).flatten()
}

fn within(tokens: TokenStream, names: &Names, found: &mut bool) -> TokenStream {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut out: Vec<TokenTree> = vec![];
    for (k, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => {
                let inner = match group.delimiter() {
                    Delimiter::Brace => {
                        let mut names = names.clone();
                        names.extend(imported(group.stream()));
                        within(group.stream(), &names, found)
                    }
                    Delimiter::Parenthesis | Delimiter::Bracket | Delimiter::None => {
                        within(group.stream(), names, found)
                    }
                };
                let mut inner = Group::new(group.delimiter(), inner);
                inner.set_span(group.span());
                out.push(inner.into());
            }
            TokenTree::Ident(ident)
                if begins_path(&tokens, k) && names.contains_key(&ident.to_string()) =>
            {
                *found = true;
                for (k, step) in names[&ident.to_string()].iter().enumerate() {
                    if k > 0 {
                        out.extend(colons());
                    }
                    let mut step = step.clone();
                    step.set_span(ident.span());
                    out.push(step.into());
                }
            }
            TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => {
                out.push(token.clone());
            }
        }
    }
    out.into_iter().collect()
}

fn colons() -> [TokenTree; 2] {
    [Spacing::Joint, Spacing::Alone].map(|spacing| Punct::new(':', spacing).into())
}

fn are_colons(tokens: &[TokenTree]) -> bool {
    matches!(tokens, [TokenTree::Punct(a), TokenTree::Punct(b)]
        if a.as_char() == ':' && a.spacing() == Spacing::Joint && b.as_char() == ':')
}

/// Whether the name at a place is the first of several in a path, which is not that of a `use`.
fn begins_path(tokens: &[TokenTree], k: usize) -> bool {
    let goes_on = tokens.get(k + 1..k + 3).is_some_and(are_colons);
    let is_behind = k >= 2 && are_colons(&tokens[k - 2..k]);
    let is_import = matches!(tokens[..k].last(), Some(TokenTree::Ident(word)) if word == "use");
    goes_on && !is_behind && !is_import
}

/// The names that a block brings in by `use`, where more than a name stands for each.
fn imported(block: TokenStream) -> Names {
    let stmts = syn::parse::Parser::parse2(syn::Block::parse_within, block).unwrap_or_default();
    let mut names = Names::new();
    for stmt in &stmts {
        if let syn::Stmt::Item(syn::Item::Use(import)) = stmt
            && import.leading_colon.is_none()
        {
            names.extend(name_of(&import.tree, vec![]));
        }
    }
    names
}

fn name_of(tree: &syn::UseTree, mut path: Vec<Ident>) -> Option<(String, Vec<Ident>)> {
    let name = match tree {
        syn::UseTree::Path(step) => {
            path.push(step.ident.clone());
            return name_of(&step.tree, path);
        }
        syn::UseTree::Name(name) => {
            path.push(name.ident.clone());
            &name.ident
        }
        syn::UseTree::Rename(rename) => {
            path.push(rename.ident.clone());
            &rename.rename
        }
        syn::UseTree::Glob(_) | syn::UseTree::Group(_) => return None,
    };
    Some((name.to_string(), path))
}
