//! A tridiagonal system by elimination and substitution.
//!
//! @ a: [4] in 0.1..0.4; b: [4] in 1.0..2.0; c: [4] in 0.1..0.4; d: [4]
//! @ a: [1]; b: [1] in 1.0..2.0; c: [1]; d: [1]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn thomas_algorithm(
    a: &Array1<f64>,
    b: &Array1<f64>,
    c: &Array1<f64>,
    d: &Array1<f64>,
) -> Array1<f64> {
    let n = d.len();
    let mut p = build(n, |i| c[i] / b[i]);
    let mut q = build(n, |i| d[i] / b[i]);
    for i in 1..n {
        let w = b[i] - a[i] * p[i - 1];
        p[i] = c[i] / w;
        q[i] = (d[i] - a[i] * q[i - 1]) / w;
    }
    for i in (0..n - 1).rev() {
        q[i] = q[i] - p[i] * q[i + 1];
    }
    q
}
