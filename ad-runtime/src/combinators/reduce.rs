//! Reductions over an extent.

use super::element::{Mismatch, Number, Reducible};
use super::extent::Extent;
use super::{mismatched, size};
use crate::Real;
use ndarray::Array;
use std::ops::ControlFlow;

/// Combines all `f(i)` with `op`, in order, starting from `neutral`.
#[inline]
#[track_caller]
fn reduce<N, E, O>(
    name: &str,
    n: N,
    neutral: E::Elem,
    op: impl Fn(E::Elem, E::Elem) -> E::Elem + Copy,
    mut f: impl FnMut(N::Index) -> E,
) -> O
where
    N: Extent,
    E: Reducible<O>,
{
    let mut total = Some(E::start(neutral));
    let flow = n.visit(|i| {
        let value = f(i);
        let absorbed = total
            .take()
            .map(|total| E::absorb(total, value, neutral, op))
            .transpose();
        match absorbed {
            Ok(absorbed) => {
                total = absorbed;
                ControlFlow::Continue(())
            }
            Err(mismatch) => ControlFlow::Break((i, mismatch)),
        }
    });
    if let ControlFlow::Break((i, mismatch)) = flow {
        let mismatch: Mismatch = mismatch;
        mismatched(name, &i, &mismatch);
    }
    match total.and_then(E::finish) {
        Some(total) => total,
        None => panic!("{name}: there are no arrays (extent {n:?}), so their shape is unknown"),
    }
}

/// The sum of all `f(i)`, added in the order of the indices.
///
/// `f` returns a number (`f64`, `f32` or an integer) or an array of them (owned, view, or
/// fixed-size), which are added elementwise and must have the same shape. The sum of no numbers is
/// 0.
///
/// ```
/// # extern crate cotangent_runtime as cotangent;
/// use cotangent::ndarray::array;
/// use cotangent::prelude::*;
///
/// let a = array![[1.0, 2.0], [3.0, 4.0]];
/// assert_eq!(sum((2, 2), |(i, j)| a[[i, j]]), 10.0);
/// assert_eq!(sum(2, |i| sum(i, |j| a[[i, j]])), 3.0);
/// assert_eq!(sum(2, |i| a.row(i)), array![4.0, 6.0]);
/// ```
///
/// # Panics
///
/// Panics if arrays differ in shape, or if there are none, so that their shape is unknown.
#[inline]
#[track_caller]
pub fn sum<N, E, O, F>(n: N, f: F) -> O
where
    N: Extent,
    E: Reducible<O>,
    F: FnMut(N::Index) -> E,
{
    reduce("sum", n, E::Elem::nought(), E::Elem::plus, f)
}

/// The product of all `f(i)`, elementwise if they are arrays. The product of no numbers is 1.
///
/// ```
/// # extern crate cotangent_runtime as cotangent;
/// use cotangent::prelude::*;
///
/// assert_eq!(product(5, |i| i + 1), 120);
/// assert_eq!(product(0, |_| 2.0), 1.0);
/// ```
///
/// # Panics
///
/// Panics if arrays differ in shape, or if there are none, so that their shape is unknown.
#[inline]
#[track_caller]
pub fn product<N, E, O, F>(n: N, f: F) -> O
where
    N: Extent,
    E: Reducible<O>,
    F: FnMut(N::Index) -> E,
{
    reduce("product", n, E::Elem::unit(), E::Elem::times, f)
}

