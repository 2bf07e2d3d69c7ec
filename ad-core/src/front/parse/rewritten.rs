//! Methods that are written in terms of others: each is what stands behind it here.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;

/// What a method call stands for.
pub(super) fn method(call: &syn::ExprMethodCall) -> Option<syn::Expr> {
    let of = &*call.receiver;
    let args: Vec<&syn::Expr> = call.args.iter().collect();
    let span = call.method.span();
    let tokens = match (call.method.to_string().as_str(), &args[..]) {
        ("concat", []) => {
            let syn::Expr::Array(list) = of else {
                return None;
            };
            let mut parts = list.elems.iter();
            let first = parts.next()?;
            quote_spanned!(span=> #first.iter().copied() #(.chain(#parts.iter().copied()))*.collect())
        }
        ("scan", [init, syn::Expr::Closure(step)]) => scanned(of, init, step)?,
        _ => return None,
    };
    syn::parse2(tokens).ok()
}

/// `x.scan(init, |s, p| { ..; Some(e) })` is a list that grows by `e` in a loop over `x`.
fn scanned(of: &syn::Expr, init: &syn::Expr, step: &syn::ExprClosure) -> Option<TokenStream> {
    let params: Vec<&syn::Pat> = step.inputs.iter().collect();
    let [syn::Pat::Ident(state), item] = params[..] else {
        return None;
    };
    let body = match &*step.body {
        syn::Expr::Block(block) => &block.block,
        _ => return None,
    };
    let (last, stmts) = body.stmts.split_last()?;
    let syn::Stmt::Expr(syn::Expr::Call(some), None) = last else {
        return None;
    };
    let is_some = matches!(&*some.func, syn::Expr::Path(p) if p.path.is_ident("Some"));
    let (true, Some(value)) = (is_some, some.args.first()) else {
        return None;
    };
    let stmts: TokenStream = stmts.iter().map(ToTokens::to_token_stream).collect();
    let leaves = |t: &TokenTree| t.to_string() == "return" || t.to_string() == "?";
    if any(&stmts, &leaves) || any(&value.to_token_stream(), &leaves) {
        return None;
    }
    let state = &state.ident;
    let (stmts, value) = (
        without_deref(stmts, state),
        without_deref(value.to_token_stream(), state),
    );
    Some(quote_spanned! {state.span()=>
        {
            let mut scanned = Vec::new();
            let mut #state = #init;
            for #item in #of {
                #stmts
                scanned.push(#value);
            }
            scanned
        }.into_iter()
    })
}

/// `v.sort_by(order)`: the elements in another order, which is a constant of differentiation.
pub(super) fn sorted(of: &syn::Expr, order: &syn::Expr) -> Option<syn::Expr> {
    let is_descending = order_of(order)?;
    let is_total = any(&order.to_token_stream(), &|t| t.to_string() == "total_cmp");
    let span = of.span();
    syn::parse2(quote_spanned! {span=>
        {
            let order = ::cotangent::prelude::stop_gradient(
                ::cotangent::sorting::order(&#of, #is_total, #is_descending),
            );
            ::cotangent::prelude::build(#of.len(), |place| #of[order[place] as usize])
        }
    })
    .ok()
}

/// Whether an order of numbers is the usual one, backwards; nothing for any other.
fn order_of(order: &syn::Expr) -> Option<bool> {
    if super::expr::is_usual_order(order) {
        return Some(false);
    }
    let syn::Expr::Closure(closure) = order else {
        return None;
    };
    let mut turned = closure.clone();
    turned.inputs = closure.inputs.iter().rev().cloned().collect();
    super::expr::is_usual_order(&syn::Expr::Closure(turned)).then_some(true)
}

fn any(tokens: &TokenStream, holds: &dyn Fn(&TokenTree) -> bool) -> bool {
    tokens.clone().into_iter().any(|token| match &token {
        TokenTree::Group(group) => any(&group.stream(), holds),
        TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => holds(&token),
    })
}

/// Tokens with `s` in place of `*s`.
fn without_deref(tokens: TokenStream, state: &syn::Ident) -> TokenStream {
    let mut out: Vec<TokenTree> = vec![];
    for token in tokens {
        let token = match token {
            TokenTree::Group(group) => {
                let inner = without_deref(group.stream(), state);
                let mut new = proc_macro2::Group::new(group.delimiter(), inner);
                new.set_span(group.span());
                TokenTree::Group(new)
            }
            other @ (TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_)) => other,
        };
        let is_state = matches!(&token, TokenTree::Ident(i) if i == state);
        let is_star =
            |t: Option<&TokenTree>| matches!(t, Some(TokenTree::Punct(p)) if p.as_char() == '*');
        if is_state && is_star(out.last()) {
            out.pop();
        }
        out.push(token);
    }
    out.into_iter().collect()
}

/// `while let p = e { .. }`
pub(super) fn while_let(l: &syn::ExprWhile) -> Option<syn::ExprLoop> {
    let syn::Expr::Let(head) = &*l.cond else {
        return None;
    };
    let (pat, of, body, label) = (&head.pat, &head.expr, &l.body.stmts, &l.label);
    let span = l.while_token.span;
    syn::parse2(quote_spanned! {span=>
        #label loop {
            let #pat = (#of) else {
                break;
            };
            #(#body)*
        }
    })
    .ok()
}
