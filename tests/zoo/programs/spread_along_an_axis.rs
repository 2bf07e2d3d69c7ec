//! Standard deviations along an axis, by means that are taken off, and the parts along it.
//!
//! @ a: [4, 3]; axis: 0
//! @ a: [4, 3]; axis: 1
//! @ a: [2, 1]; axis: 0
//! @ for N in {9, 65, 300} a: [N, 5]; axis: 0
//! @ for N in {9, 65, 300} a: [5, N]; axis: 1

use cotangent::prelude::*;
use ndarray::{Array2, Axis, Slice};

#[differentiable(value, grad, vjp, jvp)]
pub fn spread_along_an_axis(a: &Array2<f64>, axis: usize) -> f64 {
    let mean = a.mean_axis(Axis(axis)).unwrap();
    let centred = a - &mean.insert_axis(Axis(axis));
    let squares = centred.mapv(|v| v * v + 1.0).sum_axis(Axis(axis));
    let mut total = squares.mapv(f64::sqrt).sum();
    for (i, part) in a.axis_iter(Axis(axis)).enumerate() {
        total += part.dot(&part) / (i + a.len_of(Axis(1 - axis))) as f64;
    }
    total + a.slice_axis(Axis(axis), Slice::from(1..)).sum()
}
