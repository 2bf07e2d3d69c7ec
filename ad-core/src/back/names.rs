//! The names in generated code. They are hygienic where the compiler can make them so, and distinct
//! from the user's wherever they are printed.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use std::collections::HashSet;

/// A supply of names.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    taken: HashSet<String>,
}

impl Names {
    /// A supply without these.
    pub(super) fn without(taken: impl IntoIterator<Item = String>) -> Names {
        let plain = |name: String| match name.strip_prefix("r#") {
            Some(rest) => rest.to_owned(),
            None => name,
        };
        Names {
            taken: taken.into_iter().map(plain).collect(),
        }
    }

    /// The name, or the name with a number or an underscore behind it.
    pub(super) fn fresh(&mut self, wanted: &str) -> Ident {
        let wanted = wanted.strip_prefix("r#").unwrap_or(wanted);
        let mut name = wanted.to_owned();
        let mut k = 1;
        while !self.taken.insert(name.clone()) || syn::parse_str::<Ident>(&name).is_err() {
            k += 1;
            name = format!("{wanted}_{k}");
        }
        Ident::new(&name, Span::mixed_site())
    }

    /// The name of a loop index: `i`, `j`, `k`, ..
    pub(super) fn index(&mut self) -> Ident {
        for name in ["i", "j", "k", "l", "p", "q"] {
            if !self.taken.contains(name) {
                return self.fresh(name);
            }
        }
        self.fresh("i")
    }
}

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
            let mut group = proc_macro2::Group::new(g.delimiter(), inside);
            group.set_span(g.span());
            group.into()
        }
        TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => t.clone(),
    });
    renamed.collect()
}
