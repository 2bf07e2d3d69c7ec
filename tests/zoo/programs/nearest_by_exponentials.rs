//! What is smallest in each row, and where, with other weights for each place.
//!
//! @ x: [4]; c: [5]; w: [5]
//! @ x: [1]; c: [1]; w: [1]
//! @ x: [0]; c: [3]; w: [3]
//! @ x: [3]; c: [0]; w: [0]
//! @ x: [20]; c: [18]; w: [18] @@ nonsmooth

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn nearest_by_exponentials(x: &Array1<f64>, c: &Array1<f64>, w: &Array1<f64>) -> f64 {
    let distance = build((x.len(), c.len()), |(i, j)| {
        (x[i] - c[j]).exp() + (c[j] - x[i]).exp()
    });
    sum(x.len(), |i| {
        if !c.is_empty() {
            let k = argmin(c.len(), |j| distance[[i, j]]);
            distance[[i, k]] * w[k]
        } else {
            x[i]
        }
    })
}
