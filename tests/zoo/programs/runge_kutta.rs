//! A pendulum with friction by the classical method of Runge and Kutta.
//!
//! @ y: [2]; k: in 0.1..0.5; n: 4
//! @ y: [2]; k: 0.2; n: 0
//! @ y: [2]; k: 0.2; n: 1

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn runge_kutta(y: &Array1<f64>, k: f64, n: usize) -> f64 {
    let h = 0.1;
    let slope = |y: &Array1<f64>| build(2, |i| if i == 0 { y[1] } else { -y[0].sin() - k * y[1] });
    let mut z = build(2, |i| y[i]);
    for _ in 0..n {
        let a = slope(&z);
        let b = slope(&build(2, |i| z[i] + 0.5 * h * a[i]));
        let c = slope(&build(2, |i| z[i] + 0.5 * h * b[i]));
        let d = slope(&build(2, |i| z[i] + h * c[i]));
        z = build(2, |i| {
            z[i] + h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i])
        });
    }
    0.5 * z[1] * z[1] - z[0].cos()
}
