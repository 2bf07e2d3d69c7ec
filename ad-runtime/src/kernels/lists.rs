//! Lists of arrays of one shape as one array, and back.

use ndarray::{Array, ArrayView, Axis, Dimension, RemoveAxis};

/// The arrays of a list along an axis in front. The lengths of a list without arrays are 0.
///
/// # Panics
///
/// Panics if the arrays have different shapes.
#[must_use]
#[track_caller]
pub fn stacked<'a, T: Clone + 'a, D>(
    arrays: impl Iterator<Item = ArrayView<'a, T, D>>,
) -> Array<T, D::Larger>
where
    D: Dimension,
    D::Larger: RemoveAxis,
{
    let arrays: Vec<_> = arrays.collect();
    let Some(first) = arrays.first() else {
        let rank = D::NDIM.unwrap_or(0) + 1;
        let empty = Array::from_shape_vec(D::Larger::zeros(rank), vec![]);
        return empty.expect("an array of shape [0, ..] has no elements");
    };
    for other in &arrays {
        assert_eq!(
            first.shape(),
            other.shape(),
            "the arrays of a list of any length must have one shape"
        );
    }
    ndarray::stack(Axis(0), &arrays).expect("the shapes are the same")
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
#[must_use]
pub fn unstacked<T: Clone, D: RemoveAxis>(whole: &Array<T, D>) -> Vec<Array<T, D::Smaller>> {
    whole.outer_iter().map(|one| one.to_owned()).collect()
}
