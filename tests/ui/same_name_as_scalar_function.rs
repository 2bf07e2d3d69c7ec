use cotangent::prelude::*;
use ndarray::Array1;

fn sigmoid<T: Real>(x: T) -> T {
    x + x
}

fn exp(x: f64) -> f64 {
    x
}

fn powf<T: Real>(x: T, _: T) -> T {
    x
}

fn arr1(x: &[f64]) -> Array1<f64> {
    Array1::zeros(x.len())
}

#[differentiable]
fn f(x: f64) -> f64 {
    sigmoid(x)
}

#[differentiable]
fn g(x: f64) -> f64 {
    exp(x) + powf(x, 2.0)
}

#[differentiable]
fn h(x: f64) -> f64 {
    arr1(&[x, x]).sum()
}

fn main() {}
