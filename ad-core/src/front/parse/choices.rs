//! Chains of conditions and patterns, and searches, as `match`.
//!
//! ```text
//! if let p = e && c { a } else { b }      match e { p if c => a, _ => b }
//! if c && let p = e { a } else { b }      if c { if let p = e { a } else { b } } else { b }
//!
//! match x.binary_search_by(f) {           match (found, place) {
//!     Ok(p) => a,                             (true, p) => a,
//!     Err(q) => b,                            (false, q) => b,
//! }                                       }
//! ```
//!
//! Side condition of the first two: `b` mentions no name that a pattern before it binds.

use super::each::mentions;
use super::pattern::names_in;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;

/// What an expression that chooses stands for, if it is one of these.
pub(super) fn chosen(e: &syn::Expr) -> Option<syn::Expr> {
    let tokens = match e {
        syn::Expr::If(branch) => {
            let conds = chain(&branch.cond)?;
            let then = branch.then_branch.to_token_stream();
            let other = branch.else_branch.as_ref();
            let other = other.map_or(quote!({}), |(_, e)| e.to_token_stream());
            in_turn(&conds, &then, &other)?
        }
        syn::Expr::Match(of) => {
            let found = searched(&of.expr)?;
            let mut arms = vec![];
            for arm in &of.arms {
                let (pat, guard) = match &arm.pat {
                    syn::Pat::Guard(guarded) => (&*guarded.pat, Some(&guarded.guard)),
                    pat => (pat, None),
                };
                let (pat, body) = (of_search(pat)?, &arm.body);
                let guard = guard.map(|guard| quote!(if #guard));
                arms.push(quote!(#pat #guard => #body,));
            }
            quote_spanned!(of.match_token.span=> match #found { #(#arms)* })
        }
        _ => return None,
    };
    syn::parse2(tokens).ok()
}

/// `while c && let p = e { .. }` as a loop that is left where that does not hold.
pub(super) fn while_chain(l: &syn::ExprWhile) -> Option<syn::ExprLoop> {
    chain(&l.cond)?;
    let (label, cond, body) = (&l.label, &l.cond, &l.body);
    syn::parse2(quote_spanned! {l.while_token.span=>
        #label loop { if #cond #body else { break; } }
    })
    .ok()
}

/// `a && b && ..`, if a pattern is one of these.
fn chain(cond: &syn::Expr) -> Option<Vec<&syn::Expr>> {
    let mut conds = vec![];
    let mut rest = cond;
    while let syn::Expr::Binary(both) = rest
        && matches!(both.op, syn::BinOp::And(_))
    {
        conds.push(&*both.right);
        rest = &both.left;
    }
    conds.push(rest);
    conds.reverse();
    let has_pattern = conds.iter().any(|c| matches!(c, syn::Expr::Let(_)));
    (conds.len() > 1 && has_pattern).then_some(conds)
}

/// One condition after another.
fn in_turn(conds: &[&syn::Expr], then: &TokenStream, other: &TokenStream) -> Option<TokenStream> {
    let is_pattern = |c: &&syn::Expr| matches!(c, syn::Expr::Let(_));
    let Some((first, rest)) = conds.split_first() else {
        return Some(then.clone());
    };
    let count = rest.iter().position(is_pattern).unwrap_or(rest.len());
    let (guards, rest) = rest.split_at(count);
    let inner = in_turn(rest, then, other)?;
    let span = first.span();
    let syn::Expr::Let(of) = first else {
        return Some(quote_spanned!(span=> { if #first #(&& #guards)* #inner else #other }));
    };
    let names = names_in(&of.pat);
    let is_hidden = |name: &syn::Ident| mentions(other.clone(), &name.to_string());
    if !rest.is_empty() && names.iter().any(is_hidden) {
        return None;
    }
    let (pat, value) = (&of.pat, &of.expr);
    let guard = (!guards.is_empty()).then(|| quote!(if #(#guards)&&*));
    Some(quote_spanned!(span=> { match #value { #pat #guard => #inner, _ => #other } }))
}

/// Of a binary search: whether there is such an element, and where it is or belongs.
pub(super) fn searched(e: &syn::Expr) -> Option<TokenStream> {
    let syn::Expr::MethodCall(call) = e else {
        return None;
    };
    let (of, span) = (&call.receiver, call.method.span());
    let args: Vec<&syn::Expr> = call.args.iter().collect();
    let (item, order) = match (call.method.to_string().as_str(), &args[..]) {
        ("binary_search", [value]) => (
            quote!(cotangent_item),
            quote_spanned!(span=> cotangent_item.cmp(#value)),
        ),
        ("binary_search_by", [syn::Expr::Closure(f)]) => {
            let (params, body) = (&f.inputs, &f.body);
            (quote!(#params), quote!((#body)))
        }
        ("binary_search_by_key", [key, syn::Expr::Closure(f)]) => {
            let (params, body) = (&f.inputs, &f.body);
            let order = quote_spanned!(span=> (#body).cmp(#key));
            (quote!(#params), order)
        }
        _ => return None,
    };
    Some(quote_spanned! {span=> {
        let cotangent_place = #of.partition_point(|#item| #order.is_lt());
        let cotangent_found = cotangent_place < #of.len() && {
            let #item = #of[cotangent_place];
            #order.is_eq()
        };
        (cotangent_found, cotangent_place)
    }})
}

/// The pattern of an arm on the result of a search.
fn of_search(pat: &syn::Pat) -> Option<TokenStream> {
    match pat {
        syn::Pat::Wild(_) => Some(quote!(_)),
        syn::Pat::Paren(inner) => of_search(&inner.pat),
        syn::Pat::TupleStruct(of) => {
            let found = match of.path.segments.last()?.ident.to_string().as_str() {
                "Ok" => true,
                "Err" => false,
                _ => return None,
            };
            let place = of.elems.first()?;
            Some(quote!((#found, #place)))
        }
        syn::Pat::Or(or) => {
            let mut places = or.cases.iter().map(|case| match case {
                syn::Pat::TupleStruct(of) => of.elems.first(),
                _ => None,
            });
            let first = places.next()??;
            let text = first.to_token_stream().to_string();
            let is_same =
                |p: Option<&syn::Pat>| p.is_some_and(|p| p.to_token_stream().to_string() == text);
            (or.cases.len() == 2 && places.all(is_same)).then(|| quote!((_, #first)))
        }
        _ => None,
    }
}

/// What `let (Some(a), Some(b)) = (e, f) else { .. };` stands for: one part after the other.
pub(super) fn taken_in_turn(local: &syn::Local) -> Option<Vec<syn::Stmt>> {
    let init = local.init.as_ref()?;
    let (_, other) = init.diverge.as_ref()?;
    let mut value = &*init.expr;
    while let syn::Expr::Paren(inner) = value {
        value = &inner.expr;
    }
    let (syn::Pat::Tuple(pats), syn::Expr::Tuple(values)) = (&local.pat, value) else {
        return None;
    };
    if pats.elems.len() != values.elems.len() {
        return None;
    }
    let names = (0..values.elems.len()).map(|k| quote::format_ident!("cotangent_part_{k}"));
    let names: Vec<syn::Ident> = names.collect();
    let values = values.elems.iter().zip(&names);
    let first = values.map(|(e, name)| quote_spanned!(e.span()=> let #name = #e;));
    let parts = pats.elems.iter().zip(&names).map(|(pat, name)| {
        let is_sure = matches!(pat, syn::Pat::Ident(_) | syn::Pat::Wild(_));
        let other = (!is_sure).then(|| quote_spanned!(pat.span()=> else #other));
        quote_spanned!(pat.span()=> let #pat = #name #other;)
    });
    let tokens = first.chain(parts).collect();
    syn::parse::Parser::parse2(syn::Block::parse_within, tokens).ok()
}
