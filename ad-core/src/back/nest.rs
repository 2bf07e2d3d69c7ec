//! The body of a loop nest as an expression: single uses are written in place, shared scalars are
//! bound by `let` in the outermost closure that has all their loops.

use super::blocks::Blocks;
use super::expr::{Expr, Prec};
use super::facts::Facts;
use super::names::Names;
use super::pieces::Known;
use super::range::{Run, pattern_of, span};
use super::real;
use super::sizes::{number, polynomial};
use super::tokens::in_place;
use crate::front::real::RealType;
use crate::ir::bulk::Var;
use crate::ir::core::{Extremum, ReduceOp};
use crate::ir::kernel::{Addend, Affine, At, Compute, Loop, Nest, Node, Range};
use crate::ir::prims::{Emit, Prim};
use crate::ir::ty::{Elem, Lit, Size};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote};
use std::collections::{HashMap, HashSet};

/// What a nest needs to know about the function it is in.
pub(super) trait Scope {
    /// A size, as an `i64`.
    fn size(&self, s: &Size) -> Expr;
    /// A product of a size and an index, as the terms of a sum: factors and integer coefficients.
    fn terms(&self, s: &Size) -> Vec<(Vec<Expr>, i64)>;
    /// An element of a variable (the variable itself, if it is a scalar), given the index.
    fn read(&self, v: Var, at: &[TokenStream]) -> Expr;
    /// A variable that is an array.
    fn array(&self, v: Var) -> TokenStream;
    /// The same as a view.
    fn view(&self, v: Var) -> TokenStream;
    /// An element of a variable, given as what stands in memory.
    fn element(&self, v: Var, stored: Expr) -> Expr;
    /// What a variable is called.
    fn label(&self, v: Var) -> String;
    /// The shape of a variable.
    fn shape(&self, v: Var) -> &[Size];
    /// Whether a name is in use.
    fn is_taken(&self, name: &str) -> bool;
    /// Whether what a variable is bound to says its type.
    fn is_typed(&self, v: Var) -> bool;
    /// Whether it is the program of a loop, whose arrays change.
    fn is_in_loop(&self) -> bool;
    /// What real numbers are.
    fn real(&self) -> &RealType;
}

/// A reduction on its way to tokens.
pub(super) struct Reduction {
    /// The function that computes it.
    pub(super) name: &'static str,
    /// Whether there is one for bodies of a few instructions.
    light: bool,
    /// What it is of nothing, if of a single element it is that element.
    nothing: Option<Lit>,
    /// Whether that single element is not in a sum already: a sum is never −0.
    plus_zero: bool,
    pub(super) body: Node,
}

