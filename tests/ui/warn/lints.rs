//! What the lints warn of, where, and how they are silenced.

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable]
fn overwritten(x: &Array1<f64>, mut scale: f64) -> f64 {
    if scale > 0.0 {
        scale = 2.0;
    } else {
        scale = 2.0;
    }
    sum(x.len(), |i| scale * x[i])
}

#[differentiable(grad, into, allow(unused_argument))]
fn overwritten_and_meant(x: &Array1<f64>, mut scale: f64) -> f64 {
    scale = if scale > 0.0 { 2.0 } else { 2.0 };
    sum(x.len(), |i| scale * x[i])
}

#[differentiable(jvp)]
fn counted(x: &Array1<f64>, threshold: f64) -> f64 {
    sum(x.len(), |i| if x[i] > threshold { x[i] } else { 0.0 })
}

#[differentiable]
fn excess(x: &[f64], threshold: f64) -> f64 {
    x.iter().filter(|v| **v > threshold).sum::<f64>()
}

#[differentiable(grad, vjp, hvp)]
fn rounded(x: &Array1<f64>) -> f64 {
    sum(x.len(), |i| x[i].floor())
}

#[differentiable(wrt(x))]
fn left_out(x: &Array1<f64>, threshold: f64) -> f64 {
    sum(x.len(), |i| if x[i] > threshold { x[i] } else { 0.0 })
}

#[differentiable]
fn stopped(x: f64, target: f64) -> f64 {
    (x - stop_gradient(target)).powi(2)
}

#[differentiable]
fn underscored(x: f64, _time: f64) -> f64 {
    x * x
}

#[differentiable]
fn handed_on(x: f64, time: f64) -> f64 {
    underscored(x, time + 0.5)
}

#[differentiable]
fn heat(plate: &Array2<f64>, rate: f64, steps: usize) -> f64 {
    let mut u = plate.clone();
    for _ in 0..steps {
        u = u.map(|v| v + rate * v.sin());
    }
    u.sum()
}

#[differentiable(checkpoint = "sqrt")]
fn heat_in_blocks(plate: &Array2<f64>, rate: f64, steps: usize) -> f64 {
    let mut u = plate.clone();
    for _ in 0..steps {
        u = u.map(|v| v + rate * v.sin());
    }
    u.sum()
}

#[differentiable(allow(loop_memory))]
fn small_heat(plate: &Array2<f64>, rate: f64, steps: usize) -> f64 {
    let mut u = plate.clone();
    for _ in 0..steps {
        u = u.map(|v| v + rate * v.sin());
    }
    u.sum()
}

#[derive(Clone, Differentiable)]
struct Model {
    weight: f64,
}

impl Model {
    #[differentiable]
    fn prediction(&self, x: f64, threshold: f64) -> f64 {
        if x > threshold { self.weight * x } else { 0.0 }
    }
}

struct Block;

#[differentiable]
impl Block {
    #[differentiable]
    fn in_a_block(x: f64, threshold: f64) -> f64 {
        if x > threshold { x } else { 0.0 }
    }
}

fn main() {}
