//! Copies of arrays with another axis as the last one.
//!
//! ```text
//! out[i, k, j] = x[i, j, k]
//! ```
//!
//! Loops along that axis read neighbours there. Element by element such a copy takes as long as
//! many sums do: what lies side by side on one side does not on the other. So it is made square by
//! square.

use super::contract::Part;
use super::{Dense, zeros_of};
use crate::Real;

/// The rows and columns of a square: they fit into registers.
const SIDE: usize = 4;

/// An array, or a part of one, with one axis behind all others.
///
/// # Panics
///
/// Panics if it has no such axis, and if it is a part that is not inside of its array, unless that
/// has no elements.
#[must_use]
#[track_caller]
pub fn across<'a, T: Real, const N: usize>(
    x: impl Into<Part<'a, T, N>>,
    axis: usize,
) -> Dense<T, N> {
    let x = x.into().checked();
    let mut order = [0; N];
    let others = (0..N).filter(|&k| k != axis).chain([axis]);
    for (to, from) in order.iter_mut().zip(others) {
        *to = from;
    }
    let shape = order.map(|k| x.shape[k]);
    let mut out = zeros_of(shape.map(|n| n as i64));
    let (rows, step) = (x.shape[axis], x.strides[axis]);
    let (columns, outer) = match axis + 1 == N {
        true => (1, &order[..N - 1]),
        false => (x.shape[N - 1], &order[..N - 2]),
    };
    if rows == 0 || columns == 0 {
        return out;
    }
    for (n, out) in out.data.chunks_exact_mut(rows * columns).enumerate() {
        let (mut first, mut rest) = (0, n);
        for &k in outer.iter().rev() {
            first += rest % x.shape[k] * x.strides[k];
            rest /= x.shape[k];
        }
        let (from, size) = (&x.data[first..], [rows, columns]);
        assert!((rows - 1) * step + columns <= from.len(), "a matrix");
        // SAFETY: the last row ends inside of what is read, and what is written has as many
        // elements.
        if !unsafe { T::by_columns(from.as_ptr(), step, size, out.as_mut_ptr()) } {
            transpose(from, step, size, out);
        }
    }
    out
}

/// Writes a matrix whose rows begin so far from each other, by columns.
fn transpose<T: Real>(from: &[T], step: usize, [rows, columns]: [usize; 2], to: &mut [T]) {
    let row = |i: usize| &from[i * step..][..columns];
    let whole = rows / SIDE * SIDE;
    for i in (0..whole).step_by(SIDE) {
        let some: [&[T]; SIDE] = std::array::from_fn(|k| row(i + k));
        let mut j = 0;
        while j + SIDE <= columns {
            let square: [[T; SIDE]; SIDE] =
                some.map(|row| std::array::from_fn(|k| row[j..j + SIDE][k]));
            for k in 0..SIDE {
                let column = square.map(|row| row[k]);
                to[(j + k) * rows + i..][..SIDE].copy_from_slice(&column);
            }
            j += SIDE;
        }
        for j in j..columns {
            let column = some.map(|row| row[j]);
            to[j * rows + i..][..SIDE].copy_from_slice(&column);
        }
    }
    for i in whole..rows {
        for (j, &x) in row(i).iter().enumerate() {
            to[j * rows + i] = x;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::build;
    use super::*;

    /// Each element is where it belongs, for all lengths around whole squares.
    #[test]
    fn elements_are_where_they_belong() {
        for [a, b, c] in [[2, 3, 1], [1, 9, 7], [3, 4, 8], [2, 17, 5], [5, 1, 22]] {
            let x = build([a, b, c], |[i, j, k]| (100 * (10 * i + j) + k) as f64);
            let x = x.view();
            let all = across(x.part([0; 3], [a, b, c]), 1);
            let wanted = build([a, c, b], |[i, k, j]| x[[i, j, k]]);
            assert_eq!(all.into_array(), wanted.into_array());
            let first = across(x.part([0; 3], [a, b, c]), 0);
            let wanted = build([b, c, a], |[j, k, i]| x[[i, j, k]]);
            assert_eq!(first.into_array(), wanted.into_array());
            let same = across(x.part([0; 3], [a, b, c]), 2);
            let wanted = build([a, b, c], |at| x[at]);
            assert_eq!(same.into_array(), wanted.into_array());
            let some = across(x.part([0, b / 2, c / 3], [a, b - b / 2, c - c / 3]), 1);
            let wanted = build([a, c - c / 3, b - b / 2], |[i, k, j]| {
                x[[i, j + b / 2, k + c / 3]]
            });
            assert_eq!(some.into_array(), wanted.into_array());
        }
    }

    #[test]
    fn nothing_is_copied_from_anywhere() {
        let x = build([2, 3], |_| 1.0);
        let none = across(x.view().part([7, 0], [0, 9]), 0);
        assert_eq!(none.into_array().dim(), (9, 0));
    }

    #[test]
    #[should_panic(expected = "outside")]
    fn what_is_copied_is_there() {
        let x = build([2, 3], |_| 1.0);
        let _ = across(x.view().part([1, 0], [2, 3]), 0);
    }
}
