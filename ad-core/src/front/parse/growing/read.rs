//! What reads a list while it grows, or changes how long it is.

use super::{GROWING, List, mentions, method_after};
use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;

/// What reads a list while it has a length, or changes that.
pub(super) struct Read<'a> {
    pub(super) list: &'a List,
    pub(super) at: &'a TokenStream,
    pub(super) counts: Counts<'a>,
}

/// What the length of a list is.
#[derive(Clone, Copy)]
pub(super) enum Counts<'a> {
    /// It follows from the round.
    Known,
    /// A variable.
    Written,
    /// A variable, and there are no elements. The other one is the largest length.
    Only(&'a Ident),
}

impl Read<'_> {
    pub(super) fn of(&self, tokens: TokenStream) -> Option<TokenStream> {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let (list, at) = (&self.list.name, self.at);
        let mut out = TokenStream::new();
        let mut k = 0;
        while k < tokens.len() {
            if let Some(end) = shadowed(&tokens, k, list) {
                out.extend(tokens[k..end].iter().cloned());
                k = end;
                continue;
            }
            let after = &tokens[k + 1..];
            match &tokens[k] {
                TokenTree::Group(group) => {
                    let mut inner = Group::new(group.delimiter(), self.of(group.stream())?);
                    inner.set_span(group.span());
                    out.extend([TokenTree::Group(inner)]);
                    k += 1;
                }
                TokenTree::Ident(ident) if ident == list && !is_member(&tokens[..k]) => {
                    let (read, taken) = self.mention(after, is_statement(&tokens[..k]))?;
                    match read {
                        Some(read) => out.extend(read),
                        None => out.extend(quote_spanned!(list.span()=> #list[..#at])),
                    }
                    k += 1 + taken;
                }
                token @ (TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_)) => {
                    out.extend([token.clone()]);
                    k += 1;
                }
            }
        }
        Some(out)
    }

    /// What the list and the first of the tokens behind it stand for, and how many these are.
    fn mention(&self, after: &[TokenTree], is_first: bool) -> Option<(Option<TokenStream>, usize)> {
        let (list, at) = (&self.list.name, self.at);
        if let Counts::Only(most) = self.counts {
            return self
                .counted(most, after)
                .map(|(read, taken)| (Some(read), taken));
        }
        if let Some(TokenTree::Group(index)) = after.first()
            && index.delimiter() == Delimiter::Bracket
        {
            let index = self.of(index.stream())?;
            return Some(match is_range(&index) {
                true => (None, 0),
                false => (Some(quote_spanned!(list.span()=> #list[#index])), 1),
            });
        }
        let Some(method) = method_after(after).map(ToString::to_string) else {
            return Some((None, 0));
        };
        let args = match after.get(2) {
            Some(TokenTree::Group(args)) => args.stream(),
            _ => return Some((None, 0)),
        };
        let is_unwrapped = after.get(3..).and_then(method_after);
        let is_unwrapped = is_unwrapped.is_some_and(|m| m == "unwrap");
        let changes = GROWING.contains(&method.as_str());
        if changes && matches!(self.counts, Counts::Known) {
            return None;
        }
        Some(match method.as_str() {
            "len" => (Some(quote_spanned!(list.span()=> (#at))), 3),
            "is_empty" => (Some(quote_spanned!(list.span()=> (#at == 0))), 3),
            "last" if is_unwrapped => (Some(quote_spanned!(list.span()=> #list[#at - 1])), 6),
            "push" => {
                let value = self.list.pushed(self.of(args)?);
                (
                    Some(quote_spanned!(list.span()=> { #list[#at] = #value; #at += 1; })),
                    3,
                )
            }
            "pop" if is_unwrapped => (
                Some(quote_spanned!(list.span()=> { #at -= 1; #list[#at] })),
                6,
            ),
            // A statement.
            "pop" if matches!(after.get(3), Some(TokenTree::Punct(p)) if p.as_char() == ';') => (
                Some(quote_spanned!(list.span()=> #at = #at.saturating_sub(1))),
                3,
            ),
            "clear" => (Some(quote_spanned!(list.span()=> { #at = 0; })), 3),
            "truncate" => {
                let length = self.of(args)?;
                (
                    Some(quote_spanned!(list.span()=> { #at = #at.min(#length); })),
                    3,
                )
            }
            "insert" | "remove" | "swap_remove" | "retain" | "dedup" | "drain" | "split_off" => {
                let ends = matches!(after.get(3), Some(TokenTree::Punct(p)) if p.as_char() == ';');
                let is_unused = is_first && ends;
                (Some(self.moved(&method, args, is_unused)?), 3)
            }
            _ if changes => return None,
            sort if sort.starts_with("sort") => (Some(self.sorted(after.get(1)?, args)?), 3),
            _ => (None, 0),
        })
    }
}

impl Read<'_> {
    /// A method that changes the places of elements.
    fn moved(&self, method: &str, args: TokenStream, is_unused: bool) -> Option<TokenStream> {
        let (list, at) = (&self.list.name, self.at);
        let gone = (!is_unused).then(|| quote_spanned!(list.span()=> cotangent_gone));
        let parser = Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated;
        let args = parser.parse2(args).ok()?;
        let args: Option<Vec<TokenStream>> =
            args.iter().map(|e| self.of(e.to_token_stream())).collect();
        let args = args?;
        Some(match (method, &args[..]) {
            ("insert", [i, value]) => {
                let value = self.list.pushed(value.clone());
                quote_spanned! {list.span()=> {
                    let (cotangent_i, cotangent_new) = (#i, #value);
                    for cotangent_k in (cotangent_i..#at).rev() {
                        #list[cotangent_k + 1] = #list[cotangent_k];
                    }
                    #list[cotangent_i] = cotangent_new;
                    #at += 1;
                }}
            }
            ("remove", [i]) => quote_spanned! {list.span()=> {
                let cotangent_i = #i;
                let cotangent_gone = #list[cotangent_i];
                for cotangent_k in cotangent_i + 1..#at {
                    #list[cotangent_k - 1] = #list[cotangent_k];
                }
                #at -= 1;
                #gone
            }},
            ("swap_remove", [i]) => quote_spanned! {list.span()=> {
                let cotangent_i = #i;
                let cotangent_gone = #list[cotangent_i];
                #at -= 1;
                #list[cotangent_i] = #list[#at];
                #gone
            }},
            ("drain", [range]) => {
                let (from, to) = ends(range, at)?;
                let gone =
                    (!is_unused).then(|| quote_spanned!(list.span()=> cotangent_gone.into_iter()));
                quote_spanned! {list.span()=> ({
                    let (cotangent_from, cotangent_to) = (#from, #to);
                    let cotangent_gone = #list[cotangent_from..cotangent_to].to_vec();
                    for cotangent_k in cotangent_to..#at {
                        #list[cotangent_k + cotangent_from - cotangent_to] = #list[cotangent_k];
                    }
                    #at -= cotangent_to - cotangent_from;
                    #gone
                })}
            }
            ("split_off", [from]) => quote_spanned! {list.span()=> ({
                let cotangent_from = #from;
                let cotangent_gone = #list[cotangent_from..#at].to_vec();
                #at = cotangent_from;
                #gone
            })},
            ("retain", [keeps]) => quote_spanned! {list.span()=> {
                let cotangent_keeps = #keeps;
                let mut cotangent_end = 0;
                for cotangent_k in 0..#at {
                    if cotangent_keeps(&#list[cotangent_k]) {
                        #list[cotangent_end] = #list[cotangent_k];
                        cotangent_end += 1;
                    }
                }
                #at = cotangent_end;
            }},
            ("dedup", []) => quote_spanned! {list.span()=> {
                let mut cotangent_end = #at.min(1);
                for cotangent_k in 1..#at {
                    if #list[cotangent_k] != #list[cotangent_end - 1] {
                        #list[cotangent_end] = #list[cotangent_k];
                        cotangent_end += 1;
                    }
                }
                #at = cotangent_end;
            }},
            _ => return None,
        })
    }

    /// The elements in another order, one by one: those of a list of structs have no other way.
    fn sorted(&self, method: &TokenTree, args: TokenStream) -> Option<TokenStream> {
        let (list, at) = (&self.list.name, self.at);
        let args = self.of(args)?;
        Some(quote_spanned! {list.span()=> {
            let mut cotangent_ordered = #list[..#at].to_vec();
            cotangent_ordered.#method(#args);
            for cotangent_k in 0..#at {
                #list[cotangent_k] = cotangent_ordered[cotangent_k];
            }
        }})
    }

    /// The same where there is no list, only how long it is.
    fn counted(&self, most: &Ident, after: &[TokenTree]) -> Option<(TokenStream, usize)> {
        let (span, at) = (self.list.name.span(), self.at);
        let Some(TokenTree::Group(args)) = after.get(2) else {
            return None;
        };
        let is_statement = matches!(after.get(3), Some(TokenTree::Punct(p)) if p.as_char() == ';');
        let read = match method_after(after)?.to_string().as_str() {
            "len" => quote_spanned!(span=> (#at)),
            "is_empty" => quote_spanned!(span=> (#at == 0)),
            "push" => {
                let value = self.list.pushed(self.of(args.stream())?);
                quote_spanned!(span=> { let _ = #value; #at += 1; #most = #most.max(#at); })
            }
            "pop" if is_statement => quote_spanned!(span=> #at = #at.saturating_sub(1)),
            "clear" => quote_spanned!(span=> { #at = 0; }),
            _ => return None,
        };
        Some((read, 3))
    }
}

/// Where a closure ends that begins at a token and has a parameter with the name of the list.
fn shadowed(tokens: &[TokenTree], k: usize, list: &Ident) -> Option<usize> {
    let is_punct = |t: &TokenTree, c: char| matches!(t, TokenTree::Punct(p) if p.as_char() == c);
    let begins = match k.checked_sub(1).map(|before| &tokens[before]) {
        None => true,
        Some(before) => {
            is_punct(before, ',') || is_punct(before, '=') || before.to_string() == "move"
        }
    };
    if !begins || !is_punct(&tokens[k], '|') {
        return None;
    }
    let params = &tokens[k + 1..];
    let count = params.iter().position(|t| is_punct(t, '|'))?;
    let params: TokenStream = params[..count].iter().cloned().collect();
    let body = k + count + 2;
    let ends = |t: &TokenTree| is_punct(t, ',') || is_punct(t, ';');
    let length = tokens[body..].iter().position(ends);
    mentions(&params, list).then(|| length.map_or(tokens.len(), |n| body + n))
}

/// Where a range begins and ends, in a list of a length.
fn ends(range: &TokenStream, length: &TokenStream) -> Option<(TokenStream, TokenStream)> {
    let Ok(syn::Expr::Range(range)) = syn::parse2(range.clone()) else {
        return None;
    };
    let of = |e: &Option<Box<syn::Expr>>| e.as_ref().map(ToTokens::to_token_stream);
    let from = of(&range.start).unwrap_or(quote_spanned!(range.limits.span()=> 0usize));
    let to = match (of(&range.end), &range.limits) {
        (Some(to), syn::RangeLimits::Closed(dots)) => quote_spanned!(dots.span()=> (#to) + 1),
        (to, syn::RangeLimits::HalfOpen(_) | syn::RangeLimits::Closed(_)) => {
            to.unwrap_or_else(|| length.clone())
        }
    };
    Some((from, to))
}

/// Whether an index is a range.
fn is_range(index: &TokenStream) -> bool {
    matches!(syn::parse2(index.clone()), Ok(syn::Expr::Range(_)))
}

/// Whether a statement begins behind these tokens.
fn is_statement(before: &[TokenTree]) -> bool {
    match before.last() {
        None => true,
        Some(TokenTree::Punct(p)) => p.as_char() == ';',
        Some(TokenTree::Group(group)) => group.delimiter() == Delimiter::Brace,
        Some(TokenTree::Ident(_) | TokenTree::Literal(_)) => false,
    }
}

/// Whether what follows these tokens is the name of a field or a method.
fn is_member(before: &[TokenTree]) -> bool {
    let is_dot =
        |t: Option<&TokenTree>| matches!(t, Some(TokenTree::Punct(p)) if p.as_char() == '.');
    let n = before.len();
    is_dot(before.last()) && !(n > 1 && is_dot(before.get(n - 2)))
}
