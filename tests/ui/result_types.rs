use cotangent::prelude::*;

#[differentiable]
fn nothing(x: f64) {
    let _ = x;
}

#[differentiable]
fn count(x: f64) -> usize {
    x as usize
}

#[differentiable]
fn pair(x: &[f64]) -> (f64, &[f64]) {
    (x[0], x)
}

#[differentiable]
fn borrowed(x: &[f64]) -> &[f64] {
    x
}

fn main() {}
