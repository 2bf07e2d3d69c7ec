//! The body of a loop nest as an expression: single uses are written in place, shared scalars are
//! bound by `let` in the outermost closure that has all their loops.
//!
//! Here is what is known of the nest that is written, and what stands around its nodes: outer
//! loops, assignments, indices. The nodes are written in `nest/`.

mod lets;
mod node;
mod prim;
mod reduction;

pub(super) use reduction::Reduction;

use super::blocks::Blocks;
use super::expr::Expr;
use super::facts::Facts;
use super::names::Names;
use super::sizes::polynomial;
use super::tokens::in_place;
use crate::front::real::RealType;
use crate::ir::bulk::Var;
use crate::ir::kernel::{Addend, Affine, Along, At, Known, Loop, Nest, Node, Range};
use crate::ir::ty::Size;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
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

/// What a node is called.
#[derive(Clone)]
pub(super) enum Bound {
    /// The name of a value.
    Value(Ident),
    /// The name of a value that is computed where it is first needed.
    Lazy(Ident),
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
    pub(super) bound: HashMap<Node, Bound>,
    /// The nodes that got their names here, in this order.
    pub(super) named: Vec<Node>,
    /// The nodes that are elements of rows here.
    pub(super) rowed: HashMap<Node, Expr>,
    /// The values along the loops that are looked at.
    pub(super) along: HashMap<Loop, Along<'a>>,
    /// What is known of conditions in the piece of a loop that is written.
    pub(super) piece: Known,
    /// What is written by blocks, if that is wanted.
    pub(super) blocks: Option<Blocks>,
    facts: Facts,
    pub(super) may_fail: Vec<bool>,
    /// The same, but for what panics anyway where the loops of the node run.
    fails_alone: Vec<bool>,
    /// For each node whether its type is known from how it is written: literals of `f64` have no
    /// suffix.
    typed: Vec<bool>,
}

impl<'a> Writer<'a> {
    /// A nest that is to be written, with roots besides its own.
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
            along: HashMap::new(),
            piece: Known::default(),
            blocks: None,
            facts: Facts::default(),
            may_fail: vec![],
            fails_alone: vec![],
            typed: vec![],
        };
        writer.find_typed();
        writer.facts = writer.find_facts(more_roots);
        writer.find_failing();
        writer
    }

    /// `let`s for what is shared among the outer loops, and the root.
    pub(super) fn body(&mut self) -> (TokenStream, Expr) {
        let lets = self.lets(None, &HashSet::new());
        let root = self.node(self.nest.root, &HashSet::new());
        // A closure that returns a literal has to say its type.
        let root = root.typed();
        let (lets, tokens) = in_place(lets, root.tokens);
        (lets, Expr::new(tokens, root.prec))
    }

    /// What computes elements one by one: the outer loops around an assignment.
    pub(super) fn assignment(&mut self, to: &Ident, at: &[At], op: &str) -> TokenStream {
        let mut known = HashSet::new();
        let runs = self.outer_runs();
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

    /// What is done at the indices of a family: `let`s for what is shared, statements that place
    /// elements, add to them or, where `false` stands, replace them, and these elements of new
    /// arrays.
    pub(super) fn members(
        &mut self,
        placed: &[(Ident, Node)],
        parts: &[(Ident, bool, &Addend)],
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
        for (to, adds, Addend { value, at }) in parts {
            let guard = self.nest.nodes[*value].guard;
            let mut inner = known.clone();
            let guard = guard.map(|g| {
                let guard = self.node(g, &known).tokens;
                self.learn(g, &mut inner);
                guard
            });
            let value = self.node(*value, &inner).tokens;
            let place = at.iter().map(|a| self.at(a, &inner).tokens);
            let op = if *adds { quote!(+=) } else { quote!(=) };
            let to = match at.is_empty() {
                true => to.to_token_stream(),
                false => quote!(#to[[#(#place),*]]),
            };
            let statement = quote!(#to #op #value;);
            statements.extend(match guard {
                Some(g) => quote!(if #g { #statement }),
                None => statement,
            });
        }
        let elements: Vec<TokenStream> = (elements.iter())
            .map(|n| self.node(*n, &known).typed().tokens)
            .collect();
        let last = match &elements[..] {
            [] => TokenStream::new(),
            [one] => one.clone(),
            many => quote!((#(#many),*)),
        };
        in_place(lets, quote!(#statements #last))
    }

    /// A component of an index.
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

    /// An affine integer.
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
