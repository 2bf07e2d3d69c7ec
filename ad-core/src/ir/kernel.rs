//! Kernels: loop nests with scalar bodies, and calls of the few bulk operations that are not one.
//!
//! A [`Nest`] computes one element of its result for every value of its outer loops, from a graph
//! of scalar nodes. Reductions are nodes with loops of their own. A node depends on the loops that
//! occur in it, and on those that decide whether it is needed; it is evaluated once for each value
//! of these.
//!
//! A loop runs over `0..extent`, or over a [`Range`] in it that loops further out determine.

mod along;
mod family;
mod form;
mod order;
mod pieces;
mod tiles;
mod uses;

pub use along::Along;
pub use family::{Addend, Family, Fill, Member};
pub use form::{Form, Made};
pub use pieces::{Cut, Known, Pieces};
pub use tiles::{Division, Tiles};
pub use uses::reads_in_time;

use super::bulk::{self, Feed, Param, Require, Type, Var};
use super::core::{Extremum, ReduceOp};
use super::entries::Block;
use super::prims::Prim;
use super::ty::{Elem, Lit, Size};
use super::unit::{Called, Rule};
use std::collections::BTreeSet;
use std::iter;

/// A loop of a nest: the first ones, one per axis of the result, are outer.
pub type Loop = usize;

/// A node of a nest.
pub type Node = usize;

/// An integer affine in loop indices.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Affine {
    /// The loops that occur, ascending, with their coefficients.
    pub terms: Vec<(Loop, Size)>,
    /// What is added.
    pub constant: Size,
}

/// One component of the place of a read or write, or the end of a loop.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum At {
    /// Known from the loop indices.
    Affine(Affine),
    /// A computed integer.
    Node(Node),
}

/// What a node computes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Compute {
    /// A literal.
    Lit(Lit),
    /// An integer affine in loop indices.
    Index(Affine),
    /// An element of an array.
    Read(Var, Vec<At>),
    /// A primitive.
    Prim(Prim, Vec<Node>),
    /// A reduction of a node over loops.
    Reduce(ReduceOp, Vec<Loop>, Node),
    /// The position of the first extremum of a node over a loop.
    ArgReduce(Extremum, Loop, Node),
    /// The value that a node of the position of an extremum found there. That has values: a
    /// position that is 0 since nothing is better than nothing may be outside of the loop's range,
    /// and has what is neutral.
    Extreme(Node),
    /// Another node.
    Same(Node),
}

/// A scalar of a nest.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Scalar {
    /// Its kind.
    pub elem: Elem,
    /// Where false, the scalar is zero and nothing of it is evaluated.
    pub guard: Option<Node>,
    /// What it computes.
    pub compute: Compute,
}

/// Where a loop of extent n runs: over the indices k with `0 ≤ k < n`, `k ≥ e` for each e of `from`
/// and `k < e` for each e of `to`. They do not depend on the loop itself or on loops further in.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Range {
    /// Lower bounds.
    pub from: Vec<Affine>,
    /// Upper bounds, excluded.
    pub to: Vec<At>,
}

/// A loop nest with its scalar body.
#[derive(Clone, Debug, PartialEq)]
pub struct Nest {
    /// The extents of all loops; the first `outer` are the outer ones.
    pub loops: Vec<Size>,
    /// Where each loop runs. What outer loops leave out of an array is zero.
    pub ranges: Vec<Range>,
    /// How many loops are outer.
    pub outer: usize,
    /// The nodes; operands come before their uses.
    pub nodes: Vec<Scalar>,
    /// The loops inside of which each node is evaluated, ascending.
    pub depends: Vec<Vec<Loop>>,
    /// What is computed.
    pub root: Node,
    /// How the last outer loop runs.
    pub form: Form,
}

/// One contribution to a scatter: `out[at] += root` for all values of the nest's loops.
#[derive(Clone, Debug, PartialEq)]
pub struct Contribution {
    /// What is added.
    pub nest: Nest,
    /// Where.
    pub at: Vec<At>,
}

