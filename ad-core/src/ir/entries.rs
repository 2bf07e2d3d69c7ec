//! What a sparse matrix is assembled from: blocks of values, and where their elements belong.

use super::bulk::Affine;
use super::ty::Size;

/// Entries over a common domain: the axes of an array of values.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Which of the real results of the primal the rows belong to.
    pub output: usize,
    /// Which of the differentiated parameters the columns belong to.
    pub input: usize,
    /// The position in the result, one component for each of its axes.
    pub row: Vec<Component>,
    /// The position in the parameter.
    pub column: Vec<Component>,
    /// Whether a bool array says where there are entries: the axes of the domain that it has.
    pub present: Option<Vec<usize>>,
}

/// A component of the position of an entry.
#[derive(Clone, Debug, PartialEq)]
pub enum Component {
    /// Affine in the axes of the domain.
    Affine(Affine),
    /// Read from an integer array, which has these axes of the domain.
    Data(Vec<usize>),
}

impl Block {
    /// How many results of the program it is made of.
    pub fn results(&self) -> usize {
        let data = self.row.iter().chain(&self.column);
        let data = data.filter(|c| matches!(c, Component::Data(_)));
        1 + data.count() + usize::from(self.present.is_some())
    }

    /// Calls `f` on every size in its maps.
    pub fn visit_sizes(&self, f: &mut dyn FnMut(&Size)) {
        for c in self.row.iter().chain(&self.column) {
            if let Component::Affine(a) = c {
                a.coefs.iter().for_each(&mut *f);
                f(&a.constant);
            }
        }
    }
}
