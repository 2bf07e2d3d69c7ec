//! The same name for an index, a scalar and an array, in nested blocks.
//!
//! @ x: [3]
//! @ x: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn shadowed_names(x: &Array1<f64>) -> f64 {
    let n = x.len();
    let y = {
        let x = build(n, |x_index| x[x_index] * 2.0);
        let n = 2.0;
        sum(x.len(), |i| {
            let x = x[i] * n;
            let i = i as f64;
            x * x + i
        })
    };
    sum(n, |i| x[i] * y)
}
