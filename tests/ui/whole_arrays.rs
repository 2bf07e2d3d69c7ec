use cotangent::prelude::*;
use cotangent::ndarray::Array1;

#[differentiable]
fn f(x: &Array1<f64>, y: &Array1<f64>) -> f64 {
    if x == y { x[0] } else { (x * y)[0] }
}

fn main() {}
