//! Frames of a signal, each scaled by its energy, are added where they were: by a loop with a
//! condition, and by slices that begin where data says.
//!
//! @ x: [9]; g: [2]; win: [3]; hop: 2; at: {0, 5, 1}
//! @ x: [4]; g: [1]; win: [4]; hop: 1; at: {0}
//! @ x: [2]; g: [3]; win: [5]; hop: 3; at: {}
//! @ x: [3]; g: [1]; win: [1]; hop: 1; at: {2, 2, 0}
//! @ for N in {65, 300} x: [N]; g: [3]; win: [9]; hop: 4; at: {0, 40, 7}

use cotangent::prelude::*;
use ndarray::{Array1, s};

#[differentiable(value, grad, vjp, jvp)]
pub fn frames_that_overlap(
    x: &Array1<f64>,
    g: &Array1<f64>,
    win: &Array1<f64>,
    hop: usize,
    at: &[usize],
) -> f64 {
    let (n, m) = (x.len(), win.len());
    let mut y = Array1::<f64>::zeros(n);
    let (mut begin, mut frame) = (0, 0);
    while begin + m <= n {
        let mut energy = 0.0;
        for k in 0..m {
            energy += (win[k] * x[begin + k]).powi(2);
        }
        let scale = g[frame % g.len()] / (1.0 + energy);
        for k in 0..m {
            y[begin + k] += scale * win[k] * x[begin + k];
        }
        begin += hop;
        frame += 1;
    }
    for (k, &begin) in at.iter().enumerate() {
        let mut part = y.slice_mut(s![begin..begin + m]);
        part += &(win * x[k]);
        if x[k] > 0.1 {
            let mut part = y.slice_mut(s![begin..begin + m]);
            part *= g[0];
        }
    }
    y.dot(&y)
}
