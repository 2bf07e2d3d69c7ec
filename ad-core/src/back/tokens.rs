//! Working on tokens that are already written.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::quote;
use std::collections::{HashMap, HashSet};

/// What the runtime is called in a generated function.
pub(super) const RUNTIME: &str = "rt";

/// What stands for a module of the user's of that name until the function is complete.
pub(super) const USERS_RUNTIME: &str = "__rt_of_the_user";

/// Whether a name occurs in tokens.
pub(crate) fn mentions(tokens: &TokenStream, name: &str) -> bool {
    tokens.clone().into_iter().any(|t| match t {
        TokenTree::Ident(i) => i == name,
        TokenTree::Group(g) => mentions(&g.stream(), name),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

/// All names that occur in tokens.
pub(super) fn names_in(tokens: &TokenStream) -> HashSet<String> {
    fn look(tokens: TokenStream, names: &mut HashSet<String>) {
        for t in tokens {
            match t {
                TokenTree::Ident(i) => {
                    names.insert(i.to_string());
                }
                TokenTree::Group(g) => look(g.stream(), names),
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
    }
    let mut names = HashSet::new();
    look(tokens.clone(), &mut names);
    names
}

/// The tokens with another name for a module: that in front of `::`, not a variable of the same
/// name.
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

/// How many tokens there are, those in brackets among them.
pub(super) fn length(tokens: &TokenStream) -> usize {
    (tokens.clone().into_iter())
        .map(|t| match t {
            TokenTree::Group(g) => 1 + length(&g.stream()),
            TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => 1,
        })
        .sum()
}

/// `let`s in front of what uses them. A name that turned out to occur once only, as the condition
/// of an `if`, gives way to what it stands for, and a comparison that nobody needs where it stands
/// is left out.
///
/// Every token is looked at once, and copied once if something in it gives way.
pub(super) fn in_place(
    mut lets: Vec<(Ident, TokenStream)>,
    rest: TokenStream,
) -> (TokenStream, TokenStream) {
    if lets.is_empty() {
        return (TokenStream::new(), rest);
    }
    let mut uses: HashMap<String, Use> =
        (lets.iter().map(|(name, _)| (name.to_string(), Use::Never))).collect();
    count(&rest, &mut uses);
    // Values only use names before them.
    let mut is_left: Vec<bool> = (lets.iter().rev())
        .map(|(name, value)| {
            let is_left = uses[&name.to_string()] != Use::Never || may_fail(value);
            if is_left {
                count(value, &mut uses);
            }
            is_left
        })
        .collect();
    lets.retain(|_| is_left.pop().unwrap_or(true));
    if !uses.values().any(|u| *u == Use::Condition) {
        let lets = lets.iter().map(|(name, value)| quote!(let #name = #value;));
        return (lets.collect(), rest);
    }
    let mut values: HashMap<String, TokenStream> = HashMap::new();
    let mut out = TokenStream::new();
    for (name, value) in lets {
        let value = replaced(&value, &values).unwrap_or(value);
        let text = name.to_string();
        if uses[&text] == Use::Condition {
            values.insert(text, value);
        } else {
            out.extend(quote!(let #name = #value;));
        }
    }
    let rest = replaced(&rest, &values).unwrap_or(rest);
    (out, rest)
}

/// Whether something is read, called or divided, and may not be left out for that.
fn may_fail(tokens: &TokenStream) -> bool {
    let mut before = None;
    tokens.clone().into_iter().any(|t| {
        let is = match &t {
            TokenTree::Group(g) => {
                let is_call = g.delimiter() == Delimiter::Parenthesis && before == Some(true);
                g.delimiter() == Delimiter::Bracket || is_call || may_fail(&g.stream())
            }
            TokenTree::Punct(p) => matches!(p.as_char(), '/' | '%'),
            TokenTree::Ident(_) | TokenTree::Literal(_) => false,
        };
        before = Some(matches!(t, TokenTree::Ident(_)));
        is
    })
}

/// How a name is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    Never,
    /// Once, as in `if name {`.
    Condition,
    Otherwise,
}

/// Notes how names are used.
fn count(tokens: &TokenStream, uses: &mut HashMap<String, Use>) {
    let mut after_if = false;
    let mut rest = tokens.clone().into_iter().peekable();
    while let Some(t) = rest.next() {
        match t {
            TokenTree::Ident(i) => {
                let name = i.to_string();
                if let Some(u) = uses.get_mut(&name) {
                    let before_block = matches!(
                        rest.peek(),
                        Some(TokenTree::Group(g)) if g.delimiter() == Delimiter::Brace
                    );
                    *u = match u {
                        Use::Never if after_if && before_block => Use::Condition,
                        Use::Never | Use::Condition | Use::Otherwise => Use::Otherwise,
                    };
                }
                after_if = name == "if";
            }
            TokenTree::Group(g) => {
                count(&g.stream(), uses);
                after_if = false;
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => after_if = false,
        }
    }
}

/// The tokens with values in place of names, if any of these names is there.
fn replaced(tokens: &TokenStream, values: &HashMap<String, TokenStream>) -> Option<TokenStream> {
    if values.is_empty() {
        return None;
    }
    let mut out: Vec<TokenTree> = vec![];
    let mut found = false;
    for t in tokens.clone() {
        match t {
            TokenTree::Ident(i) => match values.get(&i.to_string()) {
                Some(value) => {
                    out.extend(value.clone());
                    found = true;
                }
                None => out.push(i.into()),
            },
            TokenTree::Group(g) => {
                let Some(inner) = replaced(&g.stream(), values) else {
                    out.push(g.into());
                    continue;
                };
                found = true;
                let mut group = Group::new(g.delimiter(), inner);
                group.set_span(g.span());
                out.push(group.into());
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => out.push(t),
        }
    }
    found.then(|| out.into_iter().collect())
}
