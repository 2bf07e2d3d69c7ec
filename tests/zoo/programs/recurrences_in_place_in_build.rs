//! For each row an array that is changed in place, until it is large or comes to its end.
//!
//! @ x: [3, 4]; w: in 0.5..1.5
//! @ x: [2, 1]; w: in 0.5..1.5
//! @ x: [0, 3]; w: in 0.5..1.5

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, vjp, jvp)]
pub fn recurrences_in_place_in_build(x: &Array2<f64>, w: f64) -> Array1<f64> {
    let n = x.ncols();
    let fixed = build(x.nrows(), |r| {
        let mut y = build(n, |i| x[[r, i]]);
        for i in 0..n {
            y[i] = w * y[i] + sum(i, |j| y[j] * y[j]).sin();
        }
        sum(n, |i| y[i])
    });
    let until = build(x.nrows(), |r| {
        let mut y = build(n, |i| x[[r, i]]);
        let mut i = 0;
        while i < n && y[0] < 2.0 {
            let all = sum(n, |j| y[j] * y[n - 1 - j]);
            y[i] = w * y[i] + all.sin();
            y[0] = y[0] + 0.5;
            i += 1;
        }
        sum(n, |j| y[j] * y[j])
    });
    build(x.nrows(), |r| fixed[r] * until[r])
}
