use cotangent::prelude::*;

#[differentiable]
fn even(x: f64, n: usize) -> f64 {
    if n == 0 { x } else { odd(x, n - 1) }
}

#[differentiable]
fn odd(x: f64, n: usize) -> f64 {
    if n == 0 { -x } else { even(x, n - 1) }
}

fn main() {
    let _: f64 = even_grad(1.0, 2) + odd_grad(1.0, 2);
}
