//! Patterns of slices as questions about their lengths.
//!
//! ```text
//! match x { [] => a, [p] => b, [p, .., q] => c }
//!
//! if x.len() == 0 { a } else if x.len() == 1 { let p = x[0]; b }
//!     else { let p = x[0]; let q = x[x.len() - 1]; c }
//! ```
//!
//! Here `x[0]` is a macro of our own: of what is borrowed to be changed, the part is borrowed, too.
//!
//! rustc has seen that the arms leave nothing out, so the last one needs no question.

use super::each::mentions;
use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;

/// The macro that stands for a part that a pattern takes out of what has a name.
pub(super) const PART: &str = "__cotangent_part";

/// What a `match` or an `if let` on the pattern of a slice stands for.
pub(super) fn chosen(e: &syn::Expr) -> Option<syn::Expr> {
    let tokens = match e {
        syn::Expr::Match(of) if of.arms.iter().any(|arm| Slice::of(&arm.pat).is_some()) => {
            let (name, first) = named(&of.expr);
            let mut arms = of.arms.iter().rev();
            let last = Arm::of(arms.next()?)?;
            let mut tokens = last.body(&name);
            for arm in arms {
                let arm = Arm::of(arm)?;
                let (holds, body) = (arm.holds(&name), arm.body(&name));
                tokens = quote_spanned!(arm.body.span()=> { if #holds #body else #tokens });
            }
            quote!({ #first #tokens })
        }
        syn::Expr::If(branch) => {
            let syn::Expr::Let(of) = &*branch.cond else {
                return None;
            };
            let (name, first) = named(&of.expr);
            let slice = Slice::of(&of.pat)?;
            let (holds, parts) = (slice.holds(&name), slice.parts(&name)?);
            let stmts = &branch.then_branch.stmts;
            let other = branch.else_branch.as_ref().map(|(_, e)| quote!(else #e));
            let chosen =
                quote_spanned!(branch.if_token.span=> if #holds { #parts #(#stmts)* } #other);
            match first.is_empty() {
                true => chosen,
                false => quote!({ #first #chosen }),
            }
        }
        _ => return None,
    };
    syn::parse2(tokens).ok()
}

/// What `let [p, ..] = x else { .. };` stands for.
pub(super) fn taken(local: &syn::Local) -> Option<Vec<syn::Stmt>> {
    let init = local.init.as_ref()?;
    let (_, other) = init.diverge.as_ref()?;
    let slice = Slice::of(&local.pat)?;
    let (name, first) = named(&init.expr);
    let (holds, parts) = (slice.holds(&name), slice.parts(&name)?);
    let tokens = quote_spanned!(local.span()=> #first if !(#holds) #other #parts);
    syn::parse::Parser::parse2(syn::Block::parse_within, tokens).ok()
}

/// A name for what is matched, and the statement that gives it that name.
fn named(e: &syn::Expr) -> (TokenStream, TokenStream) {
    if let syn::Expr::Path(path) = e {
        return (path.to_token_stream(), TokenStream::new());
    }
    let name = quote_spanned!(e.span()=> cotangent_slice);
    let first = quote_spanned!(e.span()=> let #name = #e;);
    (name, first)
}

/// An arm of a `match`.
struct Arm<'a> {
    slice: Option<Slice<'a>>,
    pat: &'a syn::Pat,
    body: &'a syn::Expr,
}

impl<'a> Arm<'a> {
    /// An arm without a question of its own.
    fn of(arm: &'a syn::Arm) -> Option<Arm<'a>> {
        let (slice, pat, body) = (Slice::of(&arm.pat), &arm.pat, &*arm.body);
        let is_simple = match &slice {
            Some(slice) => slice.parts(&TokenStream::new()).is_some(),
            None => matches!(pat, syn::Pat::Wild(_) | syn::Pat::Ident(_)),
        };
        is_simple.then_some(Arm { slice, pat, body })
    }

    fn holds(&self, name: &TokenStream) -> TokenStream {
        (self.slice.as_ref()).map_or(quote!(true), |slice| slice.holds(name))
    }

    fn body(&self, name: &TokenStream) -> TokenStream {
        let parts = match (&self.slice, self.pat) {
            (Some(slice), _) => slice.parts(name),
            (None, syn::Pat::Ident(pat)) => Some(quote!(let #pat = #name;)),
            (None, _) => None,
        };
        let body = match self.body {
            syn::Expr::Block(block) if block.label.is_none() => block
                .block
                .stmts
                .iter()
                .map(ToTokens::to_token_stream)
                .collect(),
            body => body.to_token_stream(),
        };
        quote_spanned!(self.body.span()=> { #parts #body })
    }
}

/// `[a, b, .., z]`
struct Slice<'a> {
    before: Vec<&'a syn::Pat>,
    /// What `..` stands for, if it is there: `rest @ ..` has a name.
    rest: Option<Option<&'a syn::Ident>>,
    behind: Vec<&'a syn::Pat>,
}

impl<'a> Slice<'a> {
    fn of(pat: &'a syn::Pat) -> Option<Slice<'a>> {
        let list = match pat {
            syn::Pat::Slice(list) => list,
            syn::Pat::Paren(inner) => return Slice::of(&inner.pat),
            syn::Pat::Reference(inner) => return Slice::of(&inner.pat),
            _ => return None,
        };
        let mut slice = Slice {
            before: vec![],
            rest: None,
            behind: vec![],
        };
        for part in &list.elems {
            let rest = match part {
                syn::Pat::Rest(_) => Some(None),
                syn::Pat::Ident(name) if name.subpat.is_some() => Some(Some(&name.ident)),
                _ => None,
            };
            match (rest, &mut slice.rest) {
                (Some(rest), _) => slice.rest = Some(rest),
                (None, Some(_)) => slice.behind.push(part),
                (None, None) => slice.before.push(part),
            }
        }
        Some(slice)
    }

    /// Whether a slice is as long as the pattern says.
    fn holds(&self, name: &TokenStream) -> TokenStream {
        let count = self.before.len() + self.behind.len();
        match self.rest {
            Some(_) => quote!(#name.len() >= #count),
            None => quote!(#name.len() == #count),
        }
    }

    /// The names for the parts of a slice; nothing if the pattern asks for more than the length.
    fn parts(&self, name: &TokenStream) -> Option<TokenStream> {
        let part = format_ident!("{}", PART);
        let mut out = TokenStream::new();
        let behind = self.behind.iter().rev().enumerate();
        let behind = behind.map(|(k, pat)| {
            let k = k + 1;
            (*pat, quote!(#name.len() - #k))
        });
        let before = self.before.iter().enumerate();
        let before = before.map(|(k, pat)| (*pat, quote!(#k)));
        // A part with the name of the slice hides it from what follows.
        let mut hiding = TokenStream::new();
        let mut add = |pat: &dyn ToTokens, value: TokenStream| {
            let pat = pat.to_token_stream();
            let hides = mentions(pat.clone(), &name.to_string());
            let binding = quote_spanned!(pat.span()=> let #pat = #value;);
            match hides {
                true => hiding.extend(binding),
                false => out.extend(binding),
            }
        };
        for (pat, at) in before.chain(behind) {
            match pat {
                syn::Pat::Wild(_) => {}
                syn::Pat::Ident(_) | syn::Pat::Reference(_) | syn::Pat::Tuple(_) => {
                    add(pat, quote_spanned!(pat.span()=> #part!(#name, #at)));
                }
                _ => return None,
            }
        }
        if let Some(Some(rest)) = self.rest {
            let (from, to) = (self.before.len(), self.behind.len());
            let rest_of = quote_spanned!(rest.span()=> #part!(#name, #from..#name.len() - #to));
            add(rest, rest_of);
        }
        out.extend(hiding);
        Some(out)
    }
}
