use cotangent::prelude::*;

#[differentiable]
fn f(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for i in 0..x.len() {
        if x[i] < 0.0 {
            return total;
        }
        total += x[i];
    }
    total
}

fn main() {}
