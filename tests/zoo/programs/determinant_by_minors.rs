//! The determinant of a 4 by 4 matrix, by minors of its first row.
//!
//! @ m: [4, 4]
//! @ m: [4, 4] {1.0, 2.0, 3.0, 4.0, 0.0, 1.0, 2.0, 3.0, 0.0, 0.0, 1.0, 2.0, 0.0, 0.0, 0.0, 1.0}

use cotangent::prelude::*;

#[differentiable(value, grad, vjp, jvp)]
pub fn determinant_by_minors(m: &[[f64; 4]; 4]) -> f64 {
    let two = |r: usize, a: usize, b: usize| m[r][a] * m[r + 1][b] - m[r][b] * m[r + 1][a];
    let three = |a: usize, b: usize, c: usize| {
        m[1][a] * two(2, b, c) - m[1][b] * two(2, a, c) + m[1][c] * two(2, a, b)
    };
    m[0][0] * three(1, 2, 3) - m[0][1] * three(0, 2, 3) + m[0][2] * three(0, 1, 3)
        - m[0][3] * three(0, 1, 2)
}
