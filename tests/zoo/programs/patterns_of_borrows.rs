//! Patterns that take apart what is borrowed, lists and tuples of borrows, and changes through all
//! these.
//!
//! @ p: [2, 2]; x: [4]
//! @ p: [2, 2]; x: [9]
//! @ for N in {65, 300} p: [2, 2]; x: [N]

use cotangent::prelude::*;

#[differentiable(value, grad, vjp, jvp)]
pub fn patterns_of_borrows(p: [[f64; 2]; 2], x: &[f64]) -> f64 {
    let mut q = p;
    let [[first, second], last] = &mut q;
    *first += *second * x[0];
    last[1] *= *first;
    let mut state = ((x[1], x[2]), [0.5, x[3]]);
    let ((a, b), [_, c]) = &mut state;
    *a += *b * *b;
    *c -= *a;
    let mut rows = vec![x[..2].to_vec(), x[2..4].to_vec()];
    let [upper, lower] = &mut rows[..] else {
        return 0.0;
    };
    upper[0] = lower[1] * lower[1];
    lower[0] += upper[0];
    let mut pairs: Vec<(f64, f64)> = x.windows(2).map(|w| (w[0], w[1])).collect();
    for (left, right) in pairs.iter_mut() {
        *left *= *right;
        *right = 1.0 + *left;
    }
    let mut y = x.to_vec();
    for chunk in y.chunks_exact_mut(2) {
        if let [left, right] = chunk {
            std::mem::swap(left, right);
            *left *= 1.5;
        }
    }
    let mut z = x.to_vec();
    for (part, factor) in [(&mut y, 2.0), (&mut z, -0.5)] {
        for v in part.iter_mut() {
            *v *= factor;
        }
    }
    let both = (&mut y, &mut z);
    for i in 1..x.len() {
        both.0[i] += both.1[i - 1] * q[1][1];
    }
    let of_pairs: f64 = pairs.iter().map(|(left, right)| left * right).sum();
    let of_lists: f64 = y.iter().zip(&z).map(|(a, b)| a * b).sum();
    of_pairs + of_lists + q[0][0] * state.0.0 * state.1[1] + rows[0][0] * rows[1][0]
}
