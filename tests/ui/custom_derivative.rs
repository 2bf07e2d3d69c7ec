//! Functions with derivatives of their own, used or declared wrongly.

use cotangent::ndarray::{Array1, Array2};
use cotangent::prelude::*;

#[custom_derivative]
fn unnamed(x: f64) -> f64 {
    x
}

#[custom_derivative(vjp)]
fn alone(x: f64) -> f64 {
    x
}

#[custom_derivative(grad = some_grad)]
fn other(x: f64) -> f64 {
    x
}

#[custom_derivative(vjp = number_vjp)]
fn of_numbers<const N: usize>(x: [f64; N]) -> f64 {
    x[0]
}

#[custom_derivative(vjp = counted_vjp)]
fn counted(x: f64) -> (f64, usize) {
    (x, 1)
}

#[custom_derivative(vjp = constant_vjp)]
fn constant(n: usize) -> f64 {
    n as f64
}

#[custom_derivative(vjp = raised_vjp, like = z)]
fn raised(x: &Array1<f64>) -> Array1<f64> {
    x + 1.0
}

#[custom_derivative(vjp = diagonal_vjp, like = x)]
fn diagonal(x: &Array1<f64>) -> Array2<f64> {
    Array2::from_diag(x)
}

#[custom_derivative(vjp = scaled_vjp, like)]
fn scaled(x: &Array1<f64>) -> Array1<f64> {
    2.0 * x
}

struct Spring;

impl Spring {
    #[custom_derivative(vjp = stretched_vjp)]
    fn stretched(x: f64) -> f64 {
        x
    }
}

#[custom_derivative(vjp = cube_vjp)]
fn cube(x: f64) -> f64 {
    x * x * x
}

fn cube_vjp(x: f64, cotangent: f64) -> (f64, f64) {
    (cube(x), 3.0 * x * x * cotangent)
}

#[custom_derivative(jvp = root_jvp)]
fn root(x: f64) -> f64 {
    x.sqrt()
}

fn root_jvp(x: f64, tangent: f64) -> (f64, f64) {
    (x.sqrt(), 0.5 * tangent / x.sqrt())
}

#[differentiable(jvp)]
fn forward(x: f64) -> f64 {
    cube(x) + x
}

#[differentiable]
fn backward(x: &Array1<f64>) -> f64 {
    sum(x.len(), |i| root(x[i]))
}

#[differentiable]
fn slope(x: f64) -> f64 {
    cube(x)
}

#[differentiable]
fn twice(x: f64) -> f64 {
    slope_grad(x)
}

#[custom_derivative(vjp = shifted_vjp)]
fn shifted(x: &Array1<f64>) -> Array1<f64> {
    x + 1.0
}

fn shifted_vjp(x: &Array1<f64>, cotangent: &Array1<f64>) -> (Array1<f64>, Array1<f64>) {
    (x + 1.0, cotangent.to_owned())
}

#[differentiable]
fn in_a_build(x: &Array1<f64>) -> f64 {
    sum(x.len(), |i| {
        let y = build(3, |j| x[i] * j as f64);
        shifted(&y).sum()
    })
}

fn main() {}
