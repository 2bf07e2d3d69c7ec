use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(vjp, jacobian(sparse))]
fn sequential(x: &Array1<f64>) -> Array1<f64> {
    scan(x.len(), 1.0, |s, i| (s * x[i]).sin())
}

#[differentiable(jacobian(diagonal))]
fn all(x: &Array1<f64>) -> Array1<f64> {
    build(x.len(), |i| x[i] * x.sum())
}

#[differentiable(hessian(diagonal))]
fn coupled(x: &Array1<f64>) -> f64 {
    let total = x.sum();
    total * total
}

#[differentiable(jacobian(diagonal))]
fn several(x: f64, y: f64) -> f64 {
    x * y
}

#[differentiable(jacobian(rows))]
fn rows(x: f64) -> f64 {
    x
}

#[differentiable(hessian(diagonal))]
fn array(x: &Array1<f64>) -> Array1<f64> {
    x.mapv(|x| x * x)
}

#[differentiable(grad)]
fn caller(x: &Array1<f64>) -> f64 {
    mapped_jacobian_sparse(x).0.sum()
}

#[differentiable(jacobian(sparse))]
fn mapped(x: &Array1<f64>) -> Array1<f64> {
    x.mapv(|x| x * x)
}

fn main() {}
