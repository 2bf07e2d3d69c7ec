//! Parts of a slice and a vector by ranges, first and last elements.
//!
//! @ x: [5]; k: 2
//! @ x: [3]; k: 0

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn nd_slices_of_slice(x: &Array1<f64>, k: usize) -> f64 {
    let x = x.as_slice().expect("it is stored in one piece");
    let (left, right) = x.split_at(k);
    let tail = &x[1..];
    let diff: f64 = tail
        .iter()
        .zip(&x[..x.len() - 1])
        .map(|(b, a)| (b - a) * a)
        .sum();
    let cells: f64 = x.chunks_exact(2).map(|c| c[0] * c[1]).sum();
    let ends = x.first().unwrap() * x.last().unwrap() + x.get(7).copied().unwrap_or(0.5);
    left.iter().sum::<f64>() * right.iter().map(|v| v.exp()).sum::<f64>() + diff + cells * ends
}
