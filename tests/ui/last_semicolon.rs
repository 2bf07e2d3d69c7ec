use cotangent::prelude::*;

#[differentiable]
fn f(x: f64) -> f64 {
    let y = x * x;
    y;
}

fn main() {}
