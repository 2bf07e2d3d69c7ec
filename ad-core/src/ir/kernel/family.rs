//! Several arrays that are computed in one pass over the same indices.

use super::{At, Nest, Node, Source};
use crate::ir::bulk::{Type, Var};

/// Arrays that are computed together: for all values of the nest's outer loops an element of each
/// is made, put somewhere or added to. If one is made, the loops run over their whole extents.
///
/// No member reads another one. What a member is made of at the same indices is a node of the nest.
#[derive(Clone, Debug, PartialEq)]
pub struct Family {
    /// The loops, and the scalars of all members. Its root is that of the first.
    pub nest: Nest,
    /// The arrays that sums begin with.
    pub begins: Vec<Source>,
    /// What is computed.
    pub members: Vec<Member>,
}

/// An array that is computed together with others.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// The variable that it defines.
    pub var: Var,
    /// Its type.
    pub ty: Type,
    /// What becomes of it at the indices of the loops.
    pub fill: Fill,
}

/// What is done to an array at the indices of the outer loops.
#[derive(Clone, Debug, PartialEq)]
pub enum Fill {
    /// Its element there is made.
    Each(Node),
    /// Something is added to elements of it, or replaces them.
    At {
        /// Which of the family's sources it begins with, if not with zeros.
        to: Option<usize>,
        /// Whether it is added.
        adds: bool,
        /// What, one after the other.
        parts: Vec<Addend>,
    },
}

/// What is added to an element or replaces it, where it is not guarded off.
#[derive(Clone, Debug, PartialEq)]
pub struct Addend {
    /// What.
    pub value: Node,
    /// Where.
    pub at: Vec<At>,
}

impl Family {
    /// The nodes that are elements, replace them or are added to them, in order.
    pub fn roots(&self) -> impl Iterator<Item = Node> {
        self.members.iter().flat_map(|m| m.fill.roots())
    }

    /// What it changes, and into what.
    pub fn changes(&self) -> impl Iterator<Item = (&Source, Var)> {
        self.members.iter().filter_map(|m| match &m.fill {
            Fill::At { to: Some(k), .. } => Some((&self.begins[*k], m.var)),
            Fill::At { to: None, .. } | Fill::Each(_) => None,
        })
    }

    /// The computed integers among the places.
    pub fn indices(&self) -> impl Iterator<Item = Node> {
        self.places().filter_map(|a| match a {
            At::Node(n) => Some(*n),
            At::Affine(_) => None,
        })
    }

    /// All components of all places.
    pub fn places(&self) -> impl Iterator<Item = &At> {
        (self.members.iter()).flat_map(|m| m.fill.parts().iter().flat_map(|p| &p.at))
    }
}

impl Fill {
    /// Whether something is added to elements.
    pub fn adds(&self) -> bool {
        matches!(self, Fill::At { adds: true, .. })
    }

    /// What is added or put somewhere.
    pub fn parts(&self) -> &[Addend] {
        match self {
            Fill::Each(_) => &[],
            Fill::At { parts, .. } => parts,
        }
    }

    /// The nodes that are elements, replace them or are added to them.
    pub fn roots(&self) -> Vec<Node> {
        match self {
            Fill::Each(n) => vec![*n],
            Fill::At { parts, .. } => parts.iter().map(|p| p.value).collect(),
        }
    }
}
