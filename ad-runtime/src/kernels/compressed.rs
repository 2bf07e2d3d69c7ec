//! Matrices of sprs as structs of arrays; feature `sprs`.

use super::{Fields, Made, Refill};
use crate::{Differentiable, Real};
use sprs::{CsMat, CsMatBase};
use std::borrow::Cow;
use std::ops::Deref;

/// What a matrix of sprs stores, and the place of each entry.
#[derive(Debug)]
pub struct Compressed<'a, N> {
    starts: Vec<usize>,
    lengths: Vec<usize>,
    inner: &'a [usize],
    rows: Cow<'a, [usize]>,
    columns: Cow<'a, [usize]>,
    values: &'a [N],
    nrows: usize,
    ncols: usize,
    is_csr: bool,
}

/// What a matrix stores; if `places` says so, with the row and the column of each entry.
pub fn compressed<N, P, I, D>(m: &CsMatBase<N, usize, P, I, D>, places: bool) -> Compressed<'_, N>
where
    P: Deref<Target = [usize]>,
    I: Deref<Target = [usize]>,
    D: Deref<Target = [N]>,
{
    let inner = m.indices();
    let (mut starts, mut lengths) = (vec![], vec![]);
    let mut outer = Vec::with_capacity(if places { inner.len() } else { 0 });
    for (i, range) in m.indptr().iter_outer_sz().enumerate() {
        starts.push(range.start);
        lengths.push(range.len());
        if places {
            outer.resize(range.end, i);
        }
    }
    let (outer, within) = (Cow::Owned(outer), Cow::Borrowed(inner));
    let (rows, columns) = match m.is_csr() {
        true => (outer, within),
        false => (within, outer),
    };
    Compressed {
        starts,
        lengths,
        inner,
        rows,
        columns,
        values: m.data(),
        nrows: m.rows(),
        ncols: m.cols(),
        is_csr: m.is_csr(),
    }
}

/// References to what is stored.
type Stored<'b, 'a, N> = (
    &'b Vec<usize>,
    &'b Vec<usize>,
    &'b &'a [usize],
    &'b Cow<'a, [usize]>,
    &'b Cow<'a, [usize]>,
    &'b &'a [N],
    &'b usize,
    &'b usize,
    &'b bool,
);

impl<'b, 'a, N> Fields<'b, Stored<'b, 'a, N>> for Compressed<'a, N> {
    fn fields(&'b self) -> Stored<'b, 'a, N> {
        (
            &self.starts,
            &self.lengths,
            &self.inner,
            &self.rows,
            &self.columns,
            &self.values,
            &self.nrows,
            &self.ncols,
            &self.is_csr,
        )
    }
}

/// What is stored, by value.
type Owned<N> = (
    Vec<usize>,
    Vec<usize>,
    Vec<usize>,
    Vec<usize>,
    Vec<usize>,
    Vec<N>,
    usize,
    usize,
    bool,
);

impl<N> Made<Owned<N>> for CsMat<N> {
    fn made((mut starts, _, inner, _, _, values, nrows, ncols, is_csr): Owned<N>) -> Self {
        starts.push(values.len());
        of_storage((nrows, ncols), is_csr, starts, inner, values)
    }
}

fn of_storage<N>(
    shape: (usize, usize),
    is_csr: bool,
    starts: Vec<usize>,
    inner: Vec<usize>,
    values: Vec<N>,
) -> CsMat<N> {
    match is_csr {
        true => CsMat::new(shape, starts, inner, values),
        false => CsMat::new_csc(shape, starts, inner, values),
    }
}

/// A matrix with entries at the same places.
pub fn with_values<N, P, I, D>(m: &CsMatBase<N, usize, P, I, D>, values: Vec<N>) -> CsMat<N>
where
    P: Deref<Target = [usize]>,
    I: Deref<Target = [usize]>,
    D: Deref<Target = [N]>,
{
    let (starts, inner) = (m.proper_indptr().into_owned(), m.indices().to_vec());
    of_storage(m.shape(), m.is_csr(), starts, inner, values)
}

impl<N: Real> Differentiable for CsMat<N> {}

impl<N: Copy> Refill for CsMat<N> {
    #[track_caller]
    fn refill(&mut self, from: Self) {
        assert!(
            self.shape() == from.shape()
                && self.is_csr() == from.is_csr()
                && self.indices() == from.indices(),
            "a gradient is to be written into a sparse matrix with entries at other places"
        );
        self.data_mut().copy_from_slice(from.data());
    }
}
