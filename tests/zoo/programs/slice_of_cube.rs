//! Two slices of a rank-3 array of gathered elements.
//!
//! @ p: 0; q: 2; a: [3]
//! @ p: 1; q: 1; a: [3]
//! @ p: 6; q: 5; a: [1]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn slice_of_cube(p: usize, q: usize, a: &Array1<f64>) -> f64 {
    let n = a.len();
    let cube = build((n, n, n + 1), |(i, j, k)| a[i] * a[j] + a[k % n]);
    let matrix = build((n, n + 1), |(j, k)| cube[[p % n, j, k]]);
    let row = build(n, |j| matrix[[j, q % (n + 1)]]);
    sum(n, |j| row[j] * a[j])
}
