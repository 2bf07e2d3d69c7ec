use cotangent::prelude::*;

#[differentiable]
fn f(x: f64) -> f64 {
    let parts = vec![x, 2.0 * x];
    println!("{x}");
    let rest = vec![parts, vec![x]];
    rest[0][1]
}

fn main() {}
