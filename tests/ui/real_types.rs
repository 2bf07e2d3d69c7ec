use cotangent::ndarray::Array1;
use cotangent::prelude::*;

#[differentiable]
fn mixed(x: &Array1<f32>, step: f64) -> f32 {
    x[0] * step as f32
}

#[differentiable]
fn accumulated(x: &[f32]) -> f32 {
    sum(x.len(), |i| x[i] as f64) as f32 + 0.5f64 as f32
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
