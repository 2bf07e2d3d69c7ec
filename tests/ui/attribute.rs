use cotangent::prelude::*;
use cotangent::ndarray::Array1;

#[differentiable(gard)]
fn misspelt(x: f64) -> f64 {
    x
}

#[differentiable(hessian)]
fn two(x: f64, y: f64) -> f64 {
    x * y
}

#[differentiable(grad)]
fn array(x: &Array1<f64>) -> Array1<f64> {
    x.to_owned()
}

fn main() {}
