//! Iterators that are asked for one item after another: a variable counts what was given out.
//!
//! ```text
//! let mut it = e;          let mut taken = 0;
//! it.nth(n)           is   { let by = n; let item = e.nth(taken + by); taken += by + 1; item }
//! it.next()                the same with n = 0
//! it.next_back()           let item = e.skip(taken).rev().nth(back); back += 1; item
//! it.peek()                e.nth(taken)
//! it.sum::<f64>()          e.skip(taken).sum::<f64>()
//! ```
//!
//! An iterator gives nothing behind its end, however often it is asked.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote_spanned};
use std::collections::HashSet;

/// The methods after which an iterator gives other items.
const STEPS: [&str; 7] = [
    "next",
    "nth",
    "peek",
    "next_if",
    "by_ref",
    "next_back",
    "nth_back",
];
/// Those that take items from the end, which are counted too.
const STEPS_BACK: [&str; 2] = ["next_back", "nth_back"];

/// The block with counts in place of iterators that change. `writers` are methods of the user's
/// that change what they are called on.
pub(super) fn counted(block: &syn::Block, writers: &HashSet<String>) -> Option<syn::Block> {
    let mut changed = None;
    let mut k = 0;
    while let Some(stmt) = changed.as_ref().unwrap_or(block).stmts.get(k) {
        let stmts = &changed.as_ref().unwrap_or(block).stmts;
        if let Some(walk) = Walk::declared(stmt) {
            let rest: TokenStream = stmts[k + 1..]
                .iter()
                .map(ToTokens::to_token_stream)
                .collect();
            let walks = |steps: &[&str]| walk.is_walked(rest.clone(), steps, writers);
            if walks(&STEPS)
                && let Some(rest) = walk.ending(walks(&STEPS_BACK)).of(rest.clone())
            {
                let before = stmts[..k].iter().map(ToTokens::to_token_stream);
                let mut all: TokenStream = before.collect();
                let (items, taken, of) = (&walk.items, &walk.taken, &walk.of);
                let back = walks(&STEPS_BACK).then_some(&walk.back).into_iter();
                all.extend(quote_spanned! {walk.name.span()=>
                    let #items = #of;
                    let mut #taken = 0usize;
                    #(let mut #back = 0usize;)*
                });
                all.extend(rest);
                let stmts = syn::parse::Parser::parse2(syn::Block::parse_within, all).ok()?;
                changed = Some(syn::Block {
                    stmts,
                    ..block.clone()
                });
            }
        }
        k += 1;
    }
    changed
}

/// An iterator in a variable.
#[derive(Clone)]
struct Walk {
    name: Ident,
    of: TokenStream,
    items: Ident,
    taken: Ident,
    back: Ident,
    /// Whether items are taken from the end, too.
    from_end: bool,
}

impl Walk {
    /// `let mut it = e;`
    fn declared(stmt: &syn::Stmt) -> Option<Walk> {
        let syn::Stmt::Local(local) = stmt else {
            return None;
        };
        let syn::Pat::Ident(pat) = &local.pat else {
            return None;
        };
        pat.mutability?;
        let mut of = &*local.init.as_ref().filter(|i| i.diverge.is_none())?.expr;
        // What can be asked for its next item without taking it gives the same items.
        while let syn::Expr::MethodCall(call) = of
            && matches!(call.method.to_string().as_str(), "peekable" | "fuse")
        {
            of = &call.receiver;
        }
        Some(Walk {
            name: pat.ident.clone(),
            of: of.to_token_stream(),
            items: format_ident!("cotangent_items_{}", pat.ident),
            taken: format_ident!("cotangent_taken_{}", pat.ident),
            back: format_ident!("cotangent_back_{}", pat.ident),
            from_end: false,
        })
    }

    fn ending(&self, from_end: bool) -> Walk {
        Walk {
            from_end,
            ..self.clone()
        }
    }

