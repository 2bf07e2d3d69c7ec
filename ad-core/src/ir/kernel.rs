//! Kernels: loop nests with scalar bodies, and calls of the few bulk operations that are not one.
//!
//! A [`Nest`] computes one element of its result for every value of its outer loops, from a graph of
//! scalar nodes. Reductions are nodes with loops of their own. A node depends on the loops that occur
//! in it; it is evaluated once for each value of these.

use super::bulk::{Feed, Param, Require, Type, Var};
use super::core::{Extremum, ReduceOp};
use super::prims::Prim;
use super::ty::{Elem, Lit, Size};

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

/// One component of the place of a read or write.
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

/// A loop nest with its scalar body.
#[derive(Clone, Debug, PartialEq)]
pub struct Nest {
    /// The extents of all loops; the first `outer` are the outer ones.
    pub loops: Vec<Size>,
    /// How many loops are outer.
    pub outer: usize,
    /// The nodes; operands come before their uses.
    pub nodes: Vec<Scalar>,
    /// The loops that each node depends on, ascending.
    pub depends: Vec<Vec<Loop>>,
    /// What is computed.
    pub root: Node,
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
}

/// What a matrix product reads: an array, or a box-shaped part of one. A part that reaches out of the
/// array is an error only if something of it is needed.
#[derive(Clone, Debug, PartialEq)]
pub struct Operand {
    /// The array.
    pub array: Var,
    /// The first index along each axis and how many from there on, if not all.
    pub part: Option<Vec<(Size, Size)>>,
}

/// The computation of one array.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The variable that it defines.
    pub out: Var,
    /// Its type.
    pub ty: Type,
    /// How.
    pub work: Work,
}

/// A program of kernels.
#[derive(Clone, Debug, PartialEq)]
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
}

impl Affine {
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
            Compute::Reduce(_, _, n) | Compute::ArgReduce(_, _, n) | Compute::Same(n) => vec![*n],
        };
        out.extend(self.guard);
        out
    }
}
