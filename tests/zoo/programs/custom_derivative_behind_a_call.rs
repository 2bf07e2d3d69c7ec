//! A function that is taken in and calls one with a derivative of its own, which a struct goes
//! into.
//!
//! @ x: [4]; line.slope: 0.5; line.start: -0.3
//! @ x: [0]; line.slope: 0.5; line.start: -0.3

use cotangent::prelude::*;
use ndarray::Array1;

#[derive(Clone, Differentiable)]
pub struct Line {
    pub slope: f64,
    pub start: f64,
}

#[differentiable(value, grad, vjp, jvp)]
pub fn custom_derivative_behind_a_call(x: &Array1<f64>, line: &Line) -> f64 {
    total(x, line) + sum(x.len(), |i| at(line, x[i]) * x[i])
}

#[differentiable]
fn total(x: &Array1<f64>, line: &Line) -> f64 {
    sum(x.len(), |i| at(line, x[i]) * at(line, 0.5))
}

#[custom_derivative(vjp = at_vjp, jvp = at_jvp)]
fn at(line: &Line, x: f64) -> f64 {
    line.slope * x + line.start
}

fn at_vjp(line: &Line, x: f64, cotangent: f64) -> (f64, (Line, f64)) {
    let line_bar = Line {
        slope: cotangent * x,
        start: cotangent,
    };
    (line.slope * x + line.start, (line_bar, cotangent * line.slope))
}

fn at_jvp(line: &Line, x: f64, line_tangent: &Line, x_tangent: f64) -> (f64, f64) {
    let moved = line_tangent.slope * x + line.slope * x_tangent + line_tangent.start;
    (line.slope * x + line.start, moved)
}
