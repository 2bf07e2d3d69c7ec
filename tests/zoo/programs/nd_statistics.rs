//! Means, variances and products, whole and by axis.
//!
//! @ a: [3, 4] in 0.5..1.5; x: [3]
//! @ a: [2, 2] in 0.5..1.5; x: [2]

use cotangent::prelude::*;
use ndarray::{Array1, Array2, Axis};

#[differentiable(value, grad, vjp, jvp)]
pub fn nd_statistics(a: &Array2<f64>, x: &Array1<f64>) -> f64 {
    let spread = a.var(1.0) + x.std(0.0) * a.mean().unwrap();
    let by_row = a.var_axis(Axis(1), 1.0);
    let by_column = a.std_axis(Axis(0), 0.0);
    let products = a.product_axis(Axis(1));
    spread * x.product() + by_row.dot(&products) + by_column.sum() + x.mean().unwrap_or(0.0)
}
