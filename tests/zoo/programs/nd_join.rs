//! Arrays joined and stacked, by functions and by macros.
//!
//! @ x: [2]; y: [3]; a: [2, 3]
//! @ x: [0]; y: [1]; a: [1, 1]

use cotangent::prelude::*;
use ndarray::{Array1, Array2, Axis, concatenate, stack};

#[differentiable(value, grad, vjp, jvp)]
pub fn nd_join(x: &Array1<f64>, y: &Array1<f64>, a: &Array2<f64>) -> f64 {
    let long = concatenate(Axis(0), &[x.view(), y.view(), x.view()]).unwrap();
    let tall = concatenate![Axis(0), a.view(), y.view().insert_axis(Axis(0))];
    let pair = stack![Axis(1), y.view(), a.row(0)];
    let layers = stack(Axis(0), &[a.view(), a.view()]).unwrap();
    let ramp = Array1::from_shape_fn(long.len(), |i| (i + 1) as f64);
    long.mapv(f64::sin).dot(&ramp)
        + tall.mapv(|v| v * v).sum() * pair.row(0).sum()
        + layers.index_axis(Axis(0), 1).dot(y).sum()
}
