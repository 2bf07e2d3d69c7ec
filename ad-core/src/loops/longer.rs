//! Axes that are longer than others, as the function as written would not come to its end
//! otherwise.
//!
//! ```text
//! for k < dim(a, 0) { .. a[k, k] .. }     dim(a, 1) ≥ dim(a, 0)
//! a[dim(a, 0) - 1, dim(a, 0) - 1]         dim(a, 1) ≥ dim(a, 0)
//! ```
//!
//! Whoever writes such a loop thinks of a square matrix, and says `n = a.nrows()`. With this known,
//! loops over columns up to n stay inside of the array. The lengths that were used to show this are
//! checked on entry.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "what is evaluated for sure is looked for, and what is not listed may not be"
)]

use super::program::Recogniser;
use super::rename::replaced;
use super::size::{LONGEST, excess, literal, minus, plus};
use super::terms::{built, reduced};
use super::writer::Writer;
use crate::ir::core::{Block, Bound, Expr, Kind, Program, ReduceOp, Sym, Trip, Ty};
use crate::ir::prims::Prim;
use crate::ir::ty::Elem;
use std::cell::Cell;
use std::collections::HashMap;

/// An axis of an argument that has at least so many elements.
pub(super) struct Longer {
    pub(super) axis: Expr,
    pub(super) least: Expr,
    /// Whether something was found out by it.
    pub(super) used: Cell<bool>,
}

/// What is read for sure.
struct Reads<'w> {
    known: &'w mut Writer,
    /// The arguments that variables have the lengths of.
    lengths: HashMap<Sym, Expr>,
    /// Integers that have names, unless they are long.
    integers: HashMap<Sym, Expr>,
    /// The loops around: their indices, and how far these go.
    around: Vec<(Sym, Expr)>,
    found: Vec<Longer>,
}

/// The axes that a program reads further than it is seen that they go.
pub(super) fn longer(program: &Program, known: &mut Writer) -> Vec<Longer> {
    let arrays = program.params.iter().filter(|p| p.ty.rank > 0);
    let mut reads = Reads {
        known,
        lengths: arrays
            .map(|p| (p.sym.clone(), Expr::var(&p.sym, p.ty)))
            .collect(),
        integers: HashMap::new(),
        around: vec![],
        found: vec![],
    };
    reads.block(&program.body);
    reads.found
}

