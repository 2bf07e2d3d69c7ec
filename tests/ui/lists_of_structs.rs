use cotangent::prelude::*;

#[derive(Clone, Differentiable)]
pub struct Point {
    pub x: f64,
    pub y: f64,
}

#[differentiable]
fn of_any_length(points: &[Point]) -> f64 {
    points[0].x
}

#[derive(Clone, Differentiable)]
pub struct Curve {
    pub points: Vec<f64>,
}

#[differentiable]
fn at_a_variable_index(curves: &[Curve; 3], n: usize) -> f64 {
    curves[0].points[0] + curves[n].points[0]
}

fn main() {}
