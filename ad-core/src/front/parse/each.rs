//! `for_each` is `for`.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;

/// `items.for_each(|x| ..)` as `for x in items { .. }`. What leaves the closure would leave more there.
pub(super) fn for_each(call: &syn::ExprMethodCall) -> Option<syn::ExprForLoop> {
    fn mentions(tokens: TokenStream, word: &str) -> bool {
        tokens.into_iter().any(|token| match token {
            TokenTree::Group(group) => mentions(group.stream(), word),
            TokenTree::Ident(ident) => ident == word,
            TokenTree::Punct(_) | TokenTree::Literal(_) => false,
        })
    }
    let (true, Some(syn::Expr::Closure(closure)), 1) = (
        call.method == "for_each",
        call.args.first(),
        call.args.len(),
    ) else {
        return None;
    };
    let (pat, 1) = (closure.inputs.first()?, closure.inputs.len()) else {
        return None;
    };
    if mentions(closure.body.to_token_stream(), "return")
        || mentions(call.receiver.to_token_stream(), "Zip")
    {
        return None;
    }
    let body: syn::Block = match &*closure.body {
        syn::Expr::Block(body) => body.block.clone(),
        body => syn::parse_quote!({ #body; }),
    };
    let span = call.method.span();
    let bare = match pat {
        syn::Pat::Type(typed) => &typed.pat,
        pat => pat,
    };
    Some(syn::ExprForLoop {
        attrs: vec![],
        label: None,
        for_token: syn::token::For { span },
        pat: Box::new(bare.clone()),
        in_token: syn::token::In { span },
        expr: call.receiver.clone(),
        body,
    })
}
