//! Sizes that would double with each statement if they were written out.
//!
//! @ x: [3]; y: [3]; n: 2
//! @ x: [1]; y: [1]; n: 0
//! @ x: [9]; y: [9]; n: 40

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn sizes_that_double(x: &Array1<f64>, y: &Array1<f64>, n: usize) -> f64 {
    let mut k = n;
    k = k * 3 + 1;
    if k > 20 {
        k %= 17;
    }
    k = k * 3 + 2;
    if k > 20 {
        k %= 13;
    }
    k = k * 3 + 3;
    if k > 20 {
        k %= 11;
    }
    k = k * 3 + 4;
    if k > 20 {
        k %= 9;
    }
    k = k * 3 + 5;
    if k > 20 {
        k %= 7;
    }
    k = k * 3 + 6;
    if k > 20 {
        k %= 5;
    }
    let mut a = x.clone();
    if x[0] > 0.0 {
        a = &a * y;
    } else {
        a[0] = y[0];
    }
    if x[x.len() - 1] > 0.5 {
        a = &a * y;
    } else {
        a[0] = y[0];
    }
    if x[x.len() / 2] > -0.5 {
        a = &a * y;
    } else {
        a[0] = y[0];
    }
    if x[0] > 1.0 {
        a = &a * y;
    } else {
        a[0] = y[0];
    }
    if x[x.len() / 3] > 0.2 {
        a = &a * y;
    } else {
        a[0] = y[0];
    }
    let z = build(k + 1, |i| x[i % x.len()] * i as f64);
    a.sum() + z.dot(&z) + sum(k % x.len(), |i| x[i].sin() * y[i])
}
