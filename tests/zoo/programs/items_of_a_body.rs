//! Items inside of a body: modules by `use`, an enum, and functions that call later ones.
//!
//! @ x: [5]
//! @ x: [1]
//! @ x: {-0.5, 2.0}

use cotangent::prelude::*;

#[differentiable(value, grad, vjp, jvp)]
pub fn items_of_a_body(x: &[f64]) -> f64 {
    use std::cmp;
    use std::f64::consts;
    #[derive(Clone, Copy)]
    enum Side {
        L,
        R(f64),
    }
    fn outer(v: f64) -> f64 {
        inner(v) * SCALE
    }
    fn inner(v: f64) -> f64 {
        v.sin() + v
    }
    const SCALE: f64 = 0.5;
    let n = cmp::max(x.len(), 3);
    let side = if x[0] > 0.0 { Side::L } else { Side::R(x[0] * 2.0) };
    let by_side = match side {
        Side::L => x[0],
        Side::R(v) => v * v,
    };
    outer(x[0]) * consts::PI * n as f64 + by_side
}
