use cotangent::prelude::*;

#[differentiable(wrt = x)]
fn equals(x: f64) -> f64 {
    x
}

#[differentiable(value_and_grad)]
fn both(x: f64) -> f64 {
    x
}

#[differentiable(grad, value, grad)]
fn twice(x: f64) -> f64 {
    x
}

fn main() {}

#[differentiable(allow(dead_code))]
fn allows_another_lint(x: f64) -> f64 {
    x
}

#[differentiable(allow)]
fn allows_nothing(x: f64) -> f64 {
    x
}
