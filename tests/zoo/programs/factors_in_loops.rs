//! Loops whose steps go from one state to the next by way of several operations: their derivative
//! is one factor, which is what reverse mode keeps.
//!
//! @ x: [3]; k: 0.4; steps: 4
//! @ x: [1]; k: -0.7; steps: 1
//! @ x: [2]; k: 1.1; steps: 0
//! @ for N in {9, 65} x: [N]; k: 0.3; steps: 7

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp, hvp)]
pub fn factors_in_loops(x: &Array1<f64>, k: f64, steps: usize) -> f64 {
    let mut v = x.clone();
    let mut s = k;
    let mut step = 0;
    while step < steps {
        let d = (s * s + 1.0).sqrt();
        let n = s / d;
        s = 0.9 * s + 0.1 / d / d - n.sin() / d;
        v = v.mapv(|v| {
            let e = (v * v + 1.0).sqrt();
            e.ln() / e + v * s.cos() / e
        });
        step += 1;
    }
    v.sum() + s
}
