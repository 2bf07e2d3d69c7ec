//! A rounded value picks one of several row sums of a gathered matrix.
//!
//! @ a: [5] in -10.0..10.0
//! @ a: [1]
//! @ a: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn rounded_index_into_sums(a: &Array1<f64>) -> f64 {
    let n = a.len();
    let gathered = build((n, n), |(i, j)| a[(i + 2 * j) % n]);
    let b = build(n, |i| sum(n, |j| gathered[[i, j]] * gathered[[i, j]]));
    sum(n, |i| a[i] * b[a[i].abs().round() as usize % n])
}
