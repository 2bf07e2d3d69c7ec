//! Steps that are taken for some indices of an axis at a time.

use super::{Out, Program};
use crate::ir::bulk::Var;
use crate::ir::ty::Size;

/// Steps that are taken for a few neighbouring indices of an axis, then for the next few, and so
/// on. The tiles depend on nothing of each other, so their order means nothing, nor how many
/// indices one has. There is one at least, which may have none.
#[derive(Clone, Debug, PartialEq)]
pub struct Tiles {
    /// What is done for a tile. Its parameters are what is given, then the first index, and how
    /// many there are. Its results are of that length along their first axes. In sizes, lengths and
    /// integer arguments are those of the function.
    pub body: Program,
    /// What it is given, whole.
    pub given: Vec<Var>,
    /// How many indices there are.
    pub extent: Size,
    /// How many indices a tile has.
    pub division: Division,
    /// All results: those of the tiles side by side along their first axes.
    pub outs: Vec<Out>,
    /// The results of the body that are added up instead, and have nothing to do with the extent.
    pub added: Vec<usize>,
}

/// How an axis is divided.
#[derive(Clone, Debug, PartialEq)]
pub enum Division {
    /// What is made for a tile fits into a cache: for each index, so many elements.
    Tiles(Size),
    /// Every thread has a share, if it is worth it: for each index, so many operations.
    Shares(Size),
}

impl Division {
    /// What is said of each index.
    pub fn each(&self) -> &Size {
        match self {
            Division::Tiles(each) | Division::Shares(each) => each,
        }
    }
}

impl Tiles {
    /// The parameter that is the first index of a tile.
    pub fn first(&self) -> Var {
        Var(self.given.len() as u32)
    }

    /// The parameter that says how many indices it has.
    pub fn length(&self) -> Var {
        Var(self.given.len() as u32 + 1)
    }
}
