//! A path of geometric Brownian motion, and its mean.
//!
//! @ z: [5]; mu: in 0.01..0.1; sigma: in 0.1..0.3
//! @ z: [1]; mu: 0.05; sigma: 0.2
//! @ z: [2]; mu: 0.05; sigma: 0.2

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn brownian_path(z: &Array1<f64>, mu: f64, sigma: f64) -> Array1<f64> {
    let n = z.len();
    let mut path = build(n, |_| 0.0);
    let mut s = 1.0;
    for i in 0..n {
        s *= ((mu - 0.5 * sigma * sigma) * 0.1 + sigma * 0.1_f64.sqrt() * z[i]).exp();
        path[i] = s;
    }
    path
}
