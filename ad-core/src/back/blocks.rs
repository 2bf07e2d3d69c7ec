//! Loops by blocks, with the loops of the sums in them around each block.
//!
//! ```text
//! out[j] = g(Σ k: f(j, k))   =   for each block of j: t = 0; for k: for j: t[j] += f(j, k); out = g(t)
//! ```
//!
//! A sum makes a bad innermost loop if it has few terms, or if its terms are not neighbours in
//! memory. The loop around it vectorises instead, where that runs along the last axis of the arrays
//! that the terms read. Each sum still adds its terms in order, and nothing is computed twice. An
//! array that is read with a stride is copied first, if other loops read the copy again.
//!
//! Bounds of the sum that depend on j are bounds on j where k is known:
//!
//! ```text
//! j + a ≤ k < j + b   =   k − b < j ≤ k − a
//! ```
//!
//! Which loop is longer is known only when the program runs, so what is written has both ways.

use super::expr::Expr;
use super::nest::{Reduction, Writer};
use super::range::{Run, extremum, pattern_of, span};
use crate::ir::bulk::Var;
use crate::ir::core::ReduceOp;
use crate::ir::kernel::{Affine, At, Compute, Loop, Node};
use crate::ir::ty::{Elem, Size};
use crate::thresholds::SHORTEST_BLOCK;
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use std::collections::{BTreeSet, HashMap, HashSet};

/// What a copy is of.
type Copied = (Var, usize, Vec<Size>, Vec<Option<Affine>>);

/// What is written by blocks so far.
#[derive(Default)]
pub(super) struct Blocks {
    /// When this is the better way, and a possible one.
    conditions: Vec<TokenStream>,
    /// Copies of arrays with another last axis.
    copies: TokenStream,
    /// The names of the copies. The key says which part of an array is copied, and which axis
    /// comes last.
    copied: HashMap<Copied, Ident>,
    /// The name of the copy that a node reads, and its index but for the last component.
    pub(super) across: HashMap<Node, (Ident, Vec<Loop>)>,
    /// Whether what is copied is that of a block only.
    is_within: bool,
    /// The name of the first index of the block then.
    first: Option<Ident>,
    /// How many numbers each copy has for an index of the loop.
    kept: Vec<Size>,
    used: bool,
    /// Whether what is written now is of a few elements.
    few: bool,
}

