use cotangent::prelude::*;
use cotangent::ndarray::Array1;

type Vector = Array1<f64>;

#[differentiable]
fn f(x: &Vector) -> f64 {
    x[0]
}

fn main() {}
