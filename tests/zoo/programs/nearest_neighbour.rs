//! Every query takes the value of the nearest key.
//!
//! @ query: [4]; key: [3]; value: [3]
//! @ query: [2]; key: [1]; value: [1]
//! @ query: [0]; key: [2]; value: [2]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn nearest_neighbour(
    query: &Array1<f64>,
    key: &Array1<f64>,
    value: &Array1<f64>,
) -> Array1<f64> {
    build(query.len(), |q| {
        let k = argmin(key.len(), |k| (query[q] - key[k]).abs());
        value[k] * query[q] + key[k]
    })
}
