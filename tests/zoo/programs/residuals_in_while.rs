//! Arrays that a `while` computes anew by products, so that they keep their shape if the sizes fit:
//! a residual, and conjugate gradients that end early.
//!
//! @ a: [0, 0]; b: [0]
//! @ a: [1, 1] in 0.2..0.8; b: [1] in 0.2..1.0
//! @ a: [3, 3] in 0.1..0.4; b: [3] in 0.2..1.0
//! @ for N in {9, 65} a: [N, N] in 0.0..0.01; b: [N] in 0.2..1.0

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, grad, vjp, jvp)]
pub fn residuals_in_while(a: &Array2<f64>, b: &Array1<f64>) -> f64 {
    let n = b.len();
    let mut r = b.clone();
    let mut steps = 0;
    while r.dot(&r) > 1e-3 * n as f64 && steps < 4 {
        r = &r * 0.5 - &a.dot(&r) * 0.1;
        steps += 1;
    }
    let mut x = Array1::<f64>::zeros(n);
    let mut rest = b.clone();
    let mut p = b.clone();
    let mut squares = rest.dot(&rest);
    for _ in 0..3 {
        if squares < 1e-20 {
            break;
        }
        let moved = &p * 2.0 + &a.dot(&p) + &a.t().dot(&p);
        let alpha = squares / p.dot(&moved);
        x = &x + &p * alpha;
        rest = &rest - &moved * alpha;
        let next = rest.dot(&rest);
        p = &rest + &p * (next / squares);
        squares = next;
    }
    r.sum() + x.sum()
}
