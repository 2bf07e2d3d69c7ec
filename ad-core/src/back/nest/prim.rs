//! Primitives and literals in a nest: operators, methods, calls and `if`, and whether what is
//! written says its type.

use super::Writer;
use crate::back::expr::Expr;
use crate::back::real;
use crate::front::real::RealType;
use crate::ir::kernel::{Compute, Node};
use crate::ir::prims::{Emit, Prim};
use crate::ir::ty::{Elem, Lit};
use proc_macro2::{Ident, Span};
use quote::quote;
use std::collections::HashSet;

impl Writer<'_> {
    /// A primitive of nodes.
    pub(super) fn prim(&mut self, p: Prim, args: &[Node], known: &HashSet<Node>) -> Expr {
        if p == Prim::Select {
            return self.select(args, known);
        }
        // What is guarded by the first member of a conjunction needs no further test.
        if let (Prim::And, &[a, b]) = (p, args) {
            if known.contains(&a) {
                return self.node(b, known);
            }
            if known.contains(&b) {
                return self.node(a, known);
            }
            let mut inner = known.clone();
            self.learn(a, &mut inner);
            let lazy = self.nest.nodes[b].guard.is_some_and(|g| inner.contains(&g));
            if lazy && !self.bound.contains_key(&b) {
                let left = self.node(a, known);
                return left.infix("&&", self.node(b, &inner));
            }
        }
        let mut xs = (args
            .iter()
            .map(|&a| self.node(a, known))
            .collect::<Vec<_>>())
        .into_iter();
        let mut next = || xs.next().expect("as many arguments as the primitive has");
        match p.emission() {
            Emit::Infix(op) => {
                let left = next();
                left.infix(op, next())
            }
            Emit::Prefix(op) => Expr::prefix(op, next()),
            Emit::Cast(_) if p == Prim::IntToReal => real::from_integer(next(), self.scope.real()),
            Emit::Cast(_) if p == Prim::RealToInt => real::to_integer(next(), self.scope.real()),
            Emit::Cast(to) => next().cast(to),
            Emit::Wrap(to) => next().cast(to).cast("i64"),
            Emit::Method(name) if self.nest.nodes[args[0]].elem == Elem::Real => {
                let real = self.scope.real();
                let (mut receiver, mut is_typed) = (next(), self.is_typed(args[0]));
                if let Compute::Lit(Lit::Real(x)) = self.nest.nodes[args[0]].compute {
                    (receiver, is_typed) = (real::typed_literal(x, real), true);
                }
                real::method(real, name, receiver, is_typed, xs)
            }
            Emit::Method(name) => next().method(name, xs),
            Emit::Call(name) => {
                let name = Ident::new(name, Span::mixed_site());
                let xs = xs.map(|x| x.tokens);
                Expr::atom(quote!(rt::#name(#(#xs),*)))
            }
            Emit::If => unreachable!("selection is written above"),
        }
    }

    /// `if c { a } else { b }`; inside of the arms the condition is known, so that arms which are
    /// guarded by it are written without another test.
    fn select(&mut self, args: &[Node], known: &HashSet<Node>) -> Expr {
        let &[c, a, b] = args else {
            unreachable!("selection has three arguments")
        };
        if known.contains(&c) {
            return self.node(a, known);
        }
        if self.piece.fails.contains(&c) {
            return self.node(b, known);
        }
        let condition = self.node(c, known).tokens;
        let mut then = known.clone();
        self.learn(c, &mut then);
        let mut other = known.clone();
        for &n in &self.facts.negations[c] {
            self.learn(n, &mut other);
        }
        let a = self.node(a, &then);
        let b = self.node(b, &other);
        Expr::choice(condition, a, b)
    }

    /// A literal of the function's real type, or of another kind.
    pub(in crate::back) fn literal(&self, l: Lit) -> Expr {
        real::literal(l, self.scope.real())
    }

    /// Whether the type of a value is known from how it is written.
    pub(in crate::back) fn is_typed(&self, n: Node) -> bool {
        self.typed[n]
    }

    /// For each node whether its type is known from how it is written.
    pub(super) fn find_typed(&mut self) {
        for n in 0..self.nest.nodes.len() {
            let is_open = matches!(self.scope.real(), RealType::F64 | RealType::Mixed);
            let is_open = is_open && self.nest.nodes[n].elem == Elem::Real;
            self.typed.push(!is_open || self.shows_type(n));
        }
    }

    /// Whether the tokens of an `f64` say that it is one; what it is computed from is known
    /// already.
    fn shows_type(&self, n: Node) -> bool {
        let of = |n: &Node| self.nest.nodes[*n].elem == Elem::Real && self.typed[*n];
        match &self.nest.nodes[n].compute {
            Compute::Lit(Lit::Real(x)) => !x.is_finite(),
            Compute::Lit(Lit::Int(_) | Lit::Bool(_)) | Compute::Index(_) => true,
            Compute::ArgReduce(..) | Compute::Extreme(_) => true,
            Compute::Read(v, _) => self.scope.is_typed(*v),
            Compute::Same(n) => of(n),
            // A loop that is written says the type, too.
            Compute::Reduce(_, own, body) => {
                of(body) || own.iter().any(|&l| self.nest.once(l).is_none())
            }
            Compute::Prim(p, args) => match p.emission() {
                Emit::Infix(_) | Emit::Prefix(_) | Emit::Call(_) | Emit::If => args.iter().any(of),
                Emit::Cast(_) | Emit::Wrap(_) | Emit::Method(_) => true,
            },
        }
    }
}
