//! What generated code calls.
//!
//! Arrays are row-major and contiguous here, extents and indices are `i64`, and a negative extent
//! counts as 0. Everything is safe: an index outside of its array panics.

mod across;
mod blocks;
#[cfg(feature = "sprs")]
mod compressed;
mod contract;
mod dispatch;
mod divided;
mod entries;
mod few;
mod lasting;
mod lists;
mod loops;
mod named;
mod places;
mod pool;
mod recur;
mod refill;
mod repeated;
mod residuals;
mod rest;
mod scalar;
mod several;
mod small;
mod stack;
mod structs;
mod sums;
mod tape;
#[cfg(test)]
mod tests;
mod threads;
mod tiles;
mod totals;
mod turned;

pub use crate::Real;
pub use crate::combinators::MustBeTheOneFromCotangent;
pub use crate::elementary::{
    acos, acosh, asin, asinh, atan, atan2, atanh, cbrt, cos, cosh, exp, exp_m1, exp2, hypot, ln,
    ln_1p, log2, log10, powf, sin, sin_cos, sinh, tan, tanh, weight,
};
pub use across::across;
pub use blocks::{
    Block, Fresh, Row, Stretch, Written, argmax_blocks, argmax_few, argmin_blocks, argmin_few,
    build_blocks, build_rows, build_rows_in, greatest_blocks, greatest_few, least_blocks,
    least_few, logsumexp_blocks, logsumexp_few, maximum_blocks, maximum_few, minimum_blocks,
    minimum_few, product_blocks, product_few, stretch, sum_blocks, sum_few,
};
#[cfg(feature = "sprs")]
pub use compressed::{Compressed, compressed, with_values};
pub(crate) use contract::{DOUBLE, SINGLE};
pub use contract::{
    Multiply, Part, Products, Within, contract, contract_onto, contract_within, up_to,
};
pub use dispatch::{Baseline, InstructionSet, Kernel, dispatch};
pub use divided::{Added, Piece, Tile, Tiling, in_shares, in_tiles, in_tiles_and_places};
pub use entries::{Entries, Position, entries, entry, sparse};
pub use few::{Few, Round, RoundSums, few, few_of, round_sums, rounds};
pub use lasting::{Lasting, Lasts, Left};
pub use lists::{same, stacked, unstacked};
pub use loops::{
    Indices, Span, Summand, argmax, argmax_light, argmin, argmin_light, build, build_costly,
    build_costly_in, build_in, for_each, greatest, greatest_light, least, least_light, logsumexp,
    maximum, maximum_light, minimum, minimum_light, product, product_light, replace, sum,
    sum_light,
};
pub use named::{Named, OneOfOurs, Other, Takes, named};
/// For generated code, wherever ndarray is in the user's crate.
pub use ndarray;
pub use places::{Anew, Kept, Next, Place, anew};
pub use pool::{Workspace, within};
pub use recur::{Start, recur, recur_adding, running_products};
pub use refill::{Refill, refill};
pub use repeated::{common, repeated, repeated_like, summed_to};
pub use residuals::{Keep, Residuals};
pub use scalar::{
    digamma, erf, integer_from, ipow, lgamma, natural, polygamma, powi, real, real_from, relu,
    sigmoid, sign0, single, softplus, unsigned,
};
pub use several::{
    Elements, FreshAll, Places, WrittenAll, build_all, build_all_costly, build_all_costly_in,
    build_all_in, build_all_rows, build_all_rows_in,
};
pub use small::{Small, blank_small, build_small, copied_small, zeros_small, zeros_small_called};
pub use stack::{Stack, blank};
pub use structs::{Absent, Fields, Made, no_variant, same_variants};
pub use sums::{RowMut, Sums, add_to_rows, build_and_sum, for_rows};
pub use tape::Tape;
pub use threads::{Lazy, Shared};
pub use tiles::{Parts, TilePart, replace_parts, tiles};
pub use totals::{Totals, all, sums, sums_light};
pub use turned::{Columns, build_turned};

use ndarray::{Array, ArrayView, Dim, Dimension, IntoDimension};
use std::ops::{Index, IndexMut};

