//! Cases that lengths decide, with gradients that have nothing in common.
//!
//! @ for N in {0, 1, 2, 3, 9, 65} x: [N]; w: [N]; flag: false
//! @ for N in {0, 1, 2, 3, 9, 65} x: [N]; w: [N]; flag: true

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp, hvp)]
pub fn cases_of_lengths(x: &Array1<f64>, w: &Array1<f64>, flag: bool) -> f64 {
    let n = x.len();
    if n == 0 {
        return 0.0;
    }
    if n == 1 {
        return x[0].exp() * w[0];
    }
    if n == 2 {
        return sum(n, |i| (x[i] * w[n - 1 - i]).sin());
    }
    if flag {
        let total = w.sum();
        sum(n, |i| (total * x[n - 1 - i]).cos())
    } else {
        let mut s = 0.0;
        for i in 1..n {
            s += (x[i] - x[i - 1]).powi(2) * w[i];
        }
        s
    }
}
