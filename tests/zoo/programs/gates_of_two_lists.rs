//! A register of bits, rotated bit by bit: real and imaginary parts are two lists, and four
//! elements change under a condition on the index.
//!
//! @ re0: [4]; im0: [4]; angles: [2]
//! @ re0: [1]; im0: [1]; angles: {}
//! @ re0: [2]; im0: [2]; angles: [1]
//! @ re0: [16]; im0: [16]; angles: [4] @@ large
//! @ re0: [256]; im0: [256]; angles: [8] @@ large

use cotangent::prelude::*;

#[differentiable(value, grad, vjp, jvp)]
pub fn gates_of_two_lists(re0: &[f64], im0: &[f64], angles: &[f64]) -> f64 {
    let n = re0.len();
    let (mut re, mut im) = (re0.to_vec(), im0.to_vec());
    for (g, t) in angles.iter().enumerate() {
        let (s, c) = t.sin_cos();
        for i in 0..n {
            if i & (1 << g) == 0 {
                let j = i | (1 << g);
                let (a, b, x, y) = (re[i], im[i], re[j], im[j]);
                re[i] = c * a + s * y;
                im[i] = c * b - s * x;
                re[j] = s * b + c * x;
                im[j] = c * y - s * a;
            }
        }
    }
    (0..n)
        .map(|i| i as f64 * (re[i] * re[i] + im[i] * im[i]))
        .sum()
}
