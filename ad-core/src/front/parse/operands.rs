//! Operands that leave the function, a loop or a round of it, as statements of their own.
//!
//! ```text
//! c *= if p { a } else { break };         let t = if p { a } else { break };
//!                                         c *= t;
//!
//! y[g(&mut s)] += f(a, e?)                let t = e?;
//!                                         y[g(&mut s)] += f(a, t)
//!
//! b && return e                           let t = if b { return e } else { false };
//!                                         t
//! ```
//!
//! What follows a statement that leaves is computed only where that was not left. So an expression
//! whose operand leaves does nothing there: it changes no variable, and calls no function.
//!
//! Invariant: the operands keep their order, as far as that can be seen. An operand before the last
//! one that leaves is a statement of its own if it changes something, or if one behind it does.

use super::growing::SLOT;
use super::stmt::{local_of, name_of};
use super::target::{borrows, is_place};
use super::{Parser, outside};
use proc_macro2::{Punct, TokenStream, TokenTree};
use quote::{format_ident, quote};
use syn::spanned::Spanned;
use syn::visit::Visit;

/// Whether an expression leaves what is around it.
struct Leaves {
    found: bool,
    /// Whether `?` and a panic leave the function.
    fails: bool,
    /// How many loops of the expression are around.
    loops: usize,
    /// The labels in the expression that are around.
    labels: Vec<String>,
}

impl Leaves {
    fn jump(&mut self, label: Option<&syn::Lifetime>) {
        self.found |= match label {
            None => self.loops == 0,
            Some(label) => !self.labels.contains(&label.ident.to_string()),
        };
    }

    fn inside(&mut self, label: Option<&syn::Label>, is_loop: bool, block: &syn::Block) {
        self.labels
            .extend(label.map(|label| label.name.ident.to_string()));
        self.loops += usize::from(is_loop);
        self.visit_block(block);
        self.loops -= usize::from(is_loop);
        if label.is_some() {
            self.labels.pop();
        }
    }
}

impl<'ast> Visit<'ast> for Leaves {
    fn visit_expr_return(&mut self, _: &'ast syn::ExprReturn) {
        self.found = true;
    }

    fn visit_expr_break(&mut self, jump: &'ast syn::ExprBreak) {
        self.jump(jump.label.as_ref());
        syn::visit::visit_expr_break(self, jump);
    }

    fn visit_expr_continue(&mut self, jump: &'ast syn::ExprContinue) {
        self.jump(jump.label.as_ref());
    }

    fn visit_expr_try(&mut self, of: &'ast syn::ExprTry) {
        self.found |= self.fails;
        syn::visit::visit_expr_try(self, of);
    }

    fn visit_expr_for_loop(&mut self, l: &'ast syn::ExprForLoop) {
        self.visit_expr(&l.expr);
        self.inside(l.label.as_ref(), true, &l.body);
    }

    fn visit_expr_while(&mut self, l: &'ast syn::ExprWhile) {
        self.visit_expr(&l.cond);
        self.inside(l.label.as_ref(), true, &l.body);
    }

    fn visit_expr_loop(&mut self, l: &'ast syn::ExprLoop) {
        self.inside(l.label.as_ref(), true, &l.body);
    }

    fn visit_expr_block(&mut self, block: &'ast syn::ExprBlock) {
        self.inside(block.label.as_ref(), false, &block.block);
    }

    fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}

    fn visit_item(&mut self, _: &'ast syn::Item) {}

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        if outside::is_failure(mac) || outside::is_assertion(mac) {
            self.found |= self.fails;
            return;
        }
        if let Some(of) = of_macro(mac) {
            of.iter().for_each(|(e, _)| self.visit_expr(e));
        }
        self.found |= mac.path.is_ident("matches") && has_jumps(mac.tokens.clone());
    }
}

/// Whether an expression may change a variable.
struct Changes<'p, 'a> {
    found: bool,
    parser: &'p Parser<'a>,
}

