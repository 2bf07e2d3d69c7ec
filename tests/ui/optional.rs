use cotangent::prelude::*;

#[differentiable]
fn of_tuple(x: f64, p: Option<(f64, f64)>) -> f64 {
    x * p.map_or(1.0, |p| p.0)
}

#[differentiable]
fn of_option(x: f64, p: Option<Option<f64>>) -> f64 {
    x * p.flatten().unwrap_or(1.0)
}

#[differentiable]
fn in_list(x: &[Option<f64>]) -> f64 {
    x[0].unwrap_or(1.0)
}

#[differentiable]
fn other_methods(x: Option<f64>) -> f64 {
    x.or(Some(2.0)).unwrap_or(0.0)
}

#[differentiable(hessian)]
fn curvature(x: Option<f64>) -> f64 {
    x.unwrap_or(1.0).powi(2)
}

fn main() {}
