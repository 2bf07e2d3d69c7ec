//! Arrays inside of a loop whose lengths depend on the round, as `x[i..]` in round i.
//!
//! Such an array exists only where rounds run one after another. Where it only names elements of
//! others, its elements are read where those are, and the rounds may become a sum or an array:
//!
//! ```text
//! let a = build(j < n - i => x[i + j]);      sum(j < n - i => exp(x[i + j]))
//! sum(j < n - i => exp(a[j]))            =
//! ```

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "patterns are looked for, and what is not listed is none of them"
)]

use super::draft::Draft;
use super::rename::replaced;
use super::terms::{minus, plus};
use super::wiring::bound_by;
use super::writer::Writer;
use crate::ir::core::{Binder, Bound, Expr, Kind, Sym};
use std::collections::HashSet;

/// What differs from round to round.
pub(super) struct Moving(HashSet<u32>);

impl Moving {
    /// The numbers and arrays of a loop that do, also those that are bound inside of expressions.
    pub(super) fn of(draft: &Draft) -> Moving {
        let mut moving = Moving(HashSet::from([draft.index().id]));
        moving.0.extend(draft.states().map(|s| s.sym.id));
        for b in &draft.looped.body.lets {
            b.parts().into_iter().for_each(|e| moving.note(e));
            if b.parts().into_iter().any(|e| moving.has(e)) {
                moving.0.extend(bound_by(b).iter().map(|sym| sym.id));
            }
        }
        let results = draft.looped.body.results.iter();
        results.for_each(|e| moving.note(e));
        moving
    }

    fn note(&mut self, e: &Expr) {
        let Kind::Let(sym, bound, body) = &*e.kind else {
            return e.parts().into_iter().for_each(|part| self.note(part));
        };
        self.note(bound);
        if self.has(bound) {
            self.0.insert(sym.id);
        }
        self.note(body);
    }

    /// Whether a value does. Lengths are the same in all rounds.
    fn has(&self, e: &Expr) -> bool {
        match &*e.kind {
            Kind::Var(sym) => self.0.contains(&sym.id),
            Kind::Dim(..) => false,
            _ => e.parts().into_iter().any(|part| self.has(part)),
        }
    }

    /// Whether there are arrays in an expression whose lengths do.
    pub(super) fn has_lengths(&self, e: &Expr) -> bool {
        matches!(&*e.kind, Kind::Build(b, _) if self.has(&b.extent))
            || e.parts().into_iter().any(|part| self.has_lengths(part))
    }
}

impl Writer {
    /// Reads the elements of arrays whose lengths depend on the round where they come from.
    pub(super) fn read_through(&self, draft: &mut Draft) {
        let moving = Moving::of(draft);
        let is_there = |draft: &Draft| {
            let all = draft.looped.body.lets.iter().flat_map(Bound::parts);
            let next = draft.states().map(|s| s.next);
            all.chain(next).any(|e| moving.has_lengths(e))
        };
        if !is_there(draft) {
            return;
        }
        let mut k = 0;
        let body = &mut draft.looped.body;
        while k < body.lets.len() {
            let Bound::Let(sym, e) = &body.lets[k] else {
                k += 1;
                continue;
            };
            let view = View::of(sym, e, &moving);
            let (_, behind) = body.lets.split_at_mut(k + 1);
            let mut rest: Vec<&mut Expr> = behind.iter_mut().flat_map(Bound::parts_mut).collect();
            rest.extend(&mut body.results);
            match view {
                Some(view) if rest.iter().all(|e| self.is_read(&view, e, &mut vec![])) => {
                    rest.into_iter().for_each(|e| view.read(e));
                    body.lets.remove(k);
                }
                Some(_) | None => k += 1,
            }
        }
        let count = draft.looped.states.len();
        let bound = body.lets.iter_mut().flat_map(Bound::parts_mut);
        let next = &mut body.results[..count];
        bound.chain(next).for_each(|e| self.read_inside(e, &moving));
    }

