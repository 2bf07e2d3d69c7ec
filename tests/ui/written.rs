use cotangent::ndarray::Array1;
use cotangent::prelude::*;

#[differentiable]
fn hidden(x: &mut [f64]) -> f64 {
    let x = 1.0;
    x
}

#[differentiable(vjp, jacobian)]
fn two(x: f64, a: &mut [f64], b: &mut f64) {
    a[0] = x;
    *b = x;
}

#[differentiable(vjp, into)]
fn workspace(x: f64, a: &mut [f64]) {
    a[0] = x;
}

#[differentiable]
fn counts(x: f64, n: &mut usize) -> f64 {
    *n += 1;
    x
}

#[differentiable]
fn fails(x: f64, a: &mut [f64]) -> Option<f64> {
    a[0] = x;
    if x > 0.0 { Some(x) } else { None }
}

#[differentiable]
fn goes_on(x: f64) -> f64 {
    let mut a = vec![0.0];
    if fails(x, &mut a).is_some() { a[0] } else { x }
}

#[differentiable]
fn hides(x: f64, a: &mut [f64]) {
    let a = x;
}

#[differentiable]
fn rhs(x: f64, a: &mut Array1<f64>) {
    a[0] = x;
}

#[differentiable]
fn calls(x: f64) -> f64 {
    let mut a = Array1::zeros(1);
    rhs_vjp(x, &Array1::ones(1), &mut a);
    a[0]
}

fn main() {
    let mut a = [0.0];
    let _: f64 = two_vjp(1.0, &[1.0], 1.0, &mut a, &mut 0.0);
}