impl<'ast> Visit<'ast> for Changes<'_, '_> {
    fn visit_expr_assign(&mut self, _: &'ast syn::ExprAssign) {
        self.found = true;
    }

    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        self.found |= outside::is_assignment(&binary.op);
        syn::visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_reference(&mut self, reference: &'ast syn::ExprReference) {
        self.found |= reference.mutability.is_some();
        syn::visit::visit_expr_reference(self, reference);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        self.found |= borrows(&call.method)
            || self.parser.is_writer(&call.method)
            || call.args.iter().any(|e| self.parser.is_lent(e));
        syn::visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        self.found |= call.args.iter().any(|e| self.parser.is_lent(e));
        syn::visit::visit_expr_call(self, call);
    }

    fn visit_stmt(&mut self, stmt: &'ast syn::Stmt) {
        // A method without a value is called for what it changes.
        self.found |= matches!(
            stmt,
            syn::Stmt::Expr(syn::Expr::MethodCall(_), Some(_)) | syn::Stmt::Macro(_)
        );
        syn::visit::visit_stmt(self, stmt);
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        if let Some(of) = of_macro(mac) {
            of.iter().for_each(|(e, _)| self.visit_expr(e));
        }
    }
}

/// The expressions in a macro that makes an array or reads one, and what stands behind each.
fn of_macro(mac: &syn::Macro) -> Option<Vec<(syn::Expr, Option<Punct>)>> {
    let name = mac.path.segments.last()?.ident.to_string();
    let is_known = ["array", "vec", "stack", "concatenate", "s"].contains(&&*name);
    if !is_known && name != SLOT {
        return None;
    }
    let (mut parts, mut tokens) = (vec![], TokenStream::new());
    for token in mac.tokens.clone() {
        match token {
            TokenTree::Punct(p) if matches!(p.as_char(), ',' | ';') => {
                parts.push((syn::parse2(std::mem::take(&mut tokens)).ok()?, Some(p)));
            }
            token => tokens.extend([token]),
        }
    }
    if !tokens.is_empty() {
        parts.push((syn::parse2(tokens).ok()?, None));
    }
    Some(parts)
}

/// The tokens of such a macro.
fn written(parts: &[(syn::Expr, Option<Punct>)]) -> TokenStream {
    let tokens = parts.iter().map(|(e, p)| quote!(#e #p));
    tokens.collect()
}

/// Whether a macro has no value of its own.
fn is_part(mac: &syn::Macro) -> bool {
    mac.path.is_ident("s") || mac.path.is_ident(SLOT)
}

/// What an expression in brackets says about each axis.
fn at(index: &mut syn::Expr) -> Vec<&mut syn::Expr> {
    match index {
        syn::Expr::Paren(inner) => at(&mut inner.expr),
        syn::Expr::Array(list) => list.elems.iter_mut().collect(),
        syn::Expr::Tuple(list) => list.elems.iter_mut().collect(),
        single => vec![single],
    }
}

/// Whether an expression has no operands: what leaves it does so between its own statements.
fn is_leaf(e: &syn::Expr) -> bool {
    matches!(
        e,
        syn::Expr::If(_)
            | syn::Expr::Match(_)
            | syn::Expr::Block(_)
            | syn::Expr::Loop(_)
            | syn::Expr::While(_)
            | syn::Expr::ForLoop(_)
            | syn::Expr::Return(_)
            | syn::Expr::Break(_)
            | syn::Expr::Continue(_)
            | syn::Expr::Try(_)
    ) || outside::fails(e)
}

/// Whether tokens have words that may leave something.
pub(super) fn has_jumps(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => has_jumps(group.stream()),
        TokenTree::Ident(word) => {
            let word = word.to_string();
            ["break", "continue", "return"].contains(&&*word) || is_panic(&word)
        }
        TokenTree::Punct(p) => p.as_char() == '?',
        TokenTree::Literal(_) => false,
    })
}

