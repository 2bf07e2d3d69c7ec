//! Where the loops of a nest run, as it is written.

use super::expr::{Expr, Prec};
use super::nest::Writer;
use super::tokens::mentions;
use crate::ir::kernel::{Affine, At, Loop, Node};
use crate::ir::ty::Size;
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use std::collections::HashSet;

/// How a loop runs.
pub(super) enum Run {
    /// From 0 to an end.
    Count(Expr),
    /// From one integer to another.
    Part(Expr, Expr),
    /// Under these conditions, at an index that stands for the loop's own.
    Once(Vec<TokenStream>),
}

impl Writer<'_> {
    /// How a loop runs. One that runs at most once need not be a loop, if `once`.
    pub(super) fn run(&mut self, l: Loop, known: &HashSet<Node>, once: bool) -> Run {
        let nest = self.nest;
        let (range, extent) = (&nest.ranges[l], &nest.loops[l]);
        let zero = Affine::default();
        let end = Affine::constant(extent.clone());
        if let Some(e) = nest.once(l).filter(|_| once) {
            let e = self.resolved(&e);
            // `1 <= i` rather than `0 <= i - 1`.
            let below = e.constant.constant().min(0);
            let mut conditions = vec![];
            for low in range.from.iter().chain([&zero]) {
                if !self.at_most(low, &e, l) {
                    let (low, e) = (low.plus(-below), e.plus(-below));
                    conditions.push(self.affine(&low).infix("<=", self.affine(&e)).tokens);
                }
            }
            for high in range.to.iter().chain([&At::Affine(end)]) {
                let is_met = match high {
                    At::Affine(high) => self.at_most(&e.plus(1), high, l),
                    At::Node(_) => false,
                };
                if !is_met {
                    let high = self.end(l, high, known);
                    let index = self.affine(&e);
                    conditions.push(index.infix("<", high).tokens);
                }
            }
            self.fixed.insert(l, e);
            return Run::Once(conditions);
        }
        let mut from: Vec<Expr> = range.from.iter().map(|e| self.affine(e)).collect();
        if !from.is_empty() && !range.from.iter().any(|e| self.at_most(&zero, e, l)) {
            from.push(Expr::integer(0));
        }
        let to: Vec<Expr> = range.to.iter().map(|e| self.end(l, e, known)).collect();
        let fits = |e: &At| match e {
            At::Affine(e) => self.at_most(e, &end, l),
            At::Node(_) => false,
        };
        let extent = (!range.to.iter().any(fits)).then(|| self.scope.size(extent));
        let to = extremum("min", to.into_iter().chain(extent).collect());
        if from.is_empty() {
            Run::Count(to)
        } else {
            Run::Part(extremum("max", from), to)
        }
    }

    /// Where a loop ends. What computes the end may fail, if the loop does not run at all.
    pub(super) fn end(&mut self, l: Loop, end: &At, known: &HashSet<Node>) -> Expr {
        let value = self.at(end, known);
        let extent: &Size = &self.nest.loops[l];
        match end {
            At::Node(n) if self.may_fail[*n] && !extent.at_least(1) => {
                let runs = self.scope.size(extent).infix(">", Expr::integer(0));
                Expr::choice(runs.tokens, value, Expr::integer(0))
            }
            At::Node(_) | At::Affine(_) => value,
        }
    }

    /// Whether one affine integer never exceeds another where a loop starts.
    pub(super) fn at_most(&self, a: &Affine, b: &Affine, l: Loop) -> bool {
        let difference = self.resolved(b).sub(&self.resolved(a));
        let outer = l.min(self.nest.outer);
        difference.is_nonnegative(&self.nest.loops, &self.nest.loops[..outer])
    }

    /// How the outer loops run. It is asked before something inside of them gets a name.
    pub(super) fn outer_runs(&mut self) -> Vec<Run> {
        let known = HashSet::new();
        (0..self.nest.outer)
            .map(|l| self.run(l, &known, true))
            .collect()
    }

    /// The outer loops around statements; `is_block`, if they bind names.
    pub(super) fn around(
        &self,
        runs: Vec<Run>,
        statements: TokenStream,
        is_block: bool,
    ) -> TokenStream {
        let mut body = statements;
        let mut is_block = is_block;
        // Neighbouring loops over all of their extents are one.
        let mut whole: Vec<(&Ident, Expr)> = vec![];
        let close = |whole: &mut Vec<(&Ident, Expr)>, body: &mut TokenStream| {
            if whole.is_empty() {
                return;
            }
            let (mut indices, mut ends) = (vec![], vec![]);
            for (index, end) in whole.drain(..).rev() {
                indices.push(pattern_of(index, body));
                ends.push(end.tokens);
            }
            *body = quote!(rt::for_each([#(#ends),*], |[#(#indices),*]| { #body }););
        };
        let loops = self.loops.iter().zip(&self.nest.ranges).zip(runs);
        for ((index, range), run) in loops.rev() {
            match run {
                Run::Count(end) => {
                    whole.push((index, end));
                    is_block = false;
                    // An end of its own may depend on the loops around.
                    if !range.is_whole() {
                        close(&mut whole, &mut body);
                    }
                }
                Run::Part(from, to) => {
                    close(&mut whole, &mut body);
                    let (index, span) = (pattern_of(index, &body), span(&from, &to));
                    body = quote!(rt::for_each(#span, |#index| { #body }););
                    is_block = false;
                }
                Run::Once(conditions) if conditions.is_empty() => {}
                Run::Once(conditions) => {
                    close(&mut whole, &mut body);
                    body = quote!(if #(#conditions)&&* { #body });
                    is_block = false;
                }
            }
        }
        close(&mut whole, &mut body);
        if is_block { quote!({ #body }) } else { body }
    }
}

/// `from..to`
pub(super) fn span(from: &Expr, to: &Expr) -> TokenStream {
    // The index of a loop is an `i64`.
    let (from, to) = from.clone().of_one_type(to.clone());
    let (from, to) = (from.at(Prec::Add), to.at(Prec::Add));
    quote!(#from..#to)
}

/// The index of a closure; `_` if it does not occur.
pub(super) fn pattern_of(index: &Ident, body: &TokenStream) -> TokenStream {
    if mentions(body, &index.to_string()) {
        quote!(#index)
    } else {
        quote!(_)
    }
}

/// `a.min(b).min(c)`
pub(super) fn extremum(name: &str, all: Vec<Expr>) -> Expr {
    let one = |a: Expr, b: Expr| a.method(name, std::iter::once(b));
    all.into_iter().reduce(one).expect("a bound")
}
