//! Arrays of a few elements, as many as the program says: they are on the stack.
//!
//! Loops over them have lengths that the compiler knows where they are called, so that it unrolls
//! them and keeps the elements in registers if it likes.

use super::blocks::{Row, Stretch};
use super::loops::{inside, rows};
use super::{Dense, INTERMEDIATE, View, extent, fail, lengths, locate};
use crate::Real;
use ndarray::{Array, Dim, Dimension, IntoDimension};
use std::mem::MaybeUninit;
use std::ops::{Index, IndexMut};

/// An array of `LEN` elements that generated code computes.
#[derive(Clone, Debug)]
pub struct Small<T, const N: usize, const LEN: usize> {
    data: [T; LEN],
    // The lengths have the product `LEN`; unsafe code relies on that.
    shape: [usize; N],
    name: &'static str,
}

/// The lengths that these extents mean.
///
/// # Panics
///
/// Panics if there are not as many elements.
#[inline(always)]
#[track_caller]
fn lengths_of<const N: usize, const LEN: usize>(shape: [i64; N]) -> [usize; N] {
    let (shape, size) = lengths(shape);
    assert!(size == LEN, "{size} elements where there is room for {LEN}");
    shape
}

/// The array whose element at every index is `f` of it. `f` is called in row-major order.
///
/// # Panics
///
/// Panics if this shape has not as many elements as the array.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
#[must_use]
#[track_caller]
pub fn build_small<const LEN: usize, T: Copy, const N: usize>(
    shape: [i64; N],
    mut f: impl FnMut([i64; N]) -> T,
) -> Small<T, N, LEN> {
    let shape = lengths_of::<N, LEN>(shape);
    let length = shape.last().map_or(1, |&n| n);
    let mut data = [const { MaybeUninit::<T>::uninit() }; LEN];
    let mut place = 0;
    rows(shape, |start| {
        for j in 0..length {
            let mut at = start;
            if let Some(last) = at.last_mut() {
                *last = j as i64;
            }
            // SAFETY: rows start inside, and have as many elements as the last axis.
            unsafe { inside(at, shape) };
            data[place].write(f(at));
            place += 1;
        }
    });
    assert!(place == LEN, "rows cover the array");
    // SAFETY: all elements have been written, one after the other.
    let data = data.map(|x| unsafe { x.assume_init() });
    Small {
        data,
        shape,
        name: INTERMEDIATE,
    }
}

/// An array of this shape that is filled later.
///
/// # Panics
///
/// Panics if this shape has not as many elements as the array.
#[inline(always)]
#[must_use]
#[track_caller]
pub fn blank_small<T: Copy + Default, const N: usize, const LEN: usize>(
    shape: [i64; N],
) -> Small<T, N, LEN> {
    Small {
        data: [T::default(); LEN],
        shape: lengths_of::<N, LEN>(shape),
        name: INTERMEDIATE,
    }
}

/// Zeros.
///
/// # Panics
///
/// Panics if this shape has not as many elements as the array.
#[inline(always)]
#[must_use]
#[track_caller]
pub fn zeros_small<T: Real, const N: usize, const LEN: usize>(shape: [i64; N]) -> Small<T, N, LEN> {
    zeros_small_called(INTERMEDIATE, shape)
}

/// Zeros, with what panics call the array.
///
/// # Panics
///
/// Panics if this shape has not as many elements as the array.
#[inline(always)]
#[must_use]
#[track_caller]
pub fn zeros_small_called<T: Real, const N: usize, const LEN: usize>(
    name: &'static str,
    shape: [i64; N],
) -> Small<T, N, LEN> {
    Small {
        data: [T::nought(); LEN],
        shape: lengths_of::<N, LEN>(shape),
        name,
    }
}

/// A copy.
///
/// # Panics
///
/// Panics if there are not as many elements.
#[inline(always)]
#[must_use]
#[track_caller]
pub fn copied_small<const LEN: usize, T: Copy, const N: usize>(
    x: View<'_, T, N>,
) -> Small<T, N, LEN> {
    let Ok(data) = <[T; LEN]>::try_from(x.data) else {
        panic!("{} elements where there is room for {LEN}", x.data.len())
    };
    Small {
        data,
        shape: x.shape,
        name: INTERMEDIATE,
    }
}

