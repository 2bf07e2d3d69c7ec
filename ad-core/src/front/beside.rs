//! What stands beside a function in its module is written out before its signature and body are
//! read: type aliases, imports of foreign functions, lengths, and tables.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "the enums of syn are open; what is not listed is no alias that is followed"
)]

use super::tables;
use proc_macro2::{Delimiter, Group, Ident, Spacing, Span, TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::{HashMap, HashSet};
use syn::visit::{self, Visit};

/// What a function may mention of its module.
#[derive(Clone, Debug, Default)]
pub struct Beside {
    /// The type aliases, with their types.
    pub aliases: Vec<(String, String)>,
    /// The constants, as they are written behind `const` or `static`.
    pub constants: Vec<String>,
    /// The constants of `impl` blocks, with the types that they belong to.
    pub members: Vec<(String, String)>,
    /// The names of ours that stand for something of the user's, and types of the user's that a
    /// crate whose names come by `*` may have too.
    pub shadowed: Vec<String>,
    /// The functions that nothing annotates.
    pub plain: Vec<String>,
    /// The functions and modules of `std` and ndarray that are imported by name, with their paths.
    pub imports: Vec<(String, String)>,
}

/// How deep aliases of aliases are followed.
const DEEP: usize = 4;

/// An item with what it mentions of its module.
pub fn written_out(item: TokenStream, beside: &Beside) -> TokenStream {
    let item = with_types(item, &beside.aliases);
    let item = with_paths(item, &beside.imports);
    let (item, members) = tables::as_names(item, &beside.members);
    tables::moved_in(item, &[members, beside.constants.clone()].concat())
}

/// An item with each alias in it replaced by its type.
fn with_types(item: TokenStream, aliases: &[(String, String)]) -> TokenStream {
    let types = aliases.iter().filter_map(|(name, text)| {
        let ty: syn::Type = syn::parse_str(text).ok()?;
        Some((name.clone(), in_expressions(&ty)?))
    });
    let types: HashMap<String, TokenStream> = types.collect();
    match types.is_empty() {
        true => item,
        false => replaced(item, &types, DEEP),
    }
}

/// An item with the path for each imported name that is called, or that begins a path.
fn with_paths(item: TokenStream, imports: &[(String, String)]) -> TokenStream {
    if imports.is_empty() {
        return item;
    }
    struct Bound(HashSet<String>);
    impl<'ast> Visit<'ast> for Bound {
        fn visit_pat_ident(&mut self, pat: &'ast syn::PatIdent) {
            self.0.insert(pat.ident.to_string());
            visit::visit_pat_ident(self, pat);
        }
        fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
            self.0.insert(item.sig.ident.to_string());
            visit::visit_item_fn(self, item);
        }
        fn visit_use_name(&mut self, name: &'ast syn::UseName) {
            self.0.insert(name.ident.to_string());
        }
        fn visit_use_rename(&mut self, name: &'ast syn::UseRename) {
            self.0.insert(name.rename.to_string());
        }
    }
    let Ok(function) = syn::parse2::<syn::ItemFn>(item.clone()) else {
        return item;
    };
    let mut bound = Bound(HashSet::new());
    bound.visit_item_fn(&function);
    let paths = imports.iter().filter(|(name, _)| !bound.0.contains(name));
    let paths = paths.filter_map(|(name, path)| Some((name.clone(), path.parse().ok()?)));
    let paths: HashMap<String, TokenStream> = paths.collect();
    match paths.is_empty() {
        true => item,
        false => called(item, &paths),
    }
}

/// Names by their paths where parentheses or `::` follow, and neither `.` nor `::` comes before.
fn called(tokens: TokenStream, paths: &HashMap<String, TokenStream>) -> TokenStream {
    let is = |token: Option<&TokenTree>, sign: char| match token {
        Some(TokenTree::Punct(punct)) => punct.as_char() == sign,
        _ => false,
    };
    let all: Vec<TokenTree> = tokens.into_iter().collect();
    let mut out = TokenStream::new();
    for (k, token) in all.iter().enumerate() {
        let before = |by: usize| k.checked_sub(by).and_then(|k| all.get(k));
        let is_member =
            is(before(1), '.') && !is(before(2), '.') || is(before(1), ':') && is(before(2), ':');
        let is_path = is(all.get(k + 1), ':') && is(all.get(k + 2), ':');
        let is_call = match all.get(k + 1) {
            Some(TokenTree::Group(group)) => group.delimiter() == Delimiter::Parenthesis,
            _ => false,
        };
        match token {
            TokenTree::Ident(ident) if !is_member && (is_call || is_path) => {
                match paths.get(&ident.to_string()) {
                    Some(path) => out.extend(at(path.clone(), ident.span())),
                    None => out.extend([token.clone()]),
                }
            }
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), called(group.stream(), paths));
                inner.set_span(group.span());
                out.extend([TokenTree::Group(inner)]);
            }
            TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => {
                out.extend([token.clone()]);
            }
        }
    }
    out
}

