//! Lists of arrays of one shape as one array, and back.

use super::pool::{self, Room};
use ndarray::{Array, ArrayView, Dimension, RemoveAxis};

/// The arrays of a list as one, in memory that is kept for the next one.
#[derive(Debug)]
pub struct Stacked<T, D> {
    elements: Room<T>,
    shape: D,
}

impl<T, D: Dimension> Stacked<T, D> {
    /// All of it.
    ///
    /// # Panics
    ///
    /// Never: there are as many elements as the shape says.
    #[must_use]
    pub fn view(&self) -> ArrayView<'_, T, D> {
        ArrayView::from_shape(self.shape.clone(), &self.elements.0)
            .expect("there are as many as the shape says")
    }
}

/// The arrays of a list along an axis in front. The lengths of a list without arrays are 0.
///
/// # Panics
///
/// Panics if the arrays have different shapes.
#[must_use]
#[track_caller]
pub fn stacked<'a, T: Copy + 'a, D: Dimension>(
    arrays: impl Iterator<Item = ArrayView<'a, T, D>>,
) -> Stacked<T, D::Larger> {
    let arrays: Vec<_> = arrays.collect();
    let mut shape = D::Larger::zeros(D::NDIM.unwrap_or(0) + 1);
    if let Some(first) = arrays.first() {
        shape[0] = arrays.len();
        shape.slice_mut()[1..].copy_from_slice(first.shape());
    }
    let mut elements = pool::with_capacity(shape.size());
    for one in &arrays {
        assert_eq!(
            &shape.slice()[1..],
            one.shape(),
            "the arrays of a list of any length must have one shape"
        );
        append(&mut elements, one);
    }
    Stacked {
        elements: Room(elements),
        shape,
    }
}

/// Appends the elements of an array, in the order of its axes.
fn append<T: Copy, D: Dimension>(elements: &mut Vec<T>, one: &ArrayView<'_, T, D>) {
    match one.as_slice() {
        Some(all) => elements.extend_from_slice(all),
        None => elements.extend(one.iter()),
    }
}

/// Checks that the tangent `name` agrees with what it belongs to in lengths or places.
///
/// # Panics
///
/// Panics if they are not.
#[track_caller]
pub fn same(what: &str, name: &str, given: &[usize], expected: &[usize]) {
    assert_eq!(given, expected, "{what} of `{name}`");
}

/// The parts of an array along its first axis.
///
/// # Panics
///
/// Never: each part has as many elements as its shape says.
#[must_use]
pub fn unstacked<T: Copy, D: RemoveAxis>(whole: Array<T, D>) -> Vec<Array<T, D::Smaller>> {
    let parts = whole.outer_iter().map(|one| {
        let mut elements = pool::with_capacity(one.len());
        append(&mut elements, &one);
        Array::from_shape_vec(one.raw_dim(), elements).expect("as many as the shape says")
    });
    let parts = parts.collect();
    pool::give(whole.into_raw_vec_and_offset().0);
    parts
}
