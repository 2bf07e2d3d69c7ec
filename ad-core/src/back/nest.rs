//! The body of a loop nest as an expression: single uses are written in place, shared scalars are
//! bound by `let` in the outermost closure that has all their loops.

use super::expr::{Expr, Prec};
use super::names::{Names, mentions};
use super::sizes::{number, polynomial};
use crate::ir::bulk::Var;
use crate::ir::core::{Extremum, ReduceOp};
use crate::ir::kernel::{Affine, At, Compute, Loop, Nest, Node};
use crate::ir::prims::{Emit, Prim};
use crate::ir::ty::{Elem, Lit, Size};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;
use std::collections::{HashMap, HashSet};

/// What a nest needs to know about the function it is in.
pub(super) trait Scope {
    /// A size, as an `i64`.
    fn size(&self, s: &Size) -> Expr;
    /// A product of a size and an index, as the terms of a sum: factors and integer coefficients.
    fn terms(&self, s: &Size) -> Vec<(Vec<Expr>, i64)>;
    /// An element of a variable (the variable itself, if it is a scalar), given the index.
    fn read(&self, v: Var, at: &[TokenStream]) -> Expr;
    /// What a variable is called.
    fn label(&self, v: Var) -> String;
    /// The shape of a variable.
    fn shape(&self, v: Var) -> &[Size];
    /// Names that are in use.
    fn names(&self) -> &Names;
}

