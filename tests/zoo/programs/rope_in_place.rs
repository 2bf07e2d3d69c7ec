//! A rope whose links are pulled to their length one after the other: one loop changes both ends of
//! a link, which the next link reads.
//!
//! @ x0: [4, 2]; sweeps: 2
//! @ x0: [1, 2]; sweeps: 3
//! @ x0: [3, 2]; sweeps: 0
//! @ for N in {9, 65, 300} x0: [N, 2]; sweeps: 3

use cotangent::prelude::*;

#[differentiable(value, grad, vjp, jvp)]
pub fn rope_in_place(x0: &[[f64; 2]], sweeps: usize) -> f64 {
    let mut x = x0.to_vec();
    for _ in 0..sweeps {
        for i in 0..x.len() - 1 {
            let d = [x[i + 1][0] - x[i][0], x[i + 1][1] - x[i][1]];
            let c = 0.5 * (1.0 - 0.1 / (d[0] * d[0] + d[1] * d[1] + 0.01).sqrt());
            for k in 0..2 {
                x[i][k] += c * d[k];
                x[i + 1][k] -= c * d[k];
            }
        }
    }
    x.iter().map(|a| a[0].sin() + a[1]).sum()
}
