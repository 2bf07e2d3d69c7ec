//! A tree whose nodes are the elements of an array; each call reads one of them.
//!
//! @ a: [7]; node: 0
//! @ a: [4]; node: 1
//! @ a: [1]; node: 0
//! @ a: [0]; node: 0
//! @ for N in {9, 65, 300} a: [N]; node: 0
//! @@ deep

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(noinline, value, grad, vjp, jvp)]
pub fn recursion_over_an_array(a: &Array1<f64>, node: usize) -> f64 {
    if node >= a.len() {
        return 0.5;
    }
    let left = recursion_over_an_array(a, 2 * node + 1);
    let right = recursion_over_an_array(a, 2 * node + 2);
    (a[node] + 0.5 * left * right).sin()
}
