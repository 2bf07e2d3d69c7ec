//! Divisions by an integer that is zero only where no element asks for them.
//!
//! @ x: [0]; k: 3; m: 0
//! @ x: [4]; k: 7; m: 2
//! @ x: [3]; k: 6; m: 3

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn division_over_nothing(x: &Array1<f64>, k: usize, m: usize) -> f64 {
    let chosen = sum(x.len(), |i| if k % m == 1 { x[i] } else { x[i].sin() });
    let scaled = sum(x.len(), |i| {
        let q = (k / m) as f64;
        q * x[i] + q * x[i].sin()
    });
    chosen + scaled
}
