use cotangent::ndarray::Array1;
use cotangent::prelude::*;

#[custom_derivative(vjp = mixed_vjp)]
fn mixed(x: &Array1<f32>, step: f64) -> f64 {
    x[0] as f64 * step
}

fn mixed_vjp(x: &Array1<f32>, step: f64, bar: f64) -> (f64, (Array1<f32>, f64)) {
    (mixed(x, step), (x.clone(), bar))
}

#[custom_derivative(vjp = single_vjp)]
fn single(x: f32) -> f32 {
    x * x
}

fn single_vjp(x: f32, bar: f32) -> (f32, f32) {
    (x * x, bar * x)
}

#[differentiable]
fn called(x: f32, y: f64) -> f64 {
    single(x) as f64 * y
}

#[differentiable]
fn scaled<T: Real>(x: T, n: usize) -> T {
    x / T::of(n as f64) + T::of(x.to_f64() * 2.0)
}

#[differentiable]
fn two<T: Real, U: Real>(x: T, y: U) -> T {
    x * T::of(y.to_f64())
}

fn main() {}
