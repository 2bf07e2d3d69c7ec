//! Matrix products whose rows are used only where a condition or an index from data says so. The
//! unused rows may hold infinities and NaN.
//!
//! @ x: [3, 2] {1.0, 2.0, NaN, 3.0, -1.0, 0.5}; w: [2]; v: [2, 4]; ok: [3] {true, false, true}; idx: {2, 0, 2}
//! @ x: [3, 2] {1.0, 2.0, inf, -inf, -1.0, 0.5}; w: [2]; v: [2, 4]; ok: [3] {true, false, true}; idx: {0}
//! @ x: [2, 2] {NaN, NaN, inf, 1.0}; w: [2]; v: [2, 5]; ok: [2] {false, false}; idx: {}
//! @ x: [9, 65]; w: [65]; v: [65, 9]; ok: [9]; idx: [4] in 0..9
//! @ x: [0, 2]; w: [2]; v: [2, 3]; ok: [0]; idx: {}

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, grad, vjp, jvp)]
pub fn guarded_products(
    x: &Array2<f64>,
    w: &Array1<f64>,
    v: &Array2<f64>,
    ok: &Array1<bool>,
    idx: &[usize],
) -> f64 {
    let z = x.dot(w);
    let y = x.dot(v);
    let rows = sum(z.len(), |i| if ok[i] { z[i] * z[i] } else { 0.0 });
    let parts = sum((y.nrows(), y.ncols()), |(i, j)| {
        if ok[i] && y[[i, j]] > -0.5 {
            y[[i, j]].sin()
        } else {
            0.0
        }
    });
    let both = sum(z.len(), |i| if ok[i] { z[i] * y.row(i).sum() } else { 0.0 });
    let t = x.dot(w);
    let spread = sum((t.len(), v.ncols()), |(i, j)| {
        if ok[i] { (t[i] * v[[0, j]]).sin() } else { 0.0 }
    });
    let p = x.dot(v).dot(&v.t());
    let twice = sum((p.nrows(), p.ncols()), |(i, j)| {
        if ok[i] { p[[i, j]].sin() } else { 0.0 }
    });
    let u = x.dot(v);
    let chosen = sum(idx.len(), |k| u.row(idx[k]).mapv(f64::sin).sum());
    rows + parts + both + spread + twice + chosen
}