impl Blocks {
    fn choice(&self, blocks: &TokenStream, plain: &dyn Fn() -> TokenStream) -> Option<TokenStream> {
        if !self.used {
            return None;
        }
        let (conditions, copies) = (&self.conditions, &self.copies);
        if conditions.is_empty() {
            return Some(match copies.is_empty() {
                true => blocks.clone(),
                false => quote!({ #copies #blocks }),
            });
        }
        let plain = plain();
        Some(quote!(if #(#conditions)&&* { #copies #blocks } else { #plain }))
    }
}

/// One more condition, if it is not among them.
fn demand(conditions: &mut Vec<TokenStream>, condition: TokenStream) {
    let text = condition.to_string();
    if conditions.iter().all(|c| c.to_string() != text) {
        conditions.push(condition);
    }
}

/// How a loop is written by blocks.
pub(super) struct Plan {
    conditions: Vec<TokenStream>,
    /// Reads of copies.
    across: Vec<Node>,
}

/// A value in a loop by blocks.
#[derive(Clone, Copy)]
pub(super) struct Inside<'k> {
    pub(super) l: Loop,
    pub(super) known: &'k HashSet<Node>,
}

/// Bounds on the index of a loop by blocks.
#[derive(Default)]
struct Bounds {
    since: Vec<Affine>,
    before: Vec<Affine>,
}

impl Writer<'_> {
    /// Allows loops by blocks.
    pub(super) fn with_blocks(mut self) -> Self {
        self.blocks = Some(Blocks::default());
        self
    }

    /// Allows loops by blocks that copy what they read themselves.
    pub(super) fn with_blocks_of_points(mut self) -> Self {
        self.blocks = Some(Blocks {
            is_within: true,
            ..Blocks::default()
        });
        self
    }

    /// The copies that are to be made in a block, and how many numbers they have for each index.
    pub(super) fn copied(&mut self) -> (TokenStream, TokenStream) {
        let Some(blocks) = &mut self.blocks else {
            return (TokenStream::new(), Expr::integer(0).tokens);
        };
        let copies = std::mem::take(&mut blocks.copies);
        let kept = std::mem::take(&mut blocks.kept);
        let kept = kept.iter().fold(Size::lit(0), |all, n| all.add(n));
        (copies, self.size(&kept).tokens)
    }

    /// The last component of the index of a copy, for the index 0 of its loop.
    pub(super) fn origin(&self) -> TokenStream {
        match self.blocks.as_ref().and_then(|b| b.first.as_ref()) {
            Some(first) => quote!(-#first),
            None => Expr::integer(0).tokens,
        }
    }

    /// What is written, if some of it is by blocks: that, or what is written without, whichever is
    /// better. The first is an expression, or statements, with copies before it.
    pub(super) fn choice(
        &self,
        blocks: &TokenStream,
        plain: &dyn Fn() -> TokenStream,
    ) -> Option<TokenStream> {
        self.blocks.as_ref()?.choice(blocks, plain)
    }

    /// How the last loop around a value is written by blocks, if it can be.
    pub(super) fn plan(&mut self, l: Loop, body: Node, known: &HashSet<Node>) -> Option<Plan> {
        self.blocks.as_ref()?;
        self.find_varying(l, body);
        let nest = self.nest;
        let all = self.reached(l, body, true);
        let is_free = |n: &Node| nest.nodes[*n].guard.is_none_or(|g| known.contains(&g));
        let outside = self.reached(l, body, false);
        let guarded: Vec<Node> = all.iter().copied().filter(|n| !is_free(n)).collect();
        let is_possible = (guarded.into_iter()).all(|n| self.may_be_guarded(n, l, &outside));
        if nest.nodes[body].elem != Elem::Real || !is_possible {
            return None;
        }
        let mut plan = Plan {
            conditions: vec![],
            across: vec![],
        };
        let mut is_read = false;
        for &n in &all {
            let (own, sum) = match &nest.nodes[n].compute {
                Compute::Reduce(op, own, sum) => match op {
                    ReduceOp::Sum | ReduceOp::Product | ReduceOp::Max | ReduceOp::Min => {
                        (own, *sum)
                    }
                    // What it is made of is looked at twice.
                    ReduceOp::LogSumExp if self.costs(l, *sum) => return None,
                    ReduceOp::LogSumExp => (own, *sum),
                },
                Compute::ArgReduce(..) => return None,
                Compute::Lit(_)
                | Compute::Index(_)
                | Compute::Read(..)
                | Compute::Prim(..)
                | Compute::Same(_)
                | Compute::Extreme(_) => continue,
            };
            if nest.nodes[n].elem != Elem::Real {
                return None;
            }
            self.conditions(l, (own, sum), &mut plan.conditions)?;
            for m in self.reached(l, sum, false) {
                let s = &nest.nodes[m];
                let costs = match &s.compute {
                    Compute::Prim(p, _) => p.cost() > 0,
                    Compute::Reduce(..) | Compute::ArgReduce(..) => true,
                    Compute::Read(..) => {
                        is_read = true;
                        if self.nest.along(m, l).is_none() {
                            plan.conditions.extend(self.may_be_copied(m, l)?);
                            plan.across.push(m);
                        }
                        false
                    }
                    Compute::Lit(_)
                    | Compute::Index(_)
                    | Compute::Same(_)
                    | Compute::Extreme(_) => false,
                };
                // What does not depend on the sum's last loop would be computed in each of its
                // steps.
                if costs && nest.depends[m].last() != own.last() {
                    return None;
                }
            }
        }
        is_read.then_some(plan)
    }

    /// Whether a node may have a condition in a loop by blocks. A guarded sum may, if its condition
    /// is the same for the whole block, and so may its terms. Terms of a sum may have conditions
    /// that vary, if all they read is read in any case. A guarded read may not: its row would be
    /// found before the condition is asked. `outside` are the nodes outside of sums.
    fn may_be_guarded(&mut self, n: Node, l: Loop, outside: &BTreeSet<Node>) -> bool {
        let nest = self.nest;
        let guard = nest.nodes[n].guard;
        if !outside.contains(&n) {
            return outside.iter().all(|m| match nest.nodes[*m].compute {
                Compute::Reduce(op, _, term) => {
                    nest.nodes[*m].guard == guard
                        || !self.reached(l, term, true).contains(&n)
                        || op == ReduceOp::Sum && self.is_masked(l, term)
                }
                Compute::Lit(_)
                | Compute::Index(_)
                | Compute::Read(..)
                | Compute::Prim(..)
                | Compute::ArgReduce(..)
                | Compute::Same(_)
                | Compute::Extreme(_) => true,
            });
        }
        match &nest.nodes[n].compute {
            Compute::Reduce(ReduceOp::Sum, ..) => guard.is_some_and(|g| !self.varies(g, l)),
            Compute::Lit(_) | Compute::Index(_) | Compute::Prim(..) | Compute::Same(_) => {
                let below = self.reached(l, n, false);
                below.iter().all(|m| nest.nodes[*m].own().is_empty())
            }
            Compute::Reduce(..)
            | Compute::Read(..)
            | Compute::ArgReduce(..)
            | Compute::Extreme(_) => false,
        }
    }

    /// Whether something of a value that varies along a loop is an operation.
    fn costs(&self, l: Loop, n: Node) -> bool {
        self.reached(l, n, true)
            .iter()
            .any(|m| match &self.nest.nodes[*m].compute {
                Compute::Prim(p, _) => p.cost() > 0,
                Compute::Reduce(..) | Compute::ArgReduce(..) => true,
                Compute::Lit(_)
                | Compute::Index(_)
                | Compute::Read(..)
                | Compute::Same(_)
                | Compute::Extreme(_) => false,
            })
    }

    /// The conditions under which the loops of a sum are better outside, if they may be there.
    fn conditions(
        &self,
        l: Loop,
        (own, body): (&[Loop], Node),
        out: &mut Vec<TokenStream>,
    ) -> Option<()> {
        let nest = self.nest;
        let bounds = self.bounds(l, own)?;
        let mut lengths = vec![nest.loops[l].clone()];
        for before in &bounds.before {
            for since in &bounds.since {
                let length = before.sub(since);
                if !length.terms.is_empty() {
                    return None;
                }
                lengths.push(length.constant);
            }
        }
        let last = *own.last()?;
        let terms = &nest.loops[last];
        let reads = self.reached(l, body, true);
        let jumps = reads.iter().any(|n| self.jumps(*n, last));
        // If none of it jumps, the loop of the sum is as good where it is as long.
        if nest.loops[l] == *terms && !jumps {
            return None;
        }
        let terms = match jumps {
            true => &Size::lit(0),
            false => terms,
        };
        for length in lengths {
            let condition = match (length.as_lit(), terms.as_lit()) {
                (Some(length), Some(terms)) if length < terms.max(SHORTEST_BLOCK) => return None,
                (Some(_), Some(_)) => continue,
                (Some(length), None) if length < SHORTEST_BLOCK => return None,
                (_, Some(terms)) => {
                    at_most(Expr::integer(terms.max(SHORTEST_BLOCK)), self.size(&length))
                }
                (None, None) if length == *terms => {
                    at_most(Expr::integer(SHORTEST_BLOCK), self.size(&length))
                }
                (_, None) => {
                    let least = std::iter::once(Expr::integer(SHORTEST_BLOCK));
                    at_most(self.size(terms).method("max", least), self.size(&length))
                }
            };
            out.push(condition);
        }
        Some(())
    }

    /// Whether what a node reads along a loop are no neighbours.
    fn jumps(&self, n: Node, l: Loop) -> bool {
        let Compute::Read(_, at) = &self.nest.nodes[n].compute else {
            return false;
        };
        let Some((last, before)) = at.split_last() else {
            return false;
        };
        let mentions = |a: &At| self.nest.mentions(a, l);
        before.iter().any(mentions)
            || match last {
                At::Affine(a) => (a.coefficient(l)).is_some_and(|c| !c.is(1) && !c.is(-1)),
                At::Node(_) => mentions(last),
            }
    }

    fn size(&self, s: &Size) -> Expr {
        self.scope.size(s)
    }

    /// What the ranges of loops say about the index of another one.
    fn bounds(&self, l: Loop, own: &[Loop]) -> Option<Bounds> {
        let nest = self.nest;
        let mut out = Bounds::default();
        for &o in own {
            let range = &nest.ranges[o];
            // Its one index may depend on the block.
            if nest.once(o).is_some() {
                return None;
            }
            let index = Affine::of(o);
            // o ≥ ± j + rest
            for e in &range.from {
                match self.split(e, l)? {
                    (0, _) => {}
                    (1, rest) => out.before.push(index.sub(&rest).plus(1)),
                    (_, rest) => out.since.push(rest.sub(&index)),
                }
            }
            // o < ± j + rest
            for e in &range.to {
                match e {
                    At::Node(n) if self.varies(*n, l) => return None,
                    At::Node(_) => {}
                    At::Affine(e) => match self.split(e, l)? {
                        (0, _) => {}
                        (1, rest) => out.since.push(index.sub(&rest).plus(1)),
                        (_, rest) => out.before.push(rest.sub(&index)),
                    },
                }
            }
        }
        Some(out)
    }

    /// The coefficient of a loop, if that is 0, 1 or −1, and the rest.
    fn split(&self, e: &Affine, l: Loop) -> Option<(i64, Affine)> {
        let k = match e.coefficient(l) {
            None => 0,
            Some(c) if c.is(1) => 1,
            Some(c) if c.is(-1) => -1,
            Some(_) => return None,
        };
        Some((k, e.add_scaled(&Affine::of(l), &Size::lit(-k))))
    }

    /// The conditions under which a copy of what a node reads may be read instead: one that is used
    /// again. All of it is read anyway then.
    fn may_be_copied(&self, n: Node, l: Loop) -> Option<Vec<TokenStream>> {
        let nest = self.nest;
        let s = &nest.nodes[n];
        let is_within = self.blocks.as_ref().is_some_and(|b| b.is_within);
        let loops = self.loops_read(n, is_within)?;
        let is_again = nest.around(l).iter().any(|m| !loops.contains(m));
        let mut all: BTreeSet<Loop> = loops.iter().copied().collect();
        all.extend(loops.iter().flat_map(|m| nest.around(*m)));
        let is_possible = s.guard.is_none()
            && is_again
            && loops.contains(&l)
            && all.iter().all(|m| nest.ranges[*m].is_whole())
            && all.iter().all(|m| nest.loops[*m].is_total());
        let runs = all.iter().filter(|m| !nest.loops[**m].at_least(1));
        let runs = runs.map(|&m| {
            Expr::integer(0)
                .infix("<", self.size(&nest.loops[m]))
                .tokens
        });
        is_possible.then(|| runs.collect())
    }

    /// The loops whose indices are the components of a read, each another one; others may be
    /// constants, if it is `within` a block.
    fn loops_read(&self, n: Node, is_within: bool) -> Option<Vec<Loop>> {
        let Compute::Read(_, at) = &self.nest.nodes[n].compute else {
            return None;
        };
        let mut loops: Vec<Loop> = vec![];
        for a in at {
            match a {
                At::Affine(a) => match &a.terms[..] {
                    [(l, _)] if *a == Affine::of(*l) && !loops.contains(l) => loops.push(*l),
                    // Of what is copied block by block, all that has such an index is one array.
                    [] if is_within => {}
                    _ => return None,
                },
                At::Node(_) => return None,
            }
        }
        Some(loops)
    }

    /// Begins to write a loop by blocks.
    fn begin(&mut self, plan: Plan, l: Loop) {
        self.begin_within(plan, l, None);
    }

    /// The same, where copies are made in a block that has this name, and this one for its first
    /// index.
    pub(super) fn begin_within(&mut self, plan: Plan, l: Loop, within: Option<(&Ident, &Ident)>) {
        let mut blocks = self.blocks.take().expect("only then there is a plan");
        blocks.used = true;
        for c in plan.conditions {
            demand(&mut blocks.conditions, c);
        }
        for n in plan.across {
            let Some(mut loops) = self.loops_read(n, blocks.is_within) else {
                continue;
            };
            let Compute::Read(v, places) = &self.nest.nodes[n].compute else {
                continue;
            };
            let places = places.iter().filter_map(|a| match a {
                At::Affine(a) => Some(a),
                At::Node(_) => None,
            });
            let places: Vec<&Affine> = places.collect();
            let extents = loops.iter().map(|m| self.nest.loops[*m].clone()).collect();
            let axis = places.iter().position(|a| **a == Affine::of(l));
            let constants = (places.iter()).map(|a| a.terms.is_empty().then(|| (*a).clone()));
            let at: Vec<TokenStream> = places.iter().map(|a| self.affine(a).tokens).collect();
            loops.retain(|m| *m != l);
            let key = (*v, axis.unwrap_or_default(), extents, constants.collect());
            let name = if let Some(name) = blocks.copied.get(&key) {
                name.clone()
            } else {
                let name = self.name(&format!("{}_across", self.scope.label(*v)));
                let order = loops.iter().copied().chain([l]);
                let (mut shape, pattern): (Vec<_>, Vec<_>) = order
                    .map(|m| (self.size(&self.nest.loops[m]).tokens, &self.loops[m]))
                    .unzip();
                let mut element = self.scope.read(*v, &at).tokens;
                let part = within.map(|(js, first)| (quote!(#first), quote!(#js.count())));
                let across = self.copied_across(n, l, part.as_ref().map(|(a, b)| (a, b)));
                if let Some((first, length)) = part {
                    let index = &self.loops[l];
                    shape.pop();
                    shape.push(length);
                    element = quote!({ let #index = #first + #index; #element });
                }
                let of_each = loops.iter().map(|m| &self.nest.loops[*m]);
                blocks
                    .kept
                    .push(of_each.fold(Size::lit(1), |n, m| n.mul(m)));
                let copy = across.unwrap_or_else(
                    || quote!(rt::build([#(#shape),*], |[#(#pattern),*]| #element)),
                );
                blocks.copies.extend(quote!(let #name = #copy;));
                blocks.copied.insert(key, name.clone());
                name
            };
            blocks.across.insert(n, (name, loops));
        }
        blocks.first = within.map(|(_, first)| first.clone());
        self.blocks = Some(blocks);
    }

    pub(super) fn name(&mut self, wish: &str) -> Ident {
        let scope = self.scope;
        (self.names).fresh_beside(wish, &|name| scope.is_taken(name))
    }

    /// The last outer loop by blocks: an index pattern for them, and what computes a block.
    pub(super) fn by_blocks(&mut self) -> Option<TokenStream> {
        let l = self.nest.outer.checked_sub(1)?;
        let known = HashSet::new();
        let plan = self.plan(l, self.nest.root, &known)?;
        self.begin(plan, l);
        let (js, out) = (self.stretch(l), self.name("out"));
        let lets = self.lets_without(None, Some(l), &known);
        let lets = lets.iter().map(|(name, value)| quote!(let #name = #value;));
        let mut body: TokenStream = lets.collect();
        let inside = Inside { l, known: &known };
        body.extend(self.fill(self.nest.root, inside, &js, &out));
        let index = (self.loops[..l].iter()).map(|i| pattern_of(i, &body));
        Some(quote!(|[#(#index,)* _], #js, #out| { #body }))
    }

    /// Whether what is written has parts that depend on conditions, or need copies.
    pub(super) fn is_chosen(&self) -> bool {
        (self.blocks.as_ref()).is_some_and(|b| !b.conditions.is_empty() || !b.copies.is_empty())
    }

    /// A reduction over blocks of its last loop; one that is in no other loop has a condition of
    /// its own, and what is written without blocks where that does not hold.
    pub(super) fn reduced_by_blocks(
        &mut self,
        r: &Reduction,
        l: Loop,
        mut plan: Plan,
        run: Run,
        known: &HashSet<Node>,
    ) -> Expr {
        let mut conditions = vec![];
        if self.nest.around(l).is_empty() {
            let own = std::mem::take(&mut plan.conditions);
            own.into_iter().for_each(|c| demand(&mut conditions, c));
        }
        let blocks = self.over_blocks(r, l, plan, run, known);
        if conditions.is_empty() {
            return blocks;
        }
        let state = self.blocks.take();
        let plain = self.inside_loops(r, &[l], known).tokens;
        self.blocks = state;
        let blocks = blocks.tokens;
        Expr::block(quote!(if #(#conditions)&&* { #blocks } else { #plain }))
    }

    /// The same, where the conditions hold.
    fn over_blocks(
        &mut self,
        r: &Reduction,
        l: Loop,
        plan: Plan,
        run: Run,
        known: &HashSet<Node>,
    ) -> Expr {
        self.begin(plan, l);
        let few = self.is_by_few((l, r.body), &run);
        let around = self.set_few(few);
        let over = match run {
            Run::Count(end) => end.tokens,
            Run::Part(from, to) => span(&from, &to),
            Run::Once(_) => unreachable!("it is no loop"),
        };
        let (js, out) = (self.stretch(l), self.name("out"));
        let body = self.fill(r.body, Inside { l, known }, &js, &out);
        self.set_few(around);
        let how = if few { "few" } else { "blocks" };
        let name = Ident::new(&format!("{}_{how}", r.name), Span::mixed_site());
        Expr::atom(quote!(rt::#name(#over, |#js, #out| { #body })))
    }

    fn is_few(&self) -> bool {
        self.blocks.as_ref().is_some_and(|b| b.few)
    }

    /// Says whether what is written next is of a few elements; what was said before.
    fn set_few(&mut self, few: bool) -> bool {
        match &mut self.blocks {
            Some(blocks) => std::mem::replace(&mut blocks.few, few),
            None => false,
        }
    }

    /// What the indices of a block are called.
    pub(super) fn stretch(&mut self, l: Loop) -> Ident {
        self.name(&format!("{}s", self.loops[l]))
    }

    /// Statements that add a value to the zeros of a block.
    pub(super) fn fill(
        &mut self,
        n: Node,
        inside: Inside<'_>,
        js: &Ident,
        out: &Ident,
    ) -> TokenStream {
        let saved = (self.bound.clone(), self.rowed.clone(), self.named.len());
        let tokens = if let Compute::Reduce(ReduceOp::Sum, ..) = &self.nest.nodes[n].compute {
            self.guarded_sum(n, ReduceOp::Sum, inside, js, out)
        } else {
            let sums = self.sums(n, inside, js);
            let (before, value) = self.element(n, inside, js);
            let index = pattern_of(&self.loops[inside.l], &value);
            quote!(#sums #before #out.set(#js, |#index| #value);)
        };
        (self.bound, self.rowed) = (saved.0, saved.1);
        self.named.truncate(saved.2);
        tokens
    }

    /// Blocks for the sums that a value is made of.
    fn sums(&mut self, n: Node, inside: Inside<'_>, js: &Ident) -> TokenStream {
        let mut out = TokenStream::new();
        for n in self.reached(inside.l, n, false) {
            let Compute::Reduce(op, own, body) = &self.nest.nodes[n].compute else {
                continue;
            };
            let op = match op {
                ReduceOp::LogSumExp => ReduceOp::Max,
                op @ (ReduceOp::Sum | ReduceOp::Product | ReduceOp::Max | ReduceOp::Min) => *op,
            };
            let wish = self.wish(n);
            let name = self.name(&wish);
            let start = self.literal(op.identity(Elem::Real)).tokens;
            let sum = self.guarded_sum(n, op, inside, js, &name);
            let of = self.scope.real();
            if matches!(
                self.nest.nodes[n].compute,
                Compute::Reduce(ReduceOp::LogSumExp, ..)
            ) {
                let of_sum = (ReduceOp::LogSumExp, *body);
                let exponentials = self.name("exponentials");
                let total = self.name("total");
                let added = self.accumulate((own, own), of_sum, inside, js, &exponentials);
                out.extend(quote! {
                    let mut #name = rt::Block::<#of>::new();
                    #name.begin(#js, #start);
                    #sum
                    let mut #total = rt::Block::<#of>::new();
                    let mut #exponentials = #name.exponentials(#js, &mut #total);
                    #added
                    #exponentials.logarithms(#js);
                    let #name = #total.row(#js);
                });
            } else if self.is_few() {
                out.extend(quote!(let mut #name = rt::few_of::<#of>(#js, #start); #sum));
            } else {
                out.extend(quote! {
                    let mut #name = rt::Block::<#of>::new();
                    #name.begin(#js, #start);
                    #sum
                    let #name = #name.row(#js);
                });
            }
            let index = &self.loops[inside.l];
            self.rowed.insert(n, Expr::atom(quote!(#name[#index])));
        }
        out
    }

    /// The loops of a reduction around a block, where its condition holds.
    fn guarded_sum(
        &mut self,
        n: Node,
        op: ReduceOp,
        inside: Inside<'_>,
        js: &Ident,
        into: &Ident,
    ) -> TokenStream {
        let nest = self.nest;
        let Compute::Reduce(_, own, body) = &nest.nodes[n].compute else {
            return TokenStream::new();
        };
        let guard = nest.nodes[n].guard.filter(|g| !inside.known.contains(g));
        let Some(g) = guard else {
            return self.accumulate((own, own), (op, *body), inside, js, into);
        };
        let condition = self.node(g, inside.known).tokens;
        let mut known = nest.learned([g]);
        known.extend(inside.known);
        let inside = Inside {
            l: inside.l,
            known: &known,
        };
        let sum = self.accumulate((own, own), (op, *body), inside, js, into);
        quote!(if #condition { #sum })
    }

    /// The loops of a sum around a block.
    fn accumulate(
        &mut self,
        (own, open): (&[Loop], &[Loop]),
        (op, body): (ReduceOp, Node),
        inside: Inside<'_>,
        js: &Ident,
        into: &Ident,
    ) -> TokenStream {
        let Inside { l, known } = inside;
        let Some((&o, rest)) = open.split_first() else {
            if let Some(part) = self.part(l, own, js) {
                let inner = self.term((op, body), inside, js, into);
                return quote!(#part if !#js.is_empty() { #inner });
            }
            return self.term((op, body), inside, js, into);
        };
        let over = self.span_around(o, l, js, known);
        let saved = (self.bound.clone(), self.rowed.clone(), self.named.len());
        let lets = self.lets_without(Some(o), Some(l), known);
        let lets: TokenStream = (lets.iter())
            .map(|(name, value)| quote!(let #name = #value;))
            .collect();
        let inner = self.accumulate((own, rest), (op, body), inside, js, into);
        (self.bound, self.rowed) = (saved.0, saved.1);
        self.named.truncate(saved.2);
        let all = quote!(#lets #inner);
        let index = pattern_of(&self.loops[o], &all);
        quote!(rt::for_each(#over, |#index| { #all });)
    }

    /// What a term adds to a block.
    fn term(
        &mut self,
        (op, body): (ReduceOp, Node),
        inside: Inside<'_>,
        js: &Ident,
        into: &Ident,
    ) -> TokenStream {
        let Inside { l, known } = inside;
        let is_along = self.varies(body, l);
        if let (ReduceOp::Sum, Compute::Reduce(ReduceOp::Sum, own, terms)) =
            (op, &self.nest.nodes[body].compute)
            && is_along
        {
            return self.accumulate((own, own), (op, *terms), inside, js, into);
        }
        let sums = self.sums(body, inside, js);
        let is_open = |n: &Node| (self.nest.nodes[*n].guard).is_some_and(|g| !known.contains(&g));
        let is_masked = op == ReduceOp::Sum
            && self.reached(l, body, true).iter().any(is_open)
            && self.is_masked(l, body);
        let (before, value) = match is_masked {
            true => self.masked_element(body, inside, js),
            false => self.element(body, inside, js),
        };
        let how = match op {
            // Its exponential, if it is a sum of these.
            ReduceOp::Sum | ReduceOp::LogSumExp => quote!(add),
            ReduceOp::Product => quote!(multiply),
            ReduceOp::Max => quote!(raise),
            ReduceOp::Min => quote!(lower),
        };
        let index = pattern_of(&self.loops[l], &value);
        quote!(#sums #before #into.#how(#js, |#index| #value);)
    }

    /// Where a loop of a sum runs for any index of a block.
    fn span_around(&mut self, o: Loop, l: Loop, js: &Ident, known: &HashSet<Node>) -> TokenStream {
        let nest = self.nest;
        let (range, extent) = (&nest.ranges[o], &nest.loops[o]);
        let (zero, end) = (Affine::default(), Affine::constant(extent.clone()));
        let mut from: Vec<Expr> = (range.from.iter())
            .map(|e| self.outermost(e, l, (quote!(#js.first()), quote!(#js.last()))))
            .collect();
        if !range.from.iter().any(|e| self.at_most(&zero, e, o)) {
            from.push(Expr::integer(0));
        }
        let mut to = vec![];
        for e in &range.to {
            to.push(match e {
                At::Affine(e) => self.outermost(e, l, (quote!(#js.last()), quote!(#js.first()))),
                At::Node(_) => self.end(o, e, known),
            });
        }
        let fits = |e: &At| match e {
            At::Affine(e) => self.at_most(e, &end, o),
            At::Node(_) => false,
        };
        if !range.to.iter().any(fits) {
            to.push(self.size(extent));
        }
        span(&extremum("max", from), &extremum("min", to))
    }

    /// A bound where the index of the block is one of these: as it adds, or is subtracted.
    fn outermost(&self, e: &Affine, l: Loop, (add, sub): (TokenStream, TokenStream)) -> Expr {
        let (op, index, rest) = match self.split(e, l) {
            Some((1, rest)) => ("+", add, rest),
            Some((-1, rest)) => ("-", sub, rest),
            Some(_) | None => return self.affine(e),
        };
        match rest == Affine::default() && op == "+" {
            true => Expr::atom(index),
            false => self.affine(&rest).infix(op, Expr::atom(index)),
        }
    }

    /// The part of a block for which a sum has the term that its loops are at.
    fn part(&self, l: Loop, own: &[Loop], js: &Ident) -> Option<TokenStream> {
        let bounds = self.bounds(l, own).unwrap_or_default();
        let since = bounds.since.iter().map(|e| {
            let e = self.affine(e).tokens;
            quote!(.since(#e))
        });
        let before = bounds.before.iter().map(|e| {
            let e = self.affine(e).tokens;
            quote!(.before(#e))
        });
        let all: TokenStream = since.chain(before).collect();
        (!all.is_empty()).then(|| quote!(let #js = #js #all;))
    }
}

/// `a <= b`
fn at_most(a: Expr, b: Expr) -> TokenStream {
    a.infix("<=", b).tokens
}
