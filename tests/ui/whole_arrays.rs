use cotangent::prelude::*;
use cotangent::ndarray::Array1;

#[differentiable]
fn f(x: &Array1<f64>, y: &Array1<f64>) -> Array1<f64> {
    x + y
}

fn main() {}
