//! Layers of one width, whose lengths only matter if there is a layer, and a mask that each step of
//! an inner loop reads.
//!
//! @ ws: [3, 4, 4] in -0.8..0.8; masks: [2, 4] in 0.2..1.5; x: [4] in -1.0..1.0
//! @ for N in {9, 65} ws: [2, N, N] in -0.1..0.1; masks: [1, N] in 0.2..1.5; x: [N] in -1.0..1.0
//! @ ws: [2, 3, 3] in -0.8..0.8; masks: [0, 2] in 0.2..1.5; x: [3] in -1.0..1.0
//! @ ws: [0, 2, 3] in -0.8..0.8; masks: [2, 5] in 0.2..1.5; x: [4] in -1.0..1.0
//! @ ws: [2, 0, 0] in -0.8..0.8; masks: [1, 0] in 0.2..1.5; x: [0] in -1.0..1.0

use cotangent::prelude::*;
use ndarray::{Array1, Array2, Array3};

#[differentiable(value, grad, vjp, jvp, hvp)]
pub fn layers_of_a_network(ws: &Array3<f64>, masks: &Array2<f64>, x: &Array1<f64>) -> f64 {
    let mut h = x.clone();
    for w in ws.outer_iter() {
        h = w.dot(&h).mapv(f64::tanh);
        for m in masks.outer_iter() {
            h = &h * &m + &h.mapv(f64::sin);
        }
    }
    h.dot(&h)
}
