//! A few steps of a quadratic map on pairs, written out.
//!
//! @ re: in -0.5..0.5; im: in -0.5..0.5
//! @ re: 0.0; im: 0.0

use cotangent::prelude::*;

#[differentiable(value, grad, vjp, jvp)]
pub fn mandel_steps(re: f64, im: f64) -> f64 {
    let next_re = |x: f64, y: f64| x * x - y * y + re;
    let next_im = |x: f64, y: f64| 2.0 * x * y + im;
    let x1 = next_re(re, im);
    let y1 = next_im(re, im);
    let x2 = next_re(x1, y1);
    let y2 = next_im(x1, y1);
    let x3 = next_re(x2, y2);
    let y3 = next_im(x2, y2);
    x3 * x3 + y3 * y3
}
