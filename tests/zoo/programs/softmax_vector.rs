//! The softmax of a vector.
//!
//! @ x: [5]
//! @ x: [1]
//! @ x: {1000.0, 999.0, -1000.0} @@ loose
//! @ x: [0]
//! @ for N in {9, 65, 300, 9000} x: [N]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn softmax_vector(x: &Array1<f64>) -> Array1<f64> {
    softmax(x.len(), |i| x[i])
}
