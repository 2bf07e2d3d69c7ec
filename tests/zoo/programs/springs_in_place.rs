//! Springs between points that lists name, one after the other, in one loop over the coordinates.
//!
//! @ x0: [3, 3]; from: {0, 1}; to: {2, 1}
//! @ x0: [1, 3]; from: {}; to: {}
//! @ for N in {9, 65, 300} x0: [N, 3]; from: {0, 8, 3, 7, 8, 0}; to: {2, 1, 3, 0, 2, 8}

use cotangent::prelude::*;

#[differentiable(value, grad, vjp, jvp)]
pub fn springs_in_place(x0: &[[f64; 3]], from: &[usize], to: &[usize]) -> f64 {
    let mut x = x0.to_vec();
    for (&i, &j) in from.iter().zip(to) {
        let d = [
            x[j][0] - x[i][0],
            x[j][1] - x[i][1],
            x[j][2] - x[i][2],
        ];
        for k in 0..3 {
            x[i][k] += 0.1 * d[k];
            x[j][k] -= 0.1 * d[k];
        }
    }
    x.iter().map(|a| a[0].sin() + a[1] * a[2]).sum()
}
