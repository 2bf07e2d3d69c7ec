//! What variables are behind a branch that changes them.

use super::branch::Branch;
use super::fixed::List;
use super::rename::Names;
use super::value::{Plain, Value};
use super::variants;
use super::wiring::needed;
use super::{Binding, Bindings, Changed, Lowerer, under};
use crate::front::error::{Loc, Result};
use crate::ir::core::{Bound, Expr, Kind, Sym, Update};
use crate::ir::prims::Prim;
use crate::ir::ty::Lit;
use std::collections::HashMap;

/// An array that came from another one by updates, the first one first.
struct Chain {
    base: Sym,
    links: Vec<(Sym, Update)>,
}

impl Lowerer<'_> {
    /// Each variable that a side changes gets the value of the side that is taken.
    pub(super) fn merged(&mut self, cond: &Expr, then: &Branch, other: &Branch, loc: Loc) {
        let mut all: Vec<&Changed> = then.changed.iter().collect();
        for one in &other.changed {
            if all.iter().all(|c| c.cell != one.cell) {
                all.push(one);
            }
        }
        for Changed { cell, name, .. } in all {
            let of = |l: &Self, branch: &Branch| {
                let changed = branch.changed.iter().find(|c| c.cell == *cell);
                let binding = changed.map(|c| c.binding.clone());
                binding.or_else(|| l.env.cell(*cell).cloned())
            };
            let binding = match (of(self, then), of(self, other)) {
                (Some(Binding::Hole(reported)), _) | (_, Some(Binding::Hole(reported))) => {
                    Binding::Hole(reported)
                }
                (Some(Binding::Value(a)), Some(Binding::Value(b))) => {
                    match self.joined_value(cond, then, other, (&a, &b), loc) {
                        Ok(value) => Binding::Value(self.named(value, name)),
                        Err(reported) => Binding::Hole(reported),
                    }
                }
                // rustc sees to it that nothing reads what is set on one side only.
                (Some(Binding::Unset | Binding::Value(_) | Binding::Import(_)) | None, _) => {
                    Binding::Unset
                }
            };
            self.change(Changed {
                cell: *cell,
                name: name.clone(),
                binding,
            });
        }
    }

    fn joined_value(
        &mut self,
        cond: &Expr,
        then: &Branch,
        other: &Branch,
        (a, b): (&Value, &Value),
        loc: Loc,
    ) -> Result<Value> {
        if let (Some(x), Some(y)) = (a.as_maybe(), b.as_maybe()) {
            let sides = ((&then.with(a), x), (&other.with(b), y));
            return self.maybe_chosen(cond.clone(), sides.0, sides.1, loc);
        }
        match (a, b) {
            (Value::List(List::Elements(_)), Value::Plain(_) | Value::List(List::Whole(_))) => {
                let b = self.formed_as(b.clone(), a, loc)?;
                self.joined_parts(cond, then, other, (a, &b), loc)
            }
            (Value::Plain(_) | Value::List(List::Whole(_)), Value::List(List::Elements(_))) => {
                let a = self.formed_as(a.clone(), b, loc)?;
                self.joined_parts(cond, then, other, (&a, b), loc)
            }
            (Value::List(List::Whole(x)), Value::List(List::Whole(y))) => {
                let pair = (&Value::Plain(x.clone()), &Value::Plain(y.clone()));
                let value = self.joined_value(cond, then, other, pair, loc)?;
                Ok(Value::of_rust(self.plain(value, loc)?))
            }
            (Value::Plain(a), Value::Plain(b)) if a.expr == b.expr => Ok(Value::Plain(a.clone())),
            (Value::Plain(x), Value::Plain(y)) if x.expr.ty == y.expr.ty && x.expr.ty.rank > 0 => {
                match self.in_place(cond, then, other, (&x.expr, &y.expr)) {
                    Some(expr) => Ok(Value::Plain(Plain { expr, ..x.clone() })),
                    None => self.each(cond, &then.with(a), &other.with(b), loc),
                }
            }
            (..) => self.joined_parts(cond, then, other, (a, b), loc),
        }
    }

    /// The same of what has parts.
    fn joined_parts(
        &mut self,
        cond: &Expr,
        then: &Branch,
        other: &Branch,
        (a, b): (&Value, &Value),
        loc: Loc,
    ) -> Result<Value> {
        let aligned = variants::aligned(a, b);
        let (a, b) = aligned.as_ref().map_or((a, b), |(a, b)| (a, b));
        if a.is_like(b)
            && let (Some(left), Some(right)) = (a.components(), b.components())
        {
            let parts = left.iter().zip(right);
            let parts: Result<Vec<Value>> = parts
                .map(|pair| self.joined_value(cond, then, other, pair, loc))
                .collect();
            return Ok(a.with_components(parts?));
        }
        self.each(cond, &then.with(a), &other.with(b), loc)
    }

    /// One array behind both sides, if they only replace parts of it: the same replacements, each
    /// where its side is taken.
    fn in_place(
        &mut self,
        cond: &Expr,
        then: &Branch,
        other: &Branch,
        (a, b): (&Expr, &Expr),
    ) -> Option<Expr> {
        let a = chain(&then.bound, a)?;
        let b = chain(&other.bound, b)?;
        if a.base != b.base {
            return None;
        }
        let ty = match (a.links.first(), b.links.first()) {
            (Some((_, u)), _) | (None, Some((_, u))) => u.array.ty,
            (None, None) => return None,
        };
        let base = Expr::var(&a.base, ty);
        let now = self.follow(cond.clone(), &then.bound, a, base);
        let not = Expr::prim(Prim::Not, vec![cond.clone()]);
        Some(self.follow(not, &other.bound, b, now))
    }

    fn follow(&mut self, cond: Expr, bound: &Bindings, chain: Chain, mut now: Expr) -> Expr {
        let links: Vec<&Sym> = chain.links.iter().map(|(sym, _)| sym).collect();
        let is_link = |b: &Bound| match b {
            Bound::Let(sym, _) => links.contains(&sym),
            Bound::Loop(_) => false,
        };
        let rest: Bindings = bound.iter().filter(|b| !is_link(b)).cloned().collect();
        let mut names = Names::new();
        let renamed = |names: &mut Names, old: &Sym, now: &Expr| {
            if let Kind::Var(new) = &*now.kind {
                names.insert(old.clone(), new.clone());
            }
        };
        renamed(&mut names, &chain.base, &now);
        for (sym, u) in &chain.links {
            let mut lazy = |e: &Expr| {
                let e = under(needed(&rest, [e]), e.clone());
                // Copies may not share the names of what they bind, but those of the links stay.
                self.copied(&e, &mut names.clone())
            };
            let at: Vec<Option<Expr>> = u.at.iter().map(|i| i.as_ref().map(&mut lazy)).collect();
            let value = lazy(&u.value);
            let when = match &u.when {
                None => cond.clone(),
                Some(when) => Expr::cond(cond.clone(), lazy(when), Expr::lit(Lit::Bool(false))),
            };
            let update = match self.just_replaced(&now, &at) {
                Some((array, before)) if value.ty.rank == 0 => Update {
                    array,
                    at,
                    when: None,
                    value: self.share("v", Expr::cond(when, value, before)),
                },
                Some(_) | None => Update {
                    array: now,
                    at,
                    when: Some(when),
                    value,
                },
            };
            now = self.share(&sym.hint, Expr::update(update));
            renamed(&mut names, sym, &now);
        }
        now
    }
}

/// How an array came about, if by updates of one that is bound further out.
fn chain(bound: &Bindings, value: &Expr) -> Option<Chain> {
    let mut defs: HashMap<u32, &Expr> = HashMap::new();
    for b in bound {
        match b {
            Bound::Let(sym, is) => {
                defs.insert(sym.id, is);
            }
            Bound::Loop(l) => {
                if l.outs
                    .iter()
                    .any(|s| matches!(&*value.kind, Kind::Var(v) if v == s))
                {
                    return None;
                }
            }
        }
    }
    let inside = |sym: &Sym| {
        bound
            .iter()
            .any(|b| super::wiring::bound_by(b).contains(&sym))
    };
    let mut links = vec![];
    let mut here = value;
    loop {
        let Kind::Var(sym) = &*here.kind else {
            return None;
        };
        match defs.get(&sym.id) {
            None if inside(sym) => return None,
            None => {
                links.reverse();
                let base = sym.clone();
                return Some(Chain { base, links });
            }
            Some(is) => {
                let Kind::Update(u) = &*is.kind else {
                    return None;
                };
                links.push((sym.clone(), u.clone()));
                here = &u.array;
            }
        }
    }
}
