//! Names for `s![..]`, which stands for what it is wherever it is used; its ends are computed once:
//!
//! ```text
//! let c = s![.., h * d..n];           let c_0 = h * d;
//! a.slice(c)                     is   a.slice(s![.., c_0..n])
//! ```

use crate::front::beside::replaced;
use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote_spanned};
use std::collections::HashMap;
use syn::visit::{self, Visit};

/// The block without such names.
pub(super) fn written_out(block: &syn::Block) -> Option<syn::Block> {
    let mut changed: Option<syn::Block> = None;
    let mut k = 0;
    while let Some(stmt) = changed.as_ref().unwrap_or(block).stmts.get(k) {
        let stmts = &changed.as_ref().unwrap_or(block).stmts;
        if let Some((name, cut)) = declared(stmt)
            && !is_bound(&name, &stmts[k + 1..])
        {
            let mut ends = TokenStream::new();
            let parts = cut.tokens.clone();
            let mut cut = cut.clone();
            cut.tokens = with_names(parts, &name, &mut ends);
            let uses = HashMap::from([(name.to_string(), cut.into_token_stream())]);
            let mut all: TokenStream = stmts[..k].iter().map(ToTokens::to_token_stream).collect();
            all.extend(ends);
            let rest = stmts[k + 1..].iter().map(ToTokens::to_token_stream);
            all.extend(replaced(rest.collect(), &uses, 1));
            let stmts = syn::parse::Parser::parse2(syn::Block::parse_within, all).ok()?;
            changed = Some(syn::Block {
                stmts,
                ..block.clone()
            });
        }
        k += 1;
    }
    changed
}

/// `let name = s![..];`
fn declared(stmt: &syn::Stmt) -> Option<(syn::Ident, syn::Macro)> {
    let syn::Stmt::Local(local) = stmt else {
        return None;
    };
    let (syn::Pat::Ident(pat), Some(init)) = (&local.pat, &local.init) else {
        return None;
    };
    let syn::Expr::Macro(of) = &*init.expr else {
        return None;
    };
    let is_cut = of.mac.path.segments.last()?.ident == "s";
    (is_cut && pat.mutability.is_none()).then(|| (pat.ident.clone(), of.mac.clone()))
}

/// Whether something else has this name.
fn is_bound(name: &syn::Ident, stmts: &[syn::Stmt]) -> bool {
    struct Bound<'a>(&'a syn::Ident, bool);
    impl<'ast> Visit<'ast> for Bound<'_> {
        fn visit_pat_ident(&mut self, pat: &'ast syn::PatIdent) {
            self.1 |= pat.ident == *self.0;
            visit::visit_pat_ident(self, pat);
        }
    }
    let mut bound = Bound(name, false);
    stmts.iter().for_each(|stmt| bound.visit_stmt(stmt));
    bound.1
}

fn is(token: Option<&TokenTree>, sign: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == sign)
}

/// The parts with a name for each end that is computed.
fn with_names(parts: TokenStream, of: &syn::Ident, ends: &mut TokenStream) -> TokenStream {
    let (mut out, mut end) = (TokenStream::new(), TokenStream::new());
    let mut count = 0;
    let mut finish = |end: &mut TokenStream, out: &mut TokenStream| {
        let end = std::mem::take(end);
        // A name may change later, as `NewAxis` and a literal cannot.
        let is_fixed = match &end.clone().into_iter().collect::<Vec<_>>()[..] {
            [] | [TokenTree::Literal(_)] => true,
            [TokenTree::Ident(name)] => name == "NewAxis",
            [TokenTree::Punct(minus), TokenTree::Literal(_)] => minus.as_char() == '-',
            _ => false,
        };
        if is_fixed {
            out.extend(end);
            return;
        }
        let name = format_ident!("cotangent_{of}_{count}", span = of.span());
        count += 1;
        ends.extend(quote_spanned!(of.span()=> let #name = #end;));
        out.extend([TokenTree::Ident(name)]);
    };
    let mut tokens = parts.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let is_range = is(Some(&token), '.') && is(tokens.peek(), '.');
        let is_end = is(Some(&token), ',') || is(Some(&token), ';');
        if !is_range && !is_end {
            end.extend([token]);
            continue;
        }
        finish(&mut end, &mut out);
        out.extend([token]);
        if is_range {
            out.extend(tokens.next());
            if is(tokens.peek(), '=') {
                out.extend(tokens.next());
            }
        }
    }
    finish(&mut end, &mut out);
    out
}
