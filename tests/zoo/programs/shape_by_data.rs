//! An array whose length depends on what the data are.
//!
//! @ x: {0.5, 1.5}; w: {1.0, -2.0, 0.25}; a: [2, 3]
//! @ x: {-0.5, -1.5}; w: {1.0, -2.0, 0.25}; a: [2, 3]
//! @ x: {}; w: {}; a: [1, 1]
//! @ x: {-1.0}; w: {}; a: [2, 2]
//! @ x: [65] in 0.5..1.0; w: [9]; a: [9, 65]

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, vjp, jvp)]
pub fn shape_by_data(x: &Array1<f64>, w: &Array1<f64>, a: &Array2<f64>) -> Array1<f64> {
    let v = if x.sum() > 0.0 {
        w.mapv(f64::exp)
    } else {
        x.mapv(f64::sin)
    };
    let m = if x.sum() < 0.0 {
        a.clone()
    } else {
        a.t().to_owned()
    };
    let total = v.dot(&v) * v.len() as f64;
    &v * total + m.row(0).sum()
}
