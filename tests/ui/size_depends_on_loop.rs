use cotangent::prelude::*;
use cotangent::ndarray::Array1;

#[differentiable]
fn f(x: &Array1<f64>) -> f64 {
    sum(x.len(), |i| {
        let part = build(i, |j| x[j]);
        maximum(part.len(), |j| part[j])
    })
}

fn main() {}
