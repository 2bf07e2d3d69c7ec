use cotangent::prelude::*;
use elsewhere::TABLE;
use ndarray::{Array2, ArrayView1, Axis};

mod elsewhere {
    pub const TABLE: [f64; 2] = [1.0, 2.0];
}

trait Energy {
    fn energy(&self, x: f64) -> f64;
}

struct Spring;

impl Energy for Spring {
    #[differentiable]
    fn energy(&self, x: f64) -> f64 {
        x
    }
}

#[differentiable(wrt(weigths))]
fn misspelt(weights: f64, x: f64) -> f64 {
    weights * x
}

#[differentiable]
fn axes_as_argument(a: &Array2<f64>, axes: &[Axis]) -> f64 {
    a.sum_axis(axes[0])[0]
}

#[differentiable]
fn table_of_another_module(x: f64, k: usize) -> f64 {
    x * TABLE[k]
}

#[differentiable]
fn empty(x: f64) -> Vec<f64> {
    if x > 0.0 {
        return vec![];
    }
    vec![x]
}

#[derive(Clone, Differentiable)]
struct Named {
    name: String,
    tags: Vec<String>,
    view: ArrayView1<'static, f64>,
    w: f64,
}

fn main() {}
