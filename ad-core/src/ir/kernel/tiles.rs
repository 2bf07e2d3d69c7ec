//! Steps that are taken for some indices of an axis at a time.

use super::{Out, Program};
use crate::ir::bulk::Var;
use crate::ir::ty::Size;

/// Steps that are taken for a few neighbouring indices of an axis, then for the next few, and so on. The tiles depend on
/// nothing of each other, so their order means nothing, nor how many indices one has.
#[derive(Clone, Debug, PartialEq)]
pub struct Tiles {
    /// What is done for a tile. Its parameters are what is given, then the first index, and how many there are. Its
    /// results are of that length along their first axes. In sizes, lengths and integer arguments are
    /// those of the function.
    pub body: Program,
    /// What it is given, whole.
    pub given: Vec<Var>,
    /// How many indices there are.
    pub extent: Size,
    /// How many elements of arrays are made for each index.
    pub each: Size,
    /// All results, side by side along their first axes.
    pub outs: Vec<Out>,
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
