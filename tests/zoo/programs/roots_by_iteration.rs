//! A square root by Newton's method for each element: a loop of unknown length in another one.
//!
//! @ a: [4] in 0.5..4.0
//! @ for N in {9, 65} a: [N] in 0.1..9.0
//! @ a: [1] in 1.0..2.0
//! @ a: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp, hvp, hessian)]
pub fn roots_by_iteration(a: &Array1<f64>) -> f64 {
    let mut total = 0.0;
    for &v in a {
        let (mut x, mut k) = (v, 0);
        while (x * x - v).abs() > 1e-13 && k < 40 {
            x = 0.5 * (x + v / x);
            k += 1;
        }
        total += x * v;
    }
    total
}
