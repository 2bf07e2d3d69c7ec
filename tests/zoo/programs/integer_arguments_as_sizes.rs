//! Integers as extents, weights and exponents.
//!
//! @ x: ; n: 4; m: 3
//! @ x: ; n: 1; m: 0
//! @ x: ; n: 0; m: 2

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, vjp, jvp)]
pub fn integer_arguments_as_sizes(x: f64, n: usize, m: usize) -> Array2<f64> {
    build((n, m), |(i, j)| {
        let k = (i + 1) * (j + 2) % 5;
        k as f64 * x + (x * (i as f64 - j as f64)).sin()
    })
}
