//! `match` on constants, `if let` on numbers, and `matches!`.
//!
//! @ x: [3]; mode: 0
//! @ x: [2]; mode: 2
//! @ x: [2]; mode: 5

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn nd_matches(x: &Array1<f64>, mode: usize) -> f64 {
    assert!(!x.is_empty(), "there is something to add");
    let first = match mode {
        LINEAR => x.sum(),
        SQUARE => x.dot(x),
        _ => x.mapv(f64::exp).sum(),
    };
    let second = if let 0..=2 = mode { x[0] } else { 2.0 * x[1] };
    debug_assert_eq!(x.ndim(), 1);
    first * second
        + if matches!(mode, SQUARE | 5) {
            x[0].sin()
        } else {
            0.0
        }
}

const LINEAR: usize = 0;
const SQUARE: usize = 2;
