use cotangent::prelude::*;

#[differentiable]
fn first(x: &[f64], n: usize) -> f64 {
    sum(n, |i| x[i])
}

#[differentiable]
fn squares(x: &[f64], n: usize) -> f64 {
    let y = build(n, |i| x[i] * x[i]);
    sum(n, |i| y[i])
}

#[differentiable]
fn f(x: &[f64], n: usize) -> f64 {
    // Bounds of sums may depend on an index, sizes of arrays may not.
    sum(n, |i| first(x, i) + squares(x, i))
}

#[differentiable]
fn wrong(x: f64) -> f64 {
    std::hint::black_box(x)
}

// Not to blame for what it calls.
#[differentiable]
fn calls_wrong(x: f64) -> f64 {
    wrong(x) + wrong_grad(x)
}

fn main() {
    let _: f64 = calls_wrong_grad(1.0);
}