fn is_panic(word: &str) -> bool {
    word.contains("assert") || ["panic", "todo", "unimplemented", "unreachable"].contains(&word)
}

/// How an operand is used.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// Its value is.
    Value,
    /// It is a variable or a part of one, which may change.
    Place,
}

impl Parser<'_> {
    /// Whether an expression leaves what is around it.
    pub(super) fn may_leave(&self, e: &syn::Expr) -> bool {
        self.leaves(e, self.exits.outcome.fails() && !self.in_closure)
    }

    /// The same without `?` and panics.
    pub(super) fn may_jump(&self, e: &syn::Expr) -> bool {
        self.leaves(e, false)
    }

    fn leaves(&self, e: &syn::Expr, fails: bool) -> bool {
        if !self.jumps {
            return false;
        }
        let mut leaves = Leaves {
            found: false,
            fails,
            loops: 0,
            labels: vec![],
        };
        leaves.visit_expr(e);
        leaves.found
    }

    fn may_change(&self, e: &syn::Expr) -> bool {
        let mut changes = Changes {
            found: self.is_lent(e),
            parser: self,
        };
        changes.visit_expr(e);
        changes.found
    }

    /// Whether an argument is borrowed already, so that what it is given to may change it.
    fn is_lent(&self, e: &syn::Expr) -> bool {
        matches!(e, syn::Expr::Path(path) if path.path.get_ident().is_some_and(|name| {
            let name = name.to_string();
            self.written.contains(&name) || self.aliases.contains(&name)
        }))
    }

    /// An expression whose operands leave: what is computed before it, and the expression without
    /// them. `is_statement` says whether it stands for what it changes.
    pub(super) fn operands_first(
        &mut self,
        e: &syn::Expr,
        is_statement: bool,
    ) -> Option<(Vec<syn::Stmt>, syn::Expr)> {
        if !self.jumps || matches!(e, syn::Expr::Paren(_) | syn::Expr::Group(_)) {
            return None;
        }
        let is_whole = is_leaf(e) && !matches!(e, syn::Expr::Try(_) | syn::Expr::ForLoop(_));
        if is_whole || !self.may_leave(e) {
            return None;
        }
        let (mut rest, mut first) = (e.clone(), vec![]);
        self.taken_out(&mut rest, is_statement, &mut first);
        let leaves_itself = matches!(rest, syn::Expr::Try(_) | syn::Expr::ForLoop(_));
        if !leaves_itself && self.may_leave(&rest) {
            self.errors.on(
                e,
                "what leaves a block in here is not followed; bind it with `let` in front of this \
                 statement, and use its name",
            );
            return None;
        }
        (!first.is_empty()).then_some((first, rest))
    }

    /// Takes the operands that leave out of an expression.
    fn taken_out(&mut self, e: &mut syn::Expr, is_statement: bool, out: &mut Vec<syn::Stmt>) {
        use Use::{Place, Value};
        let receiver = |p: &Self, call: &syn::ExprMethodCall| {
            let may_change = is_statement || borrows(&call.method) || p.is_writer(&call.method);
            match may_change && is_place(&call.receiver) {
                true => Place,
                false => Value,
            }
        };
        let operands: Vec<(&mut syn::Expr, Use)> = match e {
            syn::Expr::Paren(inner) => vec![(&mut inner.expr, Value)],
            syn::Expr::Group(inner) => vec![(&mut inner.expr, Value)],
            syn::Expr::Reference(r) => match r.mutability {
                Some(_) => vec![(&mut r.expr, Place)],
                None => vec![(&mut r.expr, Value)],
            },
            syn::Expr::Unary(unary) => vec![(&mut unary.expr, Value)],
            syn::Expr::Cast(cast) => vec![(&mut cast.expr, Value)],
            syn::Expr::Field(field) => vec![(&mut field.base, Value)],
            syn::Expr::Try(of) => vec![(&mut of.expr, Value)],
            syn::Expr::Let(of) => vec![(&mut of.expr, Value)],
            syn::Expr::ForLoop(l) => vec![(&mut l.expr, Value)],
            syn::Expr::Assign(assign) => {
                vec![(&mut assign.right, Value), (&mut assign.left, Place)]
            }
            syn::Expr::Binary(binary) if outside::is_assignment(&binary.op) => {
                vec![(&mut binary.right, Value), (&mut binary.left, Place)]
            }
            syn::Expr::Binary(binary)
                if matches!(binary.op, syn::BinOp::And(_) | syn::BinOp::Or(_))
                    && self.may_leave(&binary.right) =>
            {
                let (left, right) = (&binary.left, &binary.right);
                let lazy = match binary.op {
                    syn::BinOp::And(_) => quote!(if #left { #right } else { false }),
                    _ => quote!(if #left { true } else { #right }),
                };
                if let Ok(lazy) = syn::parse2(lazy) {
                    *e = lazy;
                    self.name_operand(e, out);
                }
                return;
            }
            syn::Expr::Binary(binary) => {
                vec![(&mut binary.left, Value), (&mut binary.right, Value)]
            }
            syn::Expr::Tuple(tuple) => tuple.elems.iter_mut().map(|e| (e, Value)).collect(),
            syn::Expr::Array(list) => list.elems.iter_mut().map(|e| (e, Value)).collect(),
            syn::Expr::Repeat(r) => vec![(&mut r.expr, Value), (&mut r.len, Value)],
            syn::Expr::Range(range) => [range.start.as_mut(), range.end.as_mut()]
                .into_iter()
                .flatten()
                .map(|e| (&mut **e, Value))
                .collect(),
            syn::Expr::Struct(made) => {
                let fields = made.fields.iter_mut().map(|field| {
                    field.colon_token.get_or_insert_default();
                    (&mut field.expr, Value)
                });
                let rest = made.rest.iter_mut().map(|e| (&mut **e, Value));
                fields.chain(rest).collect()
            }
            syn::Expr::Call(call) => call.args.iter_mut().map(|e| (e, Value)).collect(),
            syn::Expr::MethodCall(call) => {
                let first = receiver(self, call);
                std::iter::once((&mut *call.receiver, first))
                    .chain(call.args.iter_mut().map(|e| (e, Value)))
                    .collect()
            }
            syn::Expr::Index(index) => {
                let mut all = vec![(&mut *index.expr, Value)];
                all.extend(at(&mut index.index).into_iter().map(|e| (e, Value)));
                all
            }
            syn::Expr::Macro(m) => {
                self.taken_out_of_macro(&mut m.mac, out);
                return;
            }
            _ => return,
        };
        self.in_order(operands, out);
    }

    fn taken_out_of_macro(&mut self, mac: &mut syn::Macro, out: &mut Vec<syn::Stmt>) {
        let Some(mut parts) = of_macro(mac) else {
            return;
        };
        // A slot begins with its key.
        let keys = usize::from(mac.path.is_ident(SLOT));
        let operands = parts.iter_mut().skip(keys);
        self.in_order(operands.map(|(e, _)| (e, Use::Value)).collect(), out);
        mac.tokens = written(&parts);
    }

    /// Takes out what leaves of operands, and what has to be computed before.
    fn in_order(&mut self, operands: Vec<(&mut syn::Expr, Use)>, out: &mut Vec<syn::Stmt>) {
        let leaves: Vec<bool> = (operands.iter()).map(|(e, _)| self.may_leave(e)).collect();
        let Some(last) = leaves.iter().rposition(|leaves| *leaves) else {
            return;
        };
        let changes: Vec<bool> = (operands.iter())
            .take(last + 1)
            .map(|(e, _)| self.may_change(e))
            .collect();
        for (k, (e, used)) in operands.into_iter().take(last + 1).enumerate() {
            let is_first = k < last && changes[k..].contains(&true);
            match (used, is_first) {
                (Use::Place, _) => self.taken_out_of_place(e, is_first, out),
                (Use::Value, true) => self.name_operand(e, out),
                (Use::Value, false) if leaves[k] && is_leaf(e) => self.name_operand(e, out),
                (Use::Value, false) if leaves[k] => self.taken_out(e, false, out),
                (Use::Value, false) => {}
            }
        }
    }

    /// The same of what stands in a place: indices and arguments. `all` of them, or those that
    /// leave.
    fn taken_out_of_place(&mut self, e: &mut syn::Expr, all: bool, out: &mut Vec<syn::Stmt>) {
        let of: Vec<&mut syn::Expr> = match e {
            syn::Expr::Paren(inner) => return self.taken_out_of_place(&mut inner.expr, all, out),
            syn::Expr::Group(inner) => return self.taken_out_of_place(&mut inner.expr, all, out),
            syn::Expr::Reference(r) => return self.taken_out_of_place(&mut r.expr, all, out),
            syn::Expr::Unary(unary) => return self.taken_out_of_place(&mut unary.expr, all, out),
            syn::Expr::Field(field) => return self.taken_out_of_place(&mut field.base, all, out),
            syn::Expr::Tuple(tuple) => {
                for e in &mut tuple.elems {
                    self.taken_out_of_place(e, all, out);
                }
                return;
            }
            syn::Expr::Index(index) => {
                self.taken_out_of_place(&mut index.expr, all, out);
                at(&mut index.index)
            }
            syn::Expr::MethodCall(call) => {
                self.taken_out_of_place(&mut call.receiver, all, out);
                call.args.iter_mut().collect()
            }
            _ => return,
        };
        for e in of {
            match e {
                syn::Expr::Macro(m) => self.taken_out_of_macro(&mut m.mac, out),
                e if all || self.may_leave(e) => self.name_operand(e, out),
                _ => {}
            }
        }
    }

    /// `let t = e;`, and `t` for the operand.
    fn name_operand(&mut self, e: &mut syn::Expr, out: &mut Vec<syn::Stmt>) {
        match e {
            syn::Expr::Lit(_) | syn::Expr::Closure(_) => {}
            syn::Expr::Path(path) if path.path.get_ident().is_none() => {}
            e if self.is_lent(e) => {}
            syn::Expr::Paren(inner) => self.name_operand(&mut inner.expr, out),
            syn::Expr::Group(inner) => self.name_operand(&mut inner.expr, out),
            syn::Expr::Reference(r) if r.mutability.is_some() => {
                self.taken_out_of_place(&mut r.expr, true, out);
            }
            syn::Expr::Reference(r) => self.name_operand(&mut r.expr, out),
            syn::Expr::MethodCall(call) if borrows(&call.method) && is_place(&call.receiver) => {
                self.taken_out_of_place(e, true, out);
            }
            syn::Expr::Range(range) => {
                for e in [range.start.as_mut(), range.end.as_mut()]
                    .into_iter()
                    .flatten()
                {
                    self.name_operand(e, out);
                }
            }
            syn::Expr::Macro(m) if is_part(&m.mac) => {
                if let Some(mut parts) = of_macro(&m.mac) {
                    let keys = usize::from(m.mac.path.is_ident(SLOT));
                    for (e, _) in parts.iter_mut().skip(keys) {
                        self.name_operand(e, out);
                    }
                    m.mac.tokens = written(&parts);
                }
            }
            e => {
                let name = format_ident!("cotangent_operand_{}", self.lists, span = e.span());
                self.lists += 1;
                let (pat, named) = name_of(&name);
                let value = std::mem::replace(e, named);
                out.push(syn::Stmt::Local(local_of(pat, value)));
            }
        }
    }
}
