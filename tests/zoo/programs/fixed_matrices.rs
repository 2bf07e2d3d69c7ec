//! A product of matrices of fixed size, element by element and scaled: arrays of arrays go in and
//! come out whole.
//!
//! @ a: [2, 3]; b: [3, 2]; pick: true
//! @ a: [2, 3]; b: [3, 2]; pick: false

use cotangent::prelude::*;

#[differentiable(value, vjp, jvp)]
pub fn fixed_matrices(a: [[f64; 3]; 2], b: &[[f64; 2]; 3], pick: bool) -> ([[f64; 2]; 2], [[f64; 3]; 2]) {
    let at = |i: usize, j: usize| sum(3, |k| a[i][k] * b[k][j]);
    let product = [[at(0, 0), at(0, 1)], [at(1, 0), at(1, 1)]];
    let other = if pick { a } else { a.map(|row| row.map(|v| v * v)) };
    (product, other)
}
