//! Elements changed through what borrows them: `iter_mut` with indices, pairs and strides,
//! `zip_mut_with`, `azip!`, and a borrow that has a name.
//!
//! @ x: [0]; w: [0]
//! @ x: [1]; w: [1]
//! @ for N in {9, 65} x: [N]; w: [N]

use cotangent::prelude::*;
use ndarray::{Array1, Zip, azip};

#[differentiable(value, grad, vjp, jvp)]
pub fn borrowed_elements(x: &Array1<f64>, w: &Array1<f64>) -> f64 {
    let mut y = x.clone();
    for (i, v) in y.iter_mut().enumerate() {
        *v *= 1.0 + 0.1 * i as f64;
    }
    for (v, &f) in y.iter_mut().zip(w).rev() {
        let old = *v;
        *v = f.sin() + old;
        *v += old * f;
    }
    for v in y.iter_mut().skip(1).step_by(2) {
        *v = v.tanh();
    }
    y.zip_mut_with(w, |v, &f| *v = *v * f + *v);
    azip!((v in &mut y, &p in x) *v += 0.5 * p * *v);
    Zip::indexed(&mut y).for_each(|i, v| {
        if i % 3 == 0 {
            *v *= 2.0;
        }
    });
    let mut total = 0.0;
    let sum = &mut total;
    for v in &y {
        *sum += v * v;
    }
    *sum *= 0.5;
    total
}
