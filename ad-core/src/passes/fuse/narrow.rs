//! Loops that run only where something is to be done.
//!
//! ```text
//! Σ_j [l ≤ j ∧ j < u ∧ q] e           =  Σ_{l ≤ j < u} [q] e
//! max_j select(l ≤ j ∧ q, e, −∞)      =  max_{l ≤ j} select(q, e, −∞)       with any neutral element
//! out[i, j] = [l ≤ j ∧ j < u ∧ q] e   =  zeros, and [q] e for l ≤ j < u
//! out[p] += [l ≤ j ∧ j < u ∧ q] e     =  the same for l ≤ j < u
//! Σ_j Σ_k [l ≤ j ∧ q] e               =  Σ_{l ≤ j} Σ_k [q] e
//! Σ_j [p ∧ q] e                       =  [p] Σ_j [q] e                      for a p without j
//! ```
//!
//! where l and u are affine in loops further out than j, or u is an integer computed further out.
//! An equation of indices bounds a loop from both sides. Of the loops in a comparison it is the
//! innermost that is narrowed, if its coefficient is 1 or −1. The index of an extremum is not moved
//! by leaving out what is neutral.
//!
//! Within the narrowed loop the comparison holds, and so do others that follow from it; they are
//! gone from what is computed there. What they guarded stays inside of the loop all the same:
//! further out it would be evaluated even if the loop does not run at all.
//!
//! A part of the condition that may fail by itself must not be left out, since its failure would be
//! lost; then the loop stays as it is.

use super::rebuild::{Known, without};
use crate::ir::core::{Extremum, ReduceOp};
use crate::ir::kernel::{Affine, At, Compute, Loop, Nest, Node, Range};
use crate::ir::prims::Prim;
use crate::ir::ty::{Atom, Elem, Lit, Size};
use crate::thresholds::SPARED_INDICES;
use std::collections::{HashMap, HashSet};

/// Which iterations of a loop need not be.
#[derive(Clone, Copy, Debug)]
pub(super) enum Skips {
    /// None is in vain.
    Nothing,
    /// Those whose value is a structural zero.
    Absent,
    /// Those whose value is 0.
    Zero,
    /// Those whose value is this.
    Neutral(Lit),
}

/// Narrows the loops of a nest, the outer ones as `skips` allows. `at` is computed in the outer
/// loops, beside the root.
pub(super) fn narrow(nest: Nest, at: Vec<At>, skips: Skips) -> (Nest, Vec<At>) {
    let mut narrowing = Narrowing {
        ranges: vec![Range::default(); nest.loops.len()],
        facts: vec![],
        holds: HashSet::new(),
        nest: &nest,
    };
    let outer: Vec<Loop> = (0..nest.outer).collect();
    narrowing.body(&outer, nest.root, skips);
    for s in &nest.nodes {
        match &s.compute {
            Compute::Reduce(op, own, body) => {
                let skips = match op {
                    ReduceOp::Sum => Skips::Zero,
                    ReduceOp::Product | ReduceOp::Max | ReduceOp::Min | ReduceOp::LogSumExp => {
                        Skips::Neutral(op.identity(nest.nodes[*body].elem))
                    }
                };
                narrowing.body(own, *body, skips);
            }
            Compute::ArgReduce(op, own, body) => {
                let op = match op {
                    Extremum::Max => ReduceOp::Max,
                    Extremum::Min => ReduceOp::Min,
                };
                let neutral = op.identity(Elem::Real);
                narrowing.body(&[*own], *body, Skips::Neutral(neutral));
            }
            Compute::Lit(_)
            | Compute::Index(_)
            | Compute::Read(..)
            | Compute::Prim(..)
            | Compute::Same(_)
            | Compute::Extreme(_) => {}
        }
    }
    let mut truth = narrowing.known();
    let lifted = narrowing.lifted(&truth);
    if lifted.is_empty() && narrowing.ranges.iter().all(Range::is_whole) {
        return (nest, at);
    }
    // Nothing else is inside of the loops of a sum.
    for (n, guards) in &lifted {
        let is_inside =
            |p: &Node| (nest.nodes[*n].own().iter()).any(|l| nest.depends[*p].contains(l));
        for &p in guards.iter().filter(|p| is_inside(p)) {
            truth[p] = Some(true);
        }
    }
    let known = Known {
        truth,
        guards: lifted,
    };
    let ranges = narrowing.ranges;
    without(&nest, &at, known, ranges)
}