/// How one array is computed.
#[derive(Clone, Debug, PartialEq)]
pub enum Work {
    /// Element by element.
    Nest(Nest),
    /// Zeros, plus contributions.
    Scatter(Vec<Contribution>),
    /// A product of matrices, possibly many, in terms of axis labels; see
    /// [`super::bulk::Op::Contract`].
    Contract {
        /// First operand.
        a: Operand,
        /// Second operand.
        b: Operand,
        /// The labels of the first.
        a_axes: Vec<u8>,
        /// The labels of the second.
        b_axes: Vec<u8>,
        /// The labels of the result.
        out_axes: Vec<u8>,
        /// What counts: where all of these hold. They are about the same two labels, at least one
        /// of which the result has, each of them about two labels of one array. Where one does not
        /// hold, an operand that has both labels is zero, and so is such a result.
        within: Vec<Within>,
        /// What each sum is added to when it is there; or taken away from, if one operand is
        /// negated. It is taken, and there are no bounds then.
        onto: Option<Source>,
    },
    /// A linear recurrence; see [`super::bulk::Op::Recur`].
    Recur {
        /// The factors.
        a: Var,
        /// Where there are factors.
        mask: Option<Var>,
        /// What enters.
        b: Feed,
        /// Along which axis.
        axis: usize,
        /// From the end.
        reverse: bool,
    },
    /// An array with some of its elements replaced, or added to: those where the roots of the parts
    /// are not guarded off, each part after the one before.
    Change {
        /// The array.
        of: Source,
        /// Whether elements are added to.
        adds: bool,
        /// With what and where.
        parts: Vec<Contribution>,
    },
    /// Several arrays in one pass over the same indices.
    Family(Box<Family>),
    /// A sequential loop, which may compute several arrays.
    Loop(Box<Sequence>),
    /// A call of a function that is a unit, which may compute several arrays.
    Call(Box<UnitCall>),
    /// Kernels that run for a part of an axis at a time, which may compute several arrays.
    Tiles(Box<Tiles>),
    /// Kernels that run where a condition holds, which may compute several arrays.
    Branch(Box<Branch>),
}

/// An array that something else begins with. It is taken where nobody needs it any more, and copied
/// if not.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// The array.
    pub array: Var,
    /// Whether it is taken.
    pub taken: bool,
}

/// A sequential loop; see [`super::bulk::Loop`]. In the sizes of its programs, lengths and integer
/// arguments are those of the function.
#[derive(Clone, Debug, PartialEq)]
pub struct Sequence {
    /// One step. The states are arrays of its own, which it may take. What is stacked is so before
    /// it is taken.
    pub body: Program,
    /// How many states there are.
    pub states: usize,
    /// The loop goes on while the only result of this program holds.
    pub goes_on: Option<Program>,
    /// How many steps it takes, if there is no condition.
    pub steps: Option<Size>,
    /// What it is given.
    pub given: Vec<Var>,
    /// The first states.
    pub init: Vec<Source>,
    /// Whether the index runs from the last step to the first.
    pub reverse: bool,
    /// Which results are used, each once.
    pub outs: Vec<Out>,
}

/// A program that runs if a condition holds; if not, its results are zero.
#[derive(Clone, Debug, PartialEq)]
pub struct Branch {
    /// The condition, a scalar.
    pub when: Var,
    /// What runs if it holds.
    pub then: Side,
    /// What runs if it does not; without it the results are zeros then.
    pub otherwise: Option<Side>,
    /// The results that are used, each once.
    pub outs: Vec<Out>,
}

impl Branch {
    /// What runs if the condition holds, and what runs if it does not.
    pub fn sides(&self) -> impl Iterator<Item = &Side> {
        iter::once(&self.then).chain(&self.otherwise)
    }

    /// The same, to be changed.
    pub fn sides_mut(&mut self) -> impl Iterator<Item = &mut Side> {
        iter::once(&mut self.then).chain(&mut self.otherwise)
    }
}

/// One side of a branch.
#[derive(Clone, Debug, PartialEq)]
pub struct Side {
    /// The program. It reads only its first parameters, which are `given`. Lengths and integer
    /// arguments in its sizes are those of the function.
    pub body: Program,
    /// The arrays that the program reads.
    pub given: Vec<Var>,
}

/// A call of a unit; see [`super::bulk::Op::Call`].
#[derive(Clone, Debug, PartialEq)]
pub struct UnitCall {
    /// What is called.
    pub unit: Called,
    /// Which of its functions.
    pub rule: Rule,
    /// With what.
    pub args: Vec<Var>,
    /// The accumulators that it adds to, behind the arguments.
    pub onto: Vec<Source>,
    /// Which results are used, each once.
    pub outs: Vec<Out>,
}

/// A result of a loop, of a call, of tiles or of a branch.
#[derive(Clone, Debug, PartialEq)]
pub struct Out {
    /// Its number among the results. The results of a loop are the states, then what is stacked,
    /// then the number of steps.
    pub result: usize,
    /// The variable that it defines.
    pub var: Var,
    /// Its type. A loop of known length may stack an array with more rows than it has steps. The
    /// rows behind its last step are zeros.
    pub ty: Type,
}

/// How far the index of one label may go: `less ≤ more + by`.
#[derive(Clone, Debug, PartialEq)]
pub struct Within {
    /// The label whose index is bounded.
    pub less: u8,
    /// The label that bounds it.
    pub more: u8,
    /// How far it may be ahead.
    pub by: Size,
}

