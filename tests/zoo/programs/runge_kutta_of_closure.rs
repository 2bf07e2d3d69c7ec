//! Four classical Runge–Kutta steps of a right-hand side that captures its parameters.
//!
//! @ k: [4] in -1.0..1.0; y: [4] in -1.0..1.0
//! @ k: [1] in -1.0..1.0; y: [1] in -1.0..1.0
//! @ k: [0]; y: [0]
//! @ for N in {9, 65} k: [N] in -1.0..1.0; y: [N] in -1.0..1.0

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn runge_kutta_of_closure(k: &Array1<f64>, y: &Array1<f64>) -> f64 {
    let end = solved(|t, y| y.mapv(f64::sin) * k - y * t, y, 0.5, 4);
    end.dot(&end)
}

#[differentiable]
fn solved<F>(slope: F, start: &Array1<f64>, end: f64, steps: usize) -> Array1<f64>
where
    F: Fn(f64, &Array1<f64>) -> Array1<f64>,
{
    let h = end / steps as f64;
    let mut y = start.clone();
    for i in 0..steps {
        let t = h * i as f64;
        let k1 = slope(t, &y);
        let k2 = slope(t + 0.5 * h, &(&y + &k1 * (0.5 * h)));
        let k3 = slope(t + 0.5 * h, &(&y + &k2 * (0.5 * h)));
        let k4 = slope(t + h, &(&y + &k3 * h));
        y = &y + (k1 + 2.0 * k2 + 2.0 * k3 + k4) * (h / 6.0);
    }
    y
}
