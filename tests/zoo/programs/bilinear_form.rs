//! A bilinear form.
//!
//! @ u: [3]; m: [3, 2]; v: [2]
//! @ u: [1]; m: [1, 1]; v: [1]
//! @ u: [0]; m: [0, 2]; v: [2]

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, grad, vjp, jvp)]
pub fn bilinear_form(u: &Array1<f64>, m: &Array2<f64>, v: &Array1<f64>) -> f64 {
    sum((u.len(), v.len()), |(i, j)| u[i] * m[[i, j]] * v[j])
}