/// One nest on its way to tokens.
pub(super) struct Writer<'a> {
    nest: &'a Nest,
    scope: &'a dyn Scope,
    names: Names,
    loops: Vec<Ident>,
    /// How often each node is used, counting only what the root needs.
    uses: Vec<usize>,
    /// The innermost loop around each use, where all uses agree.
    bound: HashMap<Node, Ident>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(nest: &'a Nest, more_roots: &[Node], scope: &'a dyn Scope) -> Writer<'a> {
        let mut names = scope.names().clone();
        let loops = nest.loops.iter().map(|_| names.index()).collect();
        let mut uses = vec![0; nest.nodes.len()];
        uses[nest.root] += 1;
        for &r in more_roots {
            uses[r] += 1;
        }
        for n in (0..nest.nodes.len()).rev() {
            if uses[n] > 0 {
                for o in nest.nodes[n].operands() {
                    uses[o] += 1;
                }
            }
        }
        Writer {
            nest,
            scope,
            names,
            loops,
            uses,
            bound: HashMap::new(),
        }
    }

    /// The indices of the outer loops.
    pub(super) fn outer(&self) -> &[Ident] {
        &self.loops[..self.nest.outer]
    }

    /// `let`s for what is shared among the outer loops, and the root.
    pub(super) fn body(&mut self) -> (TokenStream, Expr) {
        let lets = self.lets(None, &HashSet::new());
        let root = self.node(self.nest.root, &HashSet::new());
        (lets, root)
    }

    /// Where an element is written: one index per axis.
    pub(super) fn place(&mut self, at: &[At]) -> Vec<TokenStream> {
        at.iter()
            .map(|a| self.at(a, &HashSet::new()).tokens)
            .collect()
    }

    /// The guard of the root, if it has one, and what it guards.
    pub(super) fn guarded_root(&mut self) -> (TokenStream, Option<Expr>, Expr) {
        let lets = self.lets(None, &HashSet::new());
        let none = HashSet::new();
        match self.nest.nodes[self.nest.root].guard {
            Some(g) if !self.bound.contains_key(&self.nest.root) => {
                let guard = self.node(g, &none);
                let mut known = none;
                self.learn(g, &mut known);
                let value = self.node(self.nest.root, &known);
                (lets, Some(guard), value)
            }
            Some(g) => {
                let guard = self.node(g, &none);
                let value = self.node(self.nest.root, &none);
                (lets, Some(guard), value)
            }
            None => {
                let value = self.node(self.nest.root, &none);
                (lets, None, value)
            }
        }
    }

    /// The innermost loop that a node depends on, among inner ones; `None` is the outer body.
    fn home(&self, n: Node) -> Option<Loop> {
        let last = self.nest.depends[n].last().copied()?;
        (last >= self.nest.outer).then_some(last)
    }

    /// Whether a node is worth a name: it is used more than once, or computed outside of the loop
    /// that uses it.
    fn wants_name(&self, n: Node, hoisted: bool) -> bool {
        let s = &self.nest.nodes[n];
        match &s.compute {
            Compute::Lit(_) | Compute::Index(_) => false,
            // Scalars have names already.
            Compute::Read(_, at) if at.is_empty() => false,
            Compute::Prim(Prim::Not, _) if s.guard.is_none() => false,
            Compute::Read(..) | Compute::Same(_) => self.uses[n] > 1,
            Compute::Prim(p, _) => self.uses[n] > 1 || (hoisted && p.cost() > 0),
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
            // An operand is used in the loop of its user, or of the reduction it is the body of.
            let at = match &s.compute {
                Compute::Reduce(_, own, _) => own.last().copied(),
                Compute::ArgReduce(_, own, _) => Some(*own),
                Compute::Lit(_)
                | Compute::Index(_)
                | Compute::Read(..)
                | Compute::Prim(..)
                | Compute::Same(_) => self.home(n),
            };
            for o in s.operands() {
                if self.home(o) != at && Some(o) != s.guard {
                    inside.insert(o);
                }
            }
        }
        inside
    }

    /// `let`s at the start of a loop's body.
    fn lets(&mut self, at: Option<Loop>, known: &HashSet<Node>) -> TokenStream {
        let inner = self.inner_uses();
        let mut out = TokenStream::new();
        for n in 0..self.nest.nodes.len() {
            if self.uses[n] == 0
                || self.home(n) != at
                || self.bound.contains_key(&n)
                || !self.wants_name(n, inner.contains(&n))
            {
                continue;
            }
            let mut value = self.node(n, known);
            if inner.contains(&n) && self.may_fail(n) {
                value = self.only_if_needed(n, value);
            }
            let name = self.names.fresh(&self.wish(n));
            let tokens = value.tokens;
            out.extend(quote!(let #name = #tokens;));
            self.bound.insert(n, name);
        }
        out
    }

    /// Whether evaluating a node may read outside of an array.
    fn may_fail(&self, n: Node) -> bool {
        let s = &self.nest.nodes[n];
        let here = match &s.compute {
            Compute::Read(v, at) => !at.iter().zip(self.scope.shape(*v)).all(|(a, len)| match a {
                At::Node(_) => false,
                At::Affine(a) => self.inside(a, len),
            }),
            Compute::Lit(_)
            | Compute::Index(_)
            | Compute::Prim(..)
            | Compute::Reduce(..)
            | Compute::ArgReduce(..)
            | Compute::Same(_) => false,
        };
        here || s.operands().iter().any(|&o| self.may_fail(o))
    }

    fn inside(&self, a: &Affine, len: &Size) -> bool {
        let (coefs, extents): (Vec<Size>, Vec<Size>) = (a.terms.iter())
            .map(|(l, c)| (c.clone(), self.nest.loops[*l].clone()))
            .unzip();
        let constant = a.constant.clone();
        crate::ir::bulk::Affine { coefs, constant }.inside(&extents, len)
    }

    /// A value that is computed outside of loops which may not run at all, and which may then not
    /// even exist.
    fn only_if_needed(&self, n: Node, value: Expr) -> Expr {
        let own = &self.nest.depends[n];
        let mut conditions: Vec<TokenStream> = vec![];
        for (l, extent) in self.nest.loops.iter().enumerate().skip(self.nest.outer) {
            if !own.contains(&l) && !extent.at_least(1) && self.is_around(l, n) {
                let c = self.scope.size(extent).infix(">", &Expr::atom(number(0)));
                conditions.push(c.tokens);
            }
        }
        if conditions.is_empty() {
            return value;
        }
        let zero = literal(Lit::zero(self.nest.nodes[n].elem));
        let value = value.tokens;
        Expr::block(quote!(if #(#conditions)&&* { #value } else { #zero }))
    }

    /// Whether a node is used in the body of a loop.
    fn is_around(&self, l: Loop, n: Node) -> bool {
        let uses_it = |m: Node| {
            let mut stack = vec![m];
            while let Some(m) = stack.pop() {
                if m == n {
                    return true;
                }
                stack.extend(self.nest.nodes[m].operands());
            }
            false
        };
        self.nest.nodes.iter().any(|s| match &s.compute {
            Compute::Reduce(_, own, body) => own.contains(&l) && uses_it(*body),
            Compute::ArgReduce(_, own, body) => *own == l && uses_it(*body),
            Compute::Lit(_)
            | Compute::Index(_)
            | Compute::Read(..)
            | Compute::Prim(..)
            | Compute::Same(_) => false,
        })
    }

    /// A name that says a little about the value.
    fn wish(&self, n: Node) -> String {
        if let Compute::Read(v, at) = &self.nest.nodes[n].compute {
            // `w[[i, j]]` is `w_ij`.
            let mut name = self.scope.label(*v) + "_";
            for a in at {
                match a {
                    At::Affine(a) if a.terms.len() == 1 && *a == Affine::of(a.terms[0].0) => {
                        name += &self.loops[a.terms[0].0].to_string();
                    }
                    At::Affine(_) | At::Node(_) => return self.scope.label(*v) + "_x",
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
            | Compute::Same(_) => match self.nest.nodes[n].elem {
                Elem::Real => "v",
                Elem::Int => "n",
                Elem::Bool => "c",
            },
        };
        name.to_owned()
    }

    fn node(&mut self, n: Node, known: &HashSet<Node>) -> Expr {
        if let Some(name) = self.bound.get(&n) {
            return Expr::atom(quote!(#name));
        }
        let s = &self.nest.nodes[n];
        let Some(g) = s.guard.filter(|g| !known.contains(g)) else {
            return self.compute(&s.compute, known);
        };
        let guard = self.node(g, known).tokens;
        let mut inner = known.clone();
        self.learn(g, &mut inner);
        let value = self.compute(&s.compute, &inner).tokens;
        let zero = literal(Lit::zero(s.elem));
        Expr::block(quote!(if #guard { #value } else { #zero }))
    }

    /// What holds where a guard does.
    fn learn(&self, g: Node, known: &mut HashSet<Node>) {
        known.insert(g);
        if let Compute::Prim(Prim::And, args) = &self.nest.nodes[g].compute {
            args.iter().for_each(|&a| self.learn(a, known));
        }
        // A conjunction of what is known is known.
        for (n, s) in self.nest.nodes.iter().enumerate() {
            if let (Compute::Prim(Prim::And, args), None) = (&s.compute, s.guard)
                && args.iter().all(|a| known.contains(a))
            {
                known.insert(n);
            }
        }
    }

    fn compute(&mut self, c: &Compute, known: &HashSet<Node>) -> Expr {
        match c {
            Compute::Lit(l) => Expr {
                tokens: literal(*l),
                prec: match l {
                    Lit::Real(x) if x.is_sign_negative() => Prec::Unary,
                    Lit::Int(i) if *i < 0 => Prec::Unary,
                    Lit::Real(_) | Lit::Int(_) | Lit::Bool(_) => Prec::Atom,
                },
            },
            Compute::Index(a) => self.affine(a),
            Compute::Same(n) => self.node(*n, known),
            Compute::Read(v, at) => {
                let at: Vec<TokenStream> = at.iter().map(|a| self.at(a, known).tokens).collect();
                self.scope.read(*v, &at)
            }
            Compute::Prim(p, args) => self.prim(*p, args, known),
            Compute::Reduce(op, own, body) => {
                let name = match op {
                    ReduceOp::Sum => quote!(sum),
                    ReduceOp::Product => quote!(product),
                    ReduceOp::Max => quote!(maximum),
                    ReduceOp::Min => quote!(minimum),
                    ReduceOp::LogSumExp => quote!(logsumexp),
                };
                let mut inner = known.clone();
                self.inside_loops(&name, own, *body, &mut inner)
            }
            Compute::ArgReduce(op, own, body) => {
                let name = match op {
                    Extremum::Max => quote!(argmax),
                    Extremum::Min => quote!(argmin),
                };
                let mut inner = known.clone();
                self.inside_loops(&name, &[*own], *body, &mut inner)
            }
        }
    }

    /// `name(n, |i| name(m, |j| body))`
    fn inside_loops(
        &mut self,
        name: &TokenStream,
        own: &[Loop],
        body: Node,
        known: &mut HashSet<Node>,
    ) -> Expr {
        let Some((&l, rest)) = own.split_first() else {
            return self.node(body, known);
        };
        let before = self.bound.clone();
        let lets = self.lets(Some(l), known);
        let value = self.inside_loops(name, rest, body, known).tokens;
        self.bound = before;
        let (index, extent) = (&self.loops[l], self.scope.size(&self.nest.loops[l]).tokens);
        let index = if mentions(&lets, &index.to_string()) || mentions(&value, &index.to_string()) {
            quote!(#index)
        } else {
            quote!(_)
        };
        Expr::atom(if lets.is_empty() {
            quote!(rt::#name(#extent, |#index| #value))
        } else {
            quote!(rt::#name(#extent, |#index| { #lets #value }))
        })
    }

    fn prim(&mut self, p: Prim, args: &[Node], known: &HashSet<Node>) -> Expr {
        if p == Prim::Select {
            return self.select(args, known);
        }
        let xs: Vec<Expr> = args.iter().map(|&a| self.node(a, known)).collect();
        match p.emission() {
            Emit::Infix(op) => xs[0].infix(op, &xs[1]),
            Emit::Prefix(op) => Expr::prefix(op, &xs[0]),
            Emit::Cast(to) => xs[0].cast(to),
            Emit::Method(name) => {
                let name = Ident::new(name, proc_macro2::Span::mixed_site());
                let receiver = self.receiver(args[0], &xs[0]);
                let rest = xs[1..].iter().map(|x| &x.tokens);
                Expr::atom(quote!(#receiver.#name(#(#rest),*)))
            }
            Emit::Call(name) => {
                let name = Ident::new(name, proc_macro2::Span::mixed_site());
                let xs = xs.iter().map(|x| &x.tokens);
                Expr::atom(quote!(rt::#name(#(#xs),*)))
            }
            Emit::If => unreachable!("selection is written above"),
        }
    }

    /// The receiver of a method; a literal needs a suffix there.
    fn receiver(&self, n: Node, x: &Expr) -> TokenStream {
        match self.nest.nodes[n].compute {
            Compute::Lit(Lit::Real(v)) if v.is_finite() => {
                let v = Literal::f64_suffixed(v.abs());
                if self.is_negative(n) {
                    quote!((-#v))
                } else {
                    quote!(#v)
                }
            }
            Compute::Lit(Lit::Int(v)) => {
                let lit = Literal::i64_suffixed(v.saturating_abs());
                if v < 0 { quote!((-#lit)) } else { quote!(#lit) }
            }
            Compute::Lit(_)
            | Compute::Index(_)
            | Compute::Read(..)
            | Compute::Prim(..)
            | Compute::Reduce(..)
            | Compute::ArgReduce(..)
            | Compute::Same(_) => x.at(Prec::Atom),
        }
    }

    fn is_negative(&self, n: Node) -> bool {
        matches!(self.nest.nodes[n].compute, Compute::Lit(Lit::Real(v)) if v.is_sign_negative())
    }

    /// `if c { a } else { b }`; inside of the arms the condition is known, so that arms which are
    /// guarded by it are written without another test.
    fn select(&mut self, args: &[Node], known: &HashSet<Node>) -> Expr {
        let &[c, a, b] = args else {
            unreachable!("selection has three arguments")
        };
        let condition = self.node(c, known).tokens;
        let mut then = known.clone();
        self.learn(c, &mut then);
        let mut other = known.clone();
        for n in 0..self.nest.nodes.len() {
            match &self.nest.nodes[n].compute {
                Compute::Prim(Prim::Not, of) if of[0] == c => self.learn(n, &mut other),
                Compute::Prim(p, of) => {
                    if let Compute::Prim(q, of_c) = &self.nest.nodes[c].compute
                        && of == of_c
                        && are_opposite(*p, *q)
                    {
                        self.learn(n, &mut other);
                    }
                }
                Compute::Lit(_)
                | Compute::Index(_)
                | Compute::Read(..)
                | Compute::Reduce(..)
                | Compute::ArgReduce(..)
                | Compute::Same(_) => {}
            }
        }
        let a = self.node(a, &then).tokens;
        let b = self.node(b, &other).tokens;
        Expr::block(quote!(if #condition { #a } else { #b }))
    }

    fn at(&mut self, a: &At, known: &HashSet<Node>) -> Expr {
        match a {
            At::Affine(a) => self.affine(a),
            At::Node(n) => self.node(*n, known),
        }
    }

    fn affine(&self, a: &Affine) -> Expr {
        let mut terms = vec![];
        for (l, c) in &a.terms {
            let index = &self.loops[*l];
            for (mut factors, k) in self.scope.terms(c) {
                factors.push(Expr::atom(quote!(#index)));
                terms.push((factors, k));
            }
        }
        terms.extend(self.scope.terms(&a.constant));
        polynomial(terms.into_iter())
    }
}

/// Whether two comparisons of the same operands exclude each other and leave nothing out.
fn are_opposite(p: Prim, q: Prim) -> bool {
    [
        (Prim::ILt, Prim::IGe),
        (Prim::ILe, Prim::IGt),
        (Prim::IEq, Prim::INe),
        (Prim::Eq, Prim::Ne),
    ]
    .into_iter()
    .any(|pair| pair == (p, q) || pair == (q, p))
}

/// A literal.
pub(super) fn literal(l: Lit) -> TokenStream {
    match l {
        Lit::Bool(b) => quote!(#b),
        Lit::Int(i) => number(i),
        Lit::Real(x) if x.is_nan() => quote!(f64::NAN),
        Lit::Real(f64::INFINITY) => quote!(f64::INFINITY),
        Lit::Real(f64::NEG_INFINITY) => quote!(f64::NEG_INFINITY),
        Lit::Real(x) => {
            let magnitude = Literal::f64_unsuffixed(x.abs());
            if x.is_sign_negative() {
                quote!(-#magnitude)
            } else {
                quote!(#magnitude)
            }
        }
    }
}
