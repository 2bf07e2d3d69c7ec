//! Rows: neighbours in memory that a loop reads, found before it. `passes/schedule/rows.rs` says
//! why.

use super::blocks::Inside;
use super::expr::Expr;
use super::nest::{Bound, Writer};
use super::range::pattern_of;
use super::tokens::in_place;
use crate::ir::bulk::Var;
use crate::ir::kernel::{Affine, Along, At, Compute, Cut, Known, Loop, Node, Scalar};
use crate::ir::ty::Lit;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use std::collections::{BTreeSet, HashSet};

/// What has the elements of an array in a tile.
pub(super) enum Stored {
    /// Neighbours.
    Row(Ident),
    /// The element itself.
    Element(Ident),
}

/// A sum over a tile.
pub(super) struct TileSum {
    /// When it is computed.
    pub(super) guard: Option<TokenStream>,
    /// What is computed before its terms.
    pub(super) before: TokenStream,
    /// A term, as a function of the index.
    pub(super) term: TokenStream,
    /// Whether a term is a few instructions.
    pub(super) light: bool,
    /// The type of the sum, where nothing else says it.
    pub(super) of: Option<TokenStream>,
}

impl Writer<'_> {
    /// Finds the nodes below a node that are not the same for all indices of a loop.
    pub(super) fn find_varying(&mut self, l: Loop, n: Node) {
        let new = || Along::new(self.nest, l, &[]);
        self.along.entry(l).or_insert_with(new).add(&[n]);
    }

    pub(super) fn varies(&self, n: Node, l: Loop) -> bool {
        self.along.get(&l).is_some_and(|along| along.varies(n))
    }

    /// The nodes below a node that vary along a loop; in ascending order. With what sums are made
    /// of, if `through` them.
    pub(super) fn reached(&self, l: Loop, n: Node, through: bool) -> BTreeSet<Node> {
        let is_done = |n: Node| self.rowed.contains_key(&n);
        let reached = |a: &Along<'_>| a.reached_where(&[n], through, &self.piece, &is_done);
        self.along.get(&l).map(reached).unwrap_or_default()
    }

    /// A value as a function of the index: what it reads and what is the same for all indices, and
    /// an expression.
    pub(super) fn element(
        &mut self,
        n: Node,
        inside: Inside<'_>,
        js: &Ident,
    ) -> (TokenStream, TokenStream) {
        // A block is not empty: what each element needs is needed.
        let known = Known {
            holds: inside.known.clone(),
            fails: self.piece.fails.clone(),
        };
        let needed = self.nest.needed(n, &known);
        self.together_with(&[n], inside, Some(js), (&needed, false))
    }

    /// The same, where the value is masked: what it reads is read before its conditions are looked
    /// at.
    pub(super) fn masked_element(
        &mut self,
        n: Node,
        inside: Inside<'_>,
        js: &Ident,
    ) -> (TokenStream, TokenStream) {
        self.together_with(&[n], inside, Some(js), (&HashSet::new(), true))
    }

    /// The same for several values, as a tuple. Without the name of neighbours it is all in the
    /// expression.
    pub(super) fn together(
        &mut self,
        roots: &[Node],
        inside: Inside<'_>,
        js: Option<&Ident>,
    ) -> (TokenStream, TokenStream) {
        self.together_with(roots, inside, js, (&HashSet::new(), false))
    }

    /// The same, where some nodes are needed in any case, and elements of rows may be read first.
    fn together_with(
        &mut self,
        roots: &[Node],
        inside: Inside<'_>,
        js: Option<&Ident>,
        (needed, first): (&HashSet<Node>, bool),
    ) -> (TokenStream, TokenStream) {
        let Inside { l, known } = inside;
        let mut nodes = BTreeSet::new();
        let mut same = BTreeSet::new();
        for &n in roots {
            nodes.extend(self.reached(l, n, false));
            same.extend((!self.varies(n, l)).then_some(n));
        }
        let mut before = TokenStream::new();
        if let Some(js) = js {
            for &m in &nodes {
                before.extend(self.row(m, l, js));
                let operands = self.nest.live_operands(m, &self.piece).into_iter();
                same.extend(operands.filter(|o| !self.varies(*o, l)));
            }
        } else {
            same.clear();
        }
        if first && let [n] = roots {
            let lets = self.named_before(l, *n, known);
            before.extend(lets.iter().map(|(name, value)| quote!(let #name = #value;)));
        }
        for m in same {
            let is_worth_it = match &self.nest.nodes[m].compute {
                Compute::Read(_, at) => !at.is_empty(),
                Compute::Prim(p, _) => p.cost() > 0,
                Compute::Reduce(..) | Compute::ArgReduce(..) => true,
                Compute::Lit(_) | Compute::Index(_) | Compute::Same(_) | Compute::Extreme(_) => {
                    false
                }
            };
            let may_be_first = self.is_sure(m) || needed.contains(&m);
            if is_worth_it && !self.bound.contains_key(&m) && may_be_first {
                let value = self.whole(m, known).tokens;
                let wish = self.wish(m);
                let name = self.name(&wish);
                before.extend(quote!(let #name = #value;));
                self.bound.insert(m, Bound::Value(name));
            }
        }
        let mut lets = vec![];
        if first {
            lets = self.read_first(&nodes.iter().copied().collect::<Vec<_>>());
        }
        for &m in &nodes {
            let is_done = self.rowed.contains_key(&m) || self.bound.contains_key(&m);
            let is_root = roots == [m];
            if !is_root && !is_done && self.wants_name(m, false) {
                let value = self.whole(m, known).tokens;
                let wish = self.wish(m);
                let name = self.name(&wish);
                lets.push((name.clone(), value));
                self.bound.insert(m, Bound::Value(name));
            }
        }
        let values: Vec<TokenStream> = (roots.iter())
            .map(|n| self.node(*n, known).tokens)
            .collect();
        let value = match &values[..] {
            [one] => one.clone(),
            many => quote!((#(#many),*)),
        };
        for m in &nodes {
            self.rowed.remove(m);
            self.bound.remove(m);
        }
        let (lets, value) = in_place(lets, value);
        let value = match lets.is_empty() {
            true => value,
            false => quote!({ #lets #value }),
        };
        (before, value)
    }

    /// A name for the neighbours that a node reads along a loop.
    pub(super) fn row(&mut self, n: Node, l: Loop, js: &Ident) -> TokenStream {
        let Compute::Read(v, _) = &self.nest.nodes[n].compute else {
            return TokenStream::new();
        };
        let v = *v;
        let (array, at) = if let Some(at) = self.nest.along(n, l) {
            let nothing = HashSet::new();
            let at = at.iter().map(|a| self.at(a, &nothing).tokens).collect();
            (self.scope.array(v), at)
        } else if let Some((name, loops)) = self.across(n) {
            let at = loops.iter().map(|m| self.affine(&Affine::of(*m)).tokens);
            (quote!(#name), at.chain([self.origin()]).collect::<Vec<_>>())
        } else {
            return TokenStream::new();
        };
        let name = self.name(&format!("{}_row", self.scope.label(v)));
        let index = &self.loops[l];
        let element = self.scope.element(v, Expr::atom(quote!(#name[#index])));
        self.rowed.insert(n, element);
        quote!(let #name = #array.row(#js, [#(#at),*]);)
    }

    pub(super) fn across(&self, n: Node) -> Option<(Ident, Vec<Loop>)> {
        self.blocks.as_ref()?.across.get(&n).cloned()
    }

    /// Whether a value cannot fail wherever the loops around it run.
    pub(super) fn is_sure(&self, n: Node) -> bool {
        self.is_sure_where(n, &HashSet::new())
    }

    /// The same, where some conditions hold.
    pub(super) fn is_sure_where(&self, n: Node, known: &HashSet<Node>) -> bool {
        let s = &self.nest.nodes[n];
        let here = match &s.compute {
            // The bounds of an unguarded affine place were demanded on entry.
            Compute::Read(_, at) => {
                s.guard.is_none_or(|g| known.contains(&g))
                    && at.iter().all(|a| matches!(a, At::Affine(_)))
            }
            Compute::Prim(p, args) if p.is_partial() => {
                let last = args.last().map(|&n| &self.nest.nodes[n].compute);
                matches!(last, Some(Compute::Lit(Lit::Int(1..))))
            }
            Compute::Index(a) => a.is_total(),
            Compute::Lit(_)
            | Compute::Prim(..)
            | Compute::Reduce(..)
            | Compute::ArgReduce(..)
            | Compute::Same(_)
            | Compute::Extreme(_) => true,
        };
        here && (self.nest.operands(n).iter()).all(|o| {
            matches!(self.bound.get(o), Some(Bound::Value(_))) || self.is_sure_where(*o, known)
        })
    }

    /// Whether it is not seen in a loop that what a node reads along it is inside.
    fn is_worth_a_row(&self, n: Node, l: Loop) -> bool {
        self.nest.is_bare(n, &self.piece) && !self.is_seen(n, l) && self.nest.along(n, l).is_some()
    }

    /// The last outer loop by rows that are cut: an index pattern for the others, and what computes
    /// a row of each root.
    pub(super) fn by_rows(&mut self, roots: &[Node], cut: Cut) -> TokenStream {
        let nest = self.nest;
        let l = nest.outer - 1;
        let along = Along::new(nest, l, roots);
        let pieces = nest.pieces(&along, roots, cut);
        self.along.insert(l, along);
        self.piece = pieces.middle.clone();
        let (js, out) = (self.stretch(l), self.name("out"));
        let lets = self.lets_without(None, Some(l), &HashSet::new());
        let lets = lets.iter().map(|(name, value)| quote!(let #name = #value;));
        let lets: TokenStream = lets.collect();
        let (head, tail) = (self.name("head"), self.name("tail"));
        let end = |w: &Self| {
            let end = nest.loops[l].plus(-cut.last);
            w.scope.size(&end).tokens
        };
        let first = Expr::integer(cut.first).tokens;
        let cuts = match (cut.first, cut.last) {
            (0, 0) => TokenStream::new(),
            (_, 0) => quote!(let (#head, #js) = #js.cut(#first);),
            (0, _) => {
                let end = end(self);
                quote!(let (#js, #tail) = #js.cut(#end);)
            }
            (_, _) => {
                let end = end(self);
                quote!(let (#head, #js) = #js.cut(#first); let (#js, #tail) = #js.cut(#end);)
            }
        };
        // A piece: what comes before it, the index, and the values.
        let piece = |w: &mut Self, known: &Known, js: Option<&Ident>| {
            w.piece = known.clone();
            let known = &known.holds;
            let (before, value) = w.together(roots, Inside { l, known }, js);
            let index = pattern_of(&w.loops[l], &value);
            (before, quote!(|#index| #value))
        };
        let mut body = TokenStream::new();
        if cut.first > 0 {
            let (_, values) = piece(self, &pieces.head, None);
            body.extend(quote!(let #out = #out.begin(#head, #values);));
        }
        let (before, values) = piece(self, &pieces.middle, Some(&js));
        body.extend(before);
        body.extend(match cut.last {
            0 if self.is_costly(roots, true) => quote!(#out.set_costly(#js, #values)),
            0 => quote!(#out.set(#js, #values)),
            _ => {
                let (_, last) = piece(self, &pieces.tail, None);
                quote!(let #out = #out.begin(#js, #values); #out.set(#tail, #last))
            }
        });
        self.piece = Known::default();
        let body = quote!(#lets #cuts #body);
        let index = (self.loops[..l].iter()).map(|i| pattern_of(i, &body));
        quote!(|[#(#index,)* _], #js, #out| { #body })
    }

    /// The elements that some arrays have at the index of the only loop, by names of their own.
    fn stored(&mut self, l: Loop, stored: &dyn Fn(Var) -> Option<Stored>) {
        for (n, s) in self.nest.nodes.iter().enumerate() {
            if let Compute::Read(v, at) = &s.compute
                && *at == [At::Affine(Affine::of(l))]
                && let Some(name) = stored(*v)
            {
                let index = &self.loops[l];
                let element = match name {
                    Stored::Row(row) => Expr::atom(quote!(#row[#index])),
                    Stored::Element(name) => Expr::atom(name.into_token_stream()),
                };
                self.rowed.insert(n, element);
            }
        }
    }

    /// What computes the elements of roots in a tile of the only loop: what comes before it, the
    /// index, and a tuple. What a tile has of its own is `stored`.
    pub(super) fn elements_of_tile(
        &mut self,
        roots: &[Node],
        js: &Ident,
        stored: &dyn Fn(Var) -> Option<Stored>,
    ) -> Option<(TokenStream, TokenStream, TokenStream)> {
        let (nest, l) = (self.nest, 0);
        for &n in roots {
            self.find_varying(l, n);
        }
        self.stored(l, stored);
        if !self.is_plain_in_tile(l, roots) {
            return None;
        }
        let lets = self.lets_without(None, Some(l), &HashSet::new());
        let lets: TokenStream = (lets.iter())
            .map(|(name, value)| quote!(let #name = #value;))
            .collect();
        let known = &HashSet::new();
        let (before, value) = self.together(roots, Inside { l, known }, Some(js));
        debug_assert_eq!(nest.outer, 1);
        let index = pattern_of(&self.loops[l], &value);
        Some((quote!(#lets #before), index, value))
    }

    /// The sum over a tile of the only loop, and where it is added.
    pub(super) fn sum_of_tile(
        &mut self,
        js: &Ident,
        stored: &dyn Fn(Var) -> Option<Stored>,
    ) -> Option<TileSum> {
        let (nest, l) = (self.nest, 0);
        let root = &nest.nodes[nest.root];
        let Compute::Reduce(_, _, body) = &root.compute else {
            return None;
        };
        let light = self.is_light(l, *body);
        let guard = root.guard.map(|g| self.node(g, &HashSet::new()).tokens);
        if let Some(g) = root.guard {
            let mut known = HashSet::new();
            self.learn(g, &mut known);
            self.piece.holds = known;
        }
        self.find_varying(l, *body);
        self.stored(l, stored);
        if !self.is_plain_in_tile(l, &[*body]) {
            return None;
        }
        let known = &self.piece.holds.clone();
        let (before, value) = self.together(&[*body], Inside { l, known }, Some(js));
        let index = pattern_of(&self.loops[l], &value);
        let of = (!self.is_typed(*body)).then(|| {
            let real = self.scope.real();
            quote!(::<#real>)
        });
        Some(TileSum {
            guard,
            before,
            term: quote!(|#index| #value),
            light,
            of,
        })
    }

    /// Whether a tile of the only loop is as well computed a few elements at a time: all is light,
    /// and what is read along the loop is what is kept for these.
    pub(super) fn is_for_few(&self, roots: &[Node], kept: &dyn Fn(Var) -> bool) -> bool {
        let is_kept = |n: &Scalar| match &n.compute {
            Compute::Read(v, at) => {
                let is_here = *at == [At::Affine(Affine::of(0))];
                let is_elsewhere = at.iter().all(|a| match a {
                    At::Affine(a) => a.coefficient(0).is_none(),
                    At::Node(_) => false,
                });
                is_elsewhere || is_here && kept(*v)
            }
            Compute::Lit(_)
            | Compute::Index(_)
            | Compute::Prim(..)
            | Compute::Reduce(..)
            | Compute::ArgReduce(..)
            | Compute::Same(_)
            | Compute::Extreme(_) => true,
        };
        let root = |n: &Node| match &self.nest.nodes[*n].compute {
            Compute::Reduce(_, _, body) => *body,
            Compute::Lit(_)
            | Compute::Index(_)
            | Compute::Read(..)
            | Compute::Prim(..)
            | Compute::ArgReduce(..)
            | Compute::Same(_)
            | Compute::Extreme(_) => *n,
        };
        self.nest.nodes.iter().all(is_kept) && roots.iter().all(|n| self.is_light(0, root(n)))
    }

    /// Whether nothing is under a condition in a tile, and all sums are done.
    fn is_plain_in_tile(&self, l: Loop, roots: &[Node]) -> bool {
        let is_plain =
            |n: Node| self.nest.is_bare(n, &self.piece) && self.nest.nodes[n].own().is_empty();
        let all = |&root: &Node| self.reached(l, root, true).into_iter().all(is_plain);
        roots.iter().all(all)
    }

    /// Rows for what a light reduction reads.
    pub(super) fn rows(&mut self, l: Loop, body: Node) -> Option<(Ident, TokenStream, Vec<Node>)> {
        self.find_varying(l, body);
        let reads: Vec<Node> = (self.reached(l, body, true).into_iter())
            .filter(|&n| self.is_worth_a_row(n, l))
            .collect();
        if reads.is_empty() {
            return None;
        }
        let js = self.stretch(l);
        let rows = reads.iter().map(|&n| self.row(n, l, &js)).collect();
        Some((js, rows, reads))
    }
}