/// What panics call an array that has no name.
const INTERMEDIATE: &str = "an intermediate array";

/// An array borrowed for reading, with the name that panics use.
#[derive(Debug)]
pub struct View<'a, T, const N: usize> {
    // As many as the shape says; unsafe code relies on that.
    data: &'a [T],
    shape: [usize; N],
    name: &'static str,
}

impl<T, const N: usize> Clone for View<'_, T, N> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, const N: usize> Copy for View<'_, T, N> {}

/// An argument in row-major layout: borrowed if it has that layout already, copied if not.
#[derive(Debug)]
pub struct Input<'a, T, const N: usize> {
    data: Storage<'a, T>,
    shape: [usize; N],
    name: &'static str,
}

#[derive(Debug)]
enum Storage<'a, T> {
    Borrowed(&'a [T]),
    Copied(pool::Room<T>),
}

/// An array that generated code computes.
#[derive(Clone, Debug)]
pub struct Dense<T, const N: usize> {
    // As many as the shape says; unsafe code relies on that.
    data: Vec<T>,
    shape: [usize; N],
    name: &'static str,
}

impl<T, const N: usize> Drop for Dense<T, N> {
    #[inline]
    fn drop(&mut self) {
        pool::give(std::mem::take(&mut self.data));
    }
}

/// The error of an index that is outside.
#[inline(always)]
#[track_caller]
fn fail<const N: usize>(index: [i64; N], shape: [usize; N], name: &str) -> ! {
    // Copies whose addresses are taken, so that the originals can stay in registers.
    let (index, shape) = (index.map(|i| i), shape.map(|n| n));
    outside(&index, &shape, name)
}

#[cold]
#[inline(never)]
#[track_caller]
fn outside(index: &[i64], shape: &[usize], name: &str) -> ! {
    // What is no identifier describes the array.
    if name.contains(' ') {
        panic!("index {index:?} is outside of {name}, whose shape is {shape:?}")
    }
    panic!("index {index:?} is outside of `{name}`, whose shape is {shape:?}")
}

/// The place of an index in memory, or `None` if it is outside of `shape`. Where it is not, the
/// place is less than the product of the lengths.
///
/// In a loop over the last component, only the last comparison depends on it.
#[inline(always)]
fn locate<const N: usize>(index: [i64; N], shape: [usize; N]) -> Option<usize> {
    let mut place = 0;
    let mut axis = 0;
    while axis < N {
        let at = index[axis] as usize;
        // A negative index is more than any length here.
        if at >= shape[axis] {
            return None;
        }
        place = place * shape[axis] + at;
        axis += 1;
    }
    Some(place)
}

/// The length of an axis, as generated code computes with it.
#[inline(always)]
fn extent<T>(len: usize) -> i64 {
    if size_of::<T>() > 0 {
        // SAFETY: of what has a size there are that many at most, and the lengths of axes of an
        // array without elements have the same limit, in ndarray as here.
        unsafe { std::hint::assert_unchecked(len <= isize::MAX as usize) };
    }
    len as i64
}

impl<'a, T, const N: usize> View<'a, T, N> {
    /// The length of an axis.
    #[inline(always)]
    #[must_use]
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self, axis: usize) -> i64 {
        // What an index is compared with, so that the comparison can go.
        let len = match N {
            1 => self.data.len(),
            _ => self.shape[axis],
        };
        extent::<T>(len)
    }
}

impl<'a, T, const N: usize> View<'a, T, N> {
    /// The elements behind a place of the first axes.
    ///
    /// # Panics
    ///
    /// Panics if there are elements behind such places, and this one is outside.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn behind<const K: usize, const M: usize>(&self, at: [i64; K]) -> View<'a, T, M> {
        const { assert!(K + M == N, "axes before, and behind") };
        let mut shape = [0; M];
        shape.copy_from_slice(&self.shape[K..]);
        let len = shape.iter().product();
        let mut first = [0; K];
        first.copy_from_slice(&self.shape[..K]);
        let data = match locate(at, first) {
            Some(place) => &self.data[place * len..][..len],
            None if len == 0 => &[],
            None => fail(at, first, self.name),
        };
        View {
            data,
            shape,
            name: self.name,
        }
    }
}

