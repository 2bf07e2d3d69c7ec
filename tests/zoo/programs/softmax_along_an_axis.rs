//! Exponentials over their sum, along an axis that is known at the call.
//!
//! @ a: [4, 3]; axis: 0
//! @ a: [4, 3]; axis: 1
//! @ a: [1, 1]; axis: 1
//! @ a: [0, 2]; axis: 1
//! @ for N in {9, 65} a: [N, 5]; axis: 0
//! @ for N in {9, 65} a: [5, N]; axis: 1

use cotangent::prelude::*;
use ndarray::{Array2, Axis};

#[differentiable(value, vjp, jvp)]
pub fn softmax_along_an_axis(a: &Array2<f64>, axis: usize) -> Array2<f64> {
    let mut e = a.clone();
    for mut lane in e.lanes_mut(Axis(axis)) {
        let largest = lane.fold(f64::NEG_INFINITY, |m, &v| m.max(v));
        lane.mapv_inplace(|v| (v - largest).exp());
        let total = lane.sum();
        lane /= total;
    }
    e
}