/// The largest of all `f(i)`, elementwise if they are arrays.
///
/// Over nothing it is −∞, or the `MIN` of an integer type. It starts from there and is replaced by
/// whatever is strictly greater, so NaN never wins. The derivative belongs to the first of equals.
///
/// ```
/// # extern crate cotangent_runtime as cotangent;
/// use cotangent::prelude::*;
///
/// let x = [2.0, f64::NAN, 3.0];
/// assert_eq!(maximum(3, |i| x[i]), 3.0);
/// assert_eq!(maximum(0, |i| x[i]), f64::NEG_INFINITY);
/// ```
///
/// # Panics
///
/// Panics if arrays differ in shape, or if there are none, so that their shape is unknown.
#[inline]
#[track_caller]
pub fn maximum<N, E, O, F>(n: N, f: F) -> O
where
    N: Extent,
    E: Reducible<O>,
    F: FnMut(N::Index) -> E,
{
    let op = |best, v| if v > best { v } else { best };
    reduce("maximum", n, E::Elem::lowest(), op, f)
}

/// The smallest of all `f(i)`, elementwise if they are arrays.
///
/// Over nothing it is ∞, or the `MAX` of an integer type. It starts from there and is replaced by
/// whatever is strictly less, so NaN never wins. The derivative belongs to the first of equals.
///
/// ```
/// # extern crate cotangent_runtime as cotangent;
/// use cotangent::prelude::*;
///
/// let x = [2.0, f64::NAN, -3.0];
/// assert_eq!(minimum(3, |i| x[i]), -3.0);
/// assert_eq!(minimum(0, |i| x[i]), f64::INFINITY);
/// ```
///
/// # Panics
///
/// Panics if arrays differ in shape, or if there are none, so that their shape is unknown.
#[inline]
#[track_caller]
pub fn minimum<N, E, O, F>(n: N, f: F) -> O
where
    N: Extent,
    E: Reducible<O>,
    F: FnMut(N::Index) -> E,
{
    let op = |best, v| if v < best { v } else { best };
    reduce("minimum", n, E::Elem::highest(), op, f)
}

/// The sum of all `f(i)` divided by how many there are; elementwise if they are arrays.
///
/// The mean of no numbers is NaN.
///
/// ```
/// # extern crate cotangent_runtime as cotangent;
/// use cotangent::ndarray::array;
/// use cotangent::prelude::*;
///
/// let a = array![[1.0, 2.0], [3.0, 6.0]];
/// assert_eq!(mean((2, 2), |(i, j)| a[[i, j]]), 3.0);
/// assert_eq!(mean(2, |i| a.column(i)), array![1.5, 4.5]);
/// ```
///
/// # Panics
///
/// Panics if arrays differ in shape, or if there are none, so that their shape is unknown.
#[inline]
#[track_caller]
pub fn mean<N, E, O, F>(n: N, f: F) -> O
where
    N: Extent,
    E: Reducible<O>,
    E::Elem: Real,
    F: FnMut(N::Index) -> E,
{
    let total = reduce("mean", n, E::Elem::nought(), E::Elem::plus, f);
    let count = E::Elem::from_usize(size("mean", n));
    E::apply(total, |t| t / count)
}

/// All `f(i)` in order.
#[track_caller]
fn collect<N: Extent, T>(name: &str, n: N, mut f: impl FnMut(N::Index) -> T) -> Vec<T> {
    let mut values = Vec::with_capacity(size(name, n));
    let _ = n.visit(|i| {
        values.push(f(i));
        ControlFlow::<()>::Continue(())
    });
    values
}

/// The largest value, where NaN never wins.
fn largest<T: Number>(values: &[T]) -> T {
    values
        .iter()
        .fold(T::lowest(), |m, &v| if v > m { v } else { m })
}

/// The logarithm of the sum of the exponentials of all `f(i)`, without overflow.
///
/// Over nothing, and if all are −∞, it is −∞; if one is ∞ it is ∞; NaN gives NaN.
///
/// ```
/// # extern crate cotangent_runtime as cotangent;
/// use cotangent::prelude::*;
///
/// let x = [1000.0, 1000.0];
/// assert_eq!(logsumexp(2, |i| x[i]), 1000.0 + 2.0_f64.ln());
/// ```
#[track_caller]
pub fn logsumexp<N, T, F>(n: N, f: F) -> T
where
    N: Extent,
    T: Real,
    F: FnMut(N::Index) -> T,
{
    let values = collect("logsumexp", n, f);
    let m = largest(&values);
    if m.is_infinite() {
        // Subtracting an infinite maximum from itself would give NaN. Only a NaN may do that.
        let nan = values.iter().any(|v| v.is_nan());
        return if nan { T::NAN } else { m };
    }
    let total: T = values.iter().map(|&v| (v - m).exp()).sum();
    m + total.ln()
}

