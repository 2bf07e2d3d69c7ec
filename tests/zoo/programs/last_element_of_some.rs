//! The last element is read in a sum, behind a return for nothing to read or to add.
//!
//! @ x: [3]; rows: 2
//! @ x: [0]; rows: 2
//! @ x: [2]; rows: 0
//! @ x: [65]; rows: 9

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn last_element_of_some(x: &Array1<f64>, rows: usize) -> f64 {
    let n = x.len();
    if n == 0 || rows == 0 {
        return 0.5;
    }
    let last = x[n - 1];
    let total = sum(rows, |_| x[n - 1]);
    total * total + last
}
