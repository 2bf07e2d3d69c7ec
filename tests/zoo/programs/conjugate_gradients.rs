//! Conjugate gradients for `(A Aᵀ + n I) x = b`, until the residual is small.
//!
//! @ a: [3, 3]; b: [3]; most: 10
//! @ a: [2, 1]; b: [2]; most: 1
//! @ a: [1, 1]; b: [1]; most: 0
//! @ for N in {9, 17, 65, 130} a: [N, N]; b: [N]; most: N

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, grad, vjp, jvp)]
pub fn conjugate_gradients(a: &Array2<f64>, b: &Array1<f64>, most: usize) -> f64 {
    let n = a.nrows() as f64;
    let mut x = Array1::zeros(a.nrows());
    let mut r = build(a.nrows(), |i| b[i]);
    let mut p = r.clone();
    let mut rr = r.dot(&r);
    for _ in 0..most {
        if rr < 1e-20 {
            break;
        }
        let q = a.dot(&a.t().dot(&p)) + n * &p;
        let alpha = rr / p.dot(&q);
        x = x + alpha * &p;
        r = r - alpha * &q;
        let next = r.dot(&r);
        p = &r + (next / rr) * &p;
        rr = next;
    }
    x.dot(b)
}
