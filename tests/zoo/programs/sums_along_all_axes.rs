//! The squares of the sums along each axis, in a loop over the axes.
//!
//! @ a: [2, 3, 4]
//! @ a: [1, 1, 1]
//! @ a: [2, 0, 4]
//! @ for N in {9, 65} a: [N, 2, 3]

use cotangent::prelude::*;
use ndarray::{Array3, Axis};

#[differentiable(value, grad, vjp, jvp)]
pub fn sums_along_all_axes(a: &Array3<f64>) -> f64 {
    let mut total = 0.0;
    for k in 0..a.ndim() {
        let weight = (k + 1) as f64;
        total += weight * a.sum_axis(Axis(k)).mapv(|v| v * v).sum();
    }
    let longest = if a.dim().0 > a.dim().2 { Axis(0) } else { Axis(2) };
    total + a.fold_axis(longest, 0.0, |s, &v| 0.5 * s + v).sum() * longest.index() as f64
}
