//! Arguments with axes of length 1 that arithmetic between arrays repeats, as ndarray does.

use super::{Dense, Input, Storage, input, pool};
use ndarray::{ArrayView, Axis, Dim, Dimension};
use std::ops::Add;

/// The length that operands of these lengths have together: those of length 1 are repeated.
#[inline]
#[must_use]
pub fn common<const K: usize>(lengths: [i64; K]) -> i64 {
    lengths.into_iter().find(|n| *n != 1).unwrap_or(1)
}

/// The argument `name`, with each axis of length 1 repeated as often as all of its operands `to`
/// say, if they say the same.
///
/// # Panics
///
/// Panics if `N` is not the rank.
#[inline]
#[must_use]
#[track_caller]
pub fn repeated<'a, T: Clone, D: Dimension, const N: usize>(
    name: &'static str,
    x: ArrayView<'a, T, D>,
    to: [&[i64]; N],
) -> Input<'a, T, N> {
    match x.shape().contains(&1) {
        true => with_ones(name, x, &to),
        false => input(name, x),
    }
}

#[track_caller]
fn with_ones<'a, T: Clone, D: Dimension, const N: usize>(
    name: &'static str,
    x: ArrayView<'a, T, D>,
    to: &[&[i64]; N],
) -> Input<'a, T, N> {
    let mut shape = x.raw_dim();
    for (axis, to) in to.iter().enumerate().take(x.ndim()) {
        if let [n, rest @ ..] = to
            && x.len_of(Axis(axis)) == 1
            && rest.iter().all(|other| other == n)
        {
            shape[axis] = usize::try_from(*n).unwrap_or(0);
        }
    }
    wide(name, x, shape.slice())
}

/// The tangent `name` of an argument that had the shape `of` and has `shape` now.
///
/// # Panics
///
/// Panics if the argument was repeated and the tangent has not the shape that it had.
#[must_use]
#[track_caller]
pub fn repeated_like<'a, T: Clone, D: Dimension, const N: usize>(
    name: &'static str,
    x: ArrayView<'a, T, D>,
    of: &D,
    shape: [i64; N],
) -> Input<'a, T, N> {
    let shape = shape.map(|n| usize::try_from(n).unwrap_or(0));
    if of.slice() == shape {
        return input(name, x);
    }
    let (own, of) = (x.shape(), of.slice());
    assert_eq!(own, of, "the shape of `{name}` is not that of its argument");
    wide(name, x, &shape)
}

#[track_caller]
fn wide<'a, T: Clone, D: Dimension, const N: usize>(
    name: &'static str,
    x: ArrayView<'a, T, D>,
    to: &[usize],
) -> Input<'a, T, N> {
    let mut x = input(name, x);
    for (axis, &n) in to.iter().enumerate().rev() {
        if x.shape[axis] == n {
            continue;
        }
        let inner: usize = x.shape[axis + 1..].iter().product();
        let once = x.view().data;
        let mut data = pool::with_capacity(once.len() * n);
        match inner {
            1 => {
                for one in once {
                    data.resize(data.len() + n, one.clone());
                }
            }
            _ => {
                for row in once.chunks(inner.max(1)) {
                    for _ in 0..n {
                        data.extend_from_slice(row);
                    }
                }
            }
        }
        x.data = Storage::Copied(pool::Room(data));
        x.shape[axis] = n;
    }
    x
}

/// The sums of an array along the axes that were repeated, if what it belongs to had this shape.
#[inline]
#[must_use]
pub fn summed_to<T, const N: usize>(x: Dense<T, N>, shape: &Dim<[usize; N]>) -> Dense<T, N>
where
    T: Copy + Default + Add<Output = T>,
    Dim<[usize; N]>: Dimension,
{
    match x.shape[..] == *shape.slice() {
        true => x,
        false => sums_along(x, shape),
    }
}

fn sums_along<T, const N: usize>(mut x: Dense<T, N>, shape: &Dim<[usize; N]>) -> Dense<T, N>
where
    T: Copy + Default + Add<Output = T>,
    Dim<[usize; N]>: Dimension,
{
    for axis in 0..N {
        if shape.slice()[axis] != 1 || x.shape[axis] == 1 {
            continue;
        }
        let inner: usize = x.shape[axis + 1..].iter().product();
        let outer: usize = x.shape[..axis].iter().product();
        let mut sums = pool::with_capacity(outer * inner);
        sums.resize(outer * inner, T::default());
        let rows = x.shape[axis] * inner;
        if rows > 0 {
            for (block, sums) in x.data.chunks(rows).zip(sums.chunks_mut(inner)) {
                for row in block.chunks(inner) {
                    for (sum, x) in sums.iter_mut().zip(row) {
                        *sum = *sum + *x;
                    }
                }
            }
        }
        let mut shape = x.shape;
        shape[axis] = 1;
        x = Dense {
            data: sums,
            shape,
            name: x.name,
        };
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, Array3};

    fn array(shape: [usize; 3]) -> Array3<f64> {
        let count = shape.iter().product::<usize>();
        let data = (0..count).map(|k| k as f64).collect();
        Array3::from_shape_vec(shape, data).expect("as many as there are")
    }

    #[test]
    fn axes_of_one_are_repeated() {
        let x = array([1, 3, 1]);
        let all = repeated::<_, _, 3>("x", x.view(), [&[4, 4], &[], &[2]]);
        assert_eq!(all.view().shape, [4, 3, 2]);
        let wanted = x.broadcast((4, 3, 2)).expect("these repeat");
        assert!(all.view().data.iter().eq(wanted.iter()));
        // Operands that differ are left to the checks on entry, and so are other lengths.
        let none = repeated::<_, _, 3>("x", x.view(), [&[4, 5], &[6], &[1]]);
        assert_eq!(none.view().shape, [1, 3, 1]);
        assert_eq!(common([1, 0, 1]), 0);
        assert_eq!(common([1, 1]), 1);
    }

    #[test]
    fn sums_have_the_shape_that_was() {
        for [a, b, c] in [[4, 3, 2], [1, 9, 65], [0, 3, 2], [5, 0, 2]] {
            let x = array([a, b, c]);
            let dense = crate::kernels::copied(input::<_, _, 3>("x", x.view()).view());
            let summed = summed_to(dense, &Dim([1, b, 1])).into_array();
            let wanted = x.sum_axis(Axis(0)).insert_axis(Axis(0));
            let wanted = wanted.sum_axis(Axis(2)).insert_axis(Axis(2));
            assert_eq!(summed, wanted);
        }
    }

    #[test]
    #[should_panic(expected = "the shape of `b_tangent` is not that of its argument")]
    fn tangents_have_the_shape_that_was() {
        let tangent = Array2::<f64>::zeros((3, 2));
        let of = Dim([1, 2]);
        let _ = repeated_like::<_, _, 2>("b_tangent", tangent.view(), &of, [3, 2]);
    }
}
