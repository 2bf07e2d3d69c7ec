//! A fast Fourier transform in place: loops of unknown lengths around one that changes two lists.
//!
//! @ x: [8]
//! @ x: [5]
//! @ x: [1]
//! @ x: [64]

use cotangent::prelude::*;

#[differentiable(value, grad, vjp, jvp)]
pub fn transform_in_place(x: &[f64]) -> f64 {
    // The largest power of two that is not above the length.
    let mut n = 1;
    while 2 * n <= x.len() {
        n *= 2;
    }
    let mut re: Vec<f64> = x[..n].to_vec();
    let mut im = vec![0.0; n];
    let mut j = 0;
    for i in 1..n {
        let mut bit = n >> 1;
        while j & bit != 0 {
            j ^= bit;
            bit >>= 1;
        }
        j ^= bit;
        if i < j {
            re.swap(i, j);
            im.swap(i, j);
        }
    }
    let mut len = 2;
    while len <= n {
        let angle = -2.0 * std::f64::consts::PI / len as f64;
        let mut i = 0;
        while i < n {
            for k in 0..len / 2 {
                let (c, s) = ((angle * k as f64).cos(), (angle * k as f64).sin());
                let (a, b) = (i + k, i + k + len / 2);
                let (re_b, im_b) = (re[b] * c - im[b] * s, re[b] * s + im[b] * c);
                let (re_a, im_a) = (re[a], im[a]);
                re[a] = re_a + re_b;
                im[a] = im_a + im_b;
                re[b] = re_a - re_b;
                im[b] = im_a - im_b;
            }
            i += len;
        }
        len *= 2;
    }
    let mut all = 0.0;
    for k in 0..n {
        all += (re[k] * re[k] + im[k] * im[k] + 0.1).sqrt();
    }
    all
}
