//! A polynomial at many points, by steps for all points at once: the sum of its squares.
//!
//! @ x: [3]; n: 5
//! @ x: [2]; n: 21
//! @ x: [35]; n: 17
//! @ x: [3]; n: 530
//! @ x: [4]; n: 0
//! @ x: [0]; n: 20

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn powers_at_points(x: &Array1<f64>, n: usize) -> f64 {
    let mut total = 0.0;
    for i in 0..n {
        let t = i as f64 / (n + 1) as f64 - 0.3;
        let (mut here, mut power) = (0.5, 1.0);
        for j in 0..x.len() {
            here -= x[j] * power;
            power *= t;
        }
        total += here * here;
    }
    total / (n + 1) as f64
}