impl<T, const N: usize> Index<[i64; N]> for View<'_, T, N> {
    type Output = T;

    #[inline(always)]
    #[track_caller]
    fn index(&self, index: [i64; N]) -> &T {
        if N == 1 {
            // There is only one length to compare with.
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

impl<T, const N: usize> Index<[i64; N]> for Dense<T, N> {
    type Output = T;

    #[inline(always)]
    #[track_caller]
    fn index(&self, index: [i64; N]) -> &T {
        if N == 1 {
            // As in views.
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

impl<T, const N: usize> IndexMut<[i64; N]> for Dense<T, N> {
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
            // SAFETY: as in views.
            Some(place) => unsafe { self.data.get_unchecked_mut(place) },
            None => fail(index, self.shape, self.name),
        }
    }
}

impl<T, const N: usize> Input<'_, T, N> {
    /// The array, for reading.
    #[inline]
    #[must_use]
    pub fn view(&self) -> View<'_, T, N> {
        View {
            data: match &self.data {
                Storage::Borrowed(data) => data,
                Storage::Copied(room) => &room.0,
            },
            shape: self.shape,
            name: self.name,
        }
    }
}

/// An array without elements, where an `Option` has none.
#[must_use]
pub fn nothing<T, D: Dimension>() -> Array<T, D> {
    let shape = D::zeros(D::NDIM.unwrap_or(0));
    Array::from_shape_vec(shape, vec![]).expect("no element is needed")
}

/// An array of `f32`, where a function computes in `f64`.
#[must_use]
pub fn widened<const N: usize>(x: View<'_, f32, N>) -> Input<'static, f64, N> {
    let mut data = pool::with_capacity(x.data.len());
    data.extend(x.data.iter().map(|x| f64::from(*x)));
    Input {
        data: Storage::Copied(pool::Room(data)),
        shape: x.shape,
        name: x.name,
    }
}

/// The same array of `f32`, rounded.
#[must_use]
pub fn narrowed<const N: usize>(x: View<'_, f64, N>) -> Dense<f32, N> {
    let mut data = pool::with_capacity(x.data.len());
    data.extend(x.data.iter().map(|x| *x as f32));
    Dense {
        data,
        shape: x.shape,
        name: INTERMEDIATE,
    }
}

/// The argument `name` in row-major layout.
///
/// # Panics
///
/// Panics if `N` is not the rank.
#[inline]
#[must_use]
#[track_caller]
pub fn input<'a, T: Clone, D: Dimension, const N: usize>(
    name: &'static str,
    x: ArrayView<'a, T, D>,
) -> Input<'a, T, N> {
    let rank = x.ndim();
    let Ok(shape) = <[usize; N]>::try_from(x.shape()) else {
        panic!("`{name}` has {rank} axes instead of {N}")
    };
    let data = match x.to_slice() {
        Some(data) => Storage::Borrowed(data),
        None => {
            let mut data = pool::with_capacity(x.len());
            data.extend(x.iter().cloned());
            Storage::Copied(pool::Room(data))
        }
    };
    Input { data, shape, name }
}

/// The argument `name`, a slice.
#[inline]
#[must_use]
pub fn slice<'a, T>(name: &'static str, x: &'a [T]) -> View<'a, T, 1> {
    View {
        data: x,
        shape: [x.len()],
        name,
    }
}

/// The argument `name`, an array of arrays: its elements, as many as the shape says.
///
/// # Panics
///
/// Panics if there are more or fewer, or if no array can have these lengths: arrays of nothing may
/// be more than that.
#[inline]
#[must_use]
#[track_caller]
pub fn fixed<'a, T, const N: usize>(
    name: &'static str,
    data: &'a [T],
    shape: [usize; N],
) -> View<'a, T, N> {
    let lengths = shape.iter().filter(|n| **n > 0);
    let fits = lengths
        .copied()
        .try_fold(1usize, |size, n| size.checked_mul(n));
    assert!(
        fits.is_some_and(|size| size <= isize::MAX as usize),
        "`{name}` of shape {shape:?} is too large"
    );
    let size: usize = shape.iter().product();
    assert_eq!(data.len(), size, "elements of `{name}`");
    View { data, shape, name }
}