/// Whether no loops are left out of a nest but a few of the first and last indices of the last
/// outer one, and it has no loops further in.
pub(super) fn spares_little(nest: &Nest) -> bool {
    let Some(last) = nest.outer.checked_sub(1) else {
        return false;
    };
    let few = |n: Option<i64>| n.is_some_and(|n| (0..=SPARED_INDICES).contains(&n));
    let (range, extent) = (&nest.ranges[last], &nest.loops[last]);
    let first = |a: &Affine| a.terms.is_empty() && few(a.constant.as_lit());
    let end = |e: &At| match e {
        At::Affine(a) => a.terms.is_empty() && few(extent.sub(&a.constant).as_lit()),
        At::Node(_) => false,
    };
    // Of a few indices in all it is not little.
    let is_long = extent.as_lit().is_none_or(|n| n > 4 * SPARED_INDICES);
    is_long
        && nest.outer == nest.loops.len()
        && nest.ranges[..last].iter().all(Range::is_whole)
        && range.from.iter().all(first)
        && range.to.iter().all(end)
}

/// A bound of a loop as a sum that fits 64 bits. Integers of which nothing is known may be the
/// largest or the least ones:
///
/// ```text
/// k + c  =  min(k, n - c) + c  for c > 0
/// k - c  =  max(k, c) - c
/// ```
fn representable(bound: Affine, extent: &Size) -> Affine {
    let Some((atom @ (Atom::Int { .. } | Atom::Value(_)), c)) = bound
        .constant
        .as_atom_and_constant()
        .filter(|(_, c)| *c != 0 && bound.terms.is_empty())
    else {
        return bound;
    };
    let atom = Size::atom(atom.clone());
    let within = match c > 0 {
        true => atom.smaller(&extent.plus(-c)),
        false => atom.larger(&Size::lit(-c)),
    };
    Affine::constant(within.plus(c))
}

/// What is known to be narrowed so far.
struct Narrowing<'a> {
    nest: &'a Nest,
    ranges: Vec<Range>,
    /// What is not negative inside of a loop.
    facts: Vec<(Loop, Affine)>,
    /// Comparisons that hold since a loop ends at a computed integer.
    holds: HashSet<Node>,
}

