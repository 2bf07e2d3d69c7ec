use cotangent::prelude::*;

struct Model {
    w: f64,
}

#[differentiable]
fn f32s(x: f32) -> f64 {
    f64::from(x)
}

#[differentiable]
fn structs(m: &Model) -> f64 {
    m.w
}

#[differentiable]
fn tuples(x: (f64, f64)) -> f64 {
    x.0
}

#[differentiable]
fn fixed(x: [f64; 2]) -> f64 {
    x[0]
}

#[differentiable]
fn hidden(x: impl Fn(f64) -> f64) -> f64 {
    x(1.0)
}

#[differentiable]
fn writes(x: &mut [f64]) -> f64 {
    x[0]
}

fn main() {}
