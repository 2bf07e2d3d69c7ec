//! Layers of which reverse mode keeps nothing but what goes in.
//!
//! @ w: [3, 3]; x: [3]
//! @ w: [1, 1]; x: [1]

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, grad, vjp, jvp)]
pub fn recomputed_layers(w: &Array2<f64>, x: &Array1<f64>) -> f64 {
    let n = x.len();
    let layer = |v: &Array1<f64>| build(n, |i| sum(n, |j| w[[i, j]] * v[j]).tanh());
    let (a, b) = checkpoint(|| {
        let a = layer(&layer(x));
        let total = sum(n, |i| a[i] * x[i]);
        (a, total)
    });
    let c = checkpoint(|| layer(&a));
    sum(n, |i| c[i] * c[i]) + b.exp()
}
