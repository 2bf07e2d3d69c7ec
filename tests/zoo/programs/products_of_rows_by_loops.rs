//! Products along rows, summed, with the loops over rows and their elements.
//!
//! @ a: [3, 4]
//! @ a: [1, 1]
//! @ a: [2, 0]
//! @ a: [0, 2]

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, grad, vjp, jvp)]
pub fn products_of_rows_by_loops(a: &Array2<f64>) -> f64 {
    let mut total = 0.0;
    for row in a.outer_iter() {
        let mut product = 1.0;
        for v in row.iter() {
            product *= 1.0 + v;
        }
        total += product;
    }
    total
}
