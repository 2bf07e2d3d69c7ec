//! The largest so far, kept beside a decaying one.
//!
//! @ x: {0.5, -1.0, 2.0, 0.1}
//! @ x: {3.0}
//! @ x: {}

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn running_maximum(x: &Array1<f64>) -> Array1<f64> {
    let mut best = -10.0;
    let mut out = build(x.len(), |_| 0.0);
    for (i, &v) in x.iter().enumerate() {
        if v > best {
            best = v;
        }
        out[i] = best * v;
    }
    out
}