impl Reads<'_> {
    fn block(&mut self, block: &Block) {
        for b in &block.lets {
            match b {
                Bound::Let(sym, is) => self.bound(sym, is),
                Bound::Loop(l) => {
                    for ((sym, init), out) in l.states.iter().zip(&l.outs) {
                        self.expr(init);
                        if let Some(array) = self.like(init) {
                            self.lengths.insert(sym.clone(), array.clone());
                            self.lengths.insert(out.clone(), array);
                        }
                    }
                    if let Trip::Times(count) = &l.trip {
                        self.expr(count);
                        self.over(&l.index, count, |r| r.block(&l.body));
                    }
                }
            }
        }
        block.results.iter().for_each(|e| self.expr(e));
    }

    fn bound(&mut self, sym: &Sym, is: &Expr) {
        self.expr(is);
        if let Some(array) = self.like(is) {
            self.lengths.insert(sym.clone(), array);
        } else if is.ty == Ty::scalar(Elem::Int) {
            let is = self.written(is);
            if is_short(&is, &mut LONGEST.clone()) {
                self.integers.insert(sym.clone(), is);
            }
        }
    }

    fn over(&mut self, index: &Sym, count: &Expr, body: impl FnOnce(&mut Self)) {
        let count = self.written(count);
        self.known.extents.insert(index.clone(), count.clone());
        self.around.push((index.clone(), count));
        body(self);
        self.around.pop();
    }

    /// The argument that an array has the lengths of.
    fn like(&self, e: &Expr) -> Option<Expr> {
        match &*e.kind {
            Kind::Var(sym) => self.lengths.get(sym).cloned(),
            Kind::Update(u) => self.like(&u.array),
            Kind::If(_, a, b) => self.like(a).filter(|a| self.like(b).as_ref() == Some(a)),
            Kind::Let(sym, is, body) => match &*body.kind {
                Kind::Var(v) if v == sym => self.like(is),
                _ => self.like(body),
            },
            Kind::Loop(l, body) => {
                let is_out = |out: &Sym| matches!(&*body.kind, Kind::Var(v) if v == out);
                match l.outs.iter().position(is_out).and_then(|k| l.states.get(k)) {
                    Some((_, init)) => self.like(init),
                    None => self.like(body),
                }
            }
            _ => None,
        }
    }

    /// An integer with those written out that have names.
    fn written(&self, e: &Expr) -> Expr {
        match &*e.kind {
            Kind::Var(sym) => self.integers.get(sym).cloned().unwrap_or_else(|| e.clone()),
            Kind::Dim(array, axis) => match self.like(array) {
                Some(array) => Expr::dim(array, *axis),
                None => e.clone(),
            },
            Kind::Prim(prim, args) => {
                let args = args.iter().map(|a| self.written(a));
                Expr::prim(*prim, args.collect())
            }
            _ => e.clone(),
        }
    }

    fn expr(&mut self, e: &Expr) {
        match &*e.kind {
            Kind::Let(sym, is, body) => {
                self.bound(sym, is);
                self.expr(body);
            }
            Kind::If(cond, ..) => self.expr(cond),
            Kind::Build(b, body) | Kind::Reduce(_, b, body) => {
                self.expr(&b.extent);
                self.over(&b.var, &b.extent, |r| r.expr(body));
            }
            Kind::Index(array, at) => {
                self.expr(array);
                at.iter().flatten().for_each(|i| self.expr(i));
                self.read(array, at);
            }
            Kind::Update(u) if u.when.is_some() => {
                self.expr(&u.array);
                u.when.iter().for_each(|when| self.expr(when));
            }
            Kind::Prim(..) | Kind::Dim(..) | Kind::Update(_) | Kind::Stop(_) => {
                e.parts().into_iter().for_each(|part| self.expr(part));
            }
            _ => {}
        }
    }

    fn read(&mut self, array: &Expr, at: &[Option<Expr>]) {
        let Some(array) = self.like(array) else {
            return;
        };
        for (k, i) in at.iter().enumerate() {
            let Some(least) = i.as_ref().and_then(|i| self.furthest(self.written(i))) else {
                continue;
            };
            let axis = Expr::dim(array.clone(), k);
            let is_axis = match &*least.kind {
                Kind::Dim(of, _) => self.like(of).as_ref() == Some(of) && least != axis,
                _ => false,
            };
            // All loops around have a round if there is such an element.
            let is_sure = |(_, n): &(Sym, Expr)| {
                excess(n, &least) == Some(0) || self.known.is_natural(&minus(n, &Expr::int(1)))
            };
            let is_new = |l: &Longer| l.axis != axis || l.least != least;
            if is_axis && self.around.iter().all(is_sure) && self.found.iter().all(is_new) {
                self.found.push(Longer {
                    axis,
                    least,
                    used: Cell::new(false),
                });
            }
        }
    }

    /// The length of an array whose last element is the furthest that an index comes to, in the
    /// rounds of the loops around.
    fn furthest(&self, mut index: Expr) -> Option<Expr> {
        let one = Expr::int(1);
        for (sym, count) in self.around.iter().rev() {
            // There is a round.
            let count = match &*count.kind {
                Kind::Prim(Prim::IMax, args) if literal(&args[1]) == Some(0) => &args[0],
                _ => count,
            };
            let round = Expr::var(sym, Ty::scalar(Elem::Int));
            let next = replaced(&index, sym, &plus(&round, &one));
            let at = match excess(&next, &index)? {
                0 => continue,
                1.. => minus(count, &one),
                _ => Expr::int(0),
            };
            index = replaced(&index, sym, &at);
        }
        Some(plus(&index, &one))
    }
}

/// Whether an expression has at most so many parts.
fn is_short(e: &Expr, left: &mut usize) -> bool {
    let Some(rest) = left.checked_sub(1) else {
        return false;
    };
    *left = rest;
    e.parts().into_iter().all(|part| is_short(part, left))
}

impl Recogniser {
    /// Checks on entry the lengths that were used: an array of that length is read there, for
    /// nothing.
    pub(super) fn demand_longer(&mut self, body: &mut Block) {
        let used = std::mem::take(&mut self.longer).into_iter();
        for longer in used.filter(|l| l.used.get()) {
            let (all, _) = self.indices(std::slice::from_ref(&longer.axis));
            let (axes, at) = self.indices(std::slice::from_ref(&longer.least));
            let there = at.into_iter().map(Some).collect();
            let there = Expr::index(built(all, Expr::int(0)), there);
            let all = reduced(ReduceOp::Sum, axes, there);
            let sym = self.fresh.sym("longer");
            body.lets.insert(0, Bound::Let(sym, all));
            self.demands = true;
        }
    }
}
