use cotangent::prelude::*;

#[differentiable]
fn f(x: &[f64]) -> f64 {
    let sum = x[0];
    sum * sum + mean(x.len(), |i| x[i]) * later(sum)
}

fn later(x: f64) -> f64 {
    x
}

fn main() {}
