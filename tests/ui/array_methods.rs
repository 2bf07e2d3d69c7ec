use cotangent::prelude::*;
use cotangent::ndarray::{Array1, Array2};

#[differentiable]
fn f(a: &Array2<f64>, x: &Array1<f64>) -> f64 {
    let y = a.dot(x);
    sum(y.len(), |i| y[i]) + a.t()[[0, 1]] + x.sum()
}

fn main() {}
