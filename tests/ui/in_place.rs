use cotangent::ndarray::Array1;
use cotangent::prelude::*;

#[differentiable]
fn f(x: &Array1<f64>, n: usize) -> f64 {
    let mut list = Vec::new();
    while list.len() < n && x[list.len()] > 0.0 {
        list.push(x[list.len()]); if n > 9 { return x[0]; }
    }
    let mut y = x.clone();
    for v in y.iter_mut() {
        *v *= 2.0;
    }
    let last = list.pop().unwrap();
    let z = &mut y;
    z[0] = last;
    y.sum()
}

fn main() {}