/// A type as it may stand in an expression too: `Array1::<f64>`.
fn in_expressions(ty: &syn::Type) -> Option<TokenStream> {
    match ty {
        syn::Type::Path(path) if path.qself.is_none() => {
            let mut path = path.path.clone();
            for segment in &mut path.segments {
                if let syn::PathArguments::AngleBracketed(arguments) = &mut segment.arguments {
                    arguments.colon2_token.get_or_insert_default();
                }
            }
            Some(path.into_token_stream())
        }
        syn::Type::Array(_) | syn::Type::Tuple(_) => Some(ty.into_token_stream()),
        _ => None,
    }
}

/// Names replaced by tokens, which may hold names again.
pub(super) fn replaced(
    tokens: TokenStream,
    types: &HashMap<String, TokenStream>,
    deep: usize,
) -> TokenStream {
    // What stands behind `.` or `::` is another name.
    let mut named_before = false;
    let mut out = TokenStream::new();
    for token in tokens {
        let here = named_before;
        named_before = false;
        match token {
            TokenTree::Group(group) => {
                let mut inner =
                    Group::new(group.delimiter(), replaced(group.stream(), types, deep));
                inner.set_span(group.span());
                out.extend([TokenTree::Group(inner)]);
            }
            TokenTree::Ident(ident) => match types.get(&ident.to_string()) {
                Some(ty) if !here && deep > 0 => {
                    let ty = at(ty.clone(), ident.span());
                    out.extend(replaced(ty, types, deep - 1));
                }
                Some(_) | None => out.extend([TokenTree::Ident(ident)]),
            },
            TokenTree::Punct(punct) => {
                named_before = punct.as_char() == '.'
                    || punct.as_char() == ':' && punct.spacing() == Spacing::Alone && {
                        // The second half of `::`; a single colon stands before types.
                        ends_in_joint_colon(&out)
                    };
                out.extend([TokenTree::Punct(punct)]);
            }
            TokenTree::Literal(literal) => out.extend([TokenTree::Literal(literal)]),
        }
    }
    out
}

fn ends_in_joint_colon(tokens: &TokenStream) -> bool {
    let last = tokens.clone().into_iter().last();
    matches!(last, Some(TokenTree::Punct(p)) if p.as_char() == ':' && p.spacing() == Spacing::Joint)
}

/// Tokens that stand at a place.
fn at(tokens: TokenStream, span: Span) -> TokenStream {
    let moved = |token| match token {
        TokenTree::Group(group) => {
            let mut inner = Group::new(group.delimiter(), at(group.stream(), span));
            inner.set_span(span);
            TokenTree::Group(inner)
        }
        TokenTree::Ident(ident) => TokenTree::Ident(Ident::new(&ident.to_string(), span)),
        mut other @ (TokenTree::Punct(_) | TokenTree::Literal(_)) => {
            other.set_span(span);
            other
        }
    };
    tokens.into_iter().map(moved).collect()
}

#[cfg(test)]
mod tests {
    use super::{with_paths, with_types};
    use quote::quote;

    fn aliases() -> Vec<(String, String)> {
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        vec![
            pair("Vector", "Array1<Number>"),
            pair("Number", "f64"),
            pair("Pair", "[f64; 2]"),
        ]
    }

    #[test]
    fn types_and_expressions() {
        let item = quote!(
            fn f(x: &Vector, p: Pair) -> Number {
                Vector::zeros(3)[0] + p[0]
            }
        );
        let text = with_types(item, &aliases()).to_string();
        let text: String = text.split_whitespace().collect();
        assert_eq!(
            text,
            "fnf(x:&Array1::<f64>,p:[f64;2])->f64{Array1::<f64>::zeros(3)[0]+p[0]}"
        );
    }

    #[test]
    fn imported_names() {
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        let imports = [
            pair("swap", "std::mem::swap"),
            pair("zip", "std::iter::zip"),
        ];
        let item = quote!(
            fn f(a: f64, mut zip: f64) {
                swap(&mut a, &mut zip);
                a.swap(1);
                vec![swap::<f64>(a), zip(a)];
                for i in 0..swap(a) {}
                let x = swap;
            }
        );
        let text = with_paths(item, &imports).to_string();
        let text: String = text.split_whitespace().collect();
        assert_eq!(
            text,
            "fnf(a:f64,mutzip:f64){std::mem::swap(&muta,&mutzip);a.swap(1);\
             vec![std::mem::swap::<f64>(a),zip(a)];foriin0..std::mem::swap(a){}letx=swap;}"
        );
    }

    #[test]
    fn other_names() {
        let item = quote!(
            fn f(x: other::Vector) -> f64 {
                x.Number
            }
        );
        assert_eq!(
            with_types(item.clone(), &aliases()).to_string(),
            item.to_string()
        );
    }
}
