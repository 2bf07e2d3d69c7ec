use cotangent::prelude::*;
use ndarray::{Array, Array1, ArrayRef1, ArrayView1, ArrayViewMut1};

#[differentiable]
fn a(x: &&Array1<f64>, y: &f64, z: ArrayRef1<f64>) -> f64 {
    x[0]
}

#[differentiable]
fn b(x: ArrayViewMut1<'_, f64>, n: i128, y: Array1) -> f64 {
    x[0]
}

#[differentiable]
fn c(x: Array<f64>, y: &[Vec<f64>], z: Vec<(f64, f64)>) -> f64 {
    1.0
}

#[differentiable]
fn d<const N: u8>(x: f64) -> f64 {
    x
}

#[differentiable]
fn e((x, y): (f64, f64), #[allow(unused)] z: f64) -> f64 {
    x * y * z
}

#[differentiable]
extern "C" fn f(x: f64) -> f64 {
    x
}

#[differentiable]
fn g(x: f64) -> f64 {
    let y: ArrayView1<'_, f64> = x;
    y[0]
}

#[differentiable(wrt())]
fn h(x: f64) -> f64 {
    x
}

fn main() {}
