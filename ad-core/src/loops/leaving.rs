//! A `break` at the start of a step becomes part of the condition of its loop.
//!
//! ```text
//! while go = true, x = a do go {                   while x = a do ilt(x, 9) {
//!     let c = ige(x, 9);                               next (f(x))
//!     next (if c { false } else { go },       =    }
//!           if c { x } else { f(x) })
//! }
//! ```
//!
//! The condition of the `break` must be short arithmetic, because the step may compute it again. In
//! the step that breaks, all other states must stay as they are. That step is left out.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "a form is looked for, and what is not listed is none of it"
)]

use super::rename::mentions;
use super::wiring::{needed, variables};
use super::writer::{Bindings, Writer};
use crate::ir::core::{Block, Bound, Expr, Kind, Loop, Names, Sym, Trip};
use crate::ir::prims::Prim;
use crate::ir::ty::Lit;
use std::collections::BTreeSet;

/// The largest number of expressions in the condition of a `break` that is moved. The step may
/// compute a moved condition again, which takes longer than to carry a flag if it is large.
const ASKED_AGAIN: usize = 24;

/// The same, with breaks moved into conditions; `known` gives names.
pub(super) fn leaving(mut body: Block, known: &mut Writer) -> Block {
    let mut used = BTreeSet::new();
    for e in body.parts() {
        variables(e, &mut |sym| {
            used.insert(sym.clone());
        });
    }
    Asking { used, known }.block(&mut body);
    body
}

struct Asking<'w> {
    /// All variables that are mentioned.
    used: BTreeSet<Sym>,
    known: &'w mut Writer,
}

/// How a loop is left.
struct Leaving {
    /// The state that says whether it goes on.
    flag: usize,
    /// When it goes on without that state.
    condition: Expr,
    /// Where the others are chosen.
    chosen: Vec<Place>,
}

/// Where in the body something is.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Bound(usize),
    Result(usize),
}

impl Asking<'_> {
    fn block(&mut self, body: &mut Block) {
        self.all(&mut body.lets);
        body.results.iter_mut().for_each(|e| self.inside(e));
    }

    fn all(&mut self, lets: &mut Bindings) {
        for b in lets {
            match b {
                Bound::Let(_, is) => self.inside(is),
                Bound::Loop(l) => self.looped(l),
            }
        }
    }

    fn inside(&mut self, e: &mut Expr) {
        match &mut *e.kind {
            Kind::Loop(l, body) => {
                self.looped(l);
                self.inside(body);
            }
            Kind::Scatter(s) => {
                self.all(&mut s.lets);
                for part in s.index.iter_mut().chain([&mut s.value]) {
                    self.inside(part);
                }
            }
            Kind::Var(_)
            | Kind::Lit(_)
            | Kind::Prim(..)
            | Kind::Let(..)
            | Kind::If(..)
            | Kind::Build(..)
            | Kind::Reduce(..)
            | Kind::ArgReduce(..)
            | Kind::Index(..)
            | Kind::Update(_)
            | Kind::Dim(..)
            | Kind::Stop(_)
            | Kind::Where(..)
            | Kind::Recur(_)
            | Kind::Demand(..)
            | Kind::Call(_) => (e.parts_mut().into_iter()).for_each(|part| self.inside(part)),
        }
    }

    fn looped(&mut self, l: &mut Loop) {
        self.block(&mut l.body);
        while let Some(found) = self.left_at_start(l) {
            l.trip = Trip::While(self.known.copied(&found.condition, &mut Names::new()));
            for place in found.chosen {
                let e = at_place(&mut l.body, place);
                if let Kind::If(_, _, new) = &mut *e.kind {
                    *e = std::mem::replace(new, Expr::int(0));
                }
            }
            if let Place::Bound(k) = place_of(&l.body, found.flag) {
                l.body.lets.remove(k);
            }
            l.body.results.remove(found.flag);
            l.states.remove(found.flag);
            l.outs.remove(found.flag);
        }
    }

    fn left_at_start(&self, l: &Loop) -> Option<Leaving> {
        let Trip::While(before) = &l.trip else {
            return None;
        };
        // `flag`, or `if flag { other } else { false }`
        let (flag, other) = match &*before.kind {
            Kind::Var(flag) => (flag, None),
            Kind::If(c, other, no) => match (&*c.kind, &*no.kind) {
                (Kind::Var(flag), Kind::Lit(Lit::Bool(false))) => (flag, Some(other)),
                (_, _) => return None,
            },
            _ => return None,
        };
        let at = l.states.iter().position(|(sym, _)| sym == flag)?;
        let begins = matches!(&*l.states[at].1.kind, Kind::Lit(Lit::Bool(true)));
        let collects = l.body.results.len() > l.states.len();
        if !begins || collects || self.used.contains(&l.outs[at]) {
            return None;
        }
        let own = place_of(&l.body, at);
        let (leaves, no, go_on) = choice(&l.body, own)?;
        if !matches!(&*no.kind, Kind::Lit(Lit::Bool(false))) || !is_var(go_on, flag) {
            return None;
        }
        let mut chosen = vec![];
        for (k, (sym, _)) in l.states.iter().enumerate().filter(|(k, _)| *k != at) {
            let place = place_of(&l.body, k);
            match choice(&l.body, place) {
                Some((c, old, _)) if c == leaves && is_var(old, sym) => chosen.push(place),
                _ if is_var(&l.body.results[k], sym) => {}
                _ => return None,
            }
        }
        // Nothing else asks for the flag, before a step or behind it.
        let next = match &*l.body.results[at].kind {
            Kind::Var(next) => next,
            _ => flag,
        };
        let asks = |place: Place, e: &Expr| {
            let is_own = place == own || place == Place::Result(at);
            !is_own && (mentions(e, flag) || mentions(e, next))
        };
        let lets = &l.body.lets;
        let mut bound = lets.iter().enumerate();
        let mut results = l.body.results.iter().enumerate();
        if bound.any(|(k, b)| b.parts().into_iter().any(|e| asks(Place::Bound(k), e)))
            || results.any(|(k, e)| asks(Place::Result(k), e))
            || other.is_some_and(|e| mentions(e, flag))
        {
            return None;
        }
        let condition = goes_on(lets, leaves)?;
        let condition = match other {
            None => condition,
            Some(other) => Expr::cond(other.clone(), condition, Expr::lit(Lit::Bool(false))),
        };
        Some(Leaving {
            flag: at,
            condition,
            chosen,
        })
    }
}

