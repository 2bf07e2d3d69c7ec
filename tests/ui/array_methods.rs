use cotangent::prelude::*;
use cotangent::ndarray::{Array1, Array2, Axis};

#[differentiable]
fn f(a: &Array2<f64>, x: &Array1<f64>) -> f64 {
    let y = a.sum_axis(Axis(1));
    let z = x.mapv(|v| (v, v * v));
    sum(y.len(), |i| y[i]) + x.product() + z[0].0
}

fn main() {}
