use cotangent::prelude::*;

#[derive(Clone, Differentiable)]
pub struct Point {
    pub x: f64,
    pub y: f64,
}

#[differentiable]
fn changed_one_by_one(points: &[Point]) -> f64 {
    let mut moved = points.to_vec();
    moved[0].x = 1.0;
    moved[0].x * moved[1].y
}

#[differentiable]
fn written(points: &mut [Point]) {
    points[0].x = 1.0;
}

#[differentiable]
fn compared_with_a_number(points: &[Point]) -> f64 {
    let all: f64 = points.iter().sum();
    all + points
}

#[derive(Clone, Differentiable)]
pub struct Curve {
    pub points: Vec<f64>,
}

#[differentiable]
fn at_a_variable_index(curves: &[Curve; 3], n: usize) -> f64 {
    curves[0].points[0] + curves[n].points[0]
}

#[differentiable]
fn of_arrays(curves: &[Curve]) -> f64 {
    curves[0].points[0]
}

fn main() {}
