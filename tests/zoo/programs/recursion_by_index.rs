//! A recursion in a sum, whose index decides, too, where it ends: conditions of lengths hold for
//! the whole sum, those of the index for a term.
//!
//! @ a: [5, 5]
//! @ a: [4, 4]
//! @ a: [3, 3]
//! @ a: [2, 2]
//! @ a: [1, 1]
//! @@ deep

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(noinline, value, grad, vjp, jvp)]
pub fn recursion_by_index(a: &Array2<f64>) -> f64 {
    let n = a.nrows();
    if n == 1 {
        a[[0, 0]]
    } else {
        sum(n, |j| {
            let rest = build((n - 1, n - 1), |(r, c)| a[[r + 1, c]] * a[[0, j]]);
            if j < 2 {
                a[[0, j]] * rest[[0, 0]]
            } else {
                0.5 * recursion_by_index(&rest)
            }
        })
    }
}
