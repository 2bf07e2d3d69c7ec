use cotangent::prelude::*;

#[differentiable]
fn f(x: f64) -> f64 {
    let g = if x > 0.0 { |t: f64| t } else { |t: f64| -t };
    g(x)
}

fn main() {}
