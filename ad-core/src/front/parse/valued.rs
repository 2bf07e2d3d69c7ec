//! Loops and blocks that are left with a value.
//!
//! ```text
//! let y = loop {                      let mut left = slot;
//!     if c { break e; }               loop { if c { left = e; break; } }
//! };                                  let y = left;
//!
//! let y = 'a: {                       let mut left = slot;
//!     if c { break 'a e; }            'a: loop {
//!     f                                   if c { left = e; break 'a; }
//! };                                      left = f; break 'a;
//!                                     }
//!                                     let y = left;
//! ```
//!
//! Side condition of the second: the block has no `break` or `continue` of a loop around it.

use super::growing::SLOT;
use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;

/// The block with loops that give no value; `count` is how many had one.
pub(super) fn without(block: &syn::Block, count: &mut usize) -> Option<syn::Block> {
    let mut changed = false;
    let mut out = TokenStream::new();
    for (k, stmt) in block.stmts.iter().enumerate() {
        let is_last = k + 1 == block.stmts.len();
        let found = match stmt {
            syn::Stmt::Local(local) => local
                .init
                .as_ref()
                .filter(|i| i.diverge.is_none())
                .map(|init| (&*init.expr, Some(&local.pat))),
            syn::Stmt::Expr(e, None) if is_last => Some((e, None)),
            syn::Stmt::Expr(..) | syn::Stmt::Item(_) | syn::Stmt::Macro(_) => None,
        };
        let written = found.and_then(|(e, pat)| {
            let (name, stmts) = left(e, *count)?;
            Some(match pat {
                Some(pat) => quote!(#stmts let #pat = #name;),
                None => quote!(#stmts #name),
            })
        });
        match written {
            Some(written) => {
                changed = true;
                *count += 1;
                out.extend(written);
            }
            None => stmt.to_tokens(&mut out),
        }
    }
    if !changed {
        return None;
    }
    let stmts = syn::parse::Parser::parse2(syn::Block::parse_within, out).ok()?;
    Some(syn::Block {
        stmts,
        ..block.clone()
    })
}

/// The same of such an expression, wherever it stands, as a block.
pub(super) fn as_block(e: &syn::Expr, count: &mut usize) -> Option<syn::Block> {
    let (name, stmts) = left(e, *count)?;
    *count += 1;
    syn::parse2(quote_spanned!(e.span()=> { #stmts #name })).ok()
}

/// The name of the value, and the statements behind which it has it.
fn left(e: &syn::Expr, count: usize) -> Option<(TokenStream, TokenStream)> {
    // What is inside of another one has another name: it may leave both with a value.
    let key = &format_ident!("left_{count}");
    let name = format_ident!("cotangent_left_{count}", span = e.span());
    let name = quote!(#name);
    let slot = format_ident!("{}", SLOT);
    let (label, body) = match e {
        syn::Expr::Loop(l) => {
            let label = l.label.as_ref().map(|l| l.name.ident.to_string());
            let mut breaks = Breaks::new(key, &name, label);
            let body = breaks.of(l.body.to_token_stream(), true);
            breaks.found.then_some((l.label.clone(), body))?
        }
        syn::Expr::Block(b) => {
            let label = b.label.clone()?;
            let mut breaks = Breaks::new(key, &name, Some(label.name.ident.to_string()));
            let (last, stmts) = b.block.stmts.split_last()?;
            let syn::Stmt::Expr(last, None) = last else {
                return None;
            };
            let stmts = stmts.iter().map(ToTokens::to_token_stream).collect();
            let stmts = breaks.of(stmts, true);
            if breaks.others {
                return None;
            }
            let lifetime = &label.name;
            let body = quote!({ #stmts #name = #slot!(#key, #last); break #lifetime; });
            (Some(label), body)
        }
        _ => return None,
    };
    let stmts = quote_spanned! {e.span()=>
        let mut #name = #slot!(#key);
        #label loop #body
    };
    Some((name, stmts))
}

/// Replaces `break e` of one loop.
struct Breaks<'a> {
    key: &'a Ident,
    name: &'a TokenStream,
    label: Option<String>,
    /// Whether there was one.
    found: bool,
    /// Whether a loop around is left or goes on by what has no label.
    others: bool,
}

impl<'a> Breaks<'a> {
    fn new(key: &'a Ident, name: &'a TokenStream, label: Option<String>) -> Breaks<'a> {
        Breaks {
            key,
            name,
            label,
            found: false,
            others: false,
        }
    }

    /// `own`: whether a `break` without a label leaves the loop.
    fn of(&mut self, tokens: TokenStream, own: bool) -> TokenStream {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut out = TokenStream::new();
        let mut inner = false;
        let mut k = 0;
        while k < tokens.len() {
            match &tokens[k] {
                TokenTree::Group(group) => {
                    let is_body = inner && group.delimiter() == Delimiter::Brace;
                    let stream = self.of(group.stream(), own && !is_body);
                    inner &= !is_body;
                    let mut new = Group::new(group.delimiter(), stream);
                    new.set_span(group.span());
                    out.extend([TokenTree::Group(new)]);
                    k += 1;
                }
                TokenTree::Ident(word) if word == "break" => {
                    let value = end_of(&tokens, k);
                    let (label, value) = label_of(&tokens[k + 1..value]);
                    let end = k + 1 + 2 * usize::from(label.is_some()) + value.len();
                    let is_own = match &label {
                        Some(label) => self.label.as_ref() == Some(label),
                        None => own,
                    };
                    self.others |= label.is_none() && own && value.is_empty();
                    if is_own && !value.is_empty() {
                        self.found = true;
                        let value: TokenStream = value.iter().cloned().collect();
                        let (name, key, slot) = (self.name, self.key, format_ident!("{}", SLOT));
                        let label: TokenStream = match label {
                            Some(_) => tokens[k + 1..k + 3].iter().cloned().collect(),
                            None => TokenStream::new(),
                        };
                        out.extend(quote_spanned!(word.span()=> {
                            #name = #slot!(#key, #value);
                            break #label;
                        }));
                    } else {
                        out.extend(tokens[k..end].iter().cloned());
                    }
                    k = end;
                }
                token => {
                    if let TokenTree::Ident(word) = token {
                        inner |= word == "for" || word == "while" || word == "loop";
                        self.others |= own && word == "continue";
                    }
                    out.extend([token.clone()]);
                    k += 1;
                }
            }
        }
        out
    }
}

/// Where what is behind a `break` ends.
fn end_of(tokens: &[TokenTree], at: usize) -> usize {
    let ends = |t: &TokenTree| matches!(t, TokenTree::Punct(p) if matches!(p.as_char(), ';' | ','));
    let behind = tokens[at..].iter().position(ends);
    behind.map_or(tokens.len(), |k| at + k)
}

/// The label that tokens begin with, and the others.
fn label_of(tokens: &[TokenTree]) -> (Option<String>, &[TokenTree]) {
    match tokens {
        [TokenTree::Punct(quote), TokenTree::Ident(label), rest @ ..]
            if quote.as_char() == '\'' =>
        {
            (Some(label.to_string()), rest)
        }
        _ => (None, tokens),
    }
}
