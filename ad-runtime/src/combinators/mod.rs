//! The combinators, as ordinary functions.

mod element;
mod extent;
mod reduce;
#[cfg(test)]
mod tests;

pub use element::{Element, Number, Reducible, Scalar, Stackable};
pub use extent::Extent;
#[doc(hidden)]
pub use extent::MustBeTheOneFromCotangent;
pub use reduce::{argmax, argmin, logsumexp, maximum, mean, minimum, product, softmax, sum};

use element::{Mismatch, Pile};
use extent::{count, join};
use ndarray::{Array, DimAdd, Dimension};
use std::fmt::Debug;
use std::ops::ControlFlow;

/// The error of an element whose shape differs from the ones before it.
#[cold]
#[track_caller]
fn mismatched(name: &str, index: &dyn Debug, mismatch: &Mismatch) -> ! {
    let Mismatch { expected, found } = mismatch;
    panic!(
        "{name}: the array at index {index:?} has shape {found:?}, \
         but the arrays before it have shape {expected:?}"
    )
}

/// The error of an extent that no array can have.
#[cold]
#[track_caller]
fn too_large(name: &str, extent: &dyn Debug) -> ! {
    panic!("{name}: an array of extent {extent:?} is too large")
}

/// How many indices `extent` has.
#[track_caller]
fn size<N: Extent>(name: &str, extent: N) -> usize {
    match count(&extent.dimension()) {
        Some(size) => size,
        None => too_large(name, &extent),
    }
}

/// The array whose element, or sub-array, at index `i` is `f(i)`.
///
/// `n` is a `usize`, or a tuple of them; then `f` receives a tuple of indices. Elements are scalars
/// (`f64`, `f32`, integers, `bool`) or arrays (owned, views, or fixed-size) of equal shape, whose
/// axes follow those of `n` in the result. `f` is called once for every index, the last index
/// fastest.
///
/// ```
/// # extern crate cotangent_runtime as cotangent;
/// use cotangent::ndarray::{Array2, array};
/// use cotangent::prelude::*;
///
/// let x = array![1.0, 2.0, 3.0];
/// assert_eq!(build(3, |i| x[i] * x[i]), array![1.0, 4.0, 9.0]);
///
/// let outer: Array2<f64> = build((2, 3), |(i, j)| x[i] * x[j]);
/// assert_eq!(outer, array![[1.0, 2.0, 3.0], [2.0, 4.0, 6.0]]);
///
/// let rows = build(2, |i| outer.row(1 - i));
/// assert_eq!(rows, array![[2.0, 4.0, 6.0], [1.0, 2.0, 3.0]]);
/// ```
///
/// # Panics
///
/// Panics if sub-arrays differ in shape, or if there are none, so that their shape is unknown.
#[track_caller]
pub fn build<N, E, A, D, F>(n: N, mut f: F) -> Array<A, <N::Dim as DimAdd<D>>::Output>
where
    N: Extent,
    N::Dim: DimAdd<D>,
    D: Dimension,
    E: Element<A, D>,
    F: FnMut(N::Index) -> E,
{
    let size = size("build", n);
    let mut pile: Option<Pile<A, D>> = None;
    let flow = n.visit(|i| {
        let e = f(i);
        let pile = pile.get_or_insert_with(|| Pile::new(E::dimension_of(&e), size));
        match pile.push(&e) {
            Ok(()) => ControlFlow::Continue(()),
            Err(mismatch) => ControlFlow::Break((i, mismatch)),
        }
    });
    if let ControlFlow::Break((i, mismatch)) = flow {
        mismatched("build", &i, &mismatch);
    }
    match pile {
        Some(pile) => pile.finish(&n.dimension()),
        // Only the shape of a scalar is known without one.
        None => match D::NDIM {
            Some(0) => Pile::new(D::zeros(0), 0).finish(&n.dimension()),
            _ => panic!("build: there are no arrays (extent {n:?}), so their shape is unknown"),
        },
    }
}

/// The last state of a sequential loop: `s = f(s, i)` for every index `i` in order, from `init`.
///
/// The state can be anything that `f` gives back.
///
/// ```
/// # extern crate cotangent_runtime as cotangent;
/// use cotangent::prelude::*;
///
/// let c = [1.0, -2.0, 3.0];
/// // 3 x² − 2 x + 1 at x = 2, by Horner's rule
/// assert_eq!(fold(3, 0.0, |s, i| s * 2.0 + c[2 - i]), 9.0);
///
/// let (a, b) = fold(10, (0_u32, 1_u32), |(a, b), _| (b, a + b));
/// assert_eq!((a, b), (55, 89));
/// ```
pub fn fold<N, S, F>(n: N, init: S, mut f: F) -> S
where
    N: Extent,
    F: FnMut(S, N::Index) -> S,
{
    let mut state = Some(init);
    let _ = n.visit(|i| {
        state = state.take().map(|s| f(s, i));
        ControlFlow::<()>::Continue(())
    });
    state.expect("every step puts a state back")
}

