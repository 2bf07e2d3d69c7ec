//! Bits of integers: shifts of indices, a hash of 32 bits, bits of negative numbers.
//!
//! @ x: [0]; n: 3
//! @ x: [1]; n: -3
//! @ for N in {9, 65} x: [N]; n: -6

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn bits_of_indices(x: &Array1<f64>, n: i64) -> f64 {
    let mut total = 0.0;
    for (i, v) in x.iter().enumerate() {
        let mut h = i as u32 + 7;
        h ^= h << 13;
        h ^= h >> 17;
        h ^= h << 5;
        let k = (n ^ i as i64) | ((n >> 1) & 5);
        total += v * (h & 255) as f64 + x[i >> 1] * ((i << 1) | 1) as f64 + v * v * (k % 16) as f64;
    }
    total
}
