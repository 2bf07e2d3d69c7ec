use cotangent::prelude::*;

#[differentiable(wrt(n))]
fn constant(x: f64, n: usize) -> f64 {
    x * n as f64
}

#[differentiable(wrt(z))]
fn missing(x: f64) -> f64 {
    x
}

#[differentiable(wrt(x, x))]
fn twice(x: f64) -> f64 {
    x
}

fn main() {}
