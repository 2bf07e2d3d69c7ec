use cotangent::prelude::*;
use std::collections::HashMap;

#[differentiable]
fn best(x: &[f64]) -> f64 {
    let mut best = None;
    for &v in x {
        best = Some(vec![v; x.len()]);
    }
    best.unwrap()[0]
}

#[differentiable]
fn stack(x: &[f64]) -> f64 {
    let mut rest = x.to_vec();
    rest.pop().map_or(0.0, |v| v * rest[0])
}

#[differentiable]
fn table(x: f64, of: &HashMap<usize, f64>) -> f64 {
    x * of[&1]
}

#[differentiable]
fn called(x: f64, name: &str) -> f64 {
    if name.is_empty() { x } else { x * x }
}

#[differentiable(hessian)]
fn several(x: &[f64]) -> Vec<f64> {
    x.to_vec()
}

#[differentiable(wrt(weigth))]
fn misspelt(weight: f64, height: f64) -> f64 {
    weight * height
}

#[differentiable]
fn queue(x: &[f64]) -> f64 {
    let q = std::collections::VecDeque::from(x.to_vec());
    x[0] + q.len() as f64
}

fn main() {}
