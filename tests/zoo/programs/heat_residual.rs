//! The residual of an implicit step of the heat equation on a grid.
//!
//! @ u: [4, 5]; next: [4, 5]; dt: in 0.1..0.5
//! @ u: [3, 3]; next: [3, 3]; dt: 0.1
//! @ u: [2, 2]; next: [2, 2]; dt: 0.1

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, vjp, jvp)]
pub fn heat_residual(u: &Array2<f64>, next: &Array2<f64>, dt: f64) -> Array2<f64> {
    let (n, m) = u.dim();
    build((n - 2, m - 2), |(i, j)| {
        let r = i + 1;
        let c = j + 1;
        let laplacian = next[[r - 1, c]] + next[[r + 1, c]] + next[[r, c - 1]] + next[[r, c + 1]]
            - 4.0 * next[[r, c]];
        next[[r, c]] - u[[r, c]] - dt * laplacian
    })
}
