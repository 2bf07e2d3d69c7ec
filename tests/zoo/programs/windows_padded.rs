//! Windows of even length around each element, of which what is outside counts nothing.
//!
//! @ x: [5]; k: [4]
//! @ x: [1]; k: [4]
//! @ x: [0]; k: [2]
//! @ x: [19]; k: [4]
//! @ x: [18]; k: [16]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn windows_padded(x: &Array1<f64>, k: &Array1<f64>) -> Array1<f64> {
    let half = k.len() / 2;
    build(x.len(), |i| {
        sum(k.len(), |r| {
            if i + r >= half && i + r - half < x.len() {
                x[i + r - half] * k[r]
            } else {
                0.0
            }
        })
    })
}
