//! What is said about options of attributes.

use cotangent::prelude::*;

#[differentiable(gard)]
fn misspelled(x: f64) -> f64 {
    x
}

#[differentiable(checkpoint = 3)]
fn rounds(x: f64) -> f64 {
    x
}

#[differentiable(checkpoint = "root")]
fn root(x: f64) -> f64 {
    x
}

#[differentiable(jacobian(both))]
fn jacobian(x: f64) -> f64 {
    x
}

#[differentiable(hvp(x), hessian = 2)]
fn second(x: f64) -> f64 {
    x
}

#[differentiable(grad(x), value_and_grad)]
fn alone(x: f64) -> f64 {
    x
}

#[custom_derivative(vjp = "line_vjp", 3)]
fn quoted(x: f64) -> f64 {
    x
}

#[custom_derivative(vjp = point_vjp)]
struct Point;

#[custom_derivative(vjp = sum_vjp)]
fn generic<T: Real>(x: T) -> T {
    x
}

#[differentiable(checkpoint = "binomial = 0")]
fn no_states(x: f64, n: usize) -> f64 {
    fold(n, x, |s, _| s.sin())
}

fn main() {}
