//! Names of the user's that mean something to the generated code or to the prelude.
#![deny(warnings)]

use cotangent::ndarray::Array1;
use cotangent::prelude::*;

mod rt {
    pub const RATE: f64 = 2.0;
}

const K: usize = 0;
const T: f64 = 1.0;

#[differentiable]
fn f(v: &Array1<f64>, i: usize, j: f64, n: usize, v_len: f64) -> f64 {
    sum(n, |m| v[m]) * rt::RATE + v[i] * j * v_len + v[K] * T
}

// A method of the same name as a scalar function.
trait Exp {
    fn exp(&self) -> u8;
    fn len(&self, axis: usize) -> u8;
}

impl<T> Exp for T {
    fn exp(&self) -> u8 {
        1
    }
    fn len(&self, _axis: usize) -> u8 {
        3
    }
}

#[differentiable]
fn cube(a: &cotangent::ndarray::Array3<f64>) -> f64 {
    sum(a.dim(), |(p, q, r)| a[[p, q, r]] * a[[p, q, K]]) * T
}

#[differentiable]
fn g(x: f64, a: &Array1<f64>) -> f64 {
    x.exp() * a[0]
}

mod std {}
mod core {}
#[allow(unused_macros)]
macro_rules! assert {
    () => {};
}
#[allow(unused_macros)]
macro_rules! vec {
    () => {};
}

#[differentiable]
fn h(w: &[f64], x: &Array1<f64>) -> f64 {
    sum(x.len(), |p| x[p] * w[p])
}

fn main() {
    let a = Array1::ones(1);
    assert_eq!(f_grad(&a, 0, 1.0, 1, 2.0).0[0], 5.0);
    assert_eq!(g_grad(0.0, &a).0, 1.0);
    assert_eq!(h_grad(&[2.0], &a).1[0], 2.0);
    let _ = (0u8.exp(), Exp::len(&0u8, 0));
}
