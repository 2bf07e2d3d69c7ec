use cotangent::prelude::*;

#[differentiable]
struct S {
    x: f64,
}

fn main() {}
