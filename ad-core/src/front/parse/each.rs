//! `for_each`, `azip!` and their like are `for`.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::Token;
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;

/// Whether a word occurs in tokens.
pub(super) fn mentions(tokens: TokenStream, word: &str) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => mentions(group.stream(), word),
        TokenTree::Ident(ident) => ident == word,
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

/// `for pat in over { body }`
fn looped(pat: syn::Pat, over: syn::Expr, body: &syn::Expr, span: Span) -> syn::ExprForLoop {
    let body: syn::Block = match body {
        syn::Expr::Block(body) => body.block.clone(),
        body => syn::parse_quote!({ #body; }),
    };
    syn::ExprForLoop {
        attrs: vec![],
        label: None,
        for_token: syn::token::For { span },
        pat: Box::new(pat),
        in_token: syn::token::In { span },
        expr: Box::new(over),
        body,
    }
}

/// `items.for_each(|x| ..)` as `for x in items { .. }`, also of a `Zip` and of methods that are one
/// for the elements of an array. `None` if the closure contains `return`, which in a loop would
/// leave the whole function.
pub(super) fn for_each(call: &syn::ExprMethodCall) -> Option<syn::ExprForLoop> {
    let on = &*call.receiver;
    let args: Vec<&syn::Expr> = call.args.iter().collect();
    let (over, closure): (syn::Expr, _) = match (call.method.to_string().as_str(), &args[..]) {
        ("for_each" | "par_for_each", [syn::Expr::Closure(f)]) => (on.clone(), f),
        ("map_inplace" | "par_map_inplace", [syn::Expr::Closure(f)]) => {
            (syn::parse_quote!(#on.iter_mut()), f)
        }
        ("zip_mut_with", [other, syn::Expr::Closure(f)]) => {
            let method = &call.method;
            (syn::parse_quote!(#on.#method(#other)), f)
        }
        _ => return None,
    };
    if mentions(closure.body.to_token_stream(), "return") {
        return None;
    }
    let bare = closure.inputs.iter().map(|pat| match pat {
        syn::Pat::Type(typed) => (*typed.pat).clone(),
        pat => pat.clone(),
    });
    let mut bare: Vec<syn::Pat> = bare.collect();
    // A `Zip` gives each part as an argument of its own.
    let zips = bare.len() > 1 || mentions(on.to_token_stream(), "Zip");
    let pat: syn::Pat = match zips {
        true => syn::parse_quote!((#(#bare,)*)),
        false => bare.pop()?,
    };
    Some(looped(pat, over, &closure.body, call.method.span()))
}

/// `azip!((mut a in &mut x, &b in &y) body)` as a loop over a `Zip`.
pub(super) fn azip(mac: &syn::Macro) -> Option<syn::ExprForLoop> {
    if mac.path.segments.last()?.ident != "azip" {
        return None;
    }
    type Item = (syn::Pat, syn::Expr);
    let item = |input: ParseStream<'_>| -> syn::Result<Item> {
        let pat = syn::Pat::parse_single(input)?;
        input.parse::<Token![in]>()?;
        Ok((pat, input.parse()?))
    };
    let parts = |input: ParseStream<'_>| {
        let head;
        syn::parenthesized!(head in input);
        let index = match head.peek(syn::Ident) && head.fork().parse::<syn::Ident>()? == "index" {
            true => {
                head.parse::<syn::Ident>()?;
                let index = syn::Pat::parse_single(&head)?;
                head.parse::<Token![,]>()?;
                Some(index)
            }
            false => None,
        };
        let items = Punctuated::<Item, Token![,]>::parse_terminated_with(&head, item)?;
        input.parse::<Option<Token![=>]>>()?;
        Ok((index, items, input.parse::<syn::Expr>()?))
    };
    let (index, items, body) = mac.parse_body_with(parts).ok()?;
    if mentions(body.to_token_stream(), "return") {
        return None;
    }
    let indexed = index.is_some();
    let (pats, overs): (Vec<syn::Pat>, Vec<syn::Expr>) = items.into_iter().unzip();
    let (first, rest) = overs.split_first()?;
    let over: syn::Expr = match indexed {
        true => syn::parse_quote!(Zip::indexed(#first)#(.and(#rest))*),
        false => syn::parse_quote!(Zip::from(#first)#(.and(#rest))*),
    };
    let pats = index.into_iter().chain(pats);
    let pat = syn::parse_quote!((#(#pats,)*));
    Some(looped(
        pat,
        over,
        &body,
        mac.path.segments.last()?.ident.span(),
    ))
}
