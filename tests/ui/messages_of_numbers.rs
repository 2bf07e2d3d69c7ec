//! What is said about numbers, constants, and what they are called with.

use cotangent::ndarray::{Array1, Zip};
use cotangent::prelude::*;

const COUNT: usize = 3;

mod settings {
    #[allow(non_upper_case_globals)]
    pub const half: f64 = 0.5;
}

trait Squash {
    fn sigmoid(self) -> f64;
}

impl Squash for f64 {
    fn sigmoid(self) -> f64 {
        self
    }
}

trait Root {
    fn sqrt(self) -> f64;
}

impl Root for usize {
    fn sqrt(self) -> f64 {
        (self as f64).sqrt()
    }
}

#[differentiable]
fn kinds(x: f64, n: usize) -> f64 {
    let a = n.sqrt();
    let b = COUNT.saturating_sub(1) as f64;
    let c = 9_999_999_999_999_999_999_u64 as f64;
    let d = usize::MAX as f64;
    let e = <f64>::MAX;
    let f = settings::half;
    x.sigmoid() + a + b + c + d + e
}

#[differentiable]
fn of_several_axes(x: &[f64], n: usize) -> f64 {
    let a = maximum(n, |i| build(2, |j| i + j));
    let b = build((n, n, n), |(i, j, k)| build((n, n, n, n), |(p, q, r, s)| x[i]));
    let c = scan((n, n, n), build((n, n, n, n), |(p, q, r, s)| 0.0), |s, i| s);
    x[0]
}

#[differentiable]
fn again(x: &Array1<f64>) -> f64 {
    let a = checkpoint(|| x.iter());
    let b = checkpoint(|| x.iter().copied().reduce(f64::max));
    let c = checkpoint(|| x.shape());
    let d = checkpoint(|| Zip::from(x));
    x[0]
}

#[differentiable]
fn single(x: f32) -> f32 {
    x * x
}

#[differentiable]
fn double(x: f64) -> f64 {
    let y = single(2.0);
    x
}

#[differentiable]
fn generic<T: Real>(x: T, n: usize) -> T {
    let a = 2.0_f32;
    let b = n as f64;
    x + T::from(n as f32) + T::from(1.0 + 2.0)
}

fn main() {}
