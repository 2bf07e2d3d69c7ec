//! Integers that grow by the same in each step are written by the index of the loop, and a loop
//! that goes on while such an integer is below a bound has a known length.
//!
//! ```text
//! for i < n, k = a { .. k .. next (iadd(k, d)) }        for i < n { .. a + d i .. }
//!
//! while i, k = a do ilt(k, n) { .. next (iadd(k, 1)) }
//!    =
//! for i < n - a, k = a { .. next (iadd(k, 1)) }
//! ```
//!
//! What is added may depend on the index as well, as where `k` counts the elements of a triangle.
//! All of it has to be known before the loop.

use super::rename::{mentions, replaced};
use super::size::{collected, excess, minus, plus, times};
use super::terms::is_size;
use super::writer::Writer;
use crate::ir::core::{Block, Bound, Expr, Kind, Loop, Sym, Trip, Ty};
use crate::ir::prims::Prim;
use crate::ir::ty::Elem;
use std::collections::BTreeSet;

/// The same, with loops counted by their indices; `known` gives names and knows of arguments.
pub(super) fn counted(mut body: Block, known: &mut Writer) -> Block {
    Counting { known }.block(&mut body);
    body
}

struct Counting<'w> {
    known: &'w mut Writer,
}

/// A state that is an integer known before the loop plus what all steps before add.
struct Counter {
    /// Which state.
    at: usize,
    sym: Sym,
    init: Expr,
    /// What the first step adds.
    first: Expr,
    /// How much more each step adds than the one before.
    more: Expr,
}

impl Counter {
    /// What it is after so many steps.
    fn after(&self, steps: &Expr) -> Expr {
        let grown = plus(&self.init, &times(&self.first, steps));
        // `t (t - 1) / 2` steps before each step
        let pairs = times(steps, &minus(steps, &Expr::int(1)));
        let pairs = Expr::prim(Prim::IDiv, vec![pairs, Expr::int(2)]);
        plus(&grown, &times(&self.more, &pairs))
    }
}

fn integer(sym: &Sym) -> Expr {
    Expr::var(sym, Ty::scalar(Elem::Int))
}

/// A number after so many steps, by what counters are then.
fn by_index(e: &Expr, counters: &[Counter], steps: &Expr) -> Expr {
    (counters.iter()).fold(e.clone(), |e, c| replaced(&e, &c.sym, &c.after(steps)))
}