/// Where the body says what a state is next: where that is bound, if it has a name.
fn place_of(body: &Block, state: usize) -> Place {
    let bound = |sym: &Sym| {
        let mut lets = body.lets.iter();
        lets.position(|b| matches!(b, Bound::Let(s, _) if s == sym))
    };
    match &*body.results[state].kind {
        Kind::Var(sym) => bound(sym).map_or(Place::Result(state), Place::Bound),
        _ => Place::Result(state),
    }
}

fn at_place(body: &mut Block, place: Place) -> &mut Expr {
    match place {
        Place::Result(k) => &mut body.results[k],
        Place::Bound(k) => match &mut body.lets[k] {
            Bound::Let(_, is) => is,
            Bound::Loop(_) => unreachable!("a value is bound there"),
        },
    }
}

/// The variable that decides there, and both sides.
fn choice(body: &Block, place: Place) -> Option<(&Sym, &Expr, &Expr)> {
    let e = match place {
        Place::Result(k) => &body.results[k],
        Place::Bound(k) => body.lets[k].parts().pop()?,
    };
    let Kind::If(c, then, other) = &*e.kind else {
        return None;
    };
    let Kind::Var(c) = &*c.kind else { return None };
    Some((c, then, other))
}

fn is_var(e: &Expr, sym: &Sym) -> bool {
    matches!(&*e.kind, Kind::Var(s) if s == sym)
}

/// The opposite of a condition that is bound, in full, if that is short.
fn goes_on(lets: &Bindings, condition: &Sym) -> Option<Expr> {
    let is = lets.iter().find_map(|b| match b {
        Bound::Let(sym, is) if sym == condition => Some(is),
        Bound::Let(..) | Bound::Loop(_) => None,
    })?;
    let asked = needed(lets, [is]);
    let parts: Vec<&Expr> = asked.iter().flat_map(Bound::parts).chain([is]).collect();
    let size: usize = parts.iter().map(|e| e.size()).sum();
    let fits = size <= ASKED_AGAIN && parts.into_iter().all(is_cheap);
    fits.then(|| Expr::under(asked, not(is.clone())))
}

/// The opposite of a condition.
fn not(c: Expr) -> Expr {
    if let Kind::Prim(prim, args) = &*c.kind
        && let Some(opposite) = prim.negation()
    {
        return Expr::prim(opposite, args.clone());
    }
    match &*c.kind {
        Kind::Prim(Prim::Not, args) => args[0].clone(),
        _ => Expr::prim(Prim::Not, vec![c]),
    }
}

/// Whether it is arithmetic on numbers and elements.
fn is_cheap(e: &Expr) -> bool {
    let is_here = match &*e.kind {
        Kind::Index(array, _) | Kind::Dim(array, _) => matches!(&*array.kind, Kind::Var(_)),
        Kind::Var(_) | Kind::Lit(_) | Kind::Prim(..) | Kind::If(..) => true,
        Kind::Let(..)
        | Kind::Loop(..)
        | Kind::Build(..)
        | Kind::Reduce(..)
        | Kind::ArgReduce(..)
        | Kind::Scatter(_)
        | Kind::Update(_)
        | Kind::Stop(_)
        | Kind::Where(..)
        | Kind::Recur(_)
        | Kind::Demand(..)
        | Kind::Call(_) => false,
    };
    let is_array = matches!(&*e.kind, Kind::Var(_));
    is_here && (e.ty.rank == 0 || is_array) && e.parts().into_iter().all(is_cheap)
}
