//! Sparse matrices as lists of their entries, and colourings of their columns.

use ndarray::Array2;

/// A sparse matrix as the list of its entries: by rows, within a row by columns, each place once.
///
/// What is listed is the structure: where an entry may be other than zero. So an entry that happens
/// to be zero is listed, and matrices of one function at other points have entries at the same
/// places, unless the function branches, or reads at other indices.
///
/// ```
/// # extern crate cotangent_runtime as cotangent;
/// let m = cotangent::Sparse {
///     rows: vec![0, 2],
///     columns: vec![1, 0],
///     values: vec![5.0, 7.0],
///     shape: (3, 2),
/// };
/// assert_eq!(m.to_dense(), ndarray::array![[0.0, 5.0], [0.0, 0.0], [7.0, 0.0]]);
/// assert_eq!(m.to_csr(), (vec![0, 1, 1, 2], vec![1, 0], vec![5.0, 7.0]));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sparse {
    /// The row of each entry.
    pub rows: Vec<usize>,
    /// The column of each entry.
    pub columns: Vec<usize>,
    /// The entries.
    pub values: Vec<f64>,
    /// The number of rows and of columns.
    pub shape: (usize, usize),
}

impl Sparse {
    /// The matrix with all its zeros.
    #[must_use]
    pub fn to_dense(&self) -> Array2<f64> {
        let mut out = Array2::zeros(self.shape);
        for ((&i, &j), x) in self.rows.iter().zip(&self.columns).zip(&self.values) {
            out[[i, j]] += x;
        }
        out
    }

    /// Compressed sparse rows: where each row starts in the other two, and where the last one ends;
    /// the columns; the values.
    #[must_use]
    pub fn to_csr(&self) -> (Vec<usize>, Vec<usize>, Vec<f64>) {
        let mut starts = vec![0; self.shape.0 + 1];
        for &i in &self.rows {
            starts[i + 1] += 1;
        }
        for i in 0..self.shape.0 {
            starts[i + 1] += starts[i];
        }
        (starts, self.columns.clone(), self.values.clone())
    }

    /// A colour for each column, such that no row has entries in two columns of one colour, and how
    /// many colours there are. Columns of one colour can be computed as one product of the Jacobian
    /// with the sum of their unit vectors, a row of [`Sparse::seeds`].
    ///
    /// Columns take the first colour that is free, those with the most entries first.
    ///
    /// ```
    /// # extern crate cotangent_runtime as cotangent;
    /// let tridiagonal = cotangent::Sparse {
    ///     rows: vec![0, 0, 1, 1, 1, 2, 2, 2, 3, 3],
    ///     columns: vec![0, 1, 0, 1, 2, 1, 2, 3, 2, 3],
    ///     values: vec![0.0; 10],
    ///     shape: (4, 4),
    /// };
    /// let (colours, count) = tridiagonal.colouring();
    /// assert_eq!(count, 3);
    /// assert_eq!(colours[0], colours[3]);
    /// ```
    #[must_use]
    pub fn colouring(&self) -> (Vec<usize>, usize) {
        const NONE: usize = usize::MAX;
        let (rows, columns) = self.shape;
        let (starts, by_row, _) = self.to_csr();
        let mut first = vec![0; columns + 1];
        for &j in &self.columns {
            first[j + 1] += 1;
        }
        let entries: Vec<usize> = first[1..].to_vec();
        for j in 0..columns {
            first[j + 1] += first[j];
        }
        let (mut next, mut by_column) = (first.clone(), vec![0; by_row.len()]);
        for (&i, &j) in self.rows.iter().zip(&self.columns) {
            by_column[next[j]] = i;
            next[j] += 1;
        }
        let mut order: Vec<usize> = (0..columns).collect();
        order.sort_by_key(|&j| std::cmp::Reverse(entries[j]));
        debug_assert_eq!(starts.len(), rows + 1);
        let mut colours = vec![NONE; columns];
        // The last column that met each colour.
        let mut met: Vec<usize> = vec![];
        for &j in &order {
            for &i in &by_column[first[j]..first[j + 1]] {
                for &k in &by_row[starts[i]..starts[i + 1]] {
                    if colours[k] != NONE {
                        met[colours[k]] = j;
                    }
                }
            }
            let free = met.iter().position(|last| *last != j);
            colours[j] = free.unwrap_or(met.len());
            if free.is_none() {
                met.push(NONE);
            }
        }
        (colours, met.len())
    }