impl Counting<'_> {
    fn block(&mut self, block: &mut Block) {
        self.all(&mut block.lets);
        for e in &mut block.results {
            self.inside(e);
        }
    }

    fn all(&mut self, lets: &mut Vec<Bound>) {
        for b in std::mem::take(lets) {
            match b {
                Bound::Loop(l) => self.looped(*l, lets),
                Bound::Let(sym, mut is) => {
                    self.inside(&mut is);
                    self.bind(sym, is, lets);
                }
            }
        }
    }

    fn bind(&mut self, sym: Sym, is: Expr, lets: &mut Vec<Bound>) {
        if is_size(&is) {
            self.known.sizes.insert(sym.clone(), is.clone());
        }
        lets.push(Bound::Let(sym, is));
    }

    /// A number that may be written several times.
    fn share(&mut self, hint: &str, is: &Expr, lets: &mut Vec<Bound>) -> Expr {
        if is_size(is) {
            return is.clone();
        }
        let sym = self.known.fresh.sym(hint);
        self.bind(sym.clone(), is.clone(), lets);
        integer(&sym)
    }

    fn inside(&mut self, e: &mut Expr) {
        match &mut *e.kind {
            Kind::Let(..) | Kind::Loop(..) => {
                let whole = std::mem::replace(e, Expr::int(0));
                let mut block = Block::single(whole);
                self.block(&mut block);
                *e = block.into_single();
            }
            Kind::Build(b, body) | Kind::Reduce(_, b, body) | Kind::ArgReduce(_, b, body) => {
                self.inside(&mut b.extent);
                self.runs(&b.var, &b.extent);
                self.inside(body);
            }
            Kind::Scatter(s) => {
                s.extents.iter_mut().for_each(|n| self.inside(n));
                for b in &mut s.binders {
                    self.inside(&mut b.extent);
                    self.runs(&b.var, &b.extent);
                }
                self.all(&mut s.lets);
                for part in s.index.iter_mut().chain([&mut s.value]) {
                    self.inside(part);
                }
            }
            Kind::Var(_)
            | Kind::Lit(_)
            | Kind::Prim(..)
            | Kind::If(..)
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

    fn runs(&mut self, index: &Sym, count: &Expr) {
        self.known.extents.insert(index.clone(), count.clone());
    }

    fn looped(&mut self, mut l: Loop, lets: &mut Vec<Bound>) {
        for (_, init) in &mut l.states {
            self.inside(init);
        }
        match &mut l.trip {
            Trip::Times(count) => {
                self.inside(count);
                self.runs(&l.index, count);
            }
            Trip::While(condition) => self.inside(condition),
        }
        self.block(&mut l.body);
        let counters = self.counters(&mut l, lets);
        if let Trip::While(condition) = &l.trip
            && let Some(count) = self.steps(condition, &counters, &l)
        {
            let count = self.known.not_negative(count);
            self.runs(&l.index, &count);
            l.trip = Trip::Times(count);
        }
        let Trip::Times(count) = &mut l.trip else {
            lets.push(Bound::Loop(Box::new(l)));
            return;
        };
        if counters.is_empty() {
            lets.push(Bound::Loop(Box::new(l)));
            return;
        }
        *count = self.share("steps", count, lets);
        let end = self.known.not_negative(count.clone());
        let mut ends = vec![];
        let mut begins = vec![];
        for counter in counters.into_iter().rev() {
            l.states.remove(counter.at);
            l.body.results.remove(counter.at);
            ends.push((l.outs.remove(counter.at), counter.after(&end)));
            let now = counter.after(&integer(&l.index));
            self.bind(counter.sym, now, &mut begins);
        }
        l.body.lets.splice(0..0, begins);
        lets.push(Bound::Loop(Box::new(l)));
        for (out, end) in ends.into_iter().rev() {
            self.bind(out, end, lets);
        }
    }

    /// The counters among the states, in order. An initial value that is no size gets a name.
    fn counters(&mut self, l: &mut Loop, lets: &mut Vec<Bound>) -> Vec<Counter> {
        let inside: BTreeSet<Sym> = l.syms().into_iter().cloned().collect();
        let mut counters: Vec<Counter> = vec![];
        // What one adds may be what others count.
        loop {
            let is_new = |at: usize| counters.iter().all(|c| c.at != at);
            let mut open = (0..l.states.len()).filter(|&at| is_new(at));
            let Some((at, first, more)) = open.find_map(|at| {
                let (first, more) = self.growth(l, at, &counters, &inside)?;
                Some((at, first, more))
            }) else {
                break;
            };
            let (sym, init) = &mut l.states[at];
            *init = self.share(&sym.hint, init, lets);
            counters.push(Counter {
                at,
                sym: sym.clone(),
                init: init.clone(),
                first,
                more,
            });
        }
        counters.sort_by_key(|c| c.at);
        counters
    }

    /// What the first step adds to a state, and how much more each step adds than the one before,
    /// if both are known before the loop.
    fn growth(
        &self,
        l: &Loop,
        at: usize,
        counters: &[Counter],
        inside: &BTreeSet<Sym>,
    ) -> Option<(Expr, Expr)> {
        let (sym, init) = &l.states[at];
        if init.ty != Ty::scalar(Elem::Int) {
            return None;
        }
        let index = integer(&l.index);
        let next = self.known.with_sizes(&l.body.results[at]);
        let added = minus(&next, &integer(sym));
        let added = by_index(&added, counters, &index);
        let of = |i: &Expr| collected(&replaced(&added, &l.index, i));
        let (first, second) = (of(&Expr::int(0)), of(&plus(&index, &Expr::int(1))));
        let more = minus(&second, &added);
        let is_known = |e: &Expr| is_size(e) && !inside.iter().any(|sym| mentions(e, sym));
        let is_zero = |e: &Expr| excess(e, &Expr::int(0)) == Some(0);
        let grows = !(is_zero(&first) && is_zero(&more));
        (grows && is_known(&first) && is_known(&more)).then_some((first, more))
    }

    /// How many steps a loop takes that goes on while counters are below a bound.
    fn steps(&self, condition: &Expr, counters: &[Counter], l: &Loop) -> Option<Expr> {
        let Kind::Prim(prim, args) = &*condition.kind else {
            return None;
        };
        let (prim, args) = match (prim, &*args[0].kind) {
            (Prim::Not, Kind::Prim(inner, args)) => (inner.negation()?, args),
            (_, _) => (*prim, args),
        };
        let [a, b] = &args[..] else {
            return None;
        };
        // It goes on while `low + more ≤ high`.
        let forms = [
            (Prim::ILt, [a, b], 1),
            (Prim::ILe, [a, b], 0),
            (Prim::IGt, [b, a], 1),
            (Prim::IGe, [b, a], 0),
        ];
        let (_, [low, high], more) = forms.into_iter().find(|(p, ..)| *p == prim)?;
        let left = self
            .known
            .with_sizes(&minus(high, &plus(low, &Expr::int(more))));
        let inside: BTreeSet<Sym> = l.syms().into_iter().cloned().collect();
        let after = |steps: &Expr| {
            let left = replaced(&left, &l.index, steps);
            by_index(&left, counters, steps)
        };
        let index = integer(&l.index);
        let less = excess(&after(&index), &after(&plus(&index, &Expr::int(1))))?;
        let first = after(&Expr::int(0));
        if less < 1 || !is_size(&first) || inside.iter().any(|sym| mentions(&first, sym)) {
            return None;
        }
        // `left` is not negative for `left / less + 1` steps, rounded down.
        let up = plus(&first, &Expr::int(less));
        Some(match less {
            1 => up,
            _ => Expr::prim(Prim::IDiv, vec![up, Expr::int(less)]),
        })
    }
}
