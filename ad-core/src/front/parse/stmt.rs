//! Blocks and statements. What leaves a block early is written as `if` with `else` here, so that
//! only blocks that run to their end come out.

use super::each::for_each;
use super::indexed::by_indices;
use super::pattern::names_in;
use super::{Parser, outside};
use crate::front::error::{Loc, Reported};
use crate::front::names::segments;
use crate::front::surface::{
    Arm, Assign, Binary, Expr, For, How, Kind, Place, Stmt, Target, Unary, While,
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
    fn is_value(self) -> bool {
        matches!(self, Want::Value | Want::Result)
    }
}

/// What is known of a loop while its body is read.
#[derive(Default)]
pub(super) struct Around {
    /// The variables that are assigned to.
    assigned: Vec<syn::Ident>,
    /// Whether there is a `break`.
    leaves: bool,
}

/// The variable that says whether a loop goes on. No variable of the user's has this name.
fn going() -> syn::Ident {
    syn::Ident::new("break", Span::call_site())
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

fn boolean(loc: Loc, value: bool) -> Expr {
    let kind = Kind::Bool(value);
    Expr { loc, kind }
}

impl Parser<'_> {
    pub(super) fn block(&mut self, block: &syn::Block) -> Expr {
        self.block_for(block, Want::Value)
    }

    pub(super) fn block_for(&mut self, block: &syn::Block, want: Want) -> Expr {
        let braces = block.brace_token.span;
        let loc = Loc {
            start: braces.open(),
            end: braces.close(),
        };
        let mut stmts = vec![];
        for stmt in &block.stmts {
            if let syn::Stmt::Item(item) = stmt {
                stmts.extend(self.item(item));
            }
        }
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
    fn sequence(&mut self, all: &[syn::Stmt], loc: Loc, want: Want) -> Expr {
        let (mut stmts, mut left) = (vec![], None);
        for (k, stmt) in all.iter().enumerate() {
            let last = k + 1 == all.len();
            match stmt {
                syn::Stmt::Local(local) => stmts.push(self.local(local)),
                syn::Stmt::Item(_) => {}
                syn::Stmt::Expr(syn::Expr::If(branch), _)
                    if !last && matches!(want, Want::Result | Want::Round) && may_end(branch) =>
                {
                    let tail = self.parted(branch, &all[k + 1..], loc, want);
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
                syn::Stmt::Expr(e, _) => {
                    let stmt = self.statement(e);
                    if let Stmt::Hole(reported, _) = &stmt {
                        left = Some(*reported);
                    }
                    stmts.push(stmt);
                }
                syn::Stmt::Macro(m) if outside::is_assertion(&m.mac) => {}
                syn::Stmt::Macro(m) if last && m.semi_token.is_none() && want.is_value() => {
                    let message = outside::macro_call(&m.mac);
                    let tail = self.hole(Loc::of(&m.mac), message);
                    return block_of(loc, stmts, tail);
                }
                syn::Stmt::Macro(m) => {
                    let message = outside::macro_call(&m.mac);
                    stmts.push(Stmt::Hole(self.errors.on(&m.mac, message), vec![]));
                }
            }
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

    /// Whether the last expression of a block is what the block gives.
    fn is_tail(&self, e: &syn::Expr, semi: bool, want: Want) -> bool {
        match (want, e) {
            (Want::Result, syn::Expr::Return(_)) => true,
            (Want::Value | Want::Result, syn::Expr::ForLoop(_) | syn::Expr::While(_)) => false,
            (Want::Value | Want::Result, _) if semi => want == Want::Result && ends(e),
            (Want::Value | Want::Result, _) => !is_change(e),
            (Want::Unit | Want::Round, syn::Expr::If(_) | syn::Expr::Match(_)) => true,
            (Want::Unit | Want::Round, syn::Expr::Block(b)) => b.label.is_none(),
            (Want::Round, syn::Expr::Break(_) | syn::Expr::Continue(_)) => true,
            (Want::Unit | Want::Round, _) => false,
        }
    }

    /// What a block ends with.
    fn tail(&mut self, e: &syn::Expr, want: Want) -> Expr {
        let loc = Loc::of_expr(e);
        match e {
            syn::Expr::Paren(inner) => self.tail(&inner.expr, want),
            syn::Expr::If(branch) if want.is_value() && is_let(&branch.cond) => self.expr(e),
            syn::Expr::If(branch) if want != Want::Value => {
                if let Some(hole) = self.let_condition(branch) {
                    return hole;
                }
                let other = match &branch.else_branch {
                    Some((_, other)) => Some(&**other),
                    None if want.is_value() => return self.expr(e),
                    None => None,
                };
                let cond = self.expr(&branch.cond);
                let then = self.block_for(&branch.then_branch, want);
                let other = match other {
                    Some(other) => self.tail(other, want),
                    None => nothing(loc),
                };
                Expr {
                    loc,
                    kind: Kind::If(Box::new(cond), Box::new(then), Box::new(other)),
                }
            }
            syn::Expr::Match(choice) if want != Want::Value => {
                let on = self.expr(&choice.expr);
                let arms = choice.arms.iter().map(|arm| self.arm_for(arm, want));
                let arms: Vec<Arm> = arms.collect();
                Expr {
                    loc,
                    kind: Kind::Match(Box::new(on), arms),
                }
            }
            syn::Expr::Block(block) if block.label.is_none() => self.block_for(&block.block, want),
            syn::Expr::Return(r) if want == Want::Result => match &r.expr {
                Some(value) => self.tail(value, want),
                None => self.hole(
                    loc,
                    "this `return` gives no value, and only values are differentiated; write the \
                     value behind it",
                ),
            },
            syn::Expr::Continue(c) if want == Want::Round && c.label.is_none() => nothing(loc),
            syn::Expr::Break(b) if want == Want::Round && b.label.is_none() && b.expr.is_none() => {
                if let Some(around) = self.loops.last_mut() {
                    around.leaves = true;
                    around.assigned.push(going());
                }
                let stmt = Stmt::Assign(Box::new(Assign {
                    loc,
                    target: Target::Place(Place {
                        loc,
                        root: going(),
                        steps: vec![],
                    }),
                    how: How::Set,
                    value: boolean(loc, false),
                }));
                block_of(loc, vec![stmt], nothing(loc))
            }
            syn::Expr::Tuple(t) if t.elems.is_empty() => nothing(loc),
            _ if want.is_value() => self.expr(e),
            _ => {
                let stmt = self.statement(e);
                block_of(loc, vec![stmt], nothing(loc))
            }
        }
    }

    /// `if let`, which is reported.
    pub(super) fn let_condition(&mut self, branch: &syn::ExprIf) -> Option<Expr> {
        let syn::Expr::Let(pattern) = &*branch.cond else {
            return None;
        };
        Some(self.hole(
            Loc::of(pattern),
            "`if let` is supported for values only, not around assignments; write `if` with a \
             comparison, or `match` on integers",
        ))
    }

    /// `if c { return e; } rest` and its like: the rest goes where the block is not left.
    fn parted(&mut self, branch: &syn::ExprIf, rest: &[syn::Stmt], loc: Loc, want: Want) -> Expr {
        if let Some(hole) = self.let_condition(branch) {
            return hole;
        }
        let cond = self.expr(&branch.cond);
        let then_ends = ends_block(&branch.then_branch);
        let other = branch.else_branch.as_ref().map(|(_, other)| &**other);
        let other_ends = other.is_some_and(ends);
        if !then_ends && !other_ends {
            // What follows would have to be written twice.
            return self.hole(
                Loc::of(&branch.if_token),
                "this leaves early from within one side of an `if`, which also goes on; write what \
                 follows into an `else` there",
            );
        }
        let then = match then_ends {
            true => self.block_for(&branch.then_branch, want),
            false => {
                let first = self.block_for(&branch.then_branch, Want::Unit);
                let rest = self.sequence(rest, loc, want);
                block_of(loc, vec![Stmt::Do(Box::new(first))], rest)
            }
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
            Some(syn::Expr::If(more)) if may_end(more) => self.parted(more, rest, loc, want),
            Some(other) => {
                let first = self.tail(other, Want::Unit);
                let rest = self.sequence(rest, loc, want);
                block_of(loc, vec![Stmt::Do(Box::new(first))], rest)
            }
        };
        Expr {
            loc: Loc::of_if(branch),
            kind: Kind::If(Box::new(cond), Box::new(then), Box::new(otherwise)),
        }
    }

    /// An expression that stands as a statement.
    fn statement(&mut self, e: &syn::Expr) -> Stmt {
        let loc = Loc::of_expr(e);
        let hole = |reported: Reported| Stmt::Hole(reported, vec![]);
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
            syn::Expr::ForLoop(l) => self.for_loop(l),
            syn::Expr::While(l) => self.while_loop(l),
            syn::Expr::Loop(l) => self.endless_loop(l),
            syn::Expr::MethodCall(call) => {
                match (for_each(call), self.changing_method(loc, call)) {
                    (Some(l), _) => self.for_loop(&l),
                    (None, Some(stmt)) => stmt,
                    (None, None) => hole(self.unused(e)),
                }
            }
            syn::Expr::Call(call) => match self.mem_swap(loc, call) {
                Some(stmt) => stmt,
                None => hole(self.unused(e)),
            },
            syn::Expr::Return(_) => hole(self.errors.on(e, outside::RETURN)),
            syn::Expr::Break(_) | syn::Expr::Continue(_) => {
                hole(self.errors.on(e, outside::leaving(e)))
            }
            syn::Expr::Macro(m) if outside::is_assertion(&m.mac) => {
                Stmt::Do(Box::new(nothing(loc)))
            }
            syn::Expr::Tuple(t) if t.elems.is_empty() => Stmt::Do(Box::new(nothing(loc))),
            _ => hole(self.unused(e)),
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

    /// Whether something was wrong already with the variable, or the closure, that a statement is about.
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
        let target = self.target(left);
        let value = self.expr(right);
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
        let [syn::Expr::Reference(a), syn::Expr::Reference(b)] = args[..] else {
            return Some(Stmt::Hole(self.errors.at(loc, outside::BORROW), vec![]));
        };
        let targets = [&a.expr, &b.expr].map(|e| self.target(e));
        let values = vec![self.expr(&b.expr), self.expr(&a.expr)];
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
    fn around(&mut self, f: impl FnOnce(&mut Self) -> Expr) -> (Expr, Around) {
        self.loops.push(Around::default());
        let body = f(self);
        let around = self.loops.pop().unwrap_or_default();
        for root in around.assigned.iter().filter(|r| **r != going()) {
            self.changes(root);
        }
        (body, around)
    }

    fn no_label(&mut self, label: Option<&syn::Label>) {
        if let Some(label) = label {
            self.errors.on(
                label,
                "labels are not supported; write a `let mut` bool that says whether to go on, and \
                 look at it in the condition of each loop",
            );
        }
    }

    fn for_loop(&mut self, l: &syn::ExprForLoop) -> Stmt {
        self.no_label(l.label.as_ref());
        let loc = Loc {
            start: l.for_token.span,
            end: Loc::of_expr(&l.expr).end,
        };
        let before = self.errors.count();
        let over = self.source(&l.expr);
        let pattern = self.pattern(&l.pat);
        self.names_since(before, names_in(&l.pat));
        let (body, around) = self.around(|p| p.block_for(&l.body, Want::Round));
        let l = For {
            loc,
            pattern,
            over,
            body,
            assigned: around.assigned,
            going: around.leaves.then(going),
        };
        until(loc, by_indices(l), around.leaves)
    }

    fn while_loop(&mut self, l: &syn::ExprWhile) -> Stmt {
        self.no_label(l.label.as_ref());
        let loc = Loc {
            start: l.while_token.span,
            end: Loc::of_expr(&l.cond).end,
        };
        let cond = match &*l.cond {
            syn::Expr::Let(pattern) => self.hole(
                Loc::of(pattern),
                "`while let` is not supported: there are no enums to take apart; write `while` with \
                 a comparison",
            ),
            cond => self.expr(cond),
        };
        let (mut body, around) = self.around(|p| p.block_for(&l.body, Want::Round));
        if let (syn::Expr::Let(pattern), Kind::Hole(reported)) = (&*l.cond, &cond.kind) {
            // What the pattern would have bound is as wrong.
            let names = Stmt::Hole(*reported, names_in(&pattern.pat));
            body = block_of(body.loc, vec![names], body);
        }
        going_on(loc, Some(cond), body, around)
    }

    fn endless_loop(&mut self, l: &syn::ExprLoop) -> Stmt {
        self.no_label(l.label.as_ref());
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
            && !matches!(*first.cond, syn::Expr::Let(_))
        {
            let end = self.expr(&first.cond);
            let cond = Expr {
                loc: end.loc,
                kind: Kind::Unary(Unary::Not, Box::new(end)),
            };
            let (body, around) = self.around(|p| p.sequence(rest, inside, Want::Round));
            return going_on(loc, Some(cond), body, around);
        }
        let before = self.errors.count();
        let (body, around) = self.around(|p| p.block_for(&l.body, Want::Round));
        if !around.leaves && self.errors.count() == before {
            let reported = self.errors.at(
                loc,
                "this loop has no end that can be seen; write `if .. { break; }` into it, or `while`",
            );
            return Stmt::Hole(reported, vec![]);
        }
        going_on(loc, None, body, around)
    }

    fn arm_for(&mut self, arm: &syn::Arm, want: Want) -> Arm {
        let (pat, guard) = match &arm.pat {
            syn::Pat::Guard(guarded) => (&*guarded.pat, Some(&guarded.guard)),
            pat => (pat, None),
        };
        Arm {
            test: self.test(pat),
            guard: guard.map(|g| self.expr(g)),
            body: self.tail(&arm.body, want),
        }
    }
}

/// A `while` loop, with the variable that says whether to go on if there is a `break`.
fn going_on(loc: Loc, cond: Option<Expr>, body: Expr, around: Around) -> Stmt {
    let flag = around.leaves.then(|| Expr {
        loc,
        kind: Kind::Path(going().into()),
    });
    let cond = match (flag, cond) {
        (Some(flag), Some(cond)) => Expr {
            loc,
            kind: Kind::Binary(Binary::Both, Box::new(flag), Box::new(cond)),
        },
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => boolean(loc, false),
    };
    let stmt = Stmt::While(Box::new(While {
        loc,
        cond,
        body,
        assigned: around.assigned,
    }));
    until(loc, stmt, around.leaves)
}

/// A loop, behind its variable that says whether to go on.
fn until(loc: Loc, stmt: Stmt, leaves: bool) -> Stmt {
    if !leaves {
        return stmt;
    }
    let flag = Stmt::Let(
        Pattern::Name(going()),
        Note::Infer,
        Box::new(boolean(loc, true)),
    );
    Stmt::Do(Box::new(block_of(loc, vec![flag, stmt], nothing(loc))))
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
        _ => false,
    }
}

fn ends_block(block: &syn::Block) -> bool {
    match block.stmts.last() {
        Some(syn::Stmt::Expr(e, _)) => ends(e),
        _ => false,
    }
}

/// Whether a side of an `if` does not come to its end.
fn may_end(branch: &syn::ExprIf) -> bool {
    let other = branch.else_branch.as_ref();
    ends_block(&branch.then_branch)
        || other.is_some_and(|(_, e)| match &**e {
            syn::Expr::If(more) => may_end(more),
            e => ends(e),
        })
}

/// Whether an expression is there for what it changes only.
fn is_change(e: &syn::Expr) -> bool {
    match e {
        syn::Expr::Assign(_) | syn::Expr::Loop(_) => true,
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
        _ => return None,
    })
}
