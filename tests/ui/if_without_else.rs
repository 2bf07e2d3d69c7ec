use cotangent::prelude::*;

#[differentiable]
fn f(x: f64) -> f64 {
    let y = x * x;
    if y > 1.0 {
        println!("large");
    }
    y
}

fn main() {}
