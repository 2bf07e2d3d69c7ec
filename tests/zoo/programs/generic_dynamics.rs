//! Triangular sums, scattered and running products, extrema, over any real type.
//!
//! @ x: [5] in 0.5..1.5; at: {4, 0, 0, 2, 1}
//! @ x: [1] in 0.5..1.5; at: {0}

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn generic_dynamics<T: Real>(x: &Array1<T>, at: &Array1<usize>) -> Array1<T> {
    let n = x.len();
    let running = build(n, |i| {
        product(i, |j| x[j]) + sum(i, |j| T::from_usize(j) * x[j])
    });
    let moved = scatter_add(n, n, |i| (at[i], running[i] * x[i]));
    let top = maximum(n, |i| moved[i] + x[i]);
    let place = argmin(n, |i| x[i]);
    build(n, |i| {
        let count = sum(n, |j| if j < i { T::of(1.0) } else { T::of(0.0) });
        moved[i].exp() / top + x[place] * count.sqrt() - running[i] * mean(n, |j| x[j])
    })
}
