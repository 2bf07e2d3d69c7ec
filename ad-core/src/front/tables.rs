//! Constants of the module that the function as written only names: lengths are written out, and
//! tables, tuples and structs are declared again in the body, where their elements can be read at any index.
//!
//! ```text
//! const N: usize = 2;                       fn f(x: &[f64; 2], i: usize) -> f64 {
//! static TABLE: [f64; N] = [0.5, 1.5];          const TABLE: [f64; 2] = [0.5, 1.5];
//! fn f(x: &[f64; N], i: usize) -> f64 {  is     x[0] * TABLE[i]
//!     x[0] * TABLE[i]                       }
//! }
//! ```
//!
//! All other constants stay names, and generated code mentions them as such.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "the enums of syn are open; what is not listed is no length and no table"
)]

use super::beside::replaced;
use proc_macro2::{Delimiter, Literal, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use std::collections::{HashMap, HashSet};

/// How many elements a table has at most.
const LARGEST: usize = 256;

/// A function with the constants that it mentions, as they are written behind `const` or `static`.
pub(super) fn moved_in(item: TokenStream, constants: &[String]) -> TokenStream {
    let constants: Vec<syn::ItemConst> = (constants.iter())
        .filter_map(|text| syn::parse_str(&format!("const {text};")).ok())
        .collect();
    if constants.is_empty() || syn::parse2::<syn::ItemFn>(item.clone()).is_err() {
        return item;
    }
    let mut words = HashSet::new();
    mentioned(item.clone(), &mut words);
    let mut found: Vec<(&syn::ItemConst, HashSet<String>)> = vec![];
    // A table may mention another one, which then stands before it.
    let mut all_words = words.clone();
    let is_found = |found: &[(&syn::ItemConst, HashSet<String>)], c: &syn::ItemConst| {
        found.iter().any(|(t, _)| t.ident == c.ident)
    };
    while let Some(table) = constants
        .iter()
        .find(|c| all_words.contains(&c.ident.to_string()) && is_table(c) && !is_found(&found, c))
    {
        let mut inner = HashSet::new();
        mentioned(table.expr.to_token_stream(), &mut inner);
        all_words.extend(inner.iter().cloned());
        found.push((table, inner));
    }
    let mut tables = vec![];
    while !found.is_empty() {
        let waits = |inner: &HashSet<String>| {
            found
                .iter()
                .any(|(t, _)| inner.contains(&t.ident.to_string()))
        };
        let next = found.iter().position(|(_, inner)| !waits(inner));
        tables.push(found.remove(next.unwrap_or_default()).0);
    }
    let own = declared(&item);
    let tables = tables.into_iter();
    let tables: TokenStream = tables
        .filter(|t| !own.contains(&t.ident.to_string()))
        .map(|t| {
            let mut table = t.clone();
            // Lifetimes and types of the module do not matter to a constant.
            if !matches!(&*table.ty, syn::Type::Array(_)) {
                table.ty = syn::parse_quote!(_);
            }
            table.into_token_stream()
        })
        .collect();
    let item = match syn::parse2::<syn::ItemFn>(item.clone()) {
        Ok(mut function) if !tables.is_empty() => {
            let body = function.block.stmts;
            function.block = syn::parse_quote!({ #tables #(#body)* });
            function.into_token_stream()
        }
        Ok(_) | Err(_) => item,
    };
    // A name that stands for a length somewhere does so everywhere.
    let mut lengths = HashSet::new();
    in_lengths(item.clone(), &mut lengths);
    let known = (constants.iter()).filter(|c| {
        let name = c.ident.to_string();
        lengths.contains(&name) && !own.contains(&name) && is_usize(&c.ty)
    });
    let known = known.filter_map(|c| {
        let n = value(&c.expr, &constants, 8)?;
        let literal = TokenTree::from(Literal::usize_unsuffixed(n));
        Some((c.ident.to_string(), literal.into()))
    });
    let known: HashMap<String, TokenStream> = known.collect();
    match known.is_empty() {
        true => item,
        false => replaced(item, &known, 1),
    }
}

/// Whether a constant is declared again: it is no number, and its value can be read.
fn is_table(c: &syn::ItemConst) -> bool {
    let is_made = matches!(&*c.expr, syn::Expr::Call(_) | syn::Expr::Path(_));
    elements(&c.expr).is_some()
        || is_made && matches!(&*c.ty, syn::Type::Path(_)) && !is_scalar(&c.ty)
}

/// The item with one name for each constant of an `impl` block that is no number, such as
/// `Vec3_ORIGIN` for `Vec3::ORIGIN`, and the declarations of the constants by these names.
pub(super) fn as_names(
    item: TokenStream,
    members: &[(String, String)],
) -> (TokenStream, Vec<String>) {
    let constants = members.iter().filter_map(|(ty, text)| {
        let constant: syn::ItemConst = syn::parse_str(&format!("const {text};")).ok()?;
        (!is_scalar(&constant.ty)).then_some((ty, constant))
    });
    let constants: Vec<(&String, syn::ItemConst)> = constants.collect();
    if constants.is_empty() {
        return (item, vec![]);
    }
    let named = |ty: &str, name: &str| {
        let is_there = constants.iter().any(|(of, c)| *of == ty && c.ident == name);
        is_there.then(|| format!("{ty}_{name}"))
    };
    let texts = constants.iter().map(|(of, constant)| {
        let (ty, value) = (&constant.ty, &constant.expr);
        let own = [("Self".to_owned(), of.parse().unwrap_or_default())];
        let value = super::structs::put(quote!(#ty = #value), &own);
        format!("{of}_{}: {}", constant.ident, joined(value, &named))
    });
    (joined(item, &named), texts.collect())
}

/// Tokens with one name in place of `Type::NAME`, for some.
fn joined(tokens: TokenStream, named: &dyn Fn(&str, &str) -> Option<String>) -> TokenStream {
    let all: Vec<TokenTree> = tokens.into_iter().collect();
    let mut out = TokenStream::new();
    let mut at = 0;
    while at < all.len() {
        let is_colon = |t: &TokenTree| matches!(t, TokenTree::Punct(p) if p.as_char() == ':');
        match &all[at..] {
            [TokenTree::Ident(ty), a, b, TokenTree::Ident(name), ..]
                if is_colon(a)
                    && is_colon(b)
                    && !(at > 1 && is_colon(&all[at - 1]) && is_colon(&all[at - 2]))
                    && let Some(joined) = named(&ty.to_string(), &name.to_string()) =>
            {
                out.extend([TokenTree::from(proc_macro2::Ident::new(
                    &joined,
                    name.span(),
                ))]);
                at += 4;
                continue;
            }
            [TokenTree::Group(group), ..] => {
                let inner = joined(group.stream(), named);
                let mut new = proc_macro2::Group::new(group.delimiter(), inner);
                new.set_span(group.span());
                out.extend([TokenTree::from(new)]);
            }
            [other, ..] => out.extend([other.clone()]),
            [] => {}
        }
        at += 1;
    }
    out
}

/// Whether a constant of this type is one number, or no value of the language.
fn is_scalar(ty: &syn::Type) -> bool {
    match ty {
        syn::Type::Path(path) => path.path.get_ident().is_some_and(|name| {
            let name = name.to_string();
            super::types::Scalar::by_name(&name).is_some() || name == "String"
        }),
        syn::Type::Reference(of) => {
            matches!(&*of.elem, syn::Type::Path(p) if p.path.is_ident("str"))
        }
        _ => false,
    }
}

/// How many numbers there are in a list, a tuple or a struct that is not too long.
fn elements(e: &syn::Expr) -> Option<usize> {
    let count = match e {
        syn::Expr::Reference(of) => elements(&of.expr)?,
        syn::Expr::Array(list) => {
            let counts = list.elems.iter().map(|e| elements(e).or(Some(1)));
            counts.sum::<Option<usize>>()?
        }
        syn::Expr::Tuple(list) => {
            let counts = list.elems.iter().map(|e| elements(e).or(Some(1)));
            counts.sum::<Option<usize>>()?
        }
        syn::Expr::Struct(made) => {
            let counts = made.fields.iter().map(|f| elements(&f.expr).or(Some(1)));
            counts.sum::<Option<usize>>()?
        }
        syn::Expr::Repeat(_) => 1,
        _ => return None,
    };
    (count <= LARGEST).then_some(count)
}

fn is_usize(ty: &syn::Type) -> bool {
    matches!(ty, syn::Type::Path(path) if path.path.is_ident("usize"))
}

/// The value of a length.
fn value(e: &syn::Expr, constants: &[syn::ItemConst], deep: usize) -> Option<usize> {
    let deep = deep.checked_sub(1)?;
    let of = |e: &syn::Expr| value(e, constants, deep);
    match e {
        syn::Expr::Lit(lit) => match &lit.lit {
            syn::Lit::Int(n) => n.base10_parse().ok(),
            _ => None,
        },
        syn::Expr::Paren(inner) => of(&inner.expr),
        syn::Expr::Path(path) => {
            let constant = constants.iter().find(|c| path.path.is_ident(&c.ident))?;
            is_usize(&constant.ty).then(|| of(&constant.expr)).flatten()
        }
        syn::Expr::Binary(binary) => {
            let (a, b) = (of(&binary.left)?, of(&binary.right)?);
            match binary.op {
                syn::BinOp::Add(_) => a.checked_add(b),
                syn::BinOp::Sub(_) => a.checked_sub(b),
                syn::BinOp::Mul(_) => a.checked_mul(b),
                syn::BinOp::Div(_) => a.checked_div(b),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The names behind `;` in brackets.
fn in_lengths(tokens: TokenStream, names: &mut HashSet<String>) {
    for token in tokens {
        let TokenTree::Group(group) = token else {
            continue;
        };
        in_lengths(group.stream(), names);
        if group.delimiter() == Delimiter::Bracket {
            let is_semicolon =
                |t: &TokenTree| matches!(t, TokenTree::Punct(p) if p.as_char() == ';');
            let behind = (group.stream().into_iter()).skip_while(|t| !is_semicolon(t));
            mentioned(behind.collect(), names);
        }
    }
}

/// The names of constants and of generic parameters that an item has itself.
fn declared(item: &TokenStream) -> HashSet<String> {
    let mut names = HashSet::new();
    let mut before = None;
    for token in item.clone() {
        match &token {
            TokenTree::Group(group) => names.extend(declared(&group.stream())),
            TokenTree::Ident(ident) => {
                if matches!(before.as_deref(), Some("const" | "static")) {
                    names.insert(ident.to_string());
                }
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
        before = Some(token.to_string());
    }
    names
}

/// Whether tokens mention a name.
pub(super) fn mentions(tokens: &TokenStream, name: &proc_macro2::Ident) -> bool {
    let mut words = HashSet::new();
    mentioned(tokens.clone(), &mut words);
    words.contains(&name.to_string())
}

fn mentioned(tokens: TokenStream, words: &mut HashSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => mentioned(group.stream(), words),
            TokenTree::Ident(ident) => {
                words.insert(ident.to_string());
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::moved_in;
    use proc_macro2::TokenStream;
    use quote::quote;

    fn out(item: TokenStream) -> String {
        let constants = [
            "TABLE: [[f64; N]; 1] = [[1.0, HALF]];",
            "NAMES: &[&str] = &[\"a\"];",
            "SCALE: f64 = 2.0;",
            "OTHER: &[f64] = &[1.0];",
            "M: usize = N * (1 + 1);",
            "N: usize = 2;",
            "HALF: f64 = 0.5;",
        ];
        let constants = constants.map(|c| c.trim_end_matches(';').to_owned());
        moved_in(item, &constants).to_string()
    }

    #[test]
    fn tables_and_lengths() {
        let item = quote!(
            fn f(x: &[f64; M]) -> f64 {
                x[M - 1] * TABLE[0][1] * SCALE
            }
        );
        let expected = quote!(
            fn f(x: &[f64; 4]) -> f64 {
                const TABLE: [[f64; 2]; 1] = [[1.0, HALF]];
                x[4 - 1] * TABLE[0][1] * SCALE
            }
        );
        assert_eq!(out(item), expected.to_string());
    }

    #[test]
    fn names_of_the_function() {
        let item = quote!(
            fn f<const N: usize>(x: &[f64; N]) -> f64 {
                const OTHER: [f64; 1] = [3.0];
                x[0] * OTHER[0] + N as f64
            }
        );
        assert_eq!(out(item.clone()), item.to_string());
    }
}
