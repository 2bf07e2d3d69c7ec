//! What projecting on a few directions leaves of centred data.
//!
//! @ x: [5, 3]; w: [3, 2]
//! @ x: [1, 2]; w: [2, 1]

use cotangent::prelude::*;
use ndarray::{Array2, Axis};

#[differentiable(value, grad, vjp, jvp)]
pub fn nd_pca_objective(x: &Array2<f64>, w: &Array2<f64>) -> f64 {
    let centred = x - &x.mean_axis(Axis(0)).unwrap();
    let back = centred.dot(w).dot(&w.t());
    (&centred - &back).mapv(|v| v * v).sum() / x.nrows() as f64
}
