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

impl Point {
    const ORIGIN: Point = Point { x: 0.0 };
}

#[differentiable]
fn associated_constant(x: f64) -> f64 {
    let origin = Point::ORIGIN;
    x - origin.x
}

#[derive(Clone, Differentiable)]
struct Filter {
    gain: f64,
    taps: Vec<f32>,
}

#[differentiable]
fn both_precisions(f: &Filter) -> f64 {
    f.gain * f.taps[0] as f64
}

fn main() {}
