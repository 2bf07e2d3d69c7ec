//! [`Sparse`] as an argument of annotated functions: a struct whose values are real, and the methods
//! that a body may call.

use crate::kernels::{Fields, Made, Refill};
use crate::{Differentiable, Parameters, Sparse};
use ndarray::linalg::Dot;
use ndarray::{Array1, Array2, ArrayBase, ArrayRef, Axis, Data, Dimension as _, Ix1, Ix2};

/// What annotated functions know of a [`Sparse`].
#[doc(hidden)]
#[macro_export]
macro_rules! Sparse {
    (($($resume:tt)*) $($state:tt)*) => {
        $($resume)* ! { $($state)* "struct { struct CotangentSparse {
            rows: Vec<usize>, columns: Vec<usize>, values: Vec<f64>, shape: (usize, usize),
        } }" }
    };
}

impl Sparse {
    /// The product with a vector or a matrix. It costs the entries, whatever the length of rows.
    ///
    /// The product from the other side is `x.dot(&a)`.
    ///
    /// ```
    /// # extern crate cotangent_runtime as cotangent;
    /// let a = cotangent::Sparse {
    ///     rows: vec![0, 2],
    ///     columns: vec![1, 0],
    ///     values: vec![5.0, 7.0],
    ///     shape: (3, 2),
    /// };
    /// let x = ndarray::array![10.0, 1.0];
    /// assert_eq!(a.dot(&x), ndarray::array![5.0, 0.0, 70.0]);
    /// assert_eq!(ndarray::array![1.0, 2.0, 3.0].dot(&a), ndarray::array![21.0, 5.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// Panics if the operand has not a row for each column.
    pub fn dot<Rhs: ?Sized>(&self, rhs: &Rhs) -> <Self as Dot<Rhs>>::Output
    where
        Self: Dot<Rhs>,
    {
        Dot::dot(self, rhs)
    }

    /// The entries: row, column and value of each.
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        let places = self.rows.iter().zip(&self.columns).zip(&self.values);
        places.map(|((&i, &j), &x)| (i, j, x))
    }
}

#[track_caller]
fn same_length(rows: usize, columns: usize) {
    assert!(
        rows == columns,
        "a product of a matrix with {columns} columns and an array with {rows} rows"
    );
}

impl<S: Data<Elem = f64>> Dot<ArrayBase<S, Ix1>> for Sparse {
    type Output = Array1<f64>;

    #[track_caller]
    fn dot(&self, x: &ArrayBase<S, Ix1>) -> Array1<f64> {
        same_length(x.len(), self.shape.1);
        let mut out = Array1::zeros(self.shape.0);
        self.iter().for_each(|(i, j, a)| out[i] += a * x[j]);
        out
    }
}

impl<S: Data<Elem = f64>> Dot<ArrayBase<S, Ix2>> for Sparse {
    type Output = Array2<f64>;

    #[track_caller]
    fn dot(&self, x: &ArrayBase<S, Ix2>) -> Array2<f64> {
        same_length(x.nrows(), self.shape.1);
        let mut out = Array2::zeros((self.shape.0, x.ncols()));
        for (i, j, a) in self.iter() {
            out.row_mut(i).scaled_add(a, &x.row(j));
        }
        out
    }
}

/// A dense array times a sparse matrix, over the last axis of the array.
macro_rules! dense_times_sparse {
    ($($dimension:ty => $output:ident)*) => {$(
        impl Dot<Sparse> for ArrayRef<f64, $dimension> {
            type Output = $output<f64>;

            #[track_caller]
            fn dot(&self, a: &Sparse) -> $output<f64> {
                let last = Axis(self.ndim() - 1);
                same_length(a.shape.0, self.len_of(last));
                let mut shape = self.raw_dim();
                shape.slice_mut()[last.0] = a.shape.1;
                let mut out = $output::zeros(shape);
                for (i, j, x) in a.iter() {
                    out.index_axis_mut(last, j).scaled_add(x, &self.index_axis(last, i));
                }
                out
            }
        }
    )*};
}
dense_times_sparse!(Ix1 => Array1 Ix2 => Array2);

impl Differentiable for Sparse {}

type Stored = (Vec<usize>, Vec<usize>, Vec<f64>, (usize, usize));

type Borrowed<'a> = (
    &'a Vec<usize>,
    &'a Vec<usize>,
    &'a Vec<f64>,
    &'a (usize, usize),
);

impl<'a> Fields<'a, Borrowed<'a>> for Sparse {
    fn fields(&'a self) -> Borrowed<'a> {
        (&self.rows, &self.columns, &self.values, &self.shape)
    }
}

impl Made<Stored> for Sparse {
    fn made((rows, columns, values, shape): Stored) -> Self {
        Sparse {
            rows,
            columns,
            values,
            shape,
        }
    }
}

impl Sparse {
    #[track_caller]
    fn with_places_of<'a>(&self, other: &'a Sparse) -> &'a Vec<f64> {
        assert!(
            self.shape == other.shape && self.rows == other.rows && self.columns == other.columns,
            "two sparse matrices have entries at different places"
        );
        &other.values
    }
}

impl Refill for Sparse {
    #[track_caller]
    fn refill(&mut self, from: Self) {
        self.with_places_of(&from);
        self.values.refill(from.values);
    }
}

/// The values of the entries.
impl Parameters for Sparse {
    fn count(&self) -> usize {
        self.values.len()
    }

    fn each_real(&self, f: &mut impl FnMut(f64)) {
        self.values.each_real(f);
    }

    fn each_real_mut(&mut self, f: &mut impl FnMut(&mut f64)) {
        self.values.each_real_mut(f);
    }

    #[track_caller]
    fn each_pair(&self, other: &Self, f: &mut impl FnMut(f64, f64)) {
        self.values.each_pair(self.with_places_of(other), f);
    }

    #[track_caller]
    fn each_pair_mut(&mut self, other: &Self, f: &mut impl FnMut(&mut f64, f64)) {
        let others = self.with_places_of(other);
        self.values.each_pair_mut(others, f);
    }

    fn copied_with(&self, f: &mut impl FnMut(f64) -> f64) -> Self {
        Sparse {
            values: self.values.copied_with(f),
            ..self.clone()
        }
    }

    fn push_names(&self, path: &str, names: &mut Vec<String>) {
        names.extend(self.iter().map(|(i, j, _)| format!("{path}[[{i}, {j}]]")));
    }
}
