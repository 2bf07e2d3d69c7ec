//! Fixed-size arrays as what a loop carries and what it runs over: element by element, and by
//! index.
//!
//! @ x: {0.5, 0.7, -0.3, 0.2, 0.9}; m: [2, 3]; v: [3]
//! @ x: {-0.5, -0.7}; m: [2, 3]; v: [3]
//! @ x: {0.5, -0.7}; m: [2, 3]; v: {0.0, 0.0, 0.0}

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn loops_over_fixed(x: &Array1<f64>, m: [[f64; 3]; 2], v: [f64; 3]) -> f64 {
    // Element by element, and known by literals only.
    let mut s = [1.0, 0.5];
    for i in 0..x.len() {
        s = [s[0] * 0.9 + 0.1 * s[1] * x[i], s[1] - 0.2 * s[0]];
        s[1] += 0.01 * v[0];
    }
    // By an index that changes.
    let mut bins = [0.0; 3];
    for i in 0..x.len() {
        bins[i % 3] += x[i] * v[i % 3];
    }
    // Of arrays of arrays.
    let mut w = m;
    for i in 0..2 {
        for j in 0..3 {
            w[i][j] = w[i][j] * s[0] + v[j];
        }
    }
    w[1][2] *= 2.0;
    w[0] = [w[0][2], w[0][0], w[0][1]];
    let mut rows = 0.0;
    for row in w.iter() {
        rows += row[0] * row[1] - row[2];
    }
    for row in &m {
        rows += row[0].sin();
    }
    // A branch changes them, one way or the other.
    let mut p = [s[0], s[1], 0.3];
    if x[0] > 0.0 {
        let k = x.len() % 3;
        p[k] = v[1] * s[0];
    } else {
        p[0] *= v[2];
    }
    let q = if x[1] > 0.1 {
        let t = x[1] * v[0];
        [t, t * t, 1.0]
    } else {
        v
    };
    p.swap(0, 1);
    let spread: f64 = m.iter().map(|row| row[1] * row[2]).sum();
    let mut total = rows + spread + s[1];
    for (a, b) in p.iter().zip(q.iter()) {
        total += a * b;
    }
    for k in 0..3 {
        total += bins[k] * bins[k];
    }
    total
}
