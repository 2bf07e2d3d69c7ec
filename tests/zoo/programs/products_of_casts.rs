//! Products and sums of integers that end with a cast, compared and shifted.
//!
//! @ x: [9]; s: 0.4
//! @ x: [60]; s: -0.3
//! @ x: [1]; s: 2.0
//! @ x: [0]; s: 0.0

use cotangent::prelude::*;

#[differentiable(value, grad, vjp, jvp)]
pub fn products_of_casts(x: &[f64], s: f64) -> f64 {
    let mut t = 0.5;
    for i in 0..x.len() {
        let mut k = 0usize;
        while k < 3 {
            let product = (k as i8) * (i as i8);
            if (product as i64) < 2 {
                t += 0.1 * s * x[i];
            }
            let shifted = (k as i64 * (i as i8) as i64) << 1;
            if shifted + ((i as u8) as i64) <= 9 {
                t += s * (shifted as f64) * 0.01;
            }
            k += 1;
        }
    }
    t
}
