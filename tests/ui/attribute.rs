use cotangent::prelude::*;
use cotangent::ndarray::Array1;

#[differentiable(gard)]
fn misspelt(x: f64) -> f64 {
    x
}

#[differentiable(hessian)]
fn later(x: f64) -> f64 {
    x
}

#[differentiable(grad)]
fn array(x: &Array1<f64>) -> Array1<f64> {
    x.to_owned()
}

fn main() {}
