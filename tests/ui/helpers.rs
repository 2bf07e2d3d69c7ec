use cotangent::prelude::*;

fn squared(x: f64) -> f64 {
    x * x
}

#[differentiable]
fn called(x: f64, y: f64) -> f64 {
    squared(x) + squared(y)
}

#[differentiable]
fn hashed(x: f64, n: u32) -> f64 {
    x * n.wrapping_mul(3) as f64 + n.saturating_mul(2) as f64
}

fn main() {}