/// The array of the exponentials of all `f(i)`, divided by their sum, without overflow.
///
/// An entry of −∞ gives 0. The result is NaN where that sum means nothing: if all entries are
/// −∞, or if one is ∞ or NaN. In generated functions entries below 1.5e-289 (of `f32` below
/// 2.7e-33) are 0.
///
/// ```
/// # extern crate cotangent_runtime as cotangent;
/// use cotangent::ndarray::array;
/// use cotangent::prelude::*;
///
/// let x = [1000.0, f64::NEG_INFINITY, 1000.0];
/// assert_eq!(softmax(3, |i| x[i]), array![0.5, 0.0, 0.5]);
/// ```
#[track_caller]
pub fn softmax<N, T, F>(n: N, f: F) -> Array<T, N::Dim>
where
    N: Extent,
    T: Real,
    F: FnMut(N::Index) -> T,
{
    let mut values = collect("softmax", n, f);
    let m = largest(&values);
    let mut total = T::nought();
    for v in &mut values {
        *v = (*v - m).exp();
        total += *v;
    }
    for v in &mut values {
        *v /= total;
    }
    Array::from_shape_vec(n.dimension(), values).expect("the values fill the array")
}

/// The index of the first value that beats all before it.
#[inline]
fn first<N, T>(
    n: N,
    start: T,
    beats: impl Fn(&T, &T) -> bool,
    mut f: impl FnMut(N::Index) -> T,
) -> N::Index
where
    N: Extent,
{
    let mut best = start;
    let mut at = N::origin();
    let _ = n.visit(|i| {
        let v = f(i);
        if beats(&v, &best) {
            best = v;
            at = i;
        }
        ControlFlow::<()>::Continue(())
    });
    at
}

/// The index of the first of the largest of all `f(i)`: a `usize`, or a tuple for a tuple `n`.
///
/// The best value starts as −∞ (`MIN` for an integer type) at index 0, and is replaced by whatever
/// is strictly greater. So NaN never wins, and the index is 0 if nothing is greater, even over
/// nothing. For differentiation the result is a constant.
///
/// ```
/// # extern crate cotangent_runtime as cotangent;
/// use cotangent::ndarray::array;
/// use cotangent::prelude::*;
///
/// let a = array![[1.0, 7.0], [7.0, f64::NAN]];
/// assert_eq!(argmax((2, 2), |(i, j)| a[[i, j]]), (0, 1));
/// assert_eq!(argmax(0, |_| 1.0), 0);
/// ```
#[inline]
pub fn argmax<N, T, F>(n: N, f: F) -> N::Index
where
    N: Extent,
    T: Number,
    F: FnMut(N::Index) -> T,
{
    first(n, T::lowest(), T::gt, f)
}

/// The index of the first of the smallest of all `f(i)`: a `usize`, or a tuple for a tuple `n`.
///
/// The best value starts as ∞ (`MAX` for an integer type) at index 0, and is replaced by whatever
/// is strictly less. So NaN never wins, and the index is 0 if nothing is less, even over nothing.
/// For differentiation the result is a constant.
///
/// ```
/// # extern crate cotangent_runtime as cotangent;
/// use cotangent::prelude::*;
///
/// let x = [3, 1, 2, 1];
/// assert_eq!(argmin(4, |i| x[i]), 1);
/// ```
#[inline]
pub fn argmin<N, T, F>(n: N, f: F) -> N::Index
where
    N: Extent,
    T: Number,
    F: FnMut(N::Index) -> T,
{
    first(n, T::highest(), T::lt, f)
}
