//! Two places that go towards each other, one of them by two, and where they end; a bound that is
//! included; and a countdown that reads what it has changed.
//!
//! @ x: [4]; n: 3
//! @ x: [1]; n: 0
//! @ x: [0]; n: -1
//! @ x: [9]; n: 8
//! @ x: [65]; n: 64 @@ large
//! @ x: [300]; n: 299 @@ large

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn places_that_meet(x: &Array1<f64>, n: i64) -> f64 {
    let mut y = x.clone();
    let (mut i, mut j) = (0, x.len() as i64 - 1);
    while i < j {
        let both = 0.5 * (y[i as usize] + y[j as usize]);
        y[i as usize] = both.sin();
        y[j as usize] *= both;
        i += 2;
        j -= 1;
    }
    let mut total = (i - j) as f64;
    let mut k = 1;
    while k <= n {
        total += y[k as usize] * y[k as usize - 1];
        k += 1;
    }
    let mut left = n;
    while left > 0 {
        left -= 1;
        let before = y[left as usize + 1];
        y[left as usize] += 0.3 * before.cos();
    }
    if n >= 0 {
        total += y[0];
    }
    total
}
