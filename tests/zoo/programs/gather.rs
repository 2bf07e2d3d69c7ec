//! Elements gathered by an index array, repeats included.
//!
//! @ x: [5]; idx: {4, 0, 0, 2, 4}
//! @ x: [3]; idx: [7] in 0..3
//! @ x: [3]; idx: [0] in 0..3

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn gather(x: &Array1<f64>, idx: &Array1<usize>) -> Array1<f64> {
    build(idx.len(), |i| x[idx[i]] * x[idx[i]])
}
