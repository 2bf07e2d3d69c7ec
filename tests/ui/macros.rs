use cotangent::prelude::*;

#[differentiable]
fn f(x: f64) -> f64 {
    let parts = vec![x, 2.0 * x];
    println!("{x}");
    parts[0] * parts[1]
}

fn main() {}