impl Narrowing<'_> {
    /// Narrows the loops around a body to where it has to be visited.
    fn body(&mut self, own: &[Loop], body: Node, skips: Skips) {
        let (holds, tested) = match skips {
            Skips::Nothing => return,
            Skips::Absent => self.nonzero(body, false),
            Skips::Zero => self.nonzero(body, true),
            Skips::Neutral(neutral) => {
                let s = &self.nest.nodes[body];
                match self.unless(body, neutral) {
                    Some((c, value)) if s.guard.is_none() => {
                        let holds = self.members(c);
                        let tested = holds.iter().copied().chain([value]).collect();
                        (holds, tested)
                    }
                    _ => return,
                }
            }
        };
        self.conditions(own, &holds, &tested);
    }

    /// What holds wherever a node is not a structural zero, and if `literal` not the number 0
    /// either, and what is computed to find that out. A sum is zero where all of its terms are.
    fn nonzero(&self, n: Node, literal: bool) -> (Vec<Node>, Vec<Node>) {
        let s = &self.nest.nodes[n];
        let mut holds = s.guard.map_or(vec![], |g| self.members(g));
        let mut tested = holds.clone();
        if let Compute::Same(of) = &s.compute {
            let (of_it, all) = self.nonzero(*of, literal);
            holds.extend(of_it);
            tested.extend(all);
        }
        if let Compute::Reduce(ReduceOp::Sum, own, body) = &s.compute {
            let (of_terms, all) = self.nonzero(*body, literal);
            let is_of_all = |m: &Node| !own.iter().any(|l| self.nest.depends[*m].contains(l));
            holds.extend(of_terms.into_iter().filter(is_of_all));
            tested.extend(all);
        }
        if let Some((c, value)) = self.unless(n, Lit::zero(s.elem)).filter(|_| literal) {
            let members = self.members(c);
            tested.extend(members.iter().copied().chain([value]));
            holds.extend(members);
        }
        (holds, tested)
    }

    /// The condition and the value of `select(c, value, other)`.
    fn unless(&self, n: Node, other: Lit) -> Option<(Node, Node)> {
        let Compute::Prim(Prim::Select, args) = &self.nest.nodes[n].compute else {
            return None;
        };
        let s = &self.nest.nodes[args[2]];
        let is_other = s.compute == Compute::Lit(other) && s.guard.is_none();
        is_other.then_some((args[0], args[1]))
    }

    /// Narrows loops to where conditions may hold, if nothing that is `tested` has to be computed
    /// elsewhere.
    fn conditions(&mut self, own: &[Loop], holds: &[Node], tested: &[Node]) {
        for &p in holds {
            let mut others = tested.iter().filter(|&&q| q != p);
            if !others.all(|&q| self.may_be_left_out(q, p)) {
                continue;
            }
            let forms = self.nonnegative(p);
            for form in &forms {
                self.bound(own, form);
            }
            if forms.is_empty() {
                self.computed_end(own, p);
            }
        }
    }

    /// The members of a conjunction, each once; a lazy one is `select(a, b, false)`.
    fn members(&self, n: Node) -> Vec<Node> {
        let is_false = |n: Node| self.nest.nodes[n].compute == Compute::Lit(Lit::Bool(false));
        let mut out = vec![];
        let mut seen = HashSet::from([n]);
        let mut stack = vec![n];
        while let Some(n) = stack.pop() {
            let s = &self.nest.nodes[n];
            let parts = match &s.compute {
                Compute::Prim(Prim::And, args) => &args[..],
                Compute::Prim(Prim::Select, args) if is_false(args[2]) => &args[..2],
                Compute::Lit(_)
                | Compute::Index(_)
                | Compute::Read(..)
                | Compute::Prim(..)
                | Compute::Reduce(..)
                | Compute::ArgReduce(..)
                | Compute::Same(_)
                | Compute::Extreme(_) => {
                    out.push(n);
                    self.chosen(n)
                }
            };
            // The guard first.
            let next = s.guard.iter().chain(parts).rev();
            stack.extend(next.filter(|m| seen.insert(**m)));
        }
        out
    }

    /// The condition c of `select(c, a, k) ≠ k`, which holds where that does.
    fn chosen(&self, n: Node) -> &[Node] {
        let Compute::Prim(Prim::Ne, args) = &self.nest.nodes[n].compute else {
            return &[];
        };
        let literal = |n: Node| {
            let Compute::Lit(Lit::Real(x)) = self.nest.nodes[n].compute else {
                return None;
            };
            (!x.is_nan()).then_some(x)
        };
        let Compute::Prim(Prim::Select, of) = &self.nest.nodes[args[0]].compute else {
            return &[];
        };
        let is_same = literal(args[1]).is_some() && literal(of[2]) == literal(args[1]);
        if is_same { &of[..1] } else { &[] }
    }

    /// Whether a node cannot fail where `p` does not hold.
    fn may_be_left_out(&self, n: Node, p: Node) -> bool {
        let mut seen = HashSet::from([n]);
        let mut stack = vec![n];
        while let Some(n) = stack.pop() {
            let s = &self.nest.nodes[n];
            if s.guard.is_some_and(|g| self.members(g).contains(&p)) {
                continue;
            }
            let may_fail = match &s.compute {
                // The bounds of an unguarded affine place were demanded on entry.
                Compute::Read(_, at) => {
                    s.guard.is_some() || at.iter().any(|a| matches!(a, At::Node(_)))
                }
                Compute::Prim(p, args) if p.is_partial() => {
                    let last = args.last().map(|&n| &self.nest.nodes[n].compute);
                    !matches!(last, Some(Compute::Lit(Lit::Int(1..))))
                }
                Compute::Index(a) => !a.is_total(),
                Compute::Lit(_)
                | Compute::Prim(..)
                | Compute::Reduce(..)
                | Compute::ArgReduce(..)
                | Compute::Same(_)
                | Compute::Extreme(_) => false,
            };
            if may_fail {
                return false;
            }
            let mut operands = self.nest.operands(n);
            // A selection does not evaluate what it does not choose.
            if let Compute::Prim(Prim::Select, args) = &s.compute
                && self.members(args[0]).contains(&p)
            {
                operands.retain(|o| *o != args[1]);
            }
            stack.extend(operands.into_iter().filter(|o| seen.insert(*o)));
        }
        true
    }

    /// What a comparison of affine integers says is not negative: it holds just if none of it is.
    fn nonnegative(&self, n: Node) -> Vec<Affine> {
        let Compute::Prim(p, args) = &self.nest.nodes[n].compute else {
            return vec![];
        };
        let (Some(&a), Some(&b)) = (args.first(), args.get(1)) else {
            return vec![];
        };
        let (Some(a), Some(b)) = (self.nest.affine(a), self.nest.affine(b)) else {
            return vec![];
        };
        #[allow(
            clippy::wildcard_enum_match_arm,
            reason = "other primitives do not compare integers"
        )]
        match p {
            Prim::ILt => vec![b.sub(&a).plus(-1)],
            Prim::ILe => vec![b.sub(&a)],
            Prim::IGt => vec![a.sub(&b).plus(-1)],
            Prim::IGe => vec![a.sub(&b)],
            Prim::IEq => vec![a.sub(&b), b.sub(&a)],
            _ => vec![],
        }
    }

    /// `form ≥ 0` as a bound of a loop.
    fn bound(&mut self, own: &[Loop], form: &Affine) {
        let innermost = own.iter().rev().find(|l| form.coefficient(**l).is_some());
        let Some(&l) = innermost else { return };
        let c = form.coefficient(l).expect("found above");
        let (up, down) = (c.is(1), c.is(-1));
        if !(up || down) || self.follows(form) {
            return;
        }
        // ± l + rest ≥ 0
        let extent = &self.nest.loops[l];
        let of = |form: &Affine| {
            let index = Affine::of(l);
            let bound = if up {
                index.sub(form)
            } else {
                form.add_scaled(&index, &Size::lit(1)).plus(1)
            };
            representable(bound, extent)
        };
        // Bounds that this one is stricter than are gone.
        let mut weaker = vec![];
        let loops = &self.nest.loops;
        self.facts.retain(|(m, f)| {
            let keeps =
                *m != l || f.coefficient(l) != Some(c) || !f.sub(form).is_nonnegative(loops, &[]);
            if !keeps {
                weaker.push(of(f));
            }
            keeps
        });
        let range = &mut self.ranges[l];
        if up {
            range.from.retain(|e| !weaker.contains(e));
            range.from.push(of(form));
        } else {
            let affine = |e: &At| match e {
                At::Affine(a) => weaker.contains(a),
                At::Node(_) => false,
            };
            range.to.retain(|e| !affine(e));
            range.to.push(At::Affine(of(form)));
        }
        self.facts.push((l, form.clone()));
    }

    /// `index < end` for an end that does not depend on the loop, and is 0 where it is guarded off.
    fn computed_end(&mut self, own: &[Loop], p: Node) {
        let (index, end) = match &self.nest.nodes[p].compute {
            Compute::Prim(Prim::ILt, args) => (args[0], args[1]),
            Compute::Prim(Prim::IGt, args) => (args[1], args[0]),
            Compute::Lit(_)
            | Compute::Index(_)
            | Compute::Read(..)
            | Compute::Prim(..)
            | Compute::Reduce(..)
            | Compute::ArgReduce(..)
            | Compute::Same(_)
            | Compute::Extreme(_) => return,
        };
        let Some(index) = self.nest.affine(index) else {
            return;
        };
        let Some(k) = own.iter().position(|&l| index == Affine::of(l)) else {
            return;
        };
        let depends = &self.nest.depends[end];
        let is_further_out = !own[k..].iter().any(|l| depends.contains(l));
        if is_further_out && self.holds.insert(p) {
            self.ranges[own[k]].to.push(At::Node(end));
        }
    }

    /// Whether an affine integer is not negative wherever its loops run.
    fn follows(&self, form: &Affine) -> bool {
        let loops = &self.nest.loops;
        let implies = |(l, fact): &(Loop, Affine)| {
            form.coefficient(*l).is_some() && form.sub(fact).is_nonnegative(loops, &[])
        };
        form.is_nonnegative(loops, &[]) || self.facts.iter().any(implies)
    }

    /// For sums the conditions that all of their terms share. They are asked even if the sum has no
    /// terms, so they must not fail.
    fn lifted(&self, truth: &[Option<bool>]) -> HashMap<Node, Vec<Node>> {
        let mut out = HashMap::new();
        for (n, s) in self.nest.nodes.iter().enumerate() {
            let Compute::Reduce(ReduceOp::Sum, own, body) = &s.compute else {
                continue;
            };
            let (mut holds, tested) = self.nonzero(*body, true);
            let known = s.guard.map_or(vec![], |g| self.members(g));
            holds.retain(|&p| {
                let mut others = tested.iter().filter(|&&q| q != p);
                truth[p].is_none()
                    && !known.contains(&p)
                    && self.is_outside(p, own)
                    && others.all(|&q| self.may_be_left_out(q, p))
            });
            if !holds.is_empty() {
                out.insert(n, holds);
            }
        }
        out
    }

    /// Whether a condition can be asked outside of some loops: it is the same at all of their
    /// indices, and never fails.
    fn is_outside(&self, n: Node, own: &[Loop]) -> bool {
        let is_same = |a: &Affine| a.is_total() && own.iter().all(|l| a.coefficient(*l).is_none());
        let (mut seen, mut open) = (HashSet::new(), vec![n]);
        while let Some(n) = open.pop() {
            if !seen.insert(n) {
                continue;
            }
            let s = &self.nest.nodes[n];
            let never_fails = match &s.compute {
                Compute::Read(_, at) => at.is_empty(),
                Compute::Prim(p, _) => !p.is_partial(),
                Compute::Index(a) => is_same(a),
                Compute::Lit(_) | Compute::Same(_) => true,
                Compute::Reduce(..) | Compute::ArgReduce(..) | Compute::Extreme(_) => false,
            };
            if !never_fails {
                return false;
            }
            open.extend(s.operands());
        }
        true
    }

    /// For each node whether it is known to be true or false.
    fn known(&self) -> Vec<Option<bool>> {
        let one = |n: Node| -> Option<bool> {
            if self.holds.contains(&n) {
                return Some(true);
            }
            let forms = self.nonnegative(n);
            if forms.is_empty() {
                return None;
            }
            let negative = |f: &Affine| self.follows(&f.add_scaled(f, &Size::lit(-2)).plus(-1));
            if forms.iter().all(|f| self.follows(f)) {
                Some(true)
            } else {
                forms.iter().any(negative).then_some(false)
            }
        };
        (0..self.nest.nodes.len()).map(one).collect()
    }
}
