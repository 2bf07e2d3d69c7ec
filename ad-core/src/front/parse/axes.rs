//! Names for computed axes. A name is bound as early as its operands are known, so that the choice
//! among axes (`lower/axes.rs`) encloses all uses:
//!
//! ```text
//! for k in 0..2 { f(); a.sum_axis(Axis(k)); }
//!    is   for k in 0..2 { let axis = Axis(k); f(); a.sum_axis(axis); }
//! ```

use super::pattern::names_in;
use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::BTreeSet;
use syn::visit::Visit;

/// The block with such names, if some are needed; `count` is how many there were.
pub(super) fn named(block: &syn::Block, count: &mut usize) -> Option<syn::Block> {
    let occurrences = |stmts: &[syn::Stmt]| {
        let mut all = Occurrences::default();
        stmts.iter().for_each(|stmt| all.visit_stmt(stmt));
        all
    };
    if occurrences(&block.stmts).found.is_empty() {
        return None;
    }
    let (mut rest, mut stmts) = (block.stmts.clone(), vec![]);
    while !rest.is_empty() {
        let all = occurrences(&rest);
        // Nothing of it is bound here or further inside, and nothing changes.
        let is_early = |e: &&syn::Expr| mentioned(e).is_disjoint(&all.bound);
        for e in all.found.iter().filter(is_early) {
            let (written, mut found) = (e.to_token_stream().to_string(), false);
            let name = syn::Ident::new(&format!("axis_{count}"), Span::mixed_site());
            for stmt in rest.iter_mut().filter(|stmt| !has_name(stmt)) {
                let new = renamed(stmt.to_token_stream(), &written, &name, &mut found);
                // What stands at the end of a block has no semicolon.
                let new: syn::Block = syn::parse_quote!({ #new });
                if let Ok([new]) = <[syn::Stmt; 1]>::try_from(new.stmts) {
                    *stmt = new;
                }
            }
            if found {
                *count += 1;
                stmts.push(syn::parse_quote!(let #name = Axis(#e);));
            }
        }
        stmts.push(rest.remove(0));
    }
    let brace_token = block.brace_token;
    Some(syn::Block { brace_token, stmts })
}

/// Whether a computed axis in an expression has no name yet.
pub(super) fn is_in(e: &syn::Expr) -> bool {
    let mut all = Occurrences::default();
    all.visit_expr(e);
    !all.found.is_empty()
}

/// `Axis(e)`, where `e` is no literal.
fn computed(e: &syn::Expr) -> Option<&syn::Expr> {
    let syn::Expr::Call(call) = e else {
        return None;
    };
    let syn::Expr::Path(path) = &*call.func else {
        return None;
    };
    if path.path.segments.last()?.ident != "Axis" || call.args.len() != 1 {
        return None;
    }
    call.args
        .first()
        .filter(|e| !matches!(e, syn::Expr::Lit(_)))
}

/// All names that an expression mentions.
fn mentioned(e: &syn::Expr) -> BTreeSet<String> {
    struct Names(BTreeSet<String>);
    impl<'ast> Visit<'ast> for Names {
        fn visit_ident(&mut self, ident: &'ast syn::Ident) {
            self.0.insert(ident.to_string());
        }
    }
    let mut names = Names(BTreeSet::new());
    names.visit_expr(e);
    names.0
}

/// Computed axes, and names that are bound or change, anywhere in something.
#[derive(Default)]
struct Occurrences {
    found: Vec<syn::Expr>,
    bound: BTreeSet<String>,
}

impl<'ast> Visit<'ast> for Occurrences {
    fn visit_expr(&mut self, e: &'ast syn::Expr) {
        self.found.extend(computed(e).cloned());
        syn::visit::visit_expr(self, e);
    }

    /// What has a name already is left.
    fn visit_local(&mut self, local: &'ast syn::Local) {
        self.visit_pat(&local.pat);
        if let Some(init) = &local.init {
            match computed(&init.expr) {
                Some(inner) => self.visit_expr(inner),
                None => self.visit_local_init(init),
            }
        }
    }

    fn visit_pat(&mut self, pat: &'ast syn::Pat) {
        self.bound
            .extend(names_in(pat).iter().map(ToString::to_string));
    }

    fn visit_expr_assign(&mut self, assign: &'ast syn::ExprAssign) {
        self.bound.extend(mentioned(&assign.left));
        syn::visit::visit_expr_assign(self, assign);
    }

    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        let is_assignment = binary.op.to_token_stream().to_string().ends_with('=');
        if is_assignment {
            self.bound.extend(mentioned(&binary.left));
        }
        syn::visit::visit_expr_binary(self, binary);
    }

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

/// `Axis(e)` as a name.
fn renamed(of: TokenStream, e: &str, name: &syn::Ident, found: &mut bool) -> TokenStream {
    let mut out: Vec<TokenTree> = vec![];
    let mut rest = of.into_iter().peekable();
    while let Some(token) = rest.next() {
        match (&token, rest.peek()) {
            (TokenTree::Ident(axis), Some(TokenTree::Group(group)))
                if axis == "Axis" && group.stream().to_string() == e =>
            {
                *found = true;
                rest.next();
                // With the path before it.
                let is_colon =
                    |t: &TokenTree| matches!(t, TokenTree::Punct(p) if p.as_char() == ':');
                while let [.., first, second] = &out[..]
                    && is_colon(first)
                    && is_colon(second)
                {
                    out.truncate(out.len() - 2);
                    out.pop_if(|before| matches!(before, TokenTree::Ident(_)));
                }
                out.push(TokenTree::Ident(name.clone()));
            }
            (TokenTree::Group(group), _) => {
                let inner = renamed(group.stream(), e, name, found);
                let mut new = Group::new(group.delimiter(), inner);
                new.set_span(group.span());
                out.push(TokenTree::from(new));
            }
            _ => out.push(token),
        }
    }
    out.into_iter().collect()
}

fn has_name(stmt: &syn::Stmt) -> bool {
    let init = match stmt {
        syn::Stmt::Local(local) => local.init.as_ref(),
        syn::Stmt::Item(_) | syn::Stmt::Expr(..) | syn::Stmt::Macro(_) => None,
    };
    init.is_some_and(|init| computed(&init.expr).is_some())
}
