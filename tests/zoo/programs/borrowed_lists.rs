//! Lists of Rust, their rows and a field of a tuple, changed through what borrows them.
//!
//! @ p: [2, 2]; x: [3]
//! @ p: [2, 2]; x: [65]

use cotangent::prelude::*;

#[differentiable(value, grad, vjp, jvp)]
pub fn borrowed_lists(p: [[f64; 2]; 2], x: &[f64]) -> f64 {
    let mut q = p;
    for (i, row) in q.iter_mut().enumerate() {
        for v in row.iter_mut() {
            *v += x[i] * *v;
        }
        row[0] -= 0.5;
    }
    let mut state = ([0.0; 2], 1.0);
    for _ in 0..3 {
        for (s, v) in state.0.iter_mut().zip(&x[1..]) {
            *s += v * state.1;
        }
        state.1 *= 0.9;
    }
    let mut tail = x.to_vec();
    tail[1..].copy_from_slice(&x[..x.len() - 1]);
    tail.reverse();
    let (head, rest) = tail.split_at_mut(1);
    head[0] *= 2.0;
    rest[0] += head[0];
    q[0][0] * q[1][1] - q[0][1] * q[1][0] + state.0[0] * state.0[1] + tail[0] * tail[1]
}
