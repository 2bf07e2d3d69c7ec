//! Sums over the neighbours of each point. Conditions of two parts choose the neighbours: by
//! distance, and by an attention score.
//!
//! @ v: [6] in 0.1..1.0; ptr: {0, 2, 2, 5, 6}
//! @ v: [1] in 0.1..1.0; ptr: {0, 1}
//! @ v: [3]; ptr: {0}
//! @ v: [9] in 0.1..1.0; ptr: {0, 0, 7, 8, 8, 9}
//! @ v: [65] in 0.1..1.0; ptr: {0, 1, 2, 2, 40, 41, 64, 65} @@ nonsmooth

use cotangent::prelude::*;

#[differentiable(value, grad, vjp, jvp)]
pub fn conditions_in_ragged_rows(v: &[f64], ptr: &[usize]) -> f64 {
    let mut total = 0.0;
    for i in 0..ptr.len() - 1 {
        let mut density = 0.1;
        let mut largest = f64::NEG_INFINITY;
        for k in ptr[i]..ptr[i + 1] {
            let r = (v[k] - v[i]) * (v[k] - v[i]);
            if k != i && r < 0.3 && r > 0.01 {
                density += (-r).exp() / r;
            } else if r >= 0.3 || k % 2 == 0 {
                total += (0.1 + r).sqrt();
            }
            if k != i && v[k] * v[i] > 0.2 {
                largest = largest.max(v[k] * v[i]);
            }
        }
        let mut weight = 0.0;
        let mut value = 0.0;
        for k in ptr[i]..ptr[i + 1] {
            let score = v[k] * v[i];
            if k != i && score > 0.2 {
                weight += (score - largest).exp();
                value += (score - largest).exp() * v[k].tanh();
            }
        }
        if weight > 0.0 {
            total += value / weight;
        }
        total += density.ln();
    }
    total
}
