//! Arrays of different lengths by a flag or by data: in loops, out of calls, in parts of a result.
//!
//! @ x: [3]; w: [2]; n: 3; full: true
//! @ x: [3]; w: [2]; n: 0; full: false
//! @ x: [5]; w: [5]; n: 4; full: true
//! @ x: [1]; w: [4]; n: 2; full: false
//! @ x: [5]; w: [1]; n: 6; full: false

use cotangent::prelude::*;
use ndarray::{Array1, array, s};

#[differentiable(vjp)]
pub fn chosen(x: &Array1<f64>, w: &Array1<f64>, full: bool) -> Array1<f64> {
    if full { x.mapv(f64::sin) } else { w.clone() }
}

#[differentiable(value, vjp, jvp)]
pub fn shapes_by_branch_in_loops(
    x: &Array1<f64>,
    w: &Array1<f64>,
    n: usize,
    full: bool,
) -> (Array1<f64>, Vec<f64>, f64) {
    let mut total = 0.0;
    let mut carried = x.clone();
    for k in 0..n {
        let y = if full { x.clone() } else { Array1::ones(3) };
        let z = if total > 1.0 {
            w.clone()
        } else {
            array![x[0], total]
        };
        total += y.mapv(|v| v.sin() + total).sum() * 0.1 + z.dot(&z) * k as f64;
        carried = if full {
            carried.mapv(f64::cos)
        } else {
            carried
        };
    }
    let mut cut = x.clone();
    if n > 8 {
        cut = cut.slice(s![..3]).to_owned();
    } else if n == 2 {
        cut = Array1::zeros(2);
    }
    let each = sum(x.len(), |i| {
        let v = if full { w.clone() } else { Array1::ones(2) };
        x[i] * v.mapv(|v| v * x[i]).sum()
    });
    let y = chosen(x, w, full);
    let (a, b) = if full {
        (cut.mapv(f64::exp), vec![each, y.sum()])
    } else {
        (array![carried.sum() * each], vec![y.dot(&y)])
    };
    (a, b, total + chosen(w, &cut, full).sum())
}
