//! A polynomial and its slope, by Horner's rule over coefficients in a fixed-size array.
//!
//! @ c: [5]; x: 0.3
//! @ c: {1.0, -2.0, 0.0, 3.0, 0.5}; x: -1.5

use cotangent::prelude::*;

#[differentiable(value, vjp, jvp)]
pub fn horner_of_fixed(c: [f64; 5], x: f64) -> (f64, f64) {
    let [a, b, d, e, f] = c;
    let value = (((f * x + e) * x + d) * x + b) * x + a;
    let slope = ((4.0 * f * x + 3.0 * e) * x + 2.0 * d) * x + b;
    (value, slope)
}
