//! Branches that replace parts of an array: the same replacements, each where its side is taken.
//!
//! ```text
//! if c { update(y, [i] = v) } else { y }   =   update(y, [i] = v if c)
//! ```

use super::program::Recogniser;
use super::rename::Names;
use super::wiring::{bound_by, needed};
use super::writer::Bindings;
use crate::ir::core::{Along, Block, Bound, Expr, Kind, Sym, Update};
use crate::ir::prims::Prim;
use crate::ir::ty::Lit;
use std::collections::HashMap;

/// An array that came from another one by updates, the first one first.
struct Chain {
    base: Sym,
    links: Vec<(Sym, Update)>,
}

impl Recogniser {
    /// One array behind both sides, if they only replace parts of it.
    pub(super) fn merged(&mut self, cond: &Expr, then: &Block, other: &Block) -> Option<Expr> {
        let a = chain(then)?;
        let b = chain(other)?;
        if a.base != b.base {
            return None;
        }
        let (_, first) = a.links.first().or(b.links.first())?;
        let base = Expr::var(&a.base, first.array.ty);
        let cond = self.share("c", cond.clone());
        let not = Expr::prim(Prim::Not, vec![cond.clone()]);
        let now = self.follow(cond, &then.lets, a, base);
        Some(self.follow(not, &other.lets, b, now))
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
                let e = Expr::under(needed(&rest, [e]), e.clone());
                // Copies may not share the names of what they bind, but those of the links stay.
                self.copied(&e, &mut names.clone())
            };
            let at: Vec<Along> = u.at.iter().map(|along| along.map(&mut lazy)).collect();
            let value = lazy(&u.value);
            let when = match &u.when {
                None => cond.clone(),
                Some(when) => Expr::cond(cond.clone(), lazy(when), Expr::lit(Lit::Bool(false))),
            };
            let place = Along::of_read(&at);
            let update = match place.and_then(|place| self.just_replaced(&now, &place)) {
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
fn chain(side: &Block) -> Option<Chain> {
    let mut defs: HashMap<u32, &Expr> = HashMap::new();
    for b in &side.lets {
        if let Bound::Let(sym, is) = b {
            defs.insert(sym.id, is);
        }
    }
    let inside = |sym: &Sym| side.lets.iter().any(|b| bound_by(b).contains(&sym));
    let mut links = vec![];
    let [mut here] = side.results.iter().collect::<Vec<_>>()[..] else {
        return None;
    };
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
