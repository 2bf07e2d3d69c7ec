use cotangent::prelude::*;

#[differentiable]
const fn constant(x: f64) -> f64 {
    x
}

#[differentiable]
async fn later(x: f64) -> f64 {
    x
}

#[differentiable]
unsafe fn careless(x: f64) -> f64 {
    x
}

fn main() {}
