use cotangent::prelude::*;

#[differentiable]
fn f<T: Into<f64>>(x: f64, y: T) -> f64 {
    x * y.into()
}

fn main() {}
