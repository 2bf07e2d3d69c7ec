//! How a Jacobian is laid out: in which direction it is computed, and which arrays hold its blocks,
//! each of one result by one parameter.

/// Which derivatives of a program come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Columns: tangents of all results, for each element of a parameter.
    Forward,
    /// Rows: cotangents of all parameters, for each element of a result.
    Reverse,
}

/// One array of a Jacobian.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// A block, at these first places of the result.
    Block {
        /// The number of the result, among those that are real.
        row: usize,
        /// The number of the differentiated parameter.
        column: usize,
        /// Where along the first axes of the result.
        at: Vec<i64>,
    },
    /// One array that holds the block of each listed result by each listed parameter.
    Stacked(Side, Side),
}

/// Results or parameters that are one array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    /// The lengths, where they are not those of its only part.
    pub lengths: Vec<Option<i64>>,
    /// Its parts.
    pub parts: Vec<Placed>,
}

/// A result or parameter in an array: its number, and for each axis of the array the first place
/// and how far apart there the elements along each of its own axes are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The number of the result or parameter.
    pub leaf: usize,
    /// For each axis of the array.
    pub at: Vec<(i64, Vec<i64>)>,
}

impl Side {
    /// One result or parameter of some rank, as it is.
    pub fn single(leaf: usize, rank: usize) -> Side {
        let unit = |axis: usize| (0..rank).map(|k| i64::from(k == axis)).collect();
        Side {
            lengths: vec![None; rank],
            parts: vec![Placed {
                leaf,
                at: (0..rank).map(|axis| (0, unit(axis))).collect(),
            }],
        }
    }

    /// Whether it is one result or parameter as it is.
    pub(crate) fn is_single(&self) -> bool {
        let [part] = &self.parts[..] else {
            return false;
        };
        self.parts == Side::single(part.leaf, self.lengths.len()).parts
    }
}
