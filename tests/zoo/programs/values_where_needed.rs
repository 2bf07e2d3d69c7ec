//! Values that may not exist and that are needed under conditions alone: outside of the loop whose
//! condition decides, in both arms of a branch, and in arms that only together are all of them. Of
//! many numbers one is close to a step.
//!
//! @ x: [3]; y: [4]; k: 2; n: 1
//! @ x: [3]; y: [4]; k: 0; n: 100
//! @ x: [1]; y: [1]; k: 1; n: 0
//! @ x: [9]; y: [9]; k: 4; n: 8
//! @ x: [65]; y: [66]; k: 0; n: 70 @@ nonsmooth

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn values_where_needed(x: &Array1<f64>, y: &Array1<f64>, k: usize, n: usize) -> f64 {
    let far = sum(x.len(), |i| {
        if i < k {
            let v = y[n].sin();
            let w = v * v + v.cos();
            w * x[i] + (w * v).exp()
        } else {
            x[i]
        }
    });
    let near = sum(x.len(), |i| {
        let v = y[i];
        if x[i] > 0.5 {
            v * v
        } else if x[i] > -0.5 {
            v.sin() * x[i]
        } else {
            -v
        }
    });
    let next = sum(x.len(), |i| {
        let (mut a, mut b) = (x[i], 1.0);
        if i + 1 < y.len() && a > 0.0 {
            a *= y[i + 1];
            b = a.sin();
        }
        if i + 1 < y.len() && a < 0.3 {
            b *= y[i + 1] * y[i + 1].cos();
        }
        a * b
    });
    far + near * next
}
