//! Turns, each relative to the one that it hangs on: products of 3 × 3 matrices in a loop, where the matrices that are
//! given have to be 3 × 3 only if there are any.
//!
//! @ angles: [3]; parents: {-1, 0, 1}; base: [3, 3, 3]
//! @ angles: [4]; parents: {-1, 0, -1, 2}; base: [5, 3, 3]
//! @ angles: [1]; parents: {-1}; base: [1, 3, 3]
//! @ angles: [0]; parents: {}; base: [0, 2, 5]

use cotangent::prelude::*;
use ndarray::{Array1, Array3, Axis, array};

#[differentiable(value, grad, vjp, jvp, wrt(angles))]
pub fn linked_turns(angles: &Array1<f64>, parents: &Array1<i64>, base: &Array3<f64>) -> f64 {
    let n = parents.len();
    let mut all = Array3::zeros((n, 3, 3));
    for b in 0..n {
        let (s, c) = angles[b].sin_cos();
        let turn = array![[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]];
        let relative = base.index_axis(Axis(0), b).dot(&turn);
        let absolute = if parents[b] < 0 {
            relative
        } else {
            all.index_axis(Axis(0), parents[b] as usize).dot(&relative)
        };
        all.index_axis_mut(Axis(0), b).assign(&absolute);
    }
    sum(n, |b| sum(3, |i| all[[b, i, 0]] * all[[b, i, 1]] + all[[b, i, 2]]))
}
