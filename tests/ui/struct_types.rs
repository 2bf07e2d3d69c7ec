use cotangent::prelude::*;

type Vector = ndarray::Array1<f64>;

struct Plain {
    w: f64,
}

#[derive(Differentiable)]
struct Borrowed<'a> {
    w: &'a [f64],
}

#[derive(Differentiable)]
struct Counts {
    n: usize,
}

#[differentiable]
fn alias(x: &Vector) -> f64 {
    x[0]
}

#[differentiable]
fn no_derive(m: &Plain) -> f64 {
    m.w
}

#[derive(Clone, Copy, Differentiable)]
struct Point {
    x: f64,
}

mod places {
    pub const ORIGIN: super::Point = super::Point { x: 0.0 };
}

#[differentiable]
fn constant_of_another_module(x: f64) -> f64 {
    let origin = places::ORIGIN;
    x - origin.x
}

fn main() {}
