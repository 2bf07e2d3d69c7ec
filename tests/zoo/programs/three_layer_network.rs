//! Three dense layers whose weights come out of one short vector by formula.
//!
//! @ len1: 3; len2: 4; input: [2]; data: [5]
//! @ len1: 1; len2: 1; input: [1]; data: [4]
//! @ len1: 15; len2: 2; input: [3]; data: [7]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn three_layer_network(
    len1: usize,
    len2: usize,
    input: &Array1<f64>,
    data: &Array1<f64>,
) -> f64 {
    let n = input.len();
    let m = data.len();
    let weight =
        |layer: usize, i: usize, j: usize| data[(layer + 3 * i + 5 * j) % m] * data[(i + j) % m];
    let hidden1 = build(len1, |i| sigmoid(sum(n, |j| weight(0, i, j) * input[j])));
    let hidden2 = build(len2, |i| {
        sigmoid(sum(len1, |j| weight(1, i, j) * hidden1[j]))
    });
    sigmoid(sum(len2, |j| weight(2, 0, j) * hidden2[j]))
}