    /// The same for what is bound inside of an expression.
    fn read_inside(&self, e: &mut Expr, moving: &Moving) {
        if let Kind::Let(sym, bound, body) = &mut *e.kind
            && let Some(view) = View::of(sym, bound, moving)
            && self.is_read(&view, body, &mut vec![])
        {
            let mut body = body.clone();
            view.read(&mut body);
            *e = body;
            return self.read_inside(e, moving);
        }
        e.parts_mut()
            .into_iter()
            .for_each(|part| self.read_inside(part, moving));
    }

    /// Whether an expression uses the array by its elements alone, at places that are inside.
    fn is_read<'e>(&self, view: &View, e: &'e Expr, around: &mut Vec<&'e Binder>) -> bool {
        match &*e.kind {
            Kind::Var(sym) => *sym != view.sym,
            Kind::Index(array, at) if view.is_array(array) => {
                let [Some(at)] = &at[..] else { return false };
                let is_over = |b: &Binder| {
                    let all = view.over.extent == b.extent || view.is_length(&b.extent);
                    all && matches!(&*at.kind, Kind::Var(i) if b.var == *i)
                };
                let is_inside = around.iter().any(|b| is_over(b));
                let is_inside = is_inside || self.is_inside(at, &view.over.extent);
                is_inside && self.is_read(view, at, around)
            }
            Kind::Dim(..) if view.is_length(e) => true,
            Kind::Reduce(_, b, body) | Kind::ArgReduce(_, b, body) | Kind::Build(b, body) => {
                if !self.is_read(view, &b.extent, around) {
                    return false;
                }
                around.push(b);
                let is_read = self.is_read(view, body, around);
                around.pop();
                is_read
            }
            _ => (e.parts().into_iter()).all(|part| self.is_read(view, part, around)),
        }
    }

    /// Whether an index is inside of a length for sure.
    pub(super) fn is_inside(&self, at: &Expr, length: &Expr) -> bool {
        let rest = minus(length.clone(), plus(at.clone(), Expr::int(1)));
        self.is_natural(at) && self.is_natural(&rest)
    }
}

/// An array whose elements are those of others.
struct View {
    sym: Sym,
    over: Binder,
    element: Expr,
}

impl View {
    /// What is bound to a variable, if it is one whose length depends on the round.
    fn of(sym: &Sym, e: &Expr, moving: &Moving) -> Option<View> {
        let Kind::Build(over, element) = &*e.kind else {
            return None;
        };
        let is_view = element.ty.rank == 0 && is_read_only(element) && moving.has(&over.extent);
        is_view.then(|| View {
            sym: sym.clone(),
            over: over.clone(),
            element: element.clone(),
        })
    }

    fn is_array(&self, e: &Expr) -> bool {
        matches!(&*e.kind, Kind::Var(sym) if *sym == self.sym)
    }

    fn is_length(&self, e: &Expr) -> bool {
        matches!(&*e.kind, Kind::Dim(array, 0) if self.is_array(array))
    }

    /// Replaces what is read of it.
    fn read(&self, e: &mut Expr) {
        e.parts_mut().into_iter().for_each(|part| self.read(part));
        match &*e.kind {
            Kind::Index(array, at) if self.is_array(array) => {
                if let [Some(at)] = &at[..] {
                    *e = replaced(&self.element, &self.over.var, at);
                }
            }
            Kind::Dim(array, 0) if self.is_array(array) => *e = self.over.extent.clone(),
            _ => {}
        }
    }
}

/// Whether an expression reads one element, at an index that takes integers alone.
fn is_read_only(e: &Expr) -> bool {
    match &*e.kind {
        Kind::Index(array, at) => {
            let is_integer = |i: &Expr| {
                matches!(
                    &*i.kind,
                    Kind::Var(_) | Kind::Lit(_) | Kind::Prim(..) | Kind::Dim(..)
                )
            };
            matches!(&*array.kind, Kind::Var(_)) && at.iter().flatten().all(is_integer)
        }
        _ => false,
    }
}