/// What a matrix product reads: an array, or a box-shaped part of one. A part that reaches out of
/// the array is an error only if something of it is needed.
#[derive(Clone, Debug, PartialEq)]
pub struct Operand {
    /// The array.
    pub array: Var,
    /// The first index along each axis and how many from there on, if not all.
    pub part: Option<Vec<(Size, Size)>>,
    /// Whether the negative of each element is the factor.
    pub negated: bool,
}

/// The computation of one array, of all members of a family, or of the results of a loop, a call,
/// tiles or a branch.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The variable that it defines. If there are several, it is the first of the family, or the
    /// first result that is used.
    pub out: Var,
    /// Its type.
    pub ty: Type,
    /// How.
    pub work: Work,
}

/// A program of kernels.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// The function's name.
    pub name: String,
    /// Variables `0..params.len()`.
    pub params: Vec<Param>,
    /// The arrays to compute, in order. Their variables are those of the Bulk program.
    pub steps: Vec<Step>,
    /// What is returned.
    pub results: Vec<Var>,
    /// What must hold on entry.
    pub requires: Vec<Require>,
    /// What the last results are, if a sparse matrix is made of them.
    pub blocks: Vec<Block>,
}

impl Sequence {
    /// How many arrays are stacked.
    pub fn stacks(&self) -> usize {
        self.body.results.len() - self.states
    }

    /// The parameter of its programs that is a state.
    pub fn state(&self, k: usize) -> Var {
        Var((self.given.len() + k) as u32)
    }

    /// The parameter of its programs that is the index.
    pub fn index(&self) -> Var {
        self.state(self.states)
    }
}

impl Range {
    /// Whether the loop runs over its whole extent.
    pub fn is_whole(&self) -> bool {
        self.from.is_empty() && self.to.is_empty()
    }

    /// The computed integers among its bounds.
    pub fn nodes(&self) -> impl Iterator<Item = Node> {
        self.to.iter().filter_map(|e| match e {
            At::Node(n) => Some(*n),
            At::Affine(_) => None,
        })
    }

    /// The loops that its affine bounds mention.
    pub fn loops(&self) -> impl Iterator<Item = Loop> {
        let to = self.to.iter().filter_map(|e| match e {
            At::Affine(a) => Some(a),
            At::Node(_) => None,
        });
        (self.from.iter().chain(to)).flat_map(|a| a.terms.iter().map(|(l, _)| *l))
    }
}

impl Nest {
    /// Adds every array that is read.
    pub fn reads(&self, out: &mut Vec<Var>) {
        out.extend(self.nodes.iter().filter_map(Scalar::read));
    }

    /// The index that a loop runs at, if its bounds leave one at most.
    pub fn once(&self, l: Loop) -> Option<Affine> {
        let Range { from, to } = &self.ranges[l];
        let (first, end) = (Affine::default(), Affine::constant(self.loops[l].clone()));
        let ends_behind = |e: &&Affine| {
            let next = e.plus(1);
            next == end || to.contains(&At::Affine(next))
        };
        (from.iter().chain([&first])).find(ends_behind).cloned()
    }

    /// Whether a component of an index depends on a loop.
    pub fn mentions(&self, a: &At, l: Loop) -> bool {
        match a {
            At::Affine(a) => a.coefficient(l).is_some(),
            At::Node(n) => self.depends[*n].contains(&l),
        }
    }

    /// The loops that a loop runs in.
    pub fn around(&self, l: Loop) -> BTreeSet<Loop> {
        let (mut around, mut open) = (BTreeSet::new(), vec![l]);
        while let Some(l) = open.pop() {
            let outer = 0..l.min(self.outer);
            let owner = self.nodes.iter().position(|s| s.own().contains(&l));
            let inner = owner.iter().flat_map(|&n| {
                let before = self.nodes[n].own().iter().take_while(move |m| **m != l);
                before.chain(&self.depends[n]).copied()
            });
            open.extend(outer.chain(inner).filter(|m| around.insert(*m)));
        }
        around
    }

    /// The nodes that a node uses: those that say where its loops run, and those of the scalar.
    pub fn operands(&self, n: Node) -> Vec<Node> {
        let s = &self.nodes[n];
        let ends = s.own().iter().flat_map(|&l| self.ranges[l].nodes());
        ends.chain(s.operands()).collect()
    }

    /// Which nodes the given ones need.
    pub fn reached(&self, roots: &[Node]) -> Vec<bool> {
        let mut reached = vec![false; self.nodes.len()];
        roots.iter().for_each(|&r| reached[r] = true);
        for n in (0..self.nodes.len()).rev() {
            if reached[n] {
                self.operands(n).into_iter().for_each(|o| reached[o] = true);
            }
        }
        reached
    }
}

