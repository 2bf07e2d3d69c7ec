use cotangent::prelude::*;

#[differentiable]
fn f(x: f64, n: usize, m: usize) -> f64 {
    let a = match (n, m) {
        (0, k) | (k, 0) => k as f64,
        _ => x,
    };
    let b = match "text" {
        "a" => a,
        _ => x,
    };
    a * b
}

fn main() {}
