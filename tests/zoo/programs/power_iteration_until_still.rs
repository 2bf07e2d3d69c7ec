//! The largest eigenvalue of `A Aᵀ + n I`, by powers until it does not change.
//!
//! @@ loose
//! @ a: [2, 2]; v: [2] in 0.5..1.5
//! @ a: [3, 1]; v: [3] in 0.5..1.5
//! @ for N in {9, 17, 65, 130} a: [N, N]; v: [N] in 0.5..1.5

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, grad, vjp, jvp)]
pub fn power_iteration_until_still(a: &Array2<f64>, v: &Array1<f64>) -> f64 {
    let n = a.nrows() as f64;
    let mut v = build(a.nrows(), |i| v[i]);
    let mut before = 0.0;
    let mut count = 0;
    loop {
        let w = a.dot(&a.t().dot(&v)) + n * &v;
        let length = w.dot(&w).sqrt();
        v = w / length;
        count += 1;
        if (length - before).abs() < 1e-3 * length || count == 40 {
            break;
        }
        before = length;
    }
    v.dot(&a.dot(&a.t().dot(&v))) + n
}
