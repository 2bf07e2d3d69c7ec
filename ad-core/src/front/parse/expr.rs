//! Expressions.

use super::leave::{Exits, Outcome, To, choice, choose, never, temporary, variable};
use super::stmt::{Want, block_of, nothing};
use super::{Parser, outside, place};
use crate::front::error::Loc;
use crate::front::names::makes_view;
use crate::front::real::RealType;
use crate::front::surface::{Arm, Binary, Closure, Expr, Kind, Note, Pattern, Stmt, Test, Unary};
use crate::front::types::Scalar;
use std::rc::Rc;
use syn::ext::IdentExt;

impl Parser<'_> {
    pub(super) fn expr(&mut self, e: &syn::Expr) -> Expr {
        self.expr_at(e, Loc::of_expr(e))
    }

    /// An expression whose first token is that of `whole`.
    fn first(&mut self, e: &syn::Expr, whole: Loc) -> Expr {
        let (start, end) = (whole.start, place::end(e));
        self.expr_at(e, Loc { start, end })
    }

    /// An expression whose last token is that of `whole`.
    fn last(&mut self, e: &syn::Expr, whole: Loc) -> Expr {
        let (start, end) = (place::start(e), whole.end);
        self.expr_at(e, Loc { start, end })
    }

    fn expr_at(&mut self, e: &syn::Expr, loc: Loc) -> Expr {
        if let Some(chosen) = super::slices::chosen(e).or_else(|| super::choices::chosen(e)) {
            return self.expr(&chosen);
        }
        if let Some((first, rest)) = self.hoisted(e) {
            return self.sequence(&[first, syn::Stmt::Expr(rest, None)], loc, Want::Value);
        }
        if let Some((mut stmts, rest)) = self.operands_first(e, false) {
            stmts.push(syn::Stmt::Expr(rest, None));
            return self.sequence(&stmts, loc, Want::Value);
        }
        if let Some(block) = super::valued::as_block(e, &mut self.lists) {
            return self.block(&block);
        }
        if let (syn::Expr::Path(_) | syn::Expr::Call(_), Some(made)) = (e, outside::made(e)) {
            let kind = Kind::Maybe(made.map(|inner| Box::new(self.moved(inner))));
            return Expr { loc, kind };
        }
        let kind = match e {
            syn::Expr::Paren(inner) => return self.expr(&inner.expr),
            syn::Expr::Group(inner) => return self.expr(&inner.expr),
            syn::Expr::Reference(r) if r.mutability.is_none() => {
                return self.present(&r.expr, loc);
            }
            syn::Expr::Reference(r) => return self.borrow(&r.expr, loc),
            syn::Expr::Lit(literal) => return self.literal(loc, &literal.lit),
            syn::Expr::Path(path) if path.qself.is_none() => {
                if let Some(order) = outside::ordering(&path.path) {
                    let kind = Kind::Int(order, None);
                    return Expr { loc, kind };
                }
                if let Some(ident) = path.path.get_ident()
                    && self.aliases.contains(&ident.to_string())
                {
                    self.borrows.push(ident.clone());
                }
                Kind::Path(path.path.clone())
            }
            syn::Expr::Unary(unary) => {
                let op = match unary.op {
                    syn::UnOp::Deref(_) => return self.present(&unary.expr, loc),
                    syn::UnOp::Neg(_) => Unary::Neg,
                    syn::UnOp::Not(_) => Unary::Not,
                    _ => return self.hole(loc, "this operator is not supported"),
                };
                self.unary(op, &unary.expr, loc)
            }
            syn::Expr::Binary(binary) => match operator(&binary.op) {
                Ok(op) => {
                    let left = self.first(&binary.left, loc);
                    let right = self.last(&binary.right, loc);
                    Kind::Binary(op, Box::new(left), Box::new(right))
                }
                Err(message) => return self.hole(loc, message),
            },
            syn::Expr::Cast(cast) => return self.cast(loc, cast),
            syn::Expr::If(branch) => return self.branch(loc, branch),
            syn::Expr::Match(of) => {
                let on = self.expr(&of.expr);
                let arms = of.arms.iter().map(|arm| self.arm(arm)).collect();
                return choice(loc, on, arms);
            }
            syn::Expr::Block(block) if block.label.is_none() => return self.block(&block.block),
            syn::Expr::Tuple(tuple) => Kind::Tuple(self.all_moved(&tuple.elems)),
            syn::Expr::Struct(made) if made.qself.is_none() => {
                let fields = made
                    .fields
                    .iter()
                    .map(|f| (member(&f.member), self.moved(&f.expr)));
                let fields = fields.collect();
                let base = made.rest.as_ref().map(|e| Box::new(self.expr(e)));
                Kind::Struct(made.path.clone(), fields, base)
            }
            syn::Expr::Array(list) => Kind::List(self.all_moved(&list.elems)),
            syn::Expr::Repeat(r) => {
                Kind::Repeat(Box::new(self.expr(&r.expr)), Box::new(self.expr(&r.len)))
            }
            syn::Expr::Call(call) => return self.call(loc, call),
            syn::Expr::MethodCall(call) => return self.method(loc, call),
            syn::Expr::Field(field) => match &field.member {
                syn::Member::Unnamed(index) => {
                    Kind::Field(Box::new(self.first(&field.base, loc)), index.index as usize)
                }
                syn::Member::Named(name) => {
                    Kind::Member(Box::new(self.first(&field.base, loc)), name.clone())
                }
            },
            syn::Expr::Index(index) => self.index(index, loc),
            syn::Expr::Closure(closure) => return self.closure(loc, closure),
            syn::Expr::Macro(_) if outside::fails(e) => return self.tail(e, Want::Value),
            syn::Expr::Macro(m) => return self.macro_call(loc, &m.mac),
            syn::Expr::Range(range) => self.range(range),
            syn::Expr::Return(_) | syn::Expr::Break(_) | syn::Expr::Continue(_) => {
                return self.tail(e, Want::Value);
            }
            syn::Expr::Try(of) => return self.try_of(loc, &of.expr),
            _ => return self.hole(loc, outside::expression(e)),
        };
        Expr { loc, kind }
    }

    /// What gets another name, or becomes a part of something: a parameter that the function writes
    /// is a borrow, and is handed on as one.
    pub(super) fn moved(&mut self, e: &syn::Expr) -> Expr {
        match e {
            syn::Expr::Paren(inner) => self.moved(&inner.expr),
            syn::Expr::Group(inner) => self.moved(&inner.expr),
            e if self.written_through(e).is_some() => self.borrow(e, Loc::of_expr(e)),
            e => self.expr(e),
        }
    }

    fn all_moved<'e>(&mut self, of: impl IntoIterator<Item = &'e syn::Expr>) -> Vec<Expr> {
        of.into_iter().map(|e| self.moved(e)).collect()
    }

    /// Whether an expression is a parameter that the function writes, and one that is a view.
    pub(super) fn written_through(&self, e: &syn::Expr) -> Option<bool> {
        let name = self.written_parameter(e)?.to_string();
        self.errors.written.get(&name).copied()
    }

    /// `*e`, `&e`: what is borrowed is read here.
    fn present(&mut self, e: &syn::Expr, loc: Loc) -> Expr {
        let before = self.borrows.len();
        let inner = self.last(e, loc);
        if self.borrows.len() == before {
            return inner;
        }
        let kind = Kind::Copied(Box::new(inner));
        Expr { loc, kind }
    }

    /// `&mut e`
    fn borrow(&mut self, e: &syn::Expr, loc: Loc) -> Expr {
        if !super::target::is_place(e) {
            return self.hole(loc, outside::BORROW);
        }
        let kind = match self.place(e) {
            Ok(place) => {
                self.borrows.push(place.root.clone());
                Kind::Borrow(Box::new(place))
            }
            Err(reported) => Kind::Hole(reported),
        };
        Expr { loc, kind }
    }

    pub(super) fn all<'e>(&mut self, of: impl IntoIterator<Item = &'e syn::Expr>) -> Vec<Expr> {
        of.into_iter().map(|e| self.expr(e)).collect()
    }

    fn unary(&mut self, op: Unary, operand: &syn::Expr, loc: Loc) -> Kind {
        let operand = self.last(operand, loc);
        match (op, &operand.kind) {
            (Unary::Neg, Kind::Int(i, scalar)) => Kind::Int(-i, *scalar),
            (Unary::Neg, Kind::Real(x)) => Kind::Real(-x),
            (Unary::Neg | Unary::Not, _) => Kind::Unary(op, Box::new(operand)),
        }
    }

    fn literal(&mut self, loc: Loc, literal: &syn::Lit) -> Expr {
        let unknown = |suffix: &str| {
            format!(
                "literals of type `{suffix}` are not supported; write `f64` or an integer type up to 64 bits"
            )
        };
        let suffix = match literal {
            syn::Lit::Float(float) => float.suffix(),
            syn::Lit::Int(int) => int.suffix(),
            _ => "",
        };
        if let Some(reported) = self.foreign(suffix, literal) {
            let kind = Kind::Hole(reported);
            return Expr { loc, kind };
        }
        let kind = match literal {
            syn::Lit::Float(float) if matches!(float.suffix(), "" | "f64" | "f32") => {
                match self.real_literal(float.base10_digits(), suffix) {
                    Some(x) => Kind::Real(x),
                    None => return self.hole(loc, "not a number"),
                }
            }
            syn::Lit::Float(float) => return self.hole(loc, unknown(float.suffix())),
            syn::Lit::Int(int) => match (int.suffix(), Scalar::by_name(int.suffix())) {
                ("f64" | "f32", _) => match self.real_literal(int.base10_digits(), suffix) {
                    Some(x) => Kind::Real(x),
                    None => return self.hole(loc, "not a number"),
                },
                ("", scalar) | (_, scalar @ Some(_)) => match int.base10_parse() {
                    Ok(i) => Kind::Int(i, scalar),
                    Err(_) => {
                        return self.hole(
                            loc,
                            "integers are computed in 64 bits with a sign, and this one does not \
                             fit; write a smaller one, or a real number with a point",
                        );
                    }
                },
                (suffix, None) => return self.hole(loc, unknown(suffix)),
            },
            syn::Lit::Bool(value) => Kind::Bool(value.value),
            _ => {
                return self.hole(
                    loc,
                    "text and bytes cannot be differentiated; only numbers and bools can be \
                     written here",
                );
            }
        };
        match (kind, self.errors.real.scalar(suffix)) {
            (kind @ Kind::Real(_), Some(to)) if self.errors.real == RealType::Mixed => {
                let inner = Box::new(Expr { loc, kind });
                let kind = Kind::Cast(inner, to);
                Expr { loc, kind }
            }
            (kind, _) => Expr { loc, kind },
        }
    }

    fn cast(&mut self, loc: Loc, cast: &syn::ExprCast) -> Expr {
        let named = match &*cast.ty {
            syn::Type::Path(path) => path.path.get_ident().map(ToString::to_string),
            _ => None,
        };
        let name = named.unwrap_or_default();
        let mut inner = &*cast.expr;
        let mut to = self.errors.real.scalar(&name);
        if let (syn::Expr::MethodCall(call), Some(_)) = (inner, to)
            && call.method == "to_f64"
            && to != Some(Scalar::Real)
        {
            // `x.to_f64() as usize` is how a number of any real type becomes an integer.
            inner = &call.receiver;
        }
        let inner = self.first(inner, loc);
        if name == "f64" && self.errors.converts {
            to = Some(Scalar::Real);
        } else if let Some(reported) = self.foreign_cast(&name, cast) {
            let kind = Kind::Hole(reported);
            return Expr { loc, kind };
        }
        match to {
            Some(scalar) => Expr {
                loc,
                kind: Kind::Cast(Box::new(inner), scalar),
            },
            None => self.hole(
                Loc::of(&cast.ty),
                "cannot tell what this casts to; write the name of a number type, such as `f64` or \
                 `usize`",
            ),
        }
    }

    fn branch(&mut self, loc: Loc, branch: &syn::ExprIf) -> Expr {
        let Some((_, other)) = &branch.else_branch else {
            // That it gives no value is said once, not of the block inside of it too.
            let gives = matches!(
                branch.then_branch.stmts.last(),
                Some(syn::Stmt::Expr(_, None))
            );
            let want = if gives { Want::Value } else { Want::Unit };
            self.block_for(&branch.then_branch, want);
            return self.hole(
                loc,
                "an `if` without `else` gives no value, and only values are differentiated; write \
                 `else { .. }` with the value for the other case, such as `0.0`",
            );
        };
        let then = self.block(&branch.then_branch);
        let other = self.last(other, loc);
        if let syn::Expr::Let(pattern) = &*branch.cond {
            return self.branch_on_pattern(loc, pattern, then, other);
        }
        let cond = self.expr(&branch.cond);
        choose(loc, cond, then, other)
    }

    /// `e?`
    fn try_of(&mut self, loc: Loc, e: &syn::Expr) -> Expr {
        if self.in_closure {
            self.expr(e);
            return self.hole(loc, outside::TRY);
        }
        if outside::made(e) == Some(None) {
            return self.leave(loc, &To::Failure, Want::Value);
        }
        let value = self.expr(e);
        let of = |kind: fn(Box<Expr>) -> Kind, value: Expr| Expr {
            loc,
            kind: kind(Box::new(value)),
        };
        if !self.exits.outcome.fails() {
            return of(Kind::Take, value);
        }
        let t = temporary();
        let value = of(Kind::Tried, value);
        let first = Stmt::Let(Pattern::Name(t.clone()), Note::Infer, Box::new(value));
        let is_none = of(Kind::IsNone, variable(loc, &t));
        let out = self.leave(loc, &To::Failure, Want::Unit);
        let check = Stmt::Do(Box::new(choose(loc, is_none.clone(), out, nothing(loc))));
        let value = of(Kind::Take, variable(loc, &t));
        block_of(
            loc,
            vec![first, check],
            choose(loc, is_none, never(loc), value),
        )
    }

    /// `if let p = e { x } else { y }`
    pub(super) fn branch_on_pattern(
        &mut self,
        loc: Loc,
        pattern: &syn::ExprLet,
        then: Expr,
        other: Expr,
    ) -> Expr {
        let on = self.expr(&pattern.expr);
        let arm = |test, body| Arm {
            test,
            guard: None,
            body,
        };
        let arms = vec![arm(self.test(&pattern.pat), then), arm(Test::Wild, other)];
        choice(loc, on, arms)
    }

    fn arm(&mut self, arm: &syn::Arm) -> Arm {
        let (pat, guard) = match &arm.pat {
            syn::Pat::Guard(guarded) => (&*guarded.pat, Some(&guarded.guard)),
            pat => (pat, None),
        };
        Arm {
            test: self.test(pat),
            guard: guard.map(|g| self.guard(g)),
            body: self.moved(&arm.body),
        }
    }

    /// The condition of an arm. It leaves nothing: the arms behind it would still be looked at.
    pub(super) fn guard(&mut self, guard: &syn::Expr) -> Expr {
        match self.may_jump(guard) {
            true => self.hole(
                Loc::of_expr(guard),
                "what leaves a block in the guard of an arm is not followed; write it as `if` in \
                 the arm",
            ),
            false => self.expr(guard),
        }
    }

    fn call(&mut self, loc: Loc, call: &syn::ExprCall) -> Expr {
        let mut function = &*call.func;
        while let syn::Expr::Paren(inner) = function {
            function = &inner.expr;
        }
        if let Some(called) = super::chain::called(call, &self.errors.writers) {
            return self.expr(&called);
        }
        let constant = self.constant_call(call);
        if let Some(rewritten) = constant.or_else(|| super::rewritten::elements(call)) {
            return self.expr(&rewritten);
        }
        match function {
            syn::Expr::Path(path) if path.qself.is_none() => {
                let args = self.arguments(&path.path, &call.args);
                self.lent(&call.args.iter().collect::<Vec<_>>(), &args);
                Expr {
                    loc,
                    kind: Kind::Call(path.path.clone(), args),
                }
            }
            _ => self.hole(
                Loc::of(function),
                "only functions and closures with a name can be called; write `let f = |x| ..;` and `f(x)`",
            ),
        }
    }

    fn method(&mut self, loc: Loc, call: &syn::ExprMethodCall) -> Expr {
        if let Some(looped) = super::chain::looped(call, &self.errors.writers) {
            return self.expr(&looped);
        }
        let conversion = self.unwrapped_conversion(call);
        if let Some(rewritten) = conversion.or_else(|| super::rewritten::method(call)) {
            return self.expr(&rewritten);
        }
        if outside::is_unfollowed_step(call) && !self.is_writer(&call.method) {
            return self.hole(Loc::of(&call.method), outside::STEP);
        }
        let before = self.borrows.len();
        let borrows =
            super::target::borrows(&call.method) && super::target::is_place(&call.receiver);
        let method = call.method.to_string();
        let hands_on = match self.written_through(&call.receiver) {
            Some(_) if method == "into_iter" => true,
            Some(true) => makes_view(&method) || method == "split_at" || method == "reborrow",
            Some(false) | None => false,
        };
        let receiver = match borrows || hands_on {
            true => self.borrow(&call.receiver, Loc::of_expr(&call.receiver)),
            false => self.first(&call.receiver, loc),
        };
        if let Kind::Hole(_) = receiver.kind {
            self.all(&call.args);
            return receiver;
        }
        if let (Some(reported), Some(_)) = (
            self.changes_wrong(&call.receiver),
            outside::method(&call.method),
        ) {
            let kind = Kind::Hole(reported);
            return Expr { loc, kind };
        }
        if let Some(turbofish) = &call.turbofish
            && !takes_types(&call.method)
        {
            if let Some(message) = outside::method(&call.method) {
                return self.hole(Loc::of(&call.method), message);
            }
            return self.hole(
                Loc::of(turbofish),
                "no method that can be differentiated takes type arguments; remove them",
            );
        }
        if let ("max_by" | "min_by", [order]) = (
            call.method.to_string().as_str(),
            &call.args.iter().collect::<Vec<_>>()[..],
        ) && is_usual_order(order)
        {
            let kind = Kind::Method(Box::new(receiver), call.method.clone(), vec![]);
            return Expr { loc, kind };
        }
        if let Some(message) = outside::method(&call.method)
            && !self.is_writer(&call.method)
        {
            return self.hole(Loc::of(&call.method), message);
        }
        // What the items of a borrow are named in closures is borrowed.
        if self.borrows.len() > before {
            let names = (call.args.iter()).filter_map(|arg| match arg {
                syn::Expr::Closure(closure) => Some(&closure.inputs),
                _ => None,
            });
            let names = names.flatten().flat_map(super::pattern::names_in);
            self.aliases.extend(names.map(|name| name.to_string()));
        }
        // The text of `expect` and the errors of `ok_or` and `map_err` stay unparsed.
        let args = match call.method.to_string().as_str() {
            "expect" | "ok_or" | "ok_or_else" | "map_err" => vec![],
            "zip" | "chain" | "and" => self.all_moved(&call.args),
            _ => self.all(&call.args),
        };
        let receiver = match borrows || hands_on {
            true => receiver,
            false => self.lent_to(&call.method, &call.receiver, receiver),
        };
        Expr {
            loc,
            kind: Kind::Method(Box::new(receiver), call.method.clone(), args),
        }
    }

    /// Whether a method of that name is known that changes what it is called on.
    pub(super) fn is_writer(&self, method: &syn::Ident) -> bool {
        self.errors.writers.contains(&method.unraw().to_string())
    }

    /// What a method is called on, which may change it.
    fn lent_to(&mut self, method: &syn::Ident, e: &syn::Expr, receiver: Expr) -> Expr {
        if !self.is_writer(method) || !super::target::is_place(e) {
            return receiver;
        }
        let loc = receiver.loc;
        let kind = match self.place(e) {
            Ok(place) => Kind::Lent(Box::new(receiver), Box::new(place)),
            Err(reported) => Kind::Hole(reported),
        };
        Expr { loc, kind }
    }

    fn index(&mut self, index: &syn::ExprIndex, loc: Loc) -> Kind {
        let array = self.first(&index.expr, loc);
        let mut inside = &*index.index;
        while let syn::Expr::Paren(inner) = inside {
            inside = &inner.expr;
        }
        let at = match inside {
            syn::Expr::Array(list) => self.all(&list.elems),
            syn::Expr::Tuple(list) => self.all(&list.elems),
            single => vec![self.expr(single)],
        };
        Kind::Index(Box::new(array), at)
    }

    fn closure(&mut self, loc: Loc, closure: &syn::ExprClosure) -> Expr {
        if let Some(token) = &closure.asyncness {
            return self.hole(
                Loc::of(token),
                "an async closure has no derivative; write a plain one",
            );
        }
        let before = self.errors.count();
        let params = closure.inputs.iter().map(|p| self.pattern_and_note(p));
        let params = params.collect();
        let names = closure.inputs.iter().flat_map(super::pattern::names_in);
        let names: Vec<syn::Ident> = names.collect();
        self.names_since(before, names.clone());
        if super::stmt::only_changes(&closure.body) {
            let loc = Loc::of_expr(&closure.body);
            let reported = self.errors.beyond(before);
            let kind =
                Kind::Hole(reported.unwrap_or_else(|| self.errors.at(loc, outside::CHANGES)));
            return Expr { loc, kind };
        }
        let params_loc = Loc {
            start: closure.inputs_begin.span,
            end: closure.inputs_end.span,
        };
        let result = self.result_note(&closure.output);
        let body = self.hiding(&names, |p| {
            p.inside_closure(|p| match &*closure.body {
                body @ syn::Expr::Block(_) => p.tail(body, Want::Result),
                body if super::axes::is_in(body) => {
                    p.block_for(&syn::parse_quote!({ #body }), Want::Result)
                }
                body if p.may_leave(body) => p.tail(body, Want::Result),
                body => p.last(body, loc),
            })
        });
        Expr {
            loc,
            kind: Kind::Closure(Rc::new(Closure {
                params,
                params_loc,
                result,
                body,
            })),
        }
    }
}

impl Parser<'_> {
    /// A closure is left for itself: nothing in it leaves the function.
    fn inside_closure(&mut self, f: impl FnOnce(&mut Self) -> Expr) -> Expr {
        // What a closure gives is a real number where nothing is said.
        let zero = Some(Expr {
            loc: proc_macro2::Span::call_site().into(),
            kind: Kind::Real(0.0),
        });
        let exits = std::mem::replace(&mut self.exits, Exits::new(Outcome::Plain, zero));
        let loops = std::mem::take(&mut self.loops);
        let around = std::mem::replace(&mut self.in_closure, true);
        let body = f(self);
        let body = self.with_code(body);
        self.in_closure = around;
        self.loops = loops;
        self.exits = exits;
        body
    }
}

/// Whether a closure compares two numbers as they are.
pub(super) fn is_usual_order(order: &syn::Expr) -> bool {
    let closure = match order {
        syn::Expr::Closure(closure) => closure,
        syn::Expr::Path(path) => {
            return path
                .path
                .segments
                .last()
                .is_some_and(|s| s.ident == "total_cmp");
        }
        _ => return false,
    };
    let names: Option<Vec<&syn::Ident>> = closure.inputs.iter().map(whole).collect();
    let Some([a, b]) = names.as_deref() else {
        return false;
    };
    let text = quote::ToTokens::to_token_stream(&*closure.body).to_string();
    let text: String = text
        .chars()
        .filter(|c| !c.is_whitespace() && !"&*".contains(*c))
        .collect();
    [
        format!("{a}.partial_cmp({b}).unwrap()"),
        format!("{a}.total_cmp({b})"),
        format!("{a}.partial_cmp({b}).unwrap_or(Ordering::Equal)"),
        format!("{a}.partial_cmp({b}).unwrap_or(std::cmp::Ordering::Equal)"),
    ]
    .contains(&text)
}

/// The name that a pattern gives to the whole value.
fn whole(pat: &syn::Pat) -> Option<&syn::Ident> {
    match pat {
        syn::Pat::Ident(name) if name.subpat.is_none() => Some(&name.ident),
        syn::Pat::Reference(inner) => whole(&inner.pat),
        syn::Pat::Paren(inner) => whole(&inner.pat),
        syn::Pat::Type(inner) => whole(&inner.pat),
        _ => None,
    }
}

/// The name of a field.
pub(super) fn member(of: &syn::Member) -> String {
    match of {
        syn::Member::Named(name) => name.to_string(),
        syn::Member::Unnamed(index) => index.index.to_string(),
    }
}

/// Whether a method of iterators says by type arguments what it gives. rustc has checked them.
fn takes_types(method: &syn::Ident) -> bool {
    let name = method.to_string();
    matches!(name.as_str(), "sum" | "product" | "collect")
}

/// The operator, or what is wrong with it.
fn operator(op: &syn::BinOp) -> Result<Binary, &'static str> {
    Ok(match op {
        syn::BinOp::Add(_) => Binary::Add,
        syn::BinOp::Sub(_) => Binary::Sub,
        syn::BinOp::Mul(_) => Binary::Mul,
        syn::BinOp::Div(_) => Binary::Div,
        syn::BinOp::Rem(_) => Binary::Rem,
        syn::BinOp::Eq(_) => Binary::Eq,
        syn::BinOp::Ne(_) => Binary::Ne,
        syn::BinOp::Lt(_) => Binary::Lt,
        syn::BinOp::Le(_) => Binary::Le,
        syn::BinOp::Gt(_) => Binary::Gt,
        syn::BinOp::Ge(_) => Binary::Ge,
        syn::BinOp::And(_) => Binary::Both,
        syn::BinOp::Or(_) => Binary::Either,
        syn::BinOp::BitAnd(_) => Binary::And,
        syn::BinOp::BitOr(_) => Binary::Or,
        syn::BinOp::BitXor(_) => Binary::Xor,
        syn::BinOp::Shl(_) => Binary::Shl,
        syn::BinOp::Shr(_) => Binary::Shr,
        _ => return Err(outside::ASSIGNMENT),
    })
}
