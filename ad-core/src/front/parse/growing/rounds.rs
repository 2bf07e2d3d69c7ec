//! Loops that push as many elements in each round, so that places follow from the round.

use super::read::{Counts, Read};
use super::{
    Changing, Growth, Length, List, Names, call_on, grows, leaves, mentions, names_of, rounds_of,
};
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use std::collections::{BTreeSet, HashMap};
use syn::visit::Visit;

/// A loop in which a list grows.
pub(super) struct Grown<'a> {
    pub(super) list: &'a List,
    pub(super) names: &'a mut Names,
    /// How many rounds each loop has, by the loop.
    pub(super) rounds: HashMap<*const syn::ExprForLoop, Ident>,
    /// What is computed before the outermost loop.
    pub(super) hoisted: TokenStream,
}

impl Grown<'_> {
    /// What a loop adds; nothing if that cannot be seen. `changing` are the names of loops around.
    pub(super) fn of_loop(
        &mut self,
        l: &syn::ExprForLoop,
        changing: &BTreeSet<String>,
    ) -> Option<Growth> {
        let (over, body) = (l.expr.to_token_stream(), l.body.to_token_stream());
        let varies = names_of(over.clone()).any(|n| changing.contains(&n));
        if varies || mentions(&over, &self.list.name) || leaves(&body) || !l.attrs.is_empty() {
            return None;
        }
        let mut inside = Changing {
            names: changing.clone(),
        };
        inside.visit_expr_for_loop(l);
        let grows = names_of(body.clone()).filter(|n| grows(&body, &format_ident!("{}", n)));
        inside.names.extend(grows.collect::<Vec<_>>());
        let rounds = self.names.fresh("rounds");
        self.rounds.insert(l, rounds.clone());
        let count = rounds_of(&l.expr);
        self.hoisted
            .extend(quote_spanned!(l.for_token.span=> let #rounds = #count;));
        let round = self.of_stmts(&l.body.stmts, &inside.names)?;
        let all = round.times(&rounds.to_token_stream());
        Some(Growth {
            count: 0,
            inner: all.into_iter().collect(),
        })
    }

    fn of_stmts(&mut self, stmts: &[syn::Stmt], changing: &BTreeSet<String>) -> Option<Growth> {
        let mut all = Growth::default();
        for stmt in stmts {
            if grows(&stmt.to_token_stream(), &self.list.name) {
                let syn::Stmt::Expr(e, _) = stmt else {
                    return None;
                };
                all.add(self.of_expr(e, changing)?);
            }
        }
        Some(all)
    }

    fn of_expr(&mut self, e: &syn::Expr, changing: &BTreeSet<String>) -> Option<Growth> {
        if let Some((method, args)) = call_on(e, &self.list.name) {
            let [arg] = &args[..] else {
                return None;
            };
            let is_one = method == "push" && !grows(&arg.to_token_stream(), &self.list.name);
            return is_one.then_some(Growth {
                count: 1,
                inner: vec![],
            });
        }
        match e {
            syn::Expr::ForLoop(l) => self.of_loop(l, changing),
            syn::Expr::Block(block) if block.label.is_none() => {
                self.of_stmts(&block.block.stmts, changing)
            }
            syn::Expr::If(branch) => {
                let (_, other) = branch.else_branch.as_ref()?;
                let then = self.of_stmts(&branch.then_branch.stmts, changing)?;
                let other = self.of_expr(other, changing)?;
                let same = then.inner.is_empty() && other.inner.is_empty();
                let same = same && then.count == other.count;
                let pure = !grows(&branch.cond.to_token_stream(), &self.list.name);
                (same && pure).then_some(then)
            }
            _ => None,
        }
    }

    /// The loop with elements that are written in place of pushed ones.
    pub(super) fn written_loop(
        &mut self,
        l: &syn::ExprForLoop,
        start: &Length,
    ) -> Option<TokenStream> {
        let (pat, over, label) = (&l.pat, &l.expr, &l.label);
        let mut bound = vec![];
        l.body.stmts.iter().for_each(|stmt| {
            let mut inside = Changing::default();
            inside.visit_stmt(stmt);
            bound.extend(inside.names);
        });
        let from_zero = |e: &syn::Expr| match e {
            syn::Expr::Range(range) => {
                let start = range.start.as_ref().map(ToTokens::to_token_stream);
                start.is_some_and(|s| ["0", "0usize"].contains(&s.to_string().as_str()))
            }
            _ => false,
        };
        let (pat, over, index) = match &**pat {
            syn::Pat::Ident(i)
                if from_zero(over)
                    && i.mutability.is_none()
                    && !bound.contains(&i.ident.to_string()) =>
            {
                let i = &i.ident;
                (
                    pat.to_token_stream(),
                    over.to_token_stream(),
                    quote_spanned!(l.for_token.span=> (#i as usize)),
                )
            }
            syn::Pat::Wild(_) if from_zero(over) => {
                let i = self.names.fresh("round");
                (
                    quote_spanned!(l.for_token.span=> #i),
                    over.to_token_stream(),
                    quote_spanned!(l.for_token.span=> (#i as usize)),
                )
            }
            _ => {
                let i = self.names.fresh("round");
                let over = quote_spanned!(l.for_token.span=> (#over).into_iter().enumerate());
                (
                    quote_spanned!(l.for_token.span=> (#i, #pat)),
                    over,
                    quote_spanned!(l.for_token.span=> #i),
                )
            }
        };
        let mut rounds = std::mem::take(&mut self.hoisted);
        let round = self.again(&l.body.stmts)?;
        std::mem::swap(&mut self.hoisted, &mut rounds);
        let at = match round.times(&index) {
            Some(before) => start.plus(before),
            None => start.clone(),
        };
        let body = self.written_stmts(&l.body.stmts, &mut at.clone())?;
        Some(quote_spanned!(l.for_token.span=> #label for #pat in #over { #body }))
    }

    /// What statements add, whose loops are counted.
    fn again(&self, stmts: &[syn::Stmt]) -> Option<Growth> {
        let mut all = Growth::default();
        for stmt in stmts {
            if let syn::Stmt::Expr(e, _) = stmt
                && grows(&stmt.to_token_stream(), &self.list.name)
            {
                all.add(self.again_expr(e)?);
            }
        }
        Some(all)
    }

    fn again_expr(&self, e: &syn::Expr) -> Option<Growth> {
        match e {
            syn::Expr::ForLoop(l) => {
                let rounds = self.rounds.get(&std::ptr::from_ref(l))?;
                let all = self.again(&l.body.stmts)?.times(&rounds.to_token_stream());
                Some(Growth {
                    count: 0,
                    inner: all.into_iter().collect(),
                })
            }
            syn::Expr::Block(block) => self.again(&block.block.stmts),
            syn::Expr::If(branch) => self.again(&branch.then_branch.stmts),
            _ => Some(Growth {
                count: 1,
                inner: vec![],
            }),
        }
    }

    fn written_stmts(&mut self, stmts: &[syn::Stmt], at: &mut Length) -> Option<TokenStream> {
        let mut out = TokenStream::new();
        for stmt in stmts {
            let tokens = stmt.to_token_stream();
            match stmt {
                syn::Stmt::Expr(e, semi) if grows(&tokens, &self.list.name) => {
                    out.extend(self.written_expr(e, at)?);
                    semi.to_tokens(&mut out);
                }
                syn::Stmt::Expr(..)
                | syn::Stmt::Local(_)
                | syn::Stmt::Item(_)
                | syn::Stmt::Macro(_) => {
                    out.extend(self.read(tokens, at)?);
                }
            }
        }
        Some(out)
    }

    fn written_expr(&mut self, e: &syn::Expr, at: &mut Length) -> Option<TokenStream> {
        let list = &self.list.name;
        if let Some((_, args)) = call_on(e, list) {
            let value = self.read(args.first()?.to_token_stream(), at)?;
            let value = self.list.pushed(value);
            let out = quote_spanned!(list.span()=> #list[#at] = #value);
            *at = at.plus(quote!(1));
            return Some(out);
        }
        match e {
            syn::Expr::ForLoop(l) => {
                let out = self.written_loop(l, at)?;
                let added = self.again_expr(e)?;
                *at = Length(at.0.iter().cloned().chain(added.inner).collect());
                Some(out)
            }
            syn::Expr::Block(block) => {
                let inner = self.written_stmts(&block.block.stmts, at)?;
                Some(quote!({ #inner }))
            }
            syn::Expr::If(branch) => {
                let cond = self.read(branch.cond.to_token_stream(), at)?;
                let (_, other) = branch.else_branch.as_ref()?;
                let mut before = at.clone();
                let then = self.written_stmts(&branch.then_branch.stmts, at)?;
                let other = self.written_expr(other, &mut before)?;
                Some(quote!(if #cond { #then } else #other))
            }
            _ => None,
        }
    }

    /// What reads the list where it has a length.
    fn read(&self, tokens: TokenStream, at: &Length) -> Option<TokenStream> {
        let read = Read {
            list: self.list,
            at: &at.to_token_stream(),
            counts: Counts::Known,
        };
        read.of(tokens)
    }
}
