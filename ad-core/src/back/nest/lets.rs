//! Which nodes of a nest get a name, where they get it, and which: `let`s stand in the outermost
//! closure that has all loops of a node, and say what is there if it is not needed.

use super::{Bound, Writer};
use crate::back::expr::Expr;
use crate::back::facts::Facts;
use crate::ir::core::ReduceOp;
use crate::ir::kernel::{Affine, At, Compute, Loop, Node};
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Lit};
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use std::collections::{HashMap, HashSet};

/// How a name for a value is kept from failing where only guarded nodes need the value.
enum Protected {
    /// There is no need.
    Not,
    /// By a condition.
    By(Expr),
    /// It is computed where it is first needed.
    Lazily,
}

impl Writer<'_> {
    /// The innermost loop that a node depends on, among inner ones; `None` is the outer body.
    fn home(&self, n: Node) -> Option<Loop> {
        let last = self.nest.depends[n].last().copied()?;
        (last >= self.nest.outer).then_some(last)
    }

    /// Whether a node is worth a name: it is used more than once, or computed outside of the loop
    /// that uses it.
    pub(in crate::back) fn wants_name(&self, n: Node, hoisted: bool) -> bool {
        let s = &self.nest.nodes[n];
        match &s.compute {
            Compute::Lit(_) | Compute::Index(_) => false,
            // Scalars have names already.
            Compute::Read(_, at) if at.is_empty() => false,
            Compute::Prim(Prim::Not, _) if s.guard.is_none() => false,
            Compute::Read(..) | Compute::Same(_) => self.uses[n] > 1,
            Compute::Prim(p, _) => self.uses[n] > 1 || (hoisted && p.cost() > 0),
            // A pair that has a name has both.
            Compute::Extreme(place) => (self.uses[n] > 1 || hoisted) && self.uses[*place] == 1,
            Compute::Reduce(..) | Compute::ArgReduce(..) => self.uses[n] > 1 || hoisted,
        }
    }

    /// The nodes below `n` that are evaluated in loops further in than `n`'s home.
    fn inner_uses(&self) -> HashSet<Node> {
        let mut inside = HashSet::new();
        for (n, s) in self.nest.nodes.iter().enumerate() {
            if self.uses[n] == 0 {
                continue;
            }
            // Where a loop ends is computed just outside of it.
            let mut around = self.home(n);
            for &l in s.own() {
                inside.extend(
                    self.nest.ranges[l]
                        .nodes()
                        .filter(|&o| self.home(o) != around),
                );
                around = Some(l);
            }
            // An operand is used in the loop of its user, or of the reduction it is the body of.
            let at = match &s.compute {
                Compute::Reduce(_, own, _) => own.last().copied(),
                Compute::ArgReduce(_, own, _) => Some(*own),
                Compute::Lit(_)
                | Compute::Index(_)
                | Compute::Read(..)
                | Compute::Prim(..)
                | Compute::Same(_)
                | Compute::Extreme(_) => self.home(n),
            };
            for o in s.operands() {
                if self.home(o) != at && Some(o) != s.guard {
                    inside.insert(o);
                }
            }
        }
        inside
    }

    /// For each node whether it is sure to be needed where its own loops run: by something
    /// evaluated there that is needed itself, and not only in loops further in.
    fn needed_at_home(&self, more_roots: &[Node]) -> Vec<bool> {
        let mut needed = vec![false; self.nest.nodes.len()];
        needed[self.nest.root] = true;
        for &n in more_roots {
            needed[n] = true;
        }
        for (n, s) in self.nest.nodes.iter().enumerate().rev() {
            let (own, body) = match &s.compute {
                Compute::Reduce(_, own, body) => (own.last().copied(), Some(*body)),
                Compute::ArgReduce(_, own, body) => (Some(*own), Some(*body)),
                Compute::Lit(_)
                | Compute::Index(_)
                | Compute::Read(..)
                | Compute::Prim(..)
                | Compute::Same(_)
                | Compute::Extreme(_) => (None, None),
            };
            let mut around = self.home(n);
            for (k, &l) in s.own().iter().enumerate() {
                // Where a loop ends does not matter if it has no extent.
                let runs = self.nest.loops[l].at_least(1);
                for o in self.nest.ranges[l].nodes() {
                    needed[o] |= runs && (k > 0 || needed[n]) && self.home(o) == around;
                }
                around = Some(l);
            }
            for o in s.operands() {
                needed[o] |= if Some(o) == body {
                    self.home(o) == own
                } else {
                    needed[n] && self.home(o) == self.home(n)
                };
            }
        }
        needed
    }

    /// `let`s at the start of a loop's body.
    pub(super) fn lets(
        &mut self,
        at: Option<Loop>,
        known: &HashSet<Node>,
    ) -> Vec<(Ident, TokenStream)> {
        self.lets_without(at, None, known)
    }

    /// The same, but for what depends on a loop.
    pub(in crate::back) fn lets_without(
        &mut self,
        at: Option<Loop>,
        without: Option<Loop>,
        known: &HashSet<Node>,
    ) -> Vec<(Ident, TokenStream)> {
        let wanted = self.facts.wanted.get(&at).cloned().unwrap_or_default();
        let mut out = vec![];
        for &n in wanted.iter() {
            if without.is_some_and(|l| self.nest.depends[n].contains(&l)) {
                continue;
            }
            if known.contains(&n) || self.bound.contains_key(&n) {
                continue;
            }
            let value = self.whole(n, known);
            let protected = self.protected(n, &value, known);
            let is_lazy = matches!(protected, Protected::Lazily);
            let value = match protected {
                Protected::Not if self.fails_alone[n] && !self.facts.needed[n] => {
                    self.only_if_needed(n, value)
                }
                Protected::Not | Protected::Lazily => value,
                Protected::By(value) => value,
            };
            let (wish, scope) = (self.wish(n), self.scope);
            let name = (self.names).fresh_beside(&wish, &|name| scope.is_taken(name));
            let value = value.typed().tokens;
            if is_lazy {
                out.push((name.clone(), quote!(rt::Lazy::new(|| #value))));
                self.bound.insert(n, Bound::Lazy(name));
            } else {
                out.push((name.clone(), value));
                self.bound.insert(n, Bound::Value(name));
            }
            self.named.push(n);
        }
        out
    }

    /// Where names are wanted, and what has to run for a node to be needed.
    pub(super) fn find_facts(&self, more_roots: &[Node]) -> Facts {
        let inner = self.inner_uses();
        // The ends of the outer loops are computed outside of the closure.
        let roots: Vec<Node> = more_roots.iter().copied().chain([self.nest.root]).collect();
        let reached = self.nest.reached(&roots);
        let mut wanted: HashMap<Option<Loop>, Vec<Node>> = HashMap::new();
        for n in (0..self.nest.nodes.len()).filter(|&n| reached[n]) {
            if self.wants_name(n, inner.contains(&n)) {
                wanted.entry(self.home(n)).or_default().push(n);
            }
        }
        let wanted = wanted.into_iter().map(|(at, n)| (at, n.into())).collect();
        let needed = self.needed_at_home(more_roots);
        Facts::new(self.nest, wanted, needed, roots)
    }

    /// For each node whether evaluating it may panic, where nothing below it does.
    fn failing_here(&self) -> Vec<bool> {
        (self.nest.nodes.iter())
            .map(|s| match &s.compute {
                Compute::Read(v, at) => {
                    !at.iter().zip(self.scope.shape(*v)).all(|(a, len)| match a {
                        At::Node(_) => false,
                        At::Affine(a) => a.inside(&self.nest.loops, len),
                    })
                }
                // A division by zero panics.
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
            })
            .collect()
    }

    /// Finds the nodes whose evaluation may panic: at all, and though what is evaluated anyway
    /// does not.
    pub(super) fn find_failing(&mut self) {
        let here = self.failing_here();
        let (mut all, mut alone) = (here.clone(), here);
        for (n, s) in self.nest.nodes.iter().enumerate() {
            let body = match &s.compute {
                Compute::Reduce(_, _, body) | Compute::ArgReduce(_, _, body) => Some(*body),
                Compute::Lit(_)
                | Compute::Index(_)
                | Compute::Read(..)
                | Compute::Prim(..)
                | Compute::Same(_)
                | Compute::Extreme(_) => None,
            };
            for o in self.nest.operands(n) {
                all[n] |= all[o];
                // What is in the body of a loop is sure to be evaluated only if the loop runs.
                let is_sure = Some(o) != body
                    && self.facts.needed[o]
                    && self.facts.guards(self.nest, o).is_none();
                alone[n] |= if Some(o) == body {
                    all[o]
                } else {
                    alone[o] && !is_sure
                };
            }
        }
        (self.may_fail, self.fails_alone) = (all, alone);
    }

    /// A value that may not exist, and that is needed under guards alone: where one of them holds.
    fn protected(&mut self, n: Node, value: &Expr, known: &HashSet<Node>) -> Protected {
        if !self.fails_alone[n] || self.nest.nodes[n].guard.is_some() {
            return Protected::Not;
        }
        let Some(guards) = self.facts.guards(self.nest, n) else {
            return Protected::Not;
        };
        let fails = &self.piece.fails;
        let guards: Vec<Node> = guards.filter(|g| !fails.contains(g)).collect();
        if guards.iter().any(|g| known.contains(g)) {
            return Protected::Not;
        }
        // A guard that comes later has to imply one that comes before.
        let (before, later): (Vec<Node>, Vec<Node>) =
            (guards.into_iter()).partition(|&g| g < n && self.home(g) <= self.home(n));
        let is_covered = later.into_iter().all(|g| {
            let mut implied = HashSet::new();
            self.learn(g, &mut implied);
            before.iter().any(|b| implied.contains(b))
        });
        if before.is_empty() || !is_covered {
            return Protected::Lazily;
        }
        let conditions: Vec<TokenStream> = (before.into_iter())
            .map(|g| self.node(g, known).tokens)
            .collect();
        let condition = quote!(#(#conditions)||*);
        Protected::By(Expr::choice(condition, value.clone(), self.nothing(n)))
    }

    /// A value that is computed outside of loops which may not run at all, and which may then not
    /// even exist. It does if all loops around one of its uses run.
    fn only_if_needed(&self, n: Node, value: Expr) -> Expr {
        let ways = self.facts.ways(self.nest, n);
        if ways.iter().any(Vec::is_empty) {
            return value;
        }
        let ways = ways.into_iter().map(|loops| {
            let runs = loops.into_iter().map(|l| {
                let extent = self.scope.size(&self.nest.loops[l]);
                extent.infix(">", Expr::integer(0)).tokens
            });
            quote!(#(#runs)&&*)
        });
        Expr::choice(quote!(#(#ways)||*), value, self.nothing(n))
    }

    /// A name that says a little about the value.
    pub(in crate::back) fn wish(&self, n: Node) -> String {
        if let Compute::Read(v, at) = &self.nest.nodes[n].compute {
            // `w[[i, j]]` is `w_ij`.
            let mut name = self.scope.label(*v) + "_";
            for a in at {
                match a {
                    At::Affine(a) => match &self.resolved(a) {
                        a if a.terms.len() == 1 && *a == Affine::of(a.terms[0].0) => {
                            name += &self.loops[a.terms[0].0].to_string();
                        }
                        _ => return self.scope.label(*v) + "_x",
                    },
                    At::Node(_) => return self.scope.label(*v) + "_x",
                }
            }
            return name;
        }
        let name = match &self.nest.nodes[n].compute {
            Compute::Reduce(op, ..) => match op {
                ReduceOp::Sum => "total",
                ReduceOp::Product => "product",
                ReduceOp::Max => "largest",
                ReduceOp::Min => "smallest",
                ReduceOp::LogSumExp => "log_total",
            },
            Compute::ArgReduce(..) => "place",
            Compute::Lit(_)
            | Compute::Index(_)
            | Compute::Read(..)
            | Compute::Prim(..)
            | Compute::Same(_)
            | Compute::Extreme(_) => match self.nest.nodes[n].elem {
                Elem::Real => "v",
                Elem::Int => "n",
                Elem::Bool => "c",
            },
        };
        name.to_owned()
    }
}
