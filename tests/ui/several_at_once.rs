use cotangent::prelude::*;
use cotangent::ndarray::Array1;

fn helper(x: f64) -> f64 {
    x
}

#[differentiable(hvp)]
fn f(x: &Array1<f64>, n: usize) -> f64 {
    let mut total = 0.0;
    for i in 0..n {
        total += x[i];
    }
    let y = helper(total);
    let shifted = x + 1.0;
    let z = y * 2.0;
    z + sum(n, |i| helper(shifted[i])) + x.iter().count() as f64
}

fn main() {}
