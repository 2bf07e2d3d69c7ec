use cotangent::prelude::*;
use types::Vector;

mod types {
    pub type Vector = cotangent::ndarray::Array1<f64>;
}

#[differentiable]
fn f(x: &Vector) -> f64 {
    x[0]
}

fn main() {}