/// The lengths that these extents mean, and how many elements there are.
///
/// # Panics
///
/// Panics if no array can have these lengths: the product of those that are not zero must fit in
/// `isize`.
#[inline]
#[track_caller]
fn lengths<const N: usize>(shape: [i64; N]) -> ([usize; N], usize) {
    #[cold]
    #[track_caller]
    fn too_large(shape: &[i64]) -> ! {
        panic!("an array of shape {shape:?} is too large")
    }
    let mut lengths = [0; N];
    let mut size = Some(1_isize);
    let mut empty = false;
    for axis in 0..N {
        let Ok(length) = isize::try_from(shape[axis].max(0)) else {
            too_large(&shape)
        };
        lengths[axis] = length.unsigned_abs();
        empty |= length == 0;
        size = size.and_then(|size| size.checked_mul(length.max(1)));
    }
    match size {
        Some(_) if empty => (lengths, 0),
        Some(size) => (lengths, size.unsigned_abs()),
        None => too_large(&shape),
    }
}

impl<T, const N: usize> Dense<T, N> {
    /// The length of an axis.
    #[inline(always)]
    #[must_use]
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self, axis: usize) -> i64 {
        let len = match N {
            1 => self.data.len(),
            _ => self.shape[axis],
        };
        extent::<T>(len)
    }

    /// The array, for reading.
    #[inline]
    #[must_use]
    pub fn view(&self) -> View<'_, T, N> {
        View {
            data: &self.data,
            shape: self.shape,
            name: self.name,
        }
    }

    /// The array as one of ndarray.
    #[must_use]
    pub fn into_array(mut self) -> Array<T, Dim<[usize; N]>>
    where
        Dim<[usize; N]>: Dimension,
        [usize; N]: IntoDimension<Dim = Dim<[usize; N]>>,
    {
        Array::from_shape_vec(self.shape, std::mem::take(&mut self.data))
            .expect("there are as many as the shape says")
    }
}

impl<T> Dense<T, 1> {
    /// The elements.
    #[inline]
    #[must_use]
    pub fn into_vec(mut self) -> Vec<T> {
        std::mem::take(&mut self.data)
    }
}

/// Zeros.
///
/// # Panics
///
/// Panics if no array can have this shape.
#[must_use]
#[track_caller]
pub fn zeros<const N: usize>(shape: [i64; N]) -> Dense<f64, N> {
    zeros_of(shape)
}

/// Zeros, with what panics call the array.
///
/// # Panics
///
/// Panics if no array can have this shape.
#[must_use]
#[track_caller]
pub fn zeros_called<const N: usize>(name: &'static str, shape: [i64; N]) -> Dense<f64, N> {
    zeros_of_called(name, shape)
}

/// The same for any real type.
///
/// # Panics
///
/// Panics if no array can have this shape.
#[must_use]
#[track_caller]
pub fn zeros_of<T: Real, const N: usize>(shape: [i64; N]) -> Dense<T, N> {
    zeros_of_called(INTERMEDIATE, shape)
}

/// The same for any real type, with what panics call the array.
///
/// # Panics
///
/// Panics if no array can have this shape.
#[must_use]
#[track_caller]
pub fn zeros_of_called<T: Real, const N: usize>(
    name: &'static str,
    shape: [i64; N],
) -> Dense<T, N> {
    let (shape, size) = lengths(shape);
    Dense {
        data: pool::filled(T::nought(), size),
        shape,
        name,
    }
}

/// A copy.
#[must_use]
pub fn copied<T: Clone, const N: usize>(x: View<'_, T, N>) -> Dense<T, N> {
    let mut data = pool::with_capacity(x.data.len());
    data.extend_from_slice(x.data);
    Dense {
        data,
        shape: x.shape,
        name: INTERMEDIATE,
    }
}