    /// For each colour the sum of the unit vectors of its columns: the tangents whose products with
    /// the Jacobian are its columns, compressed.
    ///
    /// ```
    /// # extern crate cotangent_runtime as cotangent;
    /// let m = cotangent::Sparse { shape: (2, 3), ..Default::default() };
    /// let seeds = m.seeds(&[0, 1, 0]);
    /// assert_eq!(seeds, ndarray::array![[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]);
    /// ```
    #[must_use]
    pub fn seeds(&self, colours: &[usize]) -> Array2<f64> {
        let count = colours.iter().max().map_or(0, |most| most + 1);
        let mut out = Array2::zeros((count, self.shape.1));
        for (j, &colour) in colours.iter().enumerate() {
            out[[colour, j]] = 1.0;
        }
        out
    }

    /// The Jacobian of this pattern, given its products with the [`Sparse::seeds`] of a colouring,
    /// one in each row of `compressed`.
    ///
    /// # Panics
    ///
    /// Panics if `compressed` has not a row for each colour, and a column for each row of the
    /// matrix.
    ///
    /// ```
    /// # extern crate cotangent_runtime as cotangent;
    /// let pattern = cotangent::Sparse {
    ///     rows: vec![0, 1],
    ///     columns: vec![0, 1],
    ///     values: vec![0.0; 2],
    ///     shape: (2, 2),
    /// };
    /// let (colours, count) = pattern.colouring();
    /// assert_eq!(count, 1);
    /// let j = pattern.decompressed(&colours, &ndarray::array![[5.0, 7.0]]);
    /// assert_eq!(j.to_dense(), ndarray::array![[5.0, 0.0], [0.0, 7.0]]);
    /// ```
    #[must_use]
    pub fn decompressed(&self, colours: &[usize], compressed: &Array2<f64>) -> Sparse {
        let places = self.rows.iter().zip(&self.columns);
        Sparse {
            values: places.map(|(&i, &j)| compressed[[colours[j], i]]).collect(),
            ..self.clone()
        }
    }
}

/// Compressed sparse columns of [`faer`], for its factorisations; feature `faer`.
///
/// ```
/// # extern crate cotangent_runtime as cotangent;
/// use faer::sparse::SparseColMat;
///
/// let m = cotangent::Sparse {
///     rows: vec![0, 2],
///     columns: vec![1, 0],
///     values: vec![5.0, 7.0],
///     shape: (3, 2),
/// };
/// let m = SparseColMat::from(&m);
/// assert_eq!((m.nrows(), m.ncols()), (3, 2));
/// assert_eq!(m.get(2, 0), Some(&7.0));
/// ```
#[cfg(feature = "faer")]
impl From<&Sparse> for faer::sparse::SparseColMat<usize, f64> {
    /// # Panics
    ///
    /// Panics if a place is outside of the shape.
    fn from(m: &Sparse) -> Self {
        let places = m.rows.iter().zip(&m.columns).zip(&m.values);
        let entries: Vec<_> = places
            .map(|((&row, &col), &val)| faer::sparse::Triplet { row, col, val })
            .collect();
        let (rows, columns) = m.shape;
        faer::sparse::SparseColMat::try_new_from_triplets(rows, columns, &entries)
            .unwrap_or_else(|error| panic!("no sparse matrix of `faer`: {error:?}"))
    }
}

/// Compressed sparse rows of [`sprs`]; feature `sprs`.
///
/// ```
/// # extern crate cotangent_runtime as cotangent;
/// let m = cotangent::Sparse {
///     rows: vec![0, 2],
///     columns: vec![1, 0],
///     values: vec![5.0, 7.0],
///     shape: (3, 2),
/// };
/// let m = sprs::CsMat::from(&m);
/// assert_eq!(m.shape(), (3, 2));
/// assert_eq!(m.get(2, 0), Some(&7.0));
/// ```
#[cfg(feature = "sprs")]
impl From<&Sparse> for sprs::CsMat<f64> {
    /// # Panics
    ///
    /// Panics if places are outside of the shape, or not in order.
    fn from(m: &Sparse) -> Self {
        let (starts, columns, values) = m.to_csr();
        sprs::CsMat::new(m.shape, starts, columns, values)
    }
}
