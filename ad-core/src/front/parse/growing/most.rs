//! How long a list can get: how often the statements of a loop push to it at most.

use super::{Changing, call_on, calls, grows, mentions, names_of, rounds_of};
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::visit::Visit;

/// How often a list is pushed to at most; nothing if that is not known before.
pub(super) fn most(stmt: &syn::Stmt, name: &Ident) -> Option<TokenStream> {
    /// The names that are bound or assigned to, but by `for`.
    #[derive(Default)]
    struct Computed(Changing);
    impl<'ast> Visit<'ast> for Computed {
        fn visit_expr_for_loop(&mut self, l: &'ast syn::ExprForLoop) {
            self.visit_expr(&l.expr);
            self.visit_block(&l.body);
        }
        fn visit_pat_ident(&mut self, pat: &'ast syn::PatIdent) {
            self.0.visit_pat_ident(pat);
        }
        fn visit_expr_assign(&mut self, assign: &'ast syn::ExprAssign) {
            self.0.visit_expr_assign(assign);
            self.visit_expr(&assign.right);
        }
        fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
            self.0.visit_expr_binary(binary);
            self.visit_expr(&binary.right);
        }
    }
    let tokens = stmt.to_token_stream();
    let mut computed = Computed::default();
    computed.visit_stmt(stmt);
    let mut computed = computed.0.names;
    computed.extend(names_of(tokens.clone()).filter(|n| grows(&tokens, &format_ident!("{}", n))));
    let count = most_of(stmt, name)?;
    let sound = names_of(count.clone()).all(|n| !computed.contains(&n));
    sound.then_some(count)
}

/// The sum of some counts.
fn added(counts: Vec<Option<TokenStream>>) -> Option<TokenStream> {
    let mut counts: Vec<TokenStream> = counts.into_iter().collect::<Option<_>>()?;
    counts.retain(|c| c.to_string() != "0usize");
    Some(match &counts[..] {
        [] => quote!(0usize),
        [one] => one.clone(),
        all => quote!((#(#all)+*)),
    })
}

fn most_of(stmt: &syn::Stmt, name: &Ident) -> Option<TokenStream> {
    match stmt {
        syn::Stmt::Expr(e, _) => most_of_expr(e, name),
        syn::Stmt::Local(_) | syn::Stmt::Item(_) | syn::Stmt::Macro(_) => {
            let is_pushed = pushed_to(&stmt.to_token_stream(), name);
            (!is_pushed).then(|| quote!(0usize))
        }
    }
}

fn pushed_to(tokens: &TokenStream, name: &Ident) -> bool {
    calls(tokens, name, &["push", "insert"])
}

pub(super) fn most_of_block(block: &syn::Block, name: &Ident) -> Option<TokenStream> {
    added(block.stmts.iter().map(|s| most_of(s, name)).collect())
}

fn most_of_expr(e: &syn::Expr, name: &Ident) -> Option<TokenStream> {
    if !pushed_to(&e.to_token_stream(), name) {
        return Some(quote!(0usize));
    }
    if let Some((method, args)) = call_on(e, name) {
        let is_one = match (method.as_str(), &args[..]) {
            ("push", [_]) | ("insert", [_, _]) => {
                args.iter().all(|arg| !grows(&arg.to_token_stream(), name))
            }
            (..) => false,
        };
        return is_one.then(|| quote!(1usize));
    }
    match e {
        syn::Expr::ForLoop(l) => {
            let round = most_of_block(&l.body, name)?;
            let (pat, over) = (&l.pat, &l.expr);
            if mentions(&over.to_token_stream(), name) {
                return None;
            }
            let mut bound = Changing::default();
            bound.visit_pat(pat);
            let varies = names_of(round.clone()).any(|n| bound.names.contains(&n));
            Some(match varies {
                true => {
                    quote_spanned!(name.span()=> (#over).into_iter().map(|#pat| #round).sum::<usize>())
                }
                false => {
                    let rounds = rounds_of(over);
                    match round.to_string() == "1usize" {
                        true => rounds,
                        false => quote_spanned!(name.span()=> #rounds * #round),
                    }
                }
            })
        }
        syn::Expr::Block(block) => most_of_block(&block.block, name),
        syn::Expr::If(branch) => {
            let then = most_of_block(&branch.then_branch, name);
            let other = branch.else_branch.as_ref();
            let other = other.map(|(_, e)| most_of_expr(e, name));
            larger(std::iter::once(then).chain(other).collect())
        }
        syn::Expr::Match(choice) => {
            let arms = choice.arms.iter().map(|a| most_of_expr(&a.body, name));
            larger(arms.collect())
        }
        _ => None,
    }
}

/// An upper bound where one of several counts applies: the count if all are equal, else their sum.
fn larger(counts: Vec<Option<TokenStream>>) -> Option<TokenStream> {
    let mut different: Vec<Option<TokenStream>> = vec![];
    for count in counts {
        let text = count.as_ref()?.to_string();
        let is_known = |c: &Option<TokenStream>| c.as_ref().is_some_and(|c| c.to_string() == text);
        if !different.iter().any(is_known) {
            different.push(count);
        }
    }
    added(different)
}
