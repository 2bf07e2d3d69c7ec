//! Many copies of a vector, of which one is looked at.
//!
//! @ x: [4]; copies: 3
//! @ x: [1]; copies: 1
//! @ x: [0]; copies: 2

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn one_of_many_copies(x: &Array1<f64>, copies: usize) -> f64 {
    let all = build((copies, x.len()), |(k, i)| x[i] * (k + 1) as f64);
    sum(x.len(), |i| all[[0, i]] * all[[0, i]])
}
