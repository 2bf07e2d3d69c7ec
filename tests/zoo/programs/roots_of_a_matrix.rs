//! A root for each element of a matrix by Newton's method, which stops when a step is small.
//!
//! @ for N in {0, 1, 9, 33} a: [3, N] in 0.5..2.0

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, grad, vjp, jvp)]
pub fn roots_of_a_matrix(a: &Array2<f64>) -> f64 {
    let (rows, columns) = a.dim();
    let mut total = 0.0;
    for i in 0..rows {
        for j in 0..columns {
            let mut x = 1.0;
            for _ in 0..30 {
                let step = (x * x * x - 1.0 - a[[i, j]] * a[[i, j]]) / (3.0 * x * x);
                x -= step;
                if step.abs() < 1e-10 {
                    break;
                }
            }
            total += x;
        }
    }
    total
}
