use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(grad(aux))]
fn alone(x: f64) -> f64 {
    x * x
}

#[differentiable(grad(aux))]
fn three(x: f64) -> (f64, f64, usize) {
    (x * x, x, 3)
}

#[differentiable(grad(aux))]
fn array_first(x: &Array1<f64>) -> (Array1<f64>, usize) {
    (x.mapv(|x| x * x), x.len())
}

#[differentiable(grad)]
fn without(x: f64) -> (f64, usize) {
    (x * x, 3)
}

#[differentiable(grad, grad(aux))]
fn both(x: f64) -> (f64, usize) {
    (x * x, 3)
}

#[differentiable(grad(rest))]
fn other_word(x: f64) -> (f64, usize) {
    (x * x, 3)
}

fn main() {}
