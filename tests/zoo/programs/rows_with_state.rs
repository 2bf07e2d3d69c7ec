//! Loops over rows of different lengths: what one row computes enters the next. The inner loops keep
//! what the derivative needs end to end: forwards, backwards and three deep, as points of two
//! coordinates, and where a row changes elements in place.
//!
//! @ x: [9]; ptr: {0, 0, 4, 5, 5, 9}; w: 0.7
//! @ x: [1]; ptr: {0, 1}; w: -0.4
//! @ x: [0]; ptr: {0, 0, 0}; w: 0.3
//! @ x: [65]; ptr: {0, 3, 3, 50, 51, 65}; w: 0.9
//! @ x: [300]; ptr: {0, 290, 290, 292, 300}; w: 1.1 @@ large

use cotangent::prelude::*;

#[differentiable(value, grad, vjp, jvp)]
pub fn rows_with_state(x: &[f64], ptr: &[usize], w: f64) -> f64 {
    let rows = ptr.len() - 1;
    let mut carry = 0.1;
    let mut loss = 0.0;
    for s in 0..rows {
        let mut h = carry;
        for t in ptr[s]..ptr[s + 1] {
            h = (w * h + x[t]).tanh();
        }
        carry = 0.5 * (carry + h);
        loss += h * h;
    }
    // From the last row to the first, and a state of two numbers.
    let mut p = [carry, 0.2];
    for s in (0..rows).rev() {
        let mut q = p;
        for t in ptr[s]..ptr[s + 1] {
            q = [(q[1] * x[t]).sin(), q[0] * w];
        }
        p = [p[0] + q[0], (p[1] * q[1]).cos()];
    }
    // Three deep: pairs of rows.
    let mut g = w;
    for b in 0..rows.div_ceil(2) {
        for r in 2 * b..rows.min(2 * b + 2) {
            let mut f = g;
            for k in ptr[r]..ptr[r + 1] {
                f = (f * x[k]).sin() + 0.1 * f;
            }
            g = 0.5 * g + f;
        }
        loss += g * g;
    }
    // In place, from places that the data say.
    let mut y = x.to_vec();
    for s in 0..rows {
        for k in ptr[s]..ptr[s + 1] {
            y[k] += w * y[(7 * k + 3) % x.len()].sin() * y[ptr[s]];
        }
        loss += carry * y[ptr[s] % y.len().max(1)..].iter().map(|v| v * v).sum::<f64>();
    }
    loss + p[0] * p[1]
}