/// One nest on its way to tokens.
pub(super) struct Writer<'a> {
    pub(super) nest: &'a Nest,
    pub(super) scope: &'a dyn Scope,
    pub(super) names: Names,
    pub(super) loops: Vec<Ident>,
    /// What stands for the indices of loops that are not written as such; loops further out alone.
    pub(super) fixed: HashMap<Loop, Affine>,
    /// How often each node is used, counting only what the root needs.
    uses: Vec<usize>,
    /// The names of the nodes that have one here.
    pub(super) bound: HashMap<Node, Ident>,
    /// The nodes that got their names here, in this order.
    pub(super) named: Vec<Node>,
    /// The nodes that are elements of rows here.
    pub(super) rowed: HashMap<Node, Expr>,
    /// The nodes that are not the same for all indices of a loop, for those that are looked at.
    pub(super) varying: HashMap<Loop, HashSet<Node>>,
    /// What is known of conditions in the piece of a loop that is written.
    pub(super) piece: Known,
    /// What is written by blocks, if that is wanted.
    pub(super) blocks: Option<Blocks>,
    facts: Facts,
    pub(super) may_fail: Vec<bool>,
    /// For each node whether its type is known from how it is written: literals of `f64` have no suffix.
    typed: Vec<bool>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(nest: &'a Nest, more_roots: &[Node], scope: &'a dyn Scope) -> Writer<'a> {
        let mut names = Names::default();
        let loops = (nest.loops.iter())
            .map(|_| names.index(&|name| scope.is_taken(name)))
            .collect();
        let mut uses = vec![0; nest.nodes.len()];
        uses[nest.root] += 1;
        let ends = nest.ranges[..nest.outer].iter().flat_map(Range::nodes);
        for r in more_roots.iter().copied().chain(ends) {
            uses[r] += 1;
        }
        for n in (0..nest.nodes.len()).rev() {
            if uses[n] > 0 {
                for o in nest.operands(n) {
                    uses[o] += 1;
                }
            }
        }
        let mut writer = Writer {
            nest,
            scope,
            names,
            loops,
            fixed: HashMap::new(),
            uses,
            bound: HashMap::new(),
            named: vec![],
            rowed: HashMap::new(),
            varying: HashMap::new(),
            piece: Known::default(),
            blocks: None,
            facts: Facts::default(),
            may_fail: vec![],
            typed: vec![],
        };
        writer.find_typed();
        writer.find_failing();
        writer.facts = writer.find_facts(more_roots);
        writer
    }

    /// `let`s for what is shared among the outer loops, and the root.
    pub(super) fn body(&mut self) -> (TokenStream, Expr) {
        let lets = self.lets(None, &HashSet::new());
        let root = self.node(self.nest.root, &HashSet::new());
        let (lets, tokens) = in_place(lets, root.tokens);
        let prec = root.prec;
        (lets, Expr { tokens, prec })
    }

    /// What computes elements one by one: the outer loops around an assignment.
    pub(super) fn assignment(&mut self, to: &Ident, at: &[At], op: &str) -> TokenStream {
        let mut known = HashSet::new();
        let runs: Vec<Run> = (0..self.nest.outer)
            .map(|l| self.run(l, &known, true))
            .collect();
        let lets = self.lets(None, &known);
        let guard = self.nest.nodes[self.nest.root].guard.map(|g| {
            let guard = self.node(g, &known).tokens;
            self.learn(g, &mut known);
            guard
        });
        let value = self.node(self.nest.root, &known).tokens;
        let place: Vec<TokenStream> = at.iter().map(|a| self.at(a, &known).tokens).collect();
        let op: TokenStream = op.parse().expect("operators are tokens");
        let mut statement = quote!(#to[[#(#place),*]] #op #value;);
        if let Some(g) = guard {
            statement = quote!(if #g { #statement });
        }
        let (lets, statement) = in_place(lets, statement);
        let is_block = !lets.is_empty();
        self.around(runs, quote!(#lets #statement), is_block)
    }

    /// What is done at the indices of a family: `let`s for what is shared, statements that place elements
    /// or add to them, and these elements of new arrays.
    pub(super) fn members(
        &mut self,
        placed: &[(Ident, Node)],
        sums: &[(Ident, &Addend)],
        elements: &[Node],
    ) -> (TokenStream, TokenStream) {
        let known = HashSet::new();
        let lets = self.lets(None, &known);
        let mut statements = TokenStream::new();
        for (to, value) in placed {
            let value = self.node(*value, &known).tokens;
            let place = &self.loops[..self.nest.outer];
            statements.extend(quote!(#to[[#(#place),*]] = #value;));
        }
        for (to, Addend { value, at }) in sums {
            let guard = self.nest.nodes[*value].guard;
            let mut inner = known.clone();
            let guard = guard.map(|g| {
                let guard = self.node(g, &known).tokens;
                self.learn(g, &mut inner);
                guard
            });
            let value = self.node(*value, &inner).tokens;
            let place = at.iter().map(|a| self.at(a, &inner).tokens);
            let statement = quote!(#to[[#(#place),*]] += #value;);
            statements.extend(match guard {
                Some(g) => quote!(if #g { #statement }),
                None => statement,
            });
        }
        let elements: Vec<TokenStream> = (elements.iter())
            .map(|n| self.node(*n, &known).tokens)
            .collect();
        let last = match &elements[..] {
            [] => TokenStream::new(),
            [one] => one.clone(),
            many => quote!((#(#many),*)),
        };
        in_place(lets, quote!(#statements #last))
    }

    /// The innermost loop that a node depends on, among inner ones; `None` is the outer body.
    fn home(&self, n: Node) -> Option<Loop> {
        let last = self.nest.depends[n].last().copied()?;
        (last >= self.nest.outer).then_some(last)
    }

    /// Whether a node is worth a name: it is used more than once, or computed outside of the loop
    /// that uses it.
    pub(super) fn wants_name(&self, n: Node, hoisted: bool) -> bool {
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

    /// For each node whether it is sure to be needed where its own loops run: by something evaluated
    /// there that is needed itself, and not only in loops further in.
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
    fn lets(&mut self, at: Option<Loop>, known: &HashSet<Node>) -> Vec<(Ident, TokenStream)> {
        self.lets_without(at, None, known)
    }

    /// The same, but for what depends on a loop.
    pub(super) fn lets_without(
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
            let mut value = self.whole(n, known);
            if self.may_fail[n] && !self.facts.needed[n] {
                value = self.only_if_needed(n, value);
            }
            let (wish, scope) = (self.wish(n), self.scope);
            let name = (self.names).fresh_beside(&wish, &|name| scope.is_taken(name));
            out.push((name.clone(), value.tokens));
            self.bound.insert(n, name);
            self.named.push(n);
        }
        out
    }

    fn find_facts(&self, more_roots: &[Node]) -> Facts {
        let inner = self.inner_uses();
        let mut wanted: HashMap<Option<Loop>, Vec<Node>> = HashMap::new();
        for n in (0..self.nest.nodes.len()).filter(|&n| self.uses[n] > 0) {
            if self.wants_name(n, inner.contains(&n)) {
                wanted.entry(self.home(n)).or_default().push(n);
            }
        }
        let wanted = wanted.into_iter().map(|(at, n)| (at, n.into())).collect();
        let needed = self.needed_at_home(more_roots);
        let roots = more_roots.iter().copied().chain([self.nest.root]).collect();
        Facts::new(self.nest, wanted, needed, roots)
    }

    /// For each node whether evaluating it may panic.
    fn find_failing(&mut self) {
        for n in 0..self.nest.nodes.len() {
            let s = &self.nest.nodes[n];
            let here = match &s.compute {
                Compute::Read(v, at) => {
                    !at.iter().zip(self.scope.shape(*v)).all(|(a, len)| match a {
                        At::Node(_) => false,
                        At::Affine(a) => a.inside(&self.nest.loops, len),
                    })
                }
                // A division by zero panics.
                Compute::Prim(Prim::IDiv | Prim::IRem | Prim::IRemEuclid | Prim::IPow, args) => {
                    !matches!(
                        self.nest.nodes[args[1]].compute,
                        Compute::Lit(Lit::Int(1..))
                    )
                }
                Compute::Index(a) => !a.is_total(),
                Compute::Lit(_)
                | Compute::Prim(..)
                | Compute::Reduce(..)
                | Compute::ArgReduce(..)
                | Compute::Same(_)
                | Compute::Extreme(_) => false,
            };
            let fails = here || self.nest.operands(n).iter().any(|&o| self.may_fail[o]);
            self.may_fail.push(fails);
        }
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
                extent.infix(">", Expr::atom(number(0))).tokens
            });
            quote!(#(#runs)&&*)
        });
        let zero = self.nothing(n).tokens;
        let value = value.tokens;
        Expr::block(quote!(if #(#ways)||* { #value } else { #zero }))
    }

    /// A name that says a little about the value.
    pub(super) fn wish(&self, n: Node) -> String {
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

    pub(super) fn node(&mut self, n: Node, known: &HashSet<Node>) -> Expr {
        match &self.nest.nodes[n].compute {
            Compute::ArgReduce(..) if self.facts.pairs.contains(&n) => {
                self.whole(n, known).field(0)
            }
            &Compute::Extreme(place) if !self.bound.contains_key(&n) => {
                self.whole(place, known).field(1)
            }
            Compute::Lit(_)
            | Compute::Index(_)
            | Compute::Read(..)
            | Compute::Prim(..)
            | Compute::Reduce(..)
            | Compute::ArgReduce(..)
            | Compute::Extreme(_)
            | Compute::Same(_) => self.whole(n, known),
        }
    }

    /// What a name stands for: a node, or a position with the extremum there.
    pub(super) fn whole(&mut self, n: Node, known: &HashSet<Node>) -> Expr {
        if let Some(name) = self.bound.get(&n) {
            return Expr::atom(quote!(#name));
        }
        if let Some(element) = self.rowed.get(&n) {
            return element.clone();
        }
        if known.contains(&n) {
            return Expr::atom(quote!(true));
        }
        if self.piece.fails.contains(&n) {
            return Expr::atom(quote!(false));
        }
        let s = &self.nest.nodes[n];
        if s.guard.is_some_and(|g| self.piece.fails.contains(&g)) {
            return self.literal(Lit::zero(s.elem));
        }
        let Some(g) = s.guard.filter(|g| !known.contains(g)) else {
            return self.compute(n, known);
        };
        let guard = self.node(g, known);
        let mut inner = known.clone();
        self.learn(g, &mut inner);
        let value = self.compute(n, &inner);
        if s.elem == Elem::Bool {
            return guard.infix("&&", value);
        }
        let (guard, value) = (guard.tokens, value.tokens);
        let zero = self.nothing(n).tokens;
        Expr::block(quote!(if #guard { #value } else { #zero }))
    }

    /// What stands for a value that is not computed.
    fn nothing(&self, n: Node) -> Expr {
        let zero = self.literal(Lit::zero(self.nest.nodes[n].elem));
        if !self.facts.pairs.contains(&n) {
            return zero;
        }
        let (place, value) = (zero.tokens, self.literal(Lit::Real(0.0)).tokens);
        Expr::atom(quote!((#place, #value)))
    }

    /// What holds where a guard does.
    pub(super) fn learn(&self, g: Node, known: &mut HashSet<Node>) {
        let mut stack = vec![g];
        let mut new = vec![];
        while let Some(g) = stack.pop() {
            if !known.insert(g) {
                continue;
            }
            new.push(g);
            if let Compute::Prim(Prim::And, args) = &self.nest.nodes[g].compute {
                stack.extend(args);
            }
        }
        // A conjunction of what is known is known.
        while let Some(g) = new.pop() {
            for &n in &self.facts.conjunctions[g] {
                if let Compute::Prim(_, args) = &self.nest.nodes[n].compute
                    && args.iter().all(|a| known.contains(a))
                    && known.insert(n)
                {
                    new.push(n);
                }
            }
        }
    }

    fn compute(&mut self, n: Node, known: &HashSet<Node>) -> Expr {
        match &self.nest.nodes[n].compute {
            Compute::Lit(l) => self.literal(*l),
            Compute::Index(a) => self.affine(a),
            Compute::Same(n) => self.node(*n, known),
            Compute::Extreme(place) => self.whole(*place, known).field(1),
            Compute::Read(v, at) => {
                let at: Vec<TokenStream> = at.iter().map(|a| self.at(a, known).tokens).collect();
                self.scope.read(*v, &at)
            }
            Compute::Prim(p, args) => self.prim(*p, args, known),
            Compute::Reduce(op, own, body) => {
                let name = match op {
                    ReduceOp::Sum => "sum",
                    ReduceOp::Product => "product",
                    ReduceOp::Max => "maximum",
                    ReduceOp::Min => "minimum",
                    ReduceOp::LogSumExp => "logsumexp",
                };
                let elem = self.nest.nodes[*body].elem;
                let is_sum = *op == ReduceOp::Sum;
                let reduction = Reduction {
                    name,
                    light: *op != ReduceOp::LogSumExp,
                    nothing: match op {
                        ReduceOp::Sum | ReduceOp::Product => Some(op.identity(elem)),
                        // Of NaN alone they are not NaN.
                        ReduceOp::Max | ReduceOp::Min | ReduceOp::LogSumExp => None,
                    },
                    plus_zero: is_sum
                        && elem == Elem::Real
                        && own.iter().all(|&l| self.nest.once(l).is_some())
                        && !self.is_summed(own),
                    body: *body,
                };
                self.inside_loops(&reduction, own, known)
            }
            Compute::ArgReduce(op, own, body) => {
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
                    body: *body,
                };
                self.inside_loops(&reduction, &[*own], known)
            }
        }
    }

    /// `name(n, |i| name(from..to, |j| body))`
    pub(super) fn inside_loops(
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
        let light = r.light && rest.is_empty() && is_loop && self.is_light(l, r.body);
        let rows = light.then(|| self.rows(l, r.body)).flatten();
        let before = self.named.len();
        let lets = self.lets(Some(l), known);
        let value = self.inside_loops(r, rest, known);
        for n in self.named.drain(before..) {
            self.bound.remove(&n);
        }
        let prec = value.prec;
        let (lets, tokens) = in_place(lets, value.tokens);
        let value = if lets.is_empty() {
            let tokens = tokens.clone();
            Expr { tokens, prec }
        } else {
            Expr::block(quote!({ #lets #tokens }))
        };
        let span = match run {
            Run::Once(conditions) if conditions.is_empty() => return value,
            Run::Once(conditions) => {
                let nothing = r.nothing.expect("only then a loop is left out");
                let nothing = self.literal(nothing).tokens;
                let body = quote!(#lets #tokens);
                return Expr::block(quote!(if #(#conditions)&&* { #body } else { #nothing }));
            }
            Run::Count(end) => end.tokens,
            Run::Part(from, to) => span(&from, &to),
        };
        let index = pattern_of(&self.loops[l], &value.tokens);
        let name = Ident::new(r.name, Span::mixed_site());
        let name = match light {
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
        Expr::block(quote!({
            let #js = rt::stretch(#span);
            #rows
            rt::#name #of (#js, |#index| #value)
        }))
    }

    /// Whether what a loop reduces is a few instructions, all of them arithmetic.
    pub(super) fn is_light(&self, l: Loop, body: Node) -> bool {
        const FEW: usize = 8;
        self.are_light(l, &[body], FEW, &HashSet::new())
    }

    /// Whether what some values need in a loop is at most so many instructions, all of them arithmetic, if `known` holds.
    pub(super) fn are_light(
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
                    Emit::Method(_) | Emit::Call(_) | Emit::If => false,
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

    fn prim(&mut self, p: Prim, args: &[Node], known: &HashSet<Node>) -> Expr {
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
            Emit::Method(name) if self.nest.nodes[args[0]].elem == Elem::Real => {
                let real = self.scope.real();
                let (mut receiver, mut is_typed) = (next(), self.is_typed(args[0]));
                if let Compute::Lit(Lit::Real(x)) = self.nest.nodes[args[0]].compute {
                    (receiver, is_typed) = (real::typed_literal(x, real), true);
                }
                real::method(real, name, receiver, is_typed, xs)
            }
            Emit::Method(name) => {
                let name = Ident::new(name, proc_macro2::Span::mixed_site());
                let mut tokens = self.receiver(args[0], next());
                let rest = xs.map(|x| x.tokens);
                tokens.extend(quote!(.#name(#(#rest),*)));
                Expr::atom(tokens)
            }
            Emit::Call(name) => {
                let name = Ident::new(name, proc_macro2::Span::mixed_site());
                let xs = xs.map(|x| x.tokens);
                Expr::atom(quote!(rt::#name(#(#xs),*)))
            }
            Emit::If => unreachable!("selection is written above"),
        }
    }

    /// The receiver of a method; a literal needs a suffix there.
    fn receiver(&self, n: Node, x: Expr) -> TokenStream {
        match self.nest.nodes[n].compute {
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
            | Compute::Same(_)
            | Compute::Extreme(_) => x.at(Prec::Atom),
        }
    }

    /// A literal of the function's real type, or of another kind.
    pub(super) fn literal(&self, l: Lit) -> Expr {
        real::literal(l, self.scope.real())
    }

    /// Whether the type of a value is known from how it is written.
    pub(super) fn is_typed(&self, n: Node) -> bool {
        self.typed[n]
    }

    fn find_typed(&mut self) {
        for n in 0..self.nest.nodes.len() {
            let is_open = *self.scope.real() == RealType::F64;
            let is_open = is_open && self.nest.nodes[n].elem == Elem::Real;
            self.typed.push(!is_open || self.shows_type(n));
        }
    }

    /// Whether the tokens of an `f64` say that it is one; what it is computed from is known already.
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
                Emit::Cast(_) | Emit::Method(_) => true,
            },
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
        let a = self.node(a, &then).tokens;
        let b = self.node(b, &other).tokens;
        Expr::block(quote!(if #condition { #a } else { #b }))
    }

    pub(super) fn at(&mut self, a: &At, known: &HashSet<Node>) -> Expr {
        match a {
            At::Affine(a) => self.affine(a),
            At::Node(n) => self.node(*n, known),
        }
    }

    /// An affine integer in terms of the loops that are written.
    pub(super) fn resolved(&self, a: &Affine) -> Affine {
        let mut out = Affine::constant(a.constant.clone());
        for (l, c) in &a.terms {
            match self.fixed.get(l) {
                Some(e) => out = out.add_scaled(e, c),
                None => out = out.add_scaled(&Affine::of(*l), c),
            }
        }
        out
    }

    pub(super) fn affine(&self, a: &Affine) -> Expr {
        let mut terms = vec![];
        let a = self.resolved(a);
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
