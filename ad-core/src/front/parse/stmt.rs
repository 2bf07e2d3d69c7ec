//! Blocks and statements. What leaves a block early is written as `if` with `else` here, so that
//! only blocks that run to their end come out.

use super::each::{azip, for_each};
use super::indexed::by_indices;
use super::leave::{To, arrived, boolean, choice, choose, is_code, never, temporary, variable};
use super::pattern::names_in;
use super::{Parser, outside};
use crate::front::error::{Loc, Reported};
use crate::front::names::segments;
use crate::front::surface::{
    Arm, Assign, Binary, Expr, For, How, Kind, Stmt, Target, Test, Unary, While,
};
use crate::front::surface::{Note, Pattern};
use proc_macro2::Span;

/// What a block is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Want {
    /// Its value.
    Value,
    /// Its value, which is that of the function.
    Result,
    /// What it changes.
    Unit,
    /// What it changes; behind it the loop goes on with its next round.
    Round,
}

impl Want {
    pub(super) fn is_value(self) -> bool {
        matches!(self, Want::Value | Want::Result)
    }
}

/// What is known of a loop while its body is read.
#[derive(Default)]
pub(super) struct Around {
    /// The variables that are assigned to.
    pub(super) assigned: Vec<syn::Ident>,
    /// Whether there is a `break`.
    leaves: bool,
    /// Its label.
    pub(super) label: Option<syn::Ident>,
    /// The code of what leaves it from further inside.
    pub(super) breaks: Option<i64>,
    /// The code of what goes on with its next round from further inside.
    pub(super) continues: Option<i64>,
    /// Whether something in it leaves it by a code.
    by_code: bool,
}

/// The variable that says whether a loop goes on. No variable of the user's has this name.
fn going() -> syn::Ident {
    syn::Ident::new("break", Span::call_site())
}

/// Whether a macro is ndarray's loop over several arrays.
fn is_azip(mac: &syn::Macro) -> bool {
    mac.path.segments.last().is_some_and(|s| s.ident == "azip")
}

/// An expression without a value.
pub(super) fn nothing(loc: Loc) -> Expr {
    let kind = Kind::Tuple(vec![]);
    Expr { loc, kind }
}

pub(super) fn block_of(loc: Loc, stmts: Vec<Stmt>, tail: Expr) -> Expr {
    if stmts.is_empty() {
        return tail;
    }
    let kind = Kind::Block(stmts, Box::new(tail));
    Expr { loc, kind }
}

/// Whether a condition is a pattern.
fn is_let(cond: &syn::Expr) -> bool {
    matches!(cond, syn::Expr::Let(_))
}

