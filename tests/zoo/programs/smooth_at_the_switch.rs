//! Two formulas that agree to first order where they meet.
//!
//! @ a: [6]
//! @ a: {0.0, 1.0, -1.0}
//! @ a: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn smooth_at_the_switch(a: &Array1<f64>) -> f64 {
    sum(a.len(), |i| {
        let x = a[i];
        2.0 + if x > 0.0 {
            (x * x).sin()
        } else {
            x * x * x.exp()
        }
    })
}
