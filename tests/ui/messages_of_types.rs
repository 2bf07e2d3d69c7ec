//! What is said about types of arguments, results and fields.

use cotangent::prelude::*;
use ndarray::{Array, ArrayBase, ArrayD, CowArray, Ix1, OwnedRepr};

#[differentiable]
fn unit(x: f64, p: ()) -> f64 {
    x
}

#[differentiable]
fn many<const N: usize>(x: [(f64, f64); N], y: [(f64, f64); 100]) -> f64 {
    x[0].0
}

#[differentiable]
fn held(x: (f64, &(f64, f64))) -> f64 {
    x.0
}

#[differentiable]
fn function(x: f64, f: fn(f64) -> f64) -> f64 {
    x
}

#[differentiable]
fn dynamic(x: &ArrayD<f64>, y: &ArrayBase<OwnedRepr<f64>, Ix1>, z: CowArray<f64, Ix1>) -> f64 {
    x[0]
}

type Flat = Ix1;

#[differentiable]
fn ranks(x: &Array<f64, Flat>, y: &[[[[[[[f64; 2]; 2]; 2]; 2]; 2]; 2]; 2]) -> f64 {
    1.0
}

#[allow(non_camel_case_types)]
type number = f64;

#[differentiable]
fn lowercase(x: number) -> f64 {
    1.0
}

#[derive(Differentiable)]
struct Holds {
    w: &'static [f64],
}

fn main() {}