/// The array of all states of a sequential loop: `s = f(s, i)` for every index `i` in order.
///
/// `init` itself is not part of the result. States that are arrays are stacked as
/// [`build`] does it, and must keep the shape of `init`; a tuple gives a tuple of stacked arrays.
///
/// ```
/// # extern crate cotangent_runtime as cotangent;
/// use cotangent::ndarray::array;
/// use cotangent::prelude::*;
///
/// let x = array![1.0, 2.0, 3.0];
/// assert_eq!(scan(3, 0.0, |s, i| s + x[i]), array![1.0, 3.0, 6.0]);
///
/// let (powers, indices) = scan(3, (1.0, 0), |(p, _), i| (p * 2.0, i));
/// assert_eq!(powers, array![2.0, 4.0, 8.0]);
/// assert_eq!(indices, array![0, 1, 2]);
/// ```
///
/// # Panics
///
/// Panics if the shape of the state changes.
#[track_caller]
pub fn scan<N, S, O, F>(n: N, init: S, mut f: F) -> O
where
    N: Extent,
    S: Stackable<N::Dim, O>,
    F: FnMut(S, N::Index) -> S,
{
    let mut stack = S::empty(&init, size("scan", n));
    let mut state = Some(init);
    let flow = n.visit(|i| {
        state = state.take().map(|s| f(s, i));
        match state.iter().try_for_each(|s| S::push(&mut stack, s)) {
            Ok(()) => ControlFlow::Continue(()),
            Err(mismatch) => ControlFlow::Break((i, mismatch)),
        }
    });
    if let ControlFlow::Break((i, mismatch)) = flow {
        mismatched("scan", &i, &mismatch);
    }
    S::finish(stack, &n.dimension())
}

/// Zeros of the given extent, to which `f(i)` adds: for every `i` it returns an index and a number
/// that is added there.
///
/// Like `n`, `extent` is a `usize` or a tuple of them; the index is one or a tuple accordingly.
/// Instead of a number, `f` may return an array; all must have the same shape, and their axes
/// follow those of `extent` in the result.
///
/// ```
/// # extern crate cotangent_runtime as cotangent;
/// use cotangent::ndarray::array;
/// use cotangent::prelude::*;
///
/// let bin = [0, 2, 2, 0, 2];
/// assert_eq!(scatter_add(3, 5, |i| (bin[i], 1.0)), array![2.0, 0.0, 3.0]);
///
/// let e = scatter_add((2, 2), 2, |i| ((i, 1 - i), 5.0));
/// assert_eq!(e, array![[0.0, 5.0], [5.0, 0.0]]);
/// ```
///
/// # Panics
///
/// Panics if an index is outside of the extent; if arrays differ in shape, or if there are none, so
/// that their shape is unknown.
#[track_caller]
pub fn scatter_add<M, N, E, A, D, F>(
    extent: M,
    n: N,
    mut f: F,
) -> Array<A, <M::Dim as DimAdd<D>>::Output>
where
    M: Extent,
    M::Dim: DimAdd<D>,
    N: Extent,
    A: Number,
    D: Dimension,
    E: Element<A, D>,
    F: FnMut(N::Index) -> (M::Index, E),
{
    enum Failure<I> {
        Outside(I),
        Shape(Mismatch),
        Size,
    }
    size("scatter_add", extent);

    // Only the shape of a scalar is known before there is one.
    let mut dim = (D::NDIM == Some(0)).then(|| D::zeros(0));
    let mut data = match dim {
        Some(_) => vec![A::nought(); size("scatter_add", extent)],
        None => Vec::new(),
    };
    let mut buffer = Vec::new();
    let flow = n.visit(|i| {
        let (index, e) = f(i);
        let Some(position) = extent.position(index) else {
            return ControlFlow::Break((i, Failure::Outside(index)));
        };
        let found = E::dimension_of(&e);
        let known = match &dim {
            Some(known) => known,
            None => {
                let total = count(&found).and_then(|c| c.checked_mul(size("scatter_add", extent)));
                let Some(total) = total.filter(|&total| total <= isize::MAX as usize) else {
                    return ControlFlow::Break((i, Failure::Size));
                };
                data = vec![A::nought(); total];
                &*dim.insert(found.clone())
            }
        };
        if let Err(mismatch) = Mismatch::check(known, &found) {
            return ControlFlow::Break((i, Failure::Shape(mismatch)));
        }
        buffer.clear();
        E::append(&e, &mut buffer);
        let start = position * buffer.len();
        for (to, &v) in data[start..].iter_mut().zip(&buffer) {
            *to = A::plus(*to, v);
        }
        ControlFlow::Continue(())
    });
    match flow {
        ControlFlow::Continue(()) => {}
        ControlFlow::Break((i, Failure::Outside(index))) => panic!(
            "scatter_add: index {index:?} (at {i:?}) is out of bounds for an array of extent {extent:?}"
        ),
        ControlFlow::Break((i, Failure::Shape(mismatch))) => {
            mismatched("scatter_add", &i, &mismatch)
        }
        ControlFlow::Break((_, Failure::Size)) => too_large("scatter_add", &extent),
    }
    let Some(dim) = dim else {
        panic!("scatter_add: there are no arrays (extent {n:?}), so their shape is unknown")
    };
    let dim: <M::Dim as DimAdd<D>>::Output =
        join(&extent.dimension(), &dim).expect("the rank of the result is the sum of the ranks");
    Array::from_shape_vec(dim, data).expect("the zeros fill the array")
}

/// `e` itself, which counts as a constant for differentiation.
///
/// ```
/// # extern crate cotangent_runtime as cotangent;
/// use cotangent::prelude::*;
///
/// let x = 3.0;
/// // The derivative of this in x is 3, not 6.
/// assert_eq!(stop_gradient(x) * x, 9.0);
/// ```
#[inline]
pub fn stop_gradient<T>(e: T) -> T {
    e
}

/// `f()` itself. In the reverse pass, what is inside is computed again instead of being stored.
///
/// ```
/// # extern crate cotangent_runtime as cotangent;
/// use cotangent::prelude::*;
///
/// let x = [1.0, 2.0];
/// assert_eq!(checkpoint(|| sum(2, |i| x[i] * x[i])), 5.0);
/// ```
#[inline]
pub fn checkpoint<T>(f: impl FnOnce() -> T) -> T {
    f()
}
