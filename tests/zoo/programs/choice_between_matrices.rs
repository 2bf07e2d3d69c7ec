//! Arrays of rank one and two chosen by a condition on a length.
//!
//! @ a: [3]; b: [4]
//! @ a: [4]; b: [3]
//! @ a: [1]; b: [1]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn choice_between_matrices(a: &Array1<f64>, b: &Array1<f64>) -> f64 {
    let n = a.len();
    let m = b.len();
    let wide = n % 3 != 1;
    let table = build((m, 3), |(i, j)| if wide { b[i] } else { (i + j) as f64 });
    let chosen = |k: usize| if wide { a[k % n] } else { b[k % m] };
    let square = build((4, 4), |(i, j)| chosen(i * j));
    let sums = build(4, |i| sum(4, |j| square[[i, j]]));
    sum(m.min(4), |i| sums[i] * table[[i, 0]])
}