    fn is_walked(&self, tokens: TokenStream, steps: &[&str], writers: &HashSet<String>) -> bool {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        tokens.iter().enumerate().any(|(k, token)| match token {
            TokenTree::Group(group) => self.is_walked(group.stream(), steps, writers),
            TokenTree::Ident(name) if *name == self.name => method(&tokens[k + 1..])
                .is_some_and(|(m, _)| steps.contains(&m.as_str()) && !writers.contains(&m)),
            TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => false,
        })
    }

    /// What follows the declaration; nothing if a name of the iterator cannot be followed.
    fn of(&self, tokens: TokenStream) -> Option<TokenStream> {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let (all, taken, back) = (&self.items, &self.taken, &self.back);
        let mut out = TokenStream::new();
        let mut k = 0;
        while k < tokens.len() {
            let is_field = k > 0 && is_dot(&tokens[k - 1]) && !(k > 1 && is_dot(&tokens[k - 2]));
            match &tokens[k] {
                TokenTree::Group(group) => {
                    let mut new = Group::new(group.delimiter(), self.of(group.stream())?);
                    new.set_span(group.span());
                    out.extend([TokenTree::Group(new)]);
                    k += 1;
                }
                TokenTree::Ident(name) if *name == self.name && !is_field => {
                    // Another variable of this name, or `&mut it`.
                    let is_changed = k > 0
                        && matches!(&tokens[k - 1], TokenTree::Ident(word)
                        if word == "let" || word == "mut" || word == "for");
                    if is_changed {
                        return None;
                    }
                    let span = name.span();
                    let items = match self.from_end {
                        true => quote_spanned! {span=>
                            #all.take(#all.count().saturating_sub(#back))
                        },
                        false => all.to_token_stream(),
                    };
                    let (step, count) = match method(&tokens[k + 1..]) {
                        Some((m, args)) => (m, (3, self.of(args)?)),
                        None => (String::new(), (0, TokenStream::new())),
                    };
                    let (length, args) = count;
                    let next = |by: TokenStream| {
                        quote_spanned! {span=> ({
                            let cotangent_by = #by;
                            let cotangent_item = #items.nth(#taken + cotangent_by);
                            #taken += cotangent_by + 1;
                            cotangent_item
                        })}
                    };
                    let next_back = |by: TokenStream| {
                        quote_spanned! {span=> ({
                            let cotangent_by = #by;
                            let cotangent_item = #all.skip(#taken).rev().nth(#back + cotangent_by);
                            #back += cotangent_by + 1;
                            cotangent_item
                        })}
                    };
                    let (step, length) = match step.as_str() {
                        "next_back" => (next_back(quote_spanned!(span=> 0)), length),
                        "nth_back" => (next_back(args), length),
                        "next" => (next(quote_spanned!(span=> 0)), length),
                        "nth" => (next(args), length),
                        "peek" => (quote_spanned!(span=> #items.nth(#taken)), length),
                        "by_ref" => {
                            let (then, count) = method(&tokens[k + 4..])?;
                            if then != "take" {
                                return None;
                            }
                            let count = self.of(count)?;
                            let part = quote_spanned! {span=> ({
                                let (cotangent_from, cotangent_count) = (#taken, #count);
                                #taken += cotangent_count;
                                #items.skip(cotangent_from).take(cotangent_count)
                            })};
                            (part, 6)
                        }
                        "next_if" | "next_if_eq" | "peek_mut" => return None,
                        "clone" => (quote_spanned!(span=> #items.skip(#taken)), length),
                        _ => (quote_spanned!(span=> #items.skip(#taken)), 0),
                    };
                    out.extend(step);
                    k += 1 + length;
                }
                token @ (TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_)) => {
                    out.extend([token.clone()]);
                    k += 1;
                }
            }
        }
        Some(out)
    }
}

fn is_dot(t: &TokenTree) -> bool {
    matches!(t, TokenTree::Punct(p) if p.as_char() == '.')
}

/// `.method(args)`
fn method(tokens: &[TokenTree]) -> Option<(String, TokenStream)> {
    match tokens {
        [dot, TokenTree::Ident(method), TokenTree::Group(args), ..]
            if is_dot(dot) && args.delimiter() == Delimiter::Parenthesis =>
        {
            Some((method.to_string(), args.stream()))
        }
        _ => None,
    }
}
