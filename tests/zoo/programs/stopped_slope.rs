//! A gradient of a function that holds a part constant, which stays so in derivatives of the
//! gradient; and elements read at indices that are data.
//!
//! @ x: [4]; at: {0, 2, 2, 3, 1}
//! @ x: [1]; at: {0}
//! @@ nonsmooth

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable]
fn held(x: &Array1<f64>, at: &Array1<usize>) -> f64 {
    sum(at.len(), |k| {
        let e = x[at[k]];
        e * e * stop_gradient(e)
    })
}

#[differentiable(value, grad, vjp, jvp)]
pub fn stopped_slope(x: &Array1<f64>, at: &Array1<usize>) -> f64 {
    let dx = held_grad(x, at);
    sum(x.len(), |i| dx[i] * x[i])
}
