use cotangent::prelude::*;

#[differentiable]
fn f32s(x: f32) -> f64 {
    f64::from(x)
}

#[differentiable]
fn inside(x: (f64, &[usize])) -> f64 {
    x.0
}

#[differentiable]
fn many(x: &[(f64, f64)]) -> f64 {
    x[0].0
}

#[differentiable]
fn hidden(x: impl Fn(f64) -> f64) -> f64 {
    x(1.0)
}

fn main() {}

#[differentiable]
fn chosen_by_name(x: f64, name: &str) -> f64 {
    if name == "square" { x * x } else { x }
}