impl Parser<'_> {
    /// `if f()? { .. }` as `let t = f()?; if t { .. }`, and the same of `match`.
    pub(super) fn hoisted(&self, e: &syn::Expr) -> Option<(syn::Stmt, syn::Expr)> {
        let head = match e {
            syn::Expr::If(branch) => match &*branch.cond {
                syn::Expr::Let(pattern) => &*pattern.expr,
                cond => cond,
            },
            syn::Expr::Match(choice) => &*choice.expr,
            _ => return None,
        };
        // Before anything is copied: arms may be long.
        if !self.may_leave(head) {
            return None;
        }
        let (pat, t) = name_of(&temporary());
        let mut rest = e.clone();
        let place = match &mut rest {
            syn::Expr::If(branch) => match &mut *branch.cond {
                syn::Expr::Let(pattern) => &mut *pattern.expr,
                cond => cond,
            },
            syn::Expr::Match(choice) => &mut *choice.expr,
            _ => return None,
        };
        let head = std::mem::replace(place, t);
        let first = syn::Stmt::Local(local_of(pat, head));
        Some((first, rest))
    }

    /// A statement whose operands leave: what is computed before it, and the statement without
    /// them. `is_value` says whether it is the value of the block.
    fn stmt_operands_first(
        &mut self,
        stmt: &syn::Stmt,
        is_value: bool,
    ) -> Option<(Vec<syn::Stmt>, syn::Stmt)> {
        match stmt {
            syn::Stmt::Expr(e, semi) => {
                let is_statement = semi.is_some() || !is_value;
                let (first, rest) = self.operands_first(e, is_statement)?;
                Some((first, syn::Stmt::Expr(rest, *semi)))
            }
            syn::Stmt::Local(local) => {
                let init = local.init.as_ref()?;
                let taken = self.operands_first(&init.expr, false);
                let (first, rest) = match (taken, &init.diverge) {
                    (Some(taken), _) => taken,
                    (None, Some(_)) if self.may_leave(&init.expr) => {
                        let (pat, t) = name_of(&temporary());
                        let first = local_of(pat, (*init.expr).clone());
                        (vec![syn::Stmt::Local(first)], t)
                    }
                    (None, _) => return None,
                };
                let mut local = local.clone();
                if let Some(init) = &mut local.init {
                    *init.expr = rest;
                }
                Some((first, syn::Stmt::Local(local)))
            }
            syn::Stmt::Item(_) | syn::Stmt::Macro(_) => None,
        }
    }

    pub(super) fn block(&mut self, block: &syn::Block) -> Expr {
        self.block_for(block, Want::Value)
    }

    pub(super) fn block_for(&mut self, block: &syn::Block, want: Want) -> Expr {
        let outer = std::mem::take(&mut self.declared);
        let read = self.whole_block(block, want);
        let declared = std::mem::replace(&mut self.declared, outer);
        // A loop around carries no variable that only has the name of one declared inside.
        if let Some(around) = self.loops.last_mut() {
            around.assigned.retain(|name| !declared.contains(name));
        }
        read
    }

    fn whole_block(&mut self, block: &syn::Block, want: Want) -> Expr {
        let braces = block.brace_token.span;
        let loc = Loc {
            start: braces.open(),
            end: braces.close(),
        };
        let without_cuts = super::cuts::written_out(block);
        let block = without_cuts.as_ref().unwrap_or(block);
        let with_axes = super::axes::named(block, &mut self.lists);
        let block = with_axes.as_ref().unwrap_or(block);
        let without_values = super::valued::without(block, &mut self.lists);
        let block = without_values.as_ref().unwrap_or(block);
        let counted = super::walked::counted(block, &self.errors.writers);
        let block = counted.as_ref().unwrap_or(block);
        let with_lengths = super::growing::with_lengths(block, &mut self.lists);
        let block = with_lengths.as_ref().unwrap_or(block);
        let mut stmts = vec![];
        for stmt in &block.stmts {
            if let syn::Stmt::Item(item) = stmt {
                stmts.extend(self.item(item));
            }
        }
        // Functions see the constants beside them, wherever these stand.
        stmts.extend(self.functions(block));
        match self.sequence(&block.stmts, loc, want) {
            // What is alone keeps its own place.
            Expr {
                kind: Kind::Block(more, tail),
                ..
            } if !stmts.is_empty() => {
                stmts.extend(more);
                block_of(loc, stmts, *tail)
            }
            all => block_of(loc, stmts, all),
        }
    }

    /// Statements up to the end of a block.
    pub(super) fn sequence(&mut self, all: &[syn::Stmt], loc: Loc, want: Want) -> Expr {
        let (mut stmts, mut left) = (vec![], None);
        for (k, stmt) in all.iter().enumerate() {
            let last = k + 1 == all.len();
            let rest = &all[k + 1..];
            if let syn::Stmt::Expr(syn::Expr::If(_), semi) = stmt
                && let syn::Stmt::Expr(e, _) = stmt
                && let Some(chosen) = super::choices::chosen(e)
            {
                let one = std::iter::once(syn::Stmt::Expr(chosen, *semi));
                let more: Vec<syn::Stmt> = one.chain(rest.iter().cloned()).collect();
                let tail = self.sequence(&more, loc, want);
                return block_of(loc, stmts, tail);
            }
            if let syn::Stmt::Expr(e, semi) = stmt
                && let Some((first, second)) = self.hoisted(e)
            {
                let two = [first, syn::Stmt::Expr(second, *semi)];
                let more: Vec<syn::Stmt> = two.into_iter().chain(rest.iter().cloned()).collect();
                let tail = self.sequence(&more, loc, want);
                return block_of(loc, stmts, tail);
            }
            let is_value = last && want.is_value();
            if let Some((mut more, stmt)) = self.stmt_operands_first(stmt, is_value) {
                more.push(stmt);
                more.extend(rest.iter().cloned());
                let tail = self.sequence(&more, loc, want);
                return block_of(loc, stmts, tail);
            }
            match stmt {
                syn::Stmt::Item(_) => continue,
                syn::Stmt::Local(local)
                    if local.init.as_ref().is_some_and(|i| i.diverge.is_some()) =>
                {
                    let parts = super::slices::taken(local);
                    let tail = match parts.or_else(|| super::choices::taken_in_turn(local)) {
                        Some(taken) => {
                            let more = taken.into_iter().chain(rest.iter().cloned());
                            self.sequence(&more.collect::<Vec<_>>(), loc, want)
                        }
                        None => self.let_else(local, rest, loc, want),
                    };
                    return block_of(loc, stmts, tail);
                }
                syn::Stmt::Expr(syn::Expr::If(branch), _) if !last && parts(branch) => {
                    let tail = self.parted(branch, rest, loc, want);
                    return block_of(loc, stmts, tail);
                }
                syn::Stmt::Expr(e, semi) if last && self.is_tail(e, semi.is_some(), want) => {
                    let tail = self.tail(e, want);
                    return block_of(loc, stmts, tail);
                }
                syn::Stmt::Expr(e, Some(semi))
                    if last && want.is_value() && !outside::is_statement(e) =>
                {
                    // Only the last semicolon is wrong: what is before it is looked at.
                    let tail = self.expr(e);
                    self.errors.on(
                        semi,
                        "this `;` throws the value of the block away, and only values are \
                         differentiated; remove it",
                    );
                    return block_of(loc, stmts, tail);
                }
                // rustc says that nothing comes behind it.
                syn::Stmt::Expr(e, _) if ends(e) && !matches!(e, syn::Expr::If(_)) => {
                    let tail = self.tail(e, want);
                    return block_of(loc, stmts, tail);
                }
                syn::Stmt::Macro(m) if outside::is_failure(&m.mac) => {
                    let mac = m.mac.clone();
                    let e = syn::Expr::Macro(syn::ExprMacro { attrs: vec![], mac });
                    let tail = self.tail(&e, want);
                    return block_of(loc, stmts, tail);
                }
                syn::Stmt::Macro(m) if outside::is_assertion(&m.mac) => {
                    if let Some(branch) = self.asserted(&m.mac) {
                        let tail = self.parted(&branch, rest, loc, want);
                        return block_of(loc, stmts, tail);
                    }
                    continue;
                }
                syn::Stmt::Macro(m) if is_azip(&m.mac) => stmts.push(self.azip(&m.mac)),
                syn::Stmt::Macro(m) if last && m.semi_token.is_none() && want.is_value() => {
                    let message = outside::macro_call(&m.mac);
                    let tail = self.hole(Loc::of(&m.mac), message);
                    return block_of(loc, stmts, tail);
                }
                syn::Stmt::Macro(m) => {
                    let message = outside::macro_call(&m.mac);
                    stmts.push(Stmt::Hole(self.errors.on(&m.mac, message), vec![]));
                    continue;
                }
                syn::Stmt::Local(_) | syn::Stmt::Expr(..) => {}
            }
            let (read, codes) = self.statement_of(&stmt, want, |p| match stmt {
                syn::Stmt::Local(local) => p.local(local),
                syn::Stmt::Expr(e, _) => p.statement(e),
                syn::Stmt::Item(_) | syn::Stmt::Macro(_) => Stmt::Do(Box::new(nothing(loc))),
            });
            if let (Stmt::Hole(reported, _), syn::Stmt::Expr(..)) = (&read, stmt) {
                left = Some(*reported);
            }
            let endless = matches!(stmt, syn::Stmt::Expr(syn::Expr::Loop(_), _));
            if codes.is_empty() && !(endless && last && want.is_value() && left.is_none()) {
                stmts.push(read);
                continue;
            }
            stmts.extend(self.carriers(&codes, loc, want));
            stmts.push(read);
            let rest = match endless && last && want.is_value() {
                true => Expr {
                    loc,
                    kind: Kind::Impossible,
                },
                false => self.sequence(rest, loc, want),
            };
            let tail = self.behind(loc, &codes, rest, want);
            return block_of(loc, stmts, tail);
        }
        let tail = match left {
            _ if !want.is_value() => nothing(loc),
            Some(reported) => Expr {
                loc,
                kind: Kind::Hole(reported),
            },
            None => self.hole(
                Loc::from(loc.end),
                "this block ends without a value, and only values are differentiated; write an \
                 expression without `;` at its end",
            ),
        };
        block_of(loc, stmts, tail)
    }

    /// `let Some(p) = e else { .. };` and what follows.
    fn let_else(&mut self, local: &syn::Local, rest: &[syn::Stmt], loc: Loc, want: Want) -> Expr {
        let Some((init, (_, diverge))) =
            (local.init.as_ref()).and_then(|i| Some((i, i.diverge.as_ref()?)))
        else {
            return self.sequence(rest, loc, want);
        };
        let other: syn::Block = match &**diverge {
            syn::Expr::Block(b) => b.block.clone(),
            e => syn::parse_quote!({ #e }),
        };
        let (pat, t) = (&local.pat, temporary());
        let inner = match pat {
            syn::Pat::TupleStruct(of) if of.elems.len() == 1 => of.elems.first(),
            _ => None,
        };
        let (Some(inner), Test::Some(..)) = (inner, self.test(pat)) else {
            let reported = self.errors.on(
                pat,
                "`let .. else` takes the value out of an `Option` or a `Result` only; write `if` with a \
                 comparison",
            );
            let names = Stmt::Hole(reported, names_in(pat));
            let rest = self.sequence(rest, loc, want);
            return block_of(loc, vec![names], rest);
        };
        let value = local_of(inner.clone(), name_of(&t).1);
        let stmt = syn::Stmt::Local(local.clone());
        let ((first, check, value), codes) = self.statement_of(&stmt, want, |p| {
            let init = p.expr(&init.expr);
            let first = Stmt::Let(Pattern::Name(t.clone()), Note::Infer, Box::new(init));
            let otherwise = p.block_for(&other, Want::Unit);
            let on = variable(loc, &t);
            let kind = Kind::IsNone(Box::new(on.clone()));
            let is_none = Expr { loc: on.loc, kind };
            let check = choose(loc, is_none, otherwise, nothing(loc));
            let (pattern, note) = p.pattern_and_note(&value.pat);
            let kind = Kind::Take(Box::new(on));
            let taken = Expr {
                loc: Loc::of(pat),
                kind,
            };
            let value = Stmt::Let(pattern, note, Box::new(taken));
            (first, check, value)
        });
        let mut stmts = self.carriers(&codes, loc, want);
        stmts.push(first);
        stmts.push(Stmt::Do(Box::new(check)));
        let rest = self.sequence(rest, loc, want);
        let rest = block_of(loc, vec![value], rest);
        let tail = match codes.is_empty() {
            true => rest,
            false => self.behind(loc, &codes, rest, want),
        };
        block_of(loc, stmts, tail)
    }

    /// `assert!(c)` as `if !c { panic!() }`, where it is asked whether the function fails.
    fn asserted(&mut self, mac: &syn::Macro) -> Option<syn::ExprIf> {
        if !self.exits.outcome.fails() {
            return None;
        }
        let name = mac.path.segments.last()?.ident.to_string();
        let parse = syn::punctuated::Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated;
        let args = mac.parse_body_with(parse).ok()?;
        let mut args = args.into_iter();
        let cond: syn::Expr = match (name.as_str(), args.next()?, args.next()) {
            ("assert", cond, _) => syn::parse_quote!(!(#cond)),
            ("assert_eq", a, Some(b)) => syn::parse_quote!(!((#a) == (#b))),
            ("assert_ne", a, Some(b)) => syn::parse_quote!((#a) == (#b)),
            (..) => return None,
        };
        Some(syn::parse_quote!(if #cond { panic!() }))
    }

    /// Whether the last expression of a block is what the block gives.
    fn is_tail(&self, e: &syn::Expr, semi: bool, want: Want) -> bool {
        match (want, e) {
            (_, syn::Expr::Return(_) | syn::Expr::Break(_) | syn::Expr::Continue(_)) => true,
            (Want::Value | Want::Result, syn::Expr::ForLoop(_) | syn::Expr::While(_)) => false,
            (Want::Value | Want::Result, _) if semi => ends(e),
            (Want::Value | Want::Result, _) => !is_change(e),
            (Want::Unit | Want::Round, syn::Expr::If(_) | syn::Expr::Match(_)) => true,
            (Want::Unit | Want::Round, syn::Expr::Block(b)) => b.label.is_none(),
            (Want::Unit | Want::Round, e) => outside::fails(e),
        }
    }

    /// What a block ends with.
    pub(super) fn tail(&mut self, e: &syn::Expr, want: Want) -> Expr {
        let loc = Loc::of_expr(e);
        if let Some(chosen) = super::slices::chosen(e).or_else(|| super::choices::chosen(e)) {
            return self.tail(&chosen, want);
        }
        if let Some((first, rest)) = self.hoisted(e) {
            return self.sequence(&[first, syn::Stmt::Expr(rest, None)], loc, want);
        }
        if let Some((mut stmts, rest)) = self.operands_first(e, !want.is_value()) {
            stmts.push(syn::Stmt::Expr(rest, None));
            return self.sequence(&stmts, loc, want);
        }
        if want.is_value()
            && let Some(block) = super::valued::as_block(e, &mut self.lists)
        {
            return self.block_for(&block, want);
        }
        match e {
            syn::Expr::Paren(inner) => self.tail(&inner.expr, want),
            syn::Expr::If(branch) if want != Want::Value => {
                let other = match &branch.else_branch {
                    Some((_, other)) => Some(&**other),
                    None if want.is_value() => return self.expr(e),
                    None => None,
                };
                let on_pattern = is_let(&branch.cond);
                let cond = (!on_pattern).then(|| self.expr(&branch.cond));
                let then = self.block_for(&branch.then_branch, want);
                let other = match other {
                    Some(other) => self.tail(other, want),
                    None => nothing(loc),
                };
                match (cond, &*branch.cond) {
                    (None, syn::Expr::Let(pattern)) => {
                        self.branch_on_pattern(loc, pattern, then, other)
                    }
                    (cond, _) => choose(loc, cond.unwrap_or_else(|| never(loc)), then, other),
                }
            }
            syn::Expr::Match(of) if want != Want::Value => {
                let on = self.expr(&of.expr);
                let arms = of.arms.iter().map(|arm| self.arm_for(arm, want));
                let arms: Vec<Arm> = arms.collect();
                choice(loc, on, arms)
            }
            syn::Expr::Block(block) if block.label.is_none() => self.block_for(&block.block, want),
            syn::Expr::Return(r) => match &r.expr {
                Some(value) if want == Want::Result => self.tail(value, want),
                value => self.leave(loc, &To::Return(value.as_deref()), want),
            },
            syn::Expr::Continue(c) => {
                match want == Want::Round && self.is_inner(c.label.as_ref()) {
                    true => nothing(loc),
                    false => self.leave(loc, &To::Continue(c.label.as_ref()), want),
                }
            }
            syn::Expr::Break(b) if b.expr.is_some() => self.hole(loc, outside::BREAK_VALUE),
            syn::Expr::Break(b) if want == Want::Round && self.is_inner(b.label.as_ref()) => {
                if let Some(around) = self.loops.last_mut() {
                    around.leaves = true;
                    around.assigned.push(going());
                }
                let stmt = super::leave::set(loc, going(), boolean(loc, false));
                block_of(loc, vec![stmt], nothing(loc))
            }
            syn::Expr::Break(b) => self.leave(loc, &To::Break(b.label.as_ref()), want),
            syn::Expr::Tuple(t) if t.elems.is_empty() => nothing(loc),
            _ if outside::fails(e) => match want {
                Want::Result => self.failed(loc),
                Want::Value | Want::Unit | Want::Round => self.leave(loc, &To::Failure, want),
            },
            _ if want == Want::Result => self.result(e),
            _ if want.is_value() => self.moved(e),
            _ => {
                let stmt = self.statement(e);
                block_of(loc, vec![stmt], nothing(loc))
            }
        }
    }

    /// Whether a label is that of the innermost loop, or is not there.
    fn is_inner(&self, label: Option<&syn::Lifetime>) -> bool {
        self.target_of(label)
            .is_some_and(|k| k + 1 == self.loops.len())
    }

    /// The function fails here.
    fn failed(&self, loc: Loc) -> Expr {
        match self.exits.outcome.fails() {
            true => boolean(loc, true),
            false => Expr {
                loc,
                kind: Kind::Impossible,
            },
        }
    }

    /// What the function gives where it gives this.
    fn result(&mut self, e: &syn::Expr) -> Expr {
        let loc = Loc::of_expr(e);
        let outcome = self.exits.outcome;
        let mut made = e;
        if outcome.is_wrapped() {
            match outside::made(e) {
                Some(Some(inner)) => made = inner,
                Some(None) => return self.failed(loc),
                None => {}
            }
        }
        let is_made = !std::ptr::eq(made, e);
        let (value, codes) = self.statement_of(&quote::quote!(), Want::Result, |p| p.expr(made));
        let of = |kind: fn(Box<Expr>) -> Kind, value: Expr| Expr {
            loc: value.loc,
            kind: kind(Box::new(value)),
        };
        let needs_value = !codes.is_empty();
        let t = temporary();
        let name = |value| match needs_value {
            true => {
                let first = Stmt::Let(Pattern::Name(t.clone()), Note::Infer, Box::new(value));
                (vec![first], variable(loc, &t))
            }
            false => (vec![], value),
        };
        let (stmts, value) = name(value);
        let fails = outcome.fails();
        let value = match (outcome.is_wrapped() && !is_made, fails) {
            (false, true) => boolean(loc, false),
            (false, false) => value,
            (true, true) => of(Kind::IsNone, value),
            (true, false) => of(Kind::Take, value),
        };
        match needs_value {
            true => {
                let tail = self.behind(loc, &codes, value, Want::Result);
                block_of(loc, stmts, tail)
            }
            false => value,
        }
    }

    /// `if c { return e; } rest` and its like: the rest goes where the block is not left.
    fn parted(&mut self, branch: &syn::ExprIf, rest: &[syn::Stmt], loc: Loc, want: Want) -> Expr {
        let then_ends = ends_block(&branch.then_branch);
        let other = branch.else_branch.as_ref().map(|(_, other)| &**other);
        let other_ends = other.is_some_and(ends);
        let cond = (!is_let(&branch.cond)).then(|| self.expr(&branch.cond));
        let then = match then_ends {
            true => self.block_for(&branch.then_branch, want),
            false => self.followed(&branch.then_branch, rest, loc, want, |p| {
                p.block_for(&branch.then_branch, Want::Unit)
            }),
        };
        let otherwise = match other {
            None => self.sequence(rest, loc, want),
            Some(other) if other_ends => {
                if then_ends {
                    // Nothing comes here; rustc says so.
                    self.sequence(rest, loc, want);
                }
                self.tail(other, want)
            }
            Some(syn::Expr::If(more)) if parts(more) => self.parted(more, rest, loc, want),
            Some(other) => self.followed(other, rest, loc, want, |p| p.tail(other, Want::Unit)),
        };
        match (cond, &*branch.cond) {
            (None, syn::Expr::Let(pattern)) => {
                self.branch_on_pattern(Loc::of_if(branch), pattern, then, otherwise)
            }
            (cond, _) => {
                let cond = cond.unwrap_or_else(|| never(loc));
                choose(Loc::of_if(branch), cond, then, otherwise)
            }
        }
    }

    /// What changes something, and the rest of a block.
    fn followed(
        &mut self,
        stmt: &dyn quote::ToTokens,
        rest: &[syn::Stmt],
        loc: Loc,
        want: Want,
        first: impl FnOnce(&mut Self) -> Expr,
    ) -> Expr {
        let (first, codes) = self.statement_of(stmt, want, first);
        let mut stmts = self.carriers(&codes, loc, want);
        stmts.push(Stmt::Do(Box::new(first)));
        let rest = self.sequence(rest, loc, want);
        let rest = match codes.is_empty() {
            true => rest,
            false => self.behind(loc, &codes, rest, want),
        };
        block_of(loc, stmts, rest)
    }

    /// An expression that stands as a statement.
    pub(super) fn statement(&mut self, e: &syn::Expr) -> Stmt {
        let loc = Loc::of_expr(e);
        let hole = |reported: Reported| Stmt::Hole(reported, vec![]);
        if let Some((mut stmts, rest)) = self.operands_first(e, true) {
            stmts.push(syn::Stmt::Expr(rest, Some(syn::token::Semi::default())));
            return Stmt::Do(Box::new(self.sequence(&stmts, loc, Want::Unit)));
        }
        match e {
            syn::Expr::Paren(inner) => self.statement(&inner.expr),
            syn::Expr::Assign(assign) => self.assign(loc, &assign.left, How::Set, &assign.right),
            syn::Expr::Binary(binary) if outside::is_assignment(&binary.op) => {
                match compound(&binary.op) {
                    Some(op) => self.assign(loc, &binary.left, How::By(op), &binary.right),
                    None => hole(self.errors.at(
                        loc,
                        "shifts are not supported; write `* 2`, `/ 2` or `2_i64.pow(k)`",
                    )),
                }
            }
            syn::Expr::If(_) | syn::Expr::Match(_) => Stmt::Do(Box::new(self.tail(e, Want::Unit))),
            syn::Expr::Block(block) if block.label.is_none() => {
                Stmt::Do(Box::new(self.block_for(&block.block, Want::Unit)))
            }
            syn::Expr::ForLoop(l) => match super::chain::for_loop(l, &self.errors.writers) {
                Some(looped) => self.statement(&looped),
                None => self.for_loop(l),
            },
            syn::Expr::While(l) => {
                match super::rewritten::while_let(l).or_else(|| super::choices::while_chain(l)) {
                    Some(l) => self.endless_loop(&l),
                    None => self.while_loop(l),
                }
            }
            syn::Expr::Loop(l) => self.endless_loop(l),
            syn::Expr::MethodCall(call) if self.is_writer(&call.method) => self.for_effect(e),
            syn::Expr::MethodCall(call) => {
                if let Some(rewritten) = super::rewritten::statement(call) {
                    return self.statement(&rewritten);
                }
                match (for_each(call), self.changing_method(loc, call)) {
                    (Some(l), _) => self.for_loop(&l),
                    (None, Some(stmt)) => stmt,
                    (None, None) if may_write(call) => self.for_effect(e),
                    (None, None) => hole(self.unused(e)),
                }
            }
            syn::Expr::Call(call) => match self.changing_call(loc, call) {
                Some(stmt) => stmt,
                None => hole(self.unused(e)),
            },
            syn::Expr::Return(_) | syn::Expr::Break(_) | syn::Expr::Continue(_) => {
                Stmt::Do(Box::new(self.tail(e, Want::Unit)))
            }
            syn::Expr::Try(_) => {
                let value = self.expr(e);
                Stmt::Let(Pattern::Wild, Note::Infer, Box::new(value))
            }
            syn::Expr::Macro(m) if is_azip(&m.mac) => self.azip(&m.mac),
            syn::Expr::Macro(m) if outside::is_assertion(&m.mac) => {
                Stmt::Do(Box::new(nothing(loc)))
            }
            syn::Expr::Tuple(t) if t.elems.is_empty() => Stmt::Do(Box::new(nothing(loc))),
            _ => hole(self.unused(e)),
        }
    }

    /// `azip!((a in &mut x, &b in &y) ..);`
    fn azip(&mut self, mac: &syn::Macro) -> Stmt {
        match azip(mac) {
            Some(l) => self.for_loop(&l),
            None => Stmt::Hole(self.errors.on(mac, outside::macro_call(mac)), vec![]),
        }
    }

    fn unused(&mut self, e: &syn::Expr) -> Reported {
        if let Some(reported) = self.changes_wrong(e) {
            return reported;
        }
        if let Some(message) = outside::statement(e) {
            return self.errors.on(e, message);
        }
        if let Some((loc, message)) = outside::called(e) {
            return self.errors.at(loc, message);
        }
        self.errors.on(
            e,
            "this value is not used: a statement has no effect on the result; bind it with `let`, \
             or remove it",
        )
    }

    /// Whether something was wrong already with the variable, or the closure, that a statement is
    /// about.
    pub(super) fn changes_wrong(&self, e: &syn::Expr) -> Option<Reported> {
        match e {
            syn::Expr::Path(path) => {
                let name = path.path.get_ident()?.to_string();
                self.wrong.get(&name).copied()
            }
            syn::Expr::MethodCall(call) => self.changes_wrong(&call.receiver),
            syn::Expr::Call(call) => self.changes_wrong(&call.func),
            syn::Expr::Unary(unary) => self.changes_wrong(&unary.expr),
            syn::Expr::Paren(inner) => self.changes_wrong(&inner.expr),
            syn::Expr::Index(index) => self.changes_wrong(&index.expr),
            syn::Expr::Field(field) => self.changes_wrong(&field.base),
            _ => None,
        }
    }

    /// The same of what stands before the `=`, if that is behind a reference.
    pub(super) fn derefs_wrong(&self, e: &syn::Expr) -> Option<Reported> {
        match e {
            syn::Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Deref(_)) => {
                self.changes_wrong(&unary.expr)
            }
            syn::Expr::Paren(inner) => self.derefs_wrong(&inner.expr),
            _ => None,
        }
    }

    fn assign(&mut self, loc: Loc, left: &syn::Expr, how: How, right: &syn::Expr) -> Stmt {
        if let (How::Set, Some(_)) = (how, self.written_through(left)) {
            let reported = self.errors.at(
                loc,
                "this makes the parameter stand for another place, which is not followed; write \
                 `*x = ..` or `x.assign(&..)`, or bind a new name with `let`",
            );
            return Stmt::Hole(reported, vec![]);
        }
        let target = self.target(left);
        let value = self.moved(right);
        match target {
            Ok(target) => Stmt::Assign(Box::new(Assign {
                loc,
                target,
                how,
                value,
            })),
            Err(reported) => Stmt::Hole(reported, vec![]),
        }
    }

    /// A call of a method for what it changes.
    fn for_effect(&mut self, e: &syn::Expr) -> Stmt {
        let value = self.expr(e);
        Stmt::Let(Pattern::Wild, Note::Infer, Box::new(value))
    }

    /// A call of a function that changes its arguments.
    fn changing_call(&mut self, loc: Loc, call: &syn::ExprCall) -> Option<Stmt> {
        self.mem_swap(loc, call)
            .or_else(|| self.general_product(loc, call))
            .or_else(|| self.writing_call(loc, call))
    }

    /// `f(t, &y, &mut d);`, also where `d` is a parameter that the function writes.
    fn writing_call(&mut self, loc: Loc, call: &syn::ExprCall) -> Option<Stmt> {
        let lends = |e: &syn::Expr| match e {
            syn::Expr::Reference(r) => r.mutability.is_some(),
            syn::Expr::MethodCall(_) => super::target::is_place(e),
            e => self.written_parameter(e).is_some(),
        };
        if !call.args.iter().any(lends) {
            return None;
        }
        let value = self.expr(&syn::Expr::Call(call.clone()));
        let value = Box::new(Expr { loc, ..value });
        Some(Stmt::Let(Pattern::Wild, Note::Infer, value))
    }

    /// What is read where these names hide parameters that the function writes.
    pub(super) fn hiding<T>(&mut self, names: &[syn::Ident], f: impl FnOnce(&mut Self) -> T) -> T {
        let names = names.iter().map(ToString::to_string);
        let hidden: Vec<String> = names.filter(|name| self.written.remove(name)).collect();
        let read = f(self);
        self.written.extend(hidden);
        read
    }

    /// A parameter that the function writes, if an expression is one.
    pub(super) fn written_parameter<'e>(&self, e: &'e syn::Expr) -> Option<&'e syn::Ident> {
        let syn::Expr::Path(path) = e else {
            return None;
        };
        let name = path.path.get_ident()?;
        self.written.contains(&name.to_string()).then_some(name)
    }

    /// Notes that a call may change what it is lent.
    pub(super) fn lent(&mut self, given: &[&syn::Expr], args: &[Expr]) {
        for (given, arg) in given.iter().zip(args) {
            let mut lent = arg;
            while let Kind::Method(receiver, ..) = &lent.kind {
                lent = receiver;
            }
            let name = match &lent.kind {
                Kind::Borrow(place) => Some(place.root.clone()),
                _ => self.written_parameter(given).cloned(),
            };
            if let Some(name) = name {
                self.changes(&name);
            }
        }
    }

    /// `std::mem::swap(&mut a, &mut b)`
    fn mem_swap(&mut self, loc: Loc, call: &syn::ExprCall) -> Option<Stmt> {
        let syn::Expr::Path(path) = &*call.func else {
            return None;
        };
        let names = segments(&path.path);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let (["std" | "core", "mem", "swap"] | ["mem", "swap"]) = names[..] else {
            return None;
        };
        let args: Vec<&syn::Expr> = call.args.iter().collect();
        let [a, b] = args[..] else {
            return Some(Stmt::Hole(self.errors.at(loc, outside::BORROW), vec![]));
        };
        let (a, b) = (behind(a), behind(b));
        let targets = [&a, &b].map(|e| self.target(e));
        let values = vec![self.expr(&b), self.expr(&a)];
        let [a, b] = targets;
        let (a, b) = match (a, b) {
            (Ok(a), Ok(b)) => (a, b),
            (Err(reported), _) | (_, Err(reported)) => return Some(Stmt::Hole(reported, vec![])),
        };
        let value = Expr {
            loc,
            kind: Kind::Tuple(values),
        };
        Some(Stmt::Assign(Box::new(Assign {
            loc,
            target: Target::Tuple(loc, vec![a, b]),
            how: How::Set,
            value,
        })))
    }

    /// Notes that a variable changes.
    pub(super) fn changes(&mut self, root: &syn::Ident) {
        if let Some(around) = self.loops.last_mut()
            && !around.assigned.contains(root)
        {
            around.assigned.push(root.clone());
        }
    }

    /// The body of a loop, and what is known of it then.
    fn around(
        &mut self,
        label: Option<&syn::Label>,
        f: impl FnOnce(&mut Self) -> Expr,
    ) -> (Expr, Around) {
        let label = label.map(|l| l.name.ident.clone());
        self.loops.push(Around {
            label,
            ..Around::default()
        });
        let (mut body, mut codes) = self.leaving(f);
        let mut around = self.loops.pop().unwrap_or_default();
        for root in around.assigned.iter().filter(|r| **r != going()) {
            self.changes(root);
        }
        if let Some(code) = around.continues
            && codes.contains(&code)
        {
            codes.retain(|c| *c != code);
            let loc = body.loc;
            let stmts = vec![Stmt::Do(Box::new(body)), arrived(loc, code)];
            body = block_of(loc, stmts, nothing(loc));
        }
        around.by_code = !codes.is_empty();
        codes.retain(|c| around.breaks != Some(*c));
        self.pass_on(&codes);
        (body, around)
    }

    fn for_loop(&mut self, l: &syn::ExprForLoop) -> Stmt {
        let loc = Loc {
            start: l.for_token.span,
            end: Loc::of_expr(&l.expr).end,
        };
        let before = self.errors.count();
        let borrows = self.borrows.len();
        let over = self.source(&l.expr);
        let pattern = self.pattern(&l.pat);
        self.names_since(before, names_in(&l.pat));
        let borrowed = self.borrowed_since(borrows, names_in(&l.pat));
        let names = names_in(&l.pat);
        let (body, around) = self.hiding(&names, |p| {
            p.around(l.label.as_ref(), |p| p.block_for(&l.body, Want::Round))
        });
        let l = For {
            loc,
            pattern,
            over,
            body,
            assigned: around.assigned.clone(),
            borrowed,
            going: goes_on(loc, &around),
        };
        until(loc, by_indices(l), &around)
    }

    fn while_loop(&mut self, l: &syn::ExprWhile) -> Stmt {
        let loc = Loc {
            start: l.while_token.span,
            end: Loc::of_expr(&l.cond).end,
        };
        let (mut cond, codes) = self.leaving(|p| p.expr(&l.cond));
        if !codes.is_empty() {
            let reported = self.errors.on(
                &l.cond,
                "`?` and `return` in the condition of a loop are not supported; write `loop { .. }` with \
                 `if .. { break; }`",
            );
            cond.kind = Kind::Hole(reported);
        }
        let (body, around) = self.around(l.label.as_ref(), |p| p.block_for(&l.body, Want::Round));
        going_on(loc, Some(cond), body, &around)
    }

    fn endless_loop(&mut self, l: &syn::ExprLoop) -> Stmt {
        let loc = Loc::from(l.loop_token.span);
        let braces = l.body.brace_token.span;
        let inside = Loc {
            start: braces.open(),
            end: braces.close(),
        };
        // `loop { if c { break; } .. }` is `while !c { .. }`
        if let [syn::Stmt::Expr(syn::Expr::If(first), _), rest @ ..] = &l.body.stmts[..]
            && first.else_branch.is_none()
            && let [syn::Stmt::Expr(syn::Expr::Break(b), _)] = &first.then_branch.stmts[..]
            && b.label.is_none()
            && b.expr.is_none()
            && !is_let(&first.cond)
            && !self.may_leave(&first.cond)
        {
            let end = self.expr(&first.cond);
            let cond = Expr {
                loc: end.loc,
                kind: Kind::Unary(Unary::Not, Box::new(end)),
            };
            let (body, around) =
                self.around(l.label.as_ref(), |p| p.sequence(rest, inside, Want::Round));
            return going_on(loc, Some(cond), body, &around);
        }
        let before = self.errors.count();
        let (body, around) = self.around(l.label.as_ref(), |p| p.block_for(&l.body, Want::Round));
        if !around.leaves && !around.by_code && self.errors.count() == before {
            let reported = self.errors.at(
                loc,
                "this loop has no end that can be seen; write `if .. { break; }` into it, or `while`",
            );
            return Stmt::Hole(reported, vec![]);
        }
        going_on(loc, None, body, &around)
    }

    fn arm_for(&mut self, arm: &syn::Arm, want: Want) -> Arm {
        let (pat, guard) = match &arm.pat {
            syn::Pat::Guard(guarded) => (&*guarded.pat, Some(&guarded.guard)),
            pat => (pat, None),
        };
        Arm {
            test: self.test(pat),
            guard: guard.map(|g| self.guard(g)),
            body: self.tail(&arm.body, want),
        }
    }
}

/// Whether a method may be one of a struct of the user's that changes it.
fn may_write(call: &syn::ExprMethodCall) -> bool {
    outside::method(&call.method).is_none() && super::target::is_place(&call.receiver)
}

/// What `&mut x` changes, or `x` that is borrowed already.
fn behind(e: &syn::Expr) -> syn::Expr {
    match e {
        syn::Expr::Reference(r) => (*r.expr).clone(),
        e => syn::parse_quote!(*#e),
    }
}

/// Whether a loop goes on, where something leaves it.
fn goes_on(loc: Loc, around: &Around) -> Option<Expr> {
    let flag = around.leaves.then(|| variable(loc, &going()));
    let code = around.by_code.then(|| is_code(loc, 0));
    all_of(loc, flag, code)
}

fn all_of(loc: Loc, first: Option<Expr>, second: Option<Expr>) -> Option<Expr> {
    match (first, second) {
        (Some(first), Some(second)) => Some(Expr {
            loc,
            kind: Kind::Binary(Binary::Both, Box::new(first), Box::new(second)),
        }),
        (one, other) => one.or(other),
    }
}

/// A `while` loop, with the variable that says whether to go on if there is a `break`.
fn going_on(loc: Loc, cond: Option<Expr>, body: Expr, around: &Around) -> Stmt {
    let cond = all_of(loc, goes_on(loc, around), cond);
    let stmt = Stmt::While(Box::new(While {
        loc,
        cond: cond.unwrap_or_else(|| boolean(loc, false)),
        body,
        assigned: around.assigned.clone(),
    }));
    until(loc, stmt, around)
}

/// A loop, behind its variable that says whether to go on.
fn until(loc: Loc, stmt: Stmt, around: &Around) -> Stmt {
    let mut stmts = vec![];
    if around.leaves {
        stmts.push(Stmt::Let(
            Pattern::Name(going()),
            Note::Infer,
            Box::new(boolean(loc, true)),
        ));
    }
    stmts.push(stmt);
    stmts.extend(around.breaks.map(|code| arrived(loc, code)));
    if let ([_], None) = (&stmts[..], around.breaks)
        && let Some(one) = stmts.pop()
    {
        return one;
    }
    Stmt::Do(Box::new(block_of(loc, stmts, nothing(loc))))
}

/// Whether an expression never comes to its end.
fn ends(e: &syn::Expr) -> bool {
    match e {
        syn::Expr::Return(_) | syn::Expr::Break(_) | syn::Expr::Continue(_) => true,
        syn::Expr::Block(b) => ends_block(&b.block),
        syn::Expr::If(branch) => {
            let other = branch.else_branch.as_ref();
            ends_block(&branch.then_branch) && other.is_some_and(|(_, e)| ends(e))
        }
        e => outside::fails(e),
    }
}

fn ends_block(block: &syn::Block) -> bool {
    match block.stmts.last() {
        Some(syn::Stmt::Expr(e, _)) => ends(e),
        Some(syn::Stmt::Macro(m)) => outside::is_failure(&m.mac),
        _ => false,
    }
}

/// Whether one side of an `if` does not come to its end, so that what follows belongs to the other.
fn parts(branch: &syn::ExprIf) -> bool {
    let other = branch.else_branch.as_ref();
    ends_block(&branch.then_branch)
        || !is_let(&branch.cond) && other.is_some_and(|(_, other)| ends(other))
}

/// `let p = e;`
pub(super) fn local_of(pat: syn::Pat, e: syn::Expr) -> syn::Local {
    let syn::Stmt::Local(mut local) = syn::parse_quote!(let x = x;) else {
        unreachable!("this is a `let`");
    };
    local.pat = pat;
    if let Some(init) = &mut local.init {
        *init.expr = e;
    }
    local
}

/// `t`
pub(super) fn name_of(t: &syn::Ident) -> (syn::Pat, syn::Expr) {
    let syn::Pat::Ident(mut pat) = syn::parse_quote!(x) else {
        unreachable!("this is a name");
    };
    pat.ident = t.clone();
    let path = syn::ExprPath {
        attrs: vec![],
        qself: None,
        path: t.clone().into(),
    };
    (syn::Pat::Ident(pat), syn::Expr::Path(path))
}

/// Whether an expression is there for what it changes only.
fn is_change(e: &syn::Expr) -> bool {
    match e {
        syn::Expr::Assign(_) => true,
        syn::Expr::Loop(_) => super::valued::as_block(e, &mut 0).is_none(),
        syn::Expr::Binary(binary) => outside::is_assignment(&binary.op),
        _ => false,
    }
}

/// Whether an expression ends with an assignment, and so gives nothing.
pub(super) fn only_changes(e: &syn::Expr) -> bool {
    match e {
        syn::Expr::Block(block) => match block.block.stmts.last() {
            Some(syn::Stmt::Expr(last, _)) => only_changes(last),
            _ => false,
        },
        _ => is_change(e),
    }
}

/// The operator in an assignment.
fn compound(op: &syn::BinOp) -> Option<Binary> {
    Some(match op {
        syn::BinOp::AddAssign(_) => Binary::Add,
        syn::BinOp::SubAssign(_) => Binary::Sub,
        syn::BinOp::MulAssign(_) => Binary::Mul,
        syn::BinOp::DivAssign(_) => Binary::Div,
        syn::BinOp::RemAssign(_) => Binary::Rem,
        syn::BinOp::BitXorAssign(_) => Binary::Xor,
        syn::BinOp::BitAndAssign(_) => Binary::And,
        syn::BinOp::BitOrAssign(_) => Binary::Or,
        syn::BinOp::ShlAssign(_) => Binary::Shl,
        syn::BinOp::ShrAssign(_) => Binary::Shr,
        _ => return None,
    })
}
