//! Reductions in a nest: calls of the runtime with closures, or blocks and rows, where those are
//! better. Which functions of the runtime compute a reduction is decided here, and what is asked
//! for that.

use super::Writer;
use crate::back::expr::Expr;
use crate::back::range::{Run, pattern_of, span};
use crate::back::tokens::in_place;
use crate::ir::core::{Extremum, ReduceOp};
use crate::ir::kernel::{At, Compute, Loop, Node};
use crate::ir::prims::Emit;
use crate::ir::ty::{Elem, Lit};
use crate::thresholds::LIGHT_TERM;
use proc_macro2::{Ident, Span};
use quote::{format_ident, quote};
use std::collections::HashSet;

/// A reduction on its way to tokens.
pub(in crate::back) struct Reduction {
    /// The function that computes it.
    pub(in crate::back) name: &'static str,
    /// Whether there is one for bodies of a few instructions.
    light: bool,
    /// What it is of nothing, if of a single element it is that element.
    nothing: Option<Lit>,
    /// Whether that single element is not in a sum already: a sum is never −0.
    plus_zero: bool,
    pub(in crate::back) body: Node,
}

impl Writer<'_> {
    /// A reduction over loops.
    pub(super) fn reduced(
        &mut self,
        op: ReduceOp,
        own: &[Loop],
        body: Node,
        known: &HashSet<Node>,
    ) -> Expr {
        let name = match op {
            ReduceOp::Sum => "sum",
            ReduceOp::Product => "product",
            ReduceOp::Max => "maximum",
            ReduceOp::Min => "minimum",
            ReduceOp::LogSumExp => "logsumexp",
        };
        let elem = self.nest.nodes[body].elem;
        let is_sum = op == ReduceOp::Sum;
        let reduction = Reduction {
            name,
            light: op != ReduceOp::LogSumExp,
            nothing: match op {
                ReduceOp::Sum | ReduceOp::Product => Some(op.identity(elem)),
                // Of NaN alone they are not NaN.
                ReduceOp::Max | ReduceOp::Min | ReduceOp::LogSumExp => None,
            },
            plus_zero: is_sum
                && elem == Elem::Real
                && own.iter().all(|&l| self.nest.once(l).is_some())
                && !self.is_summed(own),
            body,
        };
        self.inside_loops(&reduction, own, known)
    }

    /// The place of an extremum, with what is there, if both are wanted.
    pub(super) fn position(
        &mut self,
        n: Node,
        op: Extremum,
        own: Loop,
        body: Node,
        known: &HashSet<Node>,
    ) -> Expr {
        let name = match op {
            Extremum::Max if self.facts.pairs.contains(&n) => "greatest",
            Extremum::Min if self.facts.pairs.contains(&n) => "least",
            Extremum::Max => "argmax",
            Extremum::Min => "argmin",
        };
        let reduction = Reduction {
            name,
            light: true,
            nothing: None,
            plus_zero: false,
            body,
        };
        self.inside_loops(&reduction, &[own], known)
    }

    /// `name(n, |i| name(from..to, |j| body))`
    pub(in crate::back) fn inside_loops(
        &mut self,
        r: &Reduction,
        own: &[Loop],
        known: &HashSet<Node>,
    ) -> Expr {
        let Some((&l, rest)) = own.split_first() else {
            let value = self.node(r.body, known);
            if r.plus_zero {
                let zero = self.literal(Lit::Real(0.0));
                return value.infix("+", zero);
            }
            return value;
        };
        let run = self.run(l, known, r.nothing.is_some());
        let is_loop = !matches!(run, Run::Once(_));
        if rest.is_empty()
            && is_loop
            && let Some(plan) = self.plan(l, r.body, known)
        {
            return self.reduced_by_blocks(r, l, plan, run, known);
        }
        let is_last = r.light && rest.is_empty() && is_loop;
        let plain = is_last && self.is_light(l, r.body);
        let masked = is_last && !plain && self.is_masked(l, r.body);
        let rows = (plain || masked).then(|| self.rows(l, r.body)).flatten();
        let before = self.named.len();
        let (mut outside, mut lets) = (vec![], vec![]);
        if let Some((_, _, reads)) = rows.as_ref().filter(|_| masked) {
            outside = self.named_before(l, r.body, known);
            lets = self.read_first(reads);
        }
        lets.extend(self.lets(Some(l), known));
        let value = self.inside_loops(r, rest, known);
        for n in self.named.drain(before..) {
            self.bound.remove(&n);
        }
        let value = value.typed();
        let prec = value.prec;
        let (lets, tokens) = in_place(lets, value.tokens);
        let value = match lets.is_empty() {
            true => Expr::new(tokens.clone(), prec),
            false => Expr::block(quote!({ #lets #tokens })),
        };
        let span = match run {
            Run::Once(conditions) if conditions.is_empty() => return value,
            Run::Once(conditions) => {
                let nothing = r.nothing.expect("only then a loop is left out");
                let body = Expr::block(quote!(#lets #tokens));
                let condition = quote!(#(#conditions)&&*);
                return Expr::choice(condition, body, self.literal(nothing));
            }
            Run::Count(end) => end.tokens,
            Run::Part(from, to) => span(&from, &to),
        };
        let index = pattern_of(&self.loops[l], &value.tokens);
        let name = Ident::new(r.name, Span::mixed_site());
        let name = match plain {
            true => format_ident!("{name}_light"),
            false => name,
        };
        let value = value.tokens;
        let of = (!self.is_typed(r.body)).then(|| {
            let real = self.scope.real();
            quote!(::<#real>)
        });
        let Some((js, rows, reads)) = rows else {
            return Expr::atom(quote!(rt::#name #of (#span, |#index| #value)));
        };
        for n in reads {
            self.rowed.remove(&n);
        }
        let outside = outside
            .iter()
            .map(|(name, value)| quote!(let #name = #value;));
        Expr::block(quote!({
            let #js = rt::stretch(#span);
            #rows
            #(#outside)*
            rt::#name #of (#js, |#index| #value)
        }))
    }

    /// Whether what a loop reduces is a few instructions, all of them arithmetic.
    pub(in crate::back) fn is_light(&self, l: Loop, body: Node) -> bool {
        self.are_light(l, &[body], LIGHT_TERM, &HashSet::new())
    }

    /// Whether what some values need in a loop is at most so many instructions, all of them
    /// arithmetic, if `known` holds.
    pub(in crate::back) fn are_light(
        &self,
        l: Loop,
        values: &[Node],
        most: usize,
        known: &HashSet<Node>,
    ) -> bool {
        let (mut seen, mut open) = (HashSet::new(), values.to_vec());
        while let Some(n) = open.pop() {
            let is_there = known.contains(&n) || !self.nest.depends[n].contains(&l);
            if is_there || !seen.insert(n) {
                continue;
            }
            let s = &self.nest.nodes[n];
            let is_cheap = match &s.compute {
                Compute::Lit(_) | Compute::Index(_) | Compute::Same(_) | Compute::Extreme(_) => {
                    true
                }
                Compute::Read(_, at) => at.iter().all(|a| matches!(a, At::Affine(_))),
                Compute::Prim(p, _) => match p.emission() {
                    Emit::Infix(_) | Emit::Prefix(_) | Emit::Cast(_) => s.elem == Elem::Real,
                    Emit::Wrap(_) | Emit::Method(_) | Emit::Call(_) | Emit::If => false,
                },
                Compute::Reduce(..) | Compute::ArgReduce(..) => false,
            };
            let is_guarded = s.guard.is_some_and(|g| !known.contains(&g));
            if !is_cheap || is_guarded || seen.len() > most {
                return false;
            }
            open.extend(s.operands());
        }
        true
    }

    /// Whether the reduction over these loops is used as the body of sums only.
    fn is_summed(&self, own: &[Loop]) -> bool {
        let nodes = &self.nest.nodes;
        let n = nodes.iter().position(|s| s.own() == own);
        let n = n.expect("every loop runs for one node");
        let sums = nodes.iter().enumerate().filter(|(user, s)| {
            let of_n = matches!(&s.compute, Compute::Reduce(ReduceOp::Sum, _, body) if *body == n);
            of_n && self.uses[*user] > 0
        });
        sums.count() == self.uses[n]
    }
}
