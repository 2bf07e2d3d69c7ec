//! Rows: neighbours in memory, taken from an array for a stretch of its last axis.
//!
//! Here an index is compared with lengths once, for all of a stretch.

use super::Stretch;
use crate::kernels::{Dense, View, fail};
use std::ops::Index;

/// Neighbours in memory, one for each index of a stretch.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a, T> {
    pub(super) data: &'a [T],
    pub(super) from: i64,
}

impl<'a, T> Row<'a, T> {
    /// An element for each index of a stretch.
    #[inline(always)]
    pub(in crate::kernels) fn new(data: &'a [T], js: Stretch) -> Row<'a, T> {
        Row {
            data,
            from: js.from,
        }
    }
}

impl<T> Index<i64> for Row<'_, T> {
    type Output = T;

    #[inline(always)]
    #[track_caller]
    fn index(&self, index: i64) -> &T {
        match self.data.get(index.wrapping_sub(self.from) as usize) {
            Some(element) => element,
            None => fail([index], [self.data.len()], "a row"),
        }
    }
}

/// Where a row begins in memory: the index `at`, moved along the last axis by the first of the
/// stretch. `None` if it is not inside completely. Rows of nothing are anywhere.
#[inline(always)]
pub(in crate::kernels) fn start_of<const N: usize>(
    js: Stretch,
    at: [i64; N],
    shape: [usize; N],
) -> Option<usize> {
    if js.from == js.to {
        return Some(0);
    }
    let mut place = 0;
    let mut axis = 0;
    while axis + 1 < N {
        let index = at[axis] as usize;
        if index >= shape[axis] {
            return None;
        }
        place = place * shape[axis] + index;
        axis += 1;
    }
    let length = shape[axis];
    let first = at[axis].wrapping_add(js.from) as usize;
    // A negative index is more than any length here.
    if first > length || js.length() > length - first {
        return None;
    }
    Some(place * length + first)
}

impl<'a, T, const N: usize> View<'a, T, N> {
    /// The elements at `at` plus each index of a stretch, along the last axis.
    ///
    /// # Panics
    ///
    /// Panics if one of them is outside.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn row(&self, js: Stretch, at: [i64; N]) -> Row<'a, T> {
        // What a single index is compared with.
        let mut shape = self.shape;
        if N == 1 {
            shape[0] = self.data.len();
        }
        let Some(start) = start_of(js, at, shape) else {
            fail(first_outside(js, at, shape), shape, self.name)
        };
        // SAFETY: all of the row is inside of the array, which has as many elements as the shape
        // says. Not a slice of the slice, so that its length is known to be that of the stretch.
        let data = unsafe {
            let start = self.data.as_ptr().add(start);
            std::slice::from_raw_parts(start, js.length())
        };
        Row {
            data,
            from: js.from,
        }
    }
}

/// The index that a row fails at.
#[cold]
pub(in crate::kernels) fn first_outside<const N: usize>(
    js: Stretch,
    at: [i64; N],
    shape: [usize; N],
) -> [i64; N] {
    let mut index = at;
    index[N - 1] = at[N - 1].wrapping_add(js.from);
    if index.iter().zip(shape).all(|(&i, n)| (i as usize) < n) {
        index[N - 1] = shape[N - 1] as i64;
    }
    index
}

impl<T, const N: usize> Dense<T, N> {
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
