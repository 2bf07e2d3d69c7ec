//! The determinant of a matrix by the minors of its first row, each a matrix of its own: a unit
//! that calls itself with arrays that it makes, and whose base case stands in front of the calls.
//!
//! @ a: [6, 6]
//! @ a: [5, 5]
//! @ a: [4, 4]
//! @ a: [3, 3]
//! @ a: [2, 2]
//! @ a: [1, 1]
//! @@ deep

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(noinline, value, grad, vjp, jvp)]
pub fn determinant_of_copied_minors(a: &Array2<f64>) -> f64 {
    let n = a.nrows();
    if n == 1 {
        a[[0, 0]]
    } else {
        sum(n, |j| {
            let minor = build((n - 1, n - 1), |(r, c)| {
                a[[r + 1, if c < j { c } else { c + 1 }]]
            });
            let sign = if j % 2 == 0 { 1.0 } else { -1.0 };
            sign * a[[0, j]] * determinant_of_copied_minors(&minor)
        })
    }
}