impl Affine {
    /// Calls `f` on the coefficients and the constant.
    pub fn visit_sizes(&self, f: &mut dyn FnMut(&Size)) {
        self.terms.iter().for_each(|(_, c)| f(c));
        f(&self.constant);
    }

    /// A number.
    pub fn constant(constant: Size) -> Affine {
        let terms = vec![];
        Affine { terms, constant }
    }

    /// `self + k`
    pub fn plus(&self, k: i64) -> Affine {
        let constant = self.constant.plus(k);
        let terms = self.terms.clone();
        Affine { terms, constant }
    }

    /// `self - other`
    pub fn sub(&self, other: &Affine) -> Affine {
        self.add_scaled(other, &Size::lit(-1))
    }

    /// The coefficient of a loop, if it occurs.
    pub fn coefficient(&self, l: Loop) -> Option<&Size> {
        (self.terms.iter()).find_map(|(m, c)| (*m == l).then_some(c))
    }

    /// Whether it has a value wherever its loops run; see [`Size::is_total`].
    pub fn is_total(&self) -> bool {
        self.constant.is_total() && self.terms.iter().all(|(_, c)| c.is_total())
    }

    /// As a function of the extents of its loops, in order, and these.
    fn spread(&self, loops: &[Size]) -> (bulk::Affine, Vec<Size>) {
        let (coefs, extents): (Vec<Size>, Vec<Size>) = (self.terms.iter())
            .map(|(l, c)| (c.clone(), loops[*l].clone()))
            .unzip();
        let constant = self.constant.clone();
        (bulk::Affine { coefs, constant }, extents)
    }

    /// Whether every value is known to be in `0..n`, for loops with these extents.
    pub fn inside(&self, loops: &[Size], n: &Size) -> bool {
        let (a, extents) = self.spread(loops);
        a.inside(&extents, n)
    }

    /// Whether no value is negative, for loops with these extents and given other positive sizes,
    /// as far as signs alone show.
    pub fn is_nonnegative(&self, loops: &[Size], positive: &[Size]) -> bool {
        let (a, mut extents) = self.spread(loops);
        let range = a.range(&extents);
        extents.extend_from_slice(positive);
        range.is_some_and(|(low, _)| low.at_least_given(0, &extents))
    }

    /// One loop index.
    pub fn of(l: Loop) -> Affine {
        Affine {
            terms: vec![(l, Size::lit(1))],
            constant: Size::lit(0),
        }
    }

    /// `self + k · other`
    pub fn add_scaled(&self, other: &Affine, k: &Size) -> Affine {
        let mut terms: std::collections::BTreeMap<Loop, Size> =
            self.terms.iter().cloned().collect();
        for (l, c) in &other.terms {
            let e = terms.entry(*l).or_default();
            *e = e.add(&c.mul(k));
        }
        terms.retain(|_, c| !c.is(0));
        Affine {
            terms: terms.into_iter().collect(),
            constant: self.constant.add(&other.constant.mul(k)),
        }
    }
}

impl Scalar {
    /// The array that it reads.
    pub fn read(&self) -> Option<Var> {
        match &self.compute {
            Compute::Read(v, _) => Some(*v),
            Compute::Lit(_)
            | Compute::Index(_)
            | Compute::Prim(..)
            | Compute::Reduce(..)
            | Compute::ArgReduce(..)
            | Compute::Same(_)
            | Compute::Extreme(_) => None,
        }
    }

    /// The loops that run only for it.
    pub fn own(&self) -> &[Loop] {
        match &self.compute {
            Compute::Reduce(_, own, _) => own,
            Compute::ArgReduce(_, own, _) => std::slice::from_ref(own),
            Compute::Lit(_)
            | Compute::Index(_)
            | Compute::Read(..)
            | Compute::Prim(..)
            | Compute::Same(_)
            | Compute::Extreme(_) => &[],
        }
    }

    /// The nodes that it uses, the guard last.
    pub fn operands(&self) -> Vec<Node> {
        let mut out = match &self.compute {
            Compute::Lit(_) | Compute::Index(_) => vec![],
            Compute::Read(_, at) => at
                .iter()
                .filter_map(|a| match a {
                    At::Node(n) => Some(*n),
                    At::Affine(_) => None,
                })
                .collect(),
            Compute::Prim(_, args) => args.clone(),
            Compute::Reduce(_, _, n)
            | Compute::ArgReduce(_, _, n)
            | Compute::Extreme(n)
            | Compute::Same(n) => vec![*n],
        };
        out.extend(self.guard);
        out
    }
}
