use cotangent::prelude::*;

#[derive(Clone, Differentiable)]
pub struct Point {
    pub x: f64,
    pub y: f64,
}

#[differentiable]
fn changed_in_a_part(points: &[Point]) -> f64 {
    let mut moved = points.to_vec();
    let rest = &mut moved[1..];
    rest[0].x = 1.0;
    moved[0].x * moved[1].y
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

#[derive(Clone, Differentiable)]
pub struct Family {
    pub curves: Vec<Curve>,
}

#[differentiable]
fn of_lists_of_lists(families: &[Family]) -> f64 {
    families[0].curves[0].points[0]
}

#[differentiable(vjp)]
fn rows_as_a_result(rows: &[Vec<f64>], by: f64) -> Vec<Vec<f64>> {
    rows.iter().map(|r| r.iter().map(|v| by * v).collect()).collect()
}

#[differentiable(jacobian)]
fn jacobian_of_rows(rows: &[Vec<f64>]) -> [f64; 2] {
    [rows[0][0], rows[1][0]]
}

#[differentiable]
fn changed_rows(rows: &[Vec<f64>]) -> f64 {
    let mut rows = rows.to_vec();
    rows[0] = vec![1.0];
    rows[0][0]
}

#[differentiable]
fn part_of_rows(rows: &[Vec<f64>]) -> f64 {
    rows[1..].iter().map(|r| r[0]).sum::<f64>() + first(&rows[1..])
}

#[differentiable]
fn first(rows: &[Vec<f64>]) -> f64 {
    rows[0][0]
}

fn main() {}
