//! Recurrences along rows of different lengths: products, states with a rate, states that are no
//! linear recurrence.
//!
//! @ v: [9]; ptr: {0, 2, 2, 7, 9}; rate: [4]
//! @ v: [3]; ptr: {0, 3}; rate: [1]
//! @ v: [4]; ptr: {0}; rate: [0]
//! @ v: [90]; ptr: {0, 1, 3, 3, 75, 76, 90}; rate: [6]
//! @ v: {1.5, 0.0, -2.0, 0.0, 0.0}; ptr: {0, 3, 5}; rate: [2] @@ nonsmooth
//! @ v: [7]; ptr: {4, 6, 1, 5}; rate: [3]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn recurrences_of_groups(v: &Array1<f64>, ptr: &[usize], rate: &Array1<f64>) -> f64 {
    let mut total = 0.0;
    for i in 0..ptr.len() - 1 {
        let (mut product, mut level, mut map) = (1.0, rate[i], 0.5);
        for k in ptr[i]..ptr[i + 1] {
            product *= v[k];
            level = level * rate[i] + v[k];
            if v[k] > 0.0 {
                map = map * (1.0 - map) * v[k];
            }
        }
        total += product * level + map * map;
    }
    total
}
