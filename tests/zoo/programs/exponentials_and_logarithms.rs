//! All the exponentials and logarithms.
//!
//! @ x: [3] in 0.5..2.0
//! @ x: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn exponentials_and_logarithms(x: &Array1<f64>) -> Array1<f64> {
    build(x.len(), |i| {
        let t = x[i];
        let up = t.exp() + t.exp2() + t.exp_m1();
        up * (t.ln() + t.log2() + t.log10() + t.ln_1p())
    })
}
