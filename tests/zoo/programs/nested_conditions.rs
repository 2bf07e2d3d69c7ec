//! Conditionals in conditionals, continuous and not.
//!
//! @ a: {2.0, -0.5, -3.0, 0.2, 1.5}
//! @ a: [6] in -4.0..4.0
//! @ a: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn nested_conditions(a: &Array1<f64>) -> f64 {
    let f = |x: f64| {
        let u = if x >= 1.0 {
            x.ln() + 1.0
        } else if x - 2.0 < -3.0 {
            (x + 1.0).exp() - 2.0
        } else {
            x
        };
        let y = 2.0 * u.exp();
        u * if u < -1.0 { u + y } else { y }
    };
    sum(a.len(), |i| f(a[i]))
}