impl<T, const N: usize, const LEN: usize> Small<T, N, LEN> {
    /// The length of an axis.
    #[inline(always)]
    #[must_use]
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self, axis: usize) -> i64 {
        let len = match N {
            1 => LEN,
            _ => self.shape[axis],
        };
        extent::<T>(len)
    }

    /// The array, for reading.
    #[inline(always)]
    #[must_use]
    pub fn view(&self) -> View<'_, T, N> {
        View {
            data: &self.data,
            shape: self.shape,
            name: self.name,
        }
    }

    /// The elements at `at` plus each index of a stretch, along the last axis.
    ///
    /// # Panics
    ///
    /// Panics if one of them is outside.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn row(&self, js: Stretch, at: [i64; N]) -> Row<'_, T> {
        self.view().row(js, at)
    }
}

impl<T: Clone, const N: usize, const LEN: usize> Small<T, N, LEN> {
    /// The same on the heap.
    #[must_use]
    pub fn into_dense(self) -> Dense<T, N> {
        super::copied(self.view())
    }

    /// The array as one of ndarray.
    #[must_use]
    pub fn into_array(self) -> Array<T, Dim<[usize; N]>>
    where
        Dim<[usize; N]>: Dimension,
        [usize; N]: IntoDimension<Dim = Dim<[usize; N]>>,
    {
        self.into_dense().into_array()
    }
}

impl<T: Clone, const LEN: usize> Small<T, 1, LEN> {
    /// The elements.
    #[must_use]
    pub fn into_vec(self) -> Vec<T> {
        self.into_dense().into_vec()
    }
}

impl<T, const N: usize, const LEN: usize> Index<[i64; N]> for Small<T, N, LEN> {
    type Output = T;

    #[inline(always)]
    #[track_caller]
    fn index(&self, index: [i64; N]) -> &T {
        if N == 1 {
            // What the compiler knows.
            match self.data.get(index[0] as usize) {
                Some(element) => return element,
                None => fail(index, self.shape, self.name),
            }
        }
        match locate(index, self.shape) {
            // SAFETY: there are as many elements as the shape says, and the place is less than
            // that.
            Some(place) => unsafe { self.data.get_unchecked(place) },
            None => fail(index, self.shape, self.name),
        }
    }
}

impl<T, const N: usize, const LEN: usize> IndexMut<[i64; N]> for Small<T, N, LEN> {
    #[inline(always)]
    #[track_caller]
    fn index_mut(&mut self, index: [i64; N]) -> &mut T {
        if N == 1 {
            match self.data.get_mut(index[0] as usize) {
                Some(element) => return element,
                None => fail(index, self.shape, self.name),
            }
        }
        match locate(index, self.shape) {
            // SAFETY: as above.
            Some(place) => unsafe { self.data.get_unchecked_mut(place) },
            None => fail(index, self.shape, self.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{build, slice, stretch};
    use super::*;

    #[test]
    fn elements_are_where_they_are_in_arrays() {
        let f = |[i, j, k]: [i64; 3]| (100 * i + 10 * j + k) as f64;
        let mut small = build_small::<12, _, _>([2, 3, 2], f);
        let mut dense = build([2, 3, 2], f);
        assert_eq!(small[[1, 2, 0]], 120.0);
        small[[1, 0, 1]] += 0.5;
        dense[[1, 0, 1]] += 0.5;
        assert_eq!(small.view().data, dense.view().data);
        assert_eq!((small.len(0), small.len(1), small.len(2)), (2, 3, 2));
        assert_eq!(small.row(stretch(2), [1, 0, 0])[1], 101.5);
        let copy = copied_small::<12, _, _>(dense.view());
        assert_eq!(copy.into_array(), dense.into_array());
    }

    #[test]
    fn scalars_and_nothing() {
        let mut one = zeros_small::<f64, 0, 1>([]);
        one[[]] += 2.0;
        assert_eq!(one[[]], 2.0);
        let none = build_small::<0, _, _>([3, -1], |[i, j]| i + j);
        assert_eq!(none.into_array().dim(), (3, 0));
        assert_eq!(blank_small::<bool, 1, 2>([2]).into_vec(), [false; 2]);
    }

    #[test]
    #[should_panic(expected = "index [0, 2] is outside of `a`, whose shape is [3, 2]")]
    fn places_outside_panic() {
        let _ = zeros_small_called::<f64, 2, 6>("a", [3, 2])[[0, 2]];
    }

    #[test]
    #[should_panic(expected = "3 elements where there is room for 2")]
    fn other_lengths_are_refused() {
        let _ = copied_small::<2, _, _>(slice("a", &[1.0, 2.0, 3.0]));
    }
}
