use cotangent::prelude::*;

fn sum(n: usize, term: impl Fn(usize) -> f64) -> f64 {
    (1..n).map(term).product()
}

fn sigmoid(x: f64) -> f64 {
    x
}

#[differentiable]
fn f(x: &[f64]) -> f64 {
    sum(x.len(), |i| x[i])
}

#[differentiable]
fn g(x: f64) -> f64 {
    sigmoid(x)
}

#[differentiable]
fn h(x: &[f64]) -> f64 {
    mine::mean(x.len(), |i| x[i])
}

mod mine {
    pub fn mean(n: usize, term: impl Fn(usize) -> f64) -> f64 {
        term(n)
    }
}

fn main() {}
