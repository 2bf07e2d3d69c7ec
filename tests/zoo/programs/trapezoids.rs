//! A quadrature from the second point on, by a range that does not begin at 0.
//!
//! @ y: [6]; h: in 0.5..1.0
//! @ y: [2]; h: 0.25
//! @ y: [1]; h: 0.5

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn trapezoids(y: &Array1<f64>, h: f64) -> f64 {
    let mut area = 0.0;
    for i in 1..y.len() {
        area += 0.5 * h * (y[i] + y[i - 1]);
    }
    for i in (0..y.len()).step_by(2) {
        area *= 1.0 + 0.1 * y[i];
    }
    area
}
