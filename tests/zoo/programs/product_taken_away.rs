//! A matrix less a product and plus another one, neither of which anybody else needs, and a product
//! of the negative.
//!
//! @ x: [3, 4]; y: [3, 4]; w: [4, 4]
//! @ x: [1, 1]; y: [1, 1]; w: [1, 1]
//! @ x: [2, 0]; y: [2, 0]; w: [0, 0]
//! @ x: [0, 2]; y: [0, 2]; w: [2, 2]

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, vjp, jvp)]
pub fn product_taken_away(x: &Array2<f64>, y: &Array2<f64>, w: &Array2<f64>) -> Array2<f64> {
    let rest = y - &x.dot(w);
    let other = x + &rest.dot(w);
    (-&other).dot(w) + other
}
