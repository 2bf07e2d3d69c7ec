//! Values clamped at variable ends, exactly at the ends, and where they are no numbers.
//!
//! @ x: [5]; low: [5] in -1.0..-0.3; high: [5] in 0.3..1.0
//! @ x: [3] {1.0, 2.0, 3.0}; low: [3] {1.0, 1.0, 1.0}; high: [3] {3.0, 3.0, 3.0} @@ nonsmooth
//! @ x: [2] {NaN, 0.5}; low: [2] {0.0, 0.0}; high: [2] {1.0, 1.0} @@ nonfinite

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn clamped_at_the_ends(x: &Array1<f64>, low: &Array1<f64>, high: &Array1<f64>) -> Array1<f64> {
    build(x.len(), |i| {
        (x[i] * x[i].clamp(low[i], high[i])).clamp(-9.0, 9.0)
    })
}
