use cotangent::prelude::*;

#[differentiable]
fn f(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for i in 0..x.len() {
        total += x[i] * x[i];
    }
    total
}

fn main() {}
