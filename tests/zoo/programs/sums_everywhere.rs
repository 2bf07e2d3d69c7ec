//! Scalars and arrays computed from each other in several steps.
//!
//! @ a: [4]; b: [5]
//! @ a: [1]; b: [1]
//! @ a: [0]; b: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn sums_everywhere(a: &Array1<f64>, b: &Array1<f64>) -> f64 {
    let sa = sum(a.len(), |i| a[i]);
    let sb = sum(b.len(), |i| b[i]);
    let pb = product(b.len(), |i| b[i]);
    let first = sa * sb;
    let second = (sb * pb + sb + sa) * sa;
    first + second
}
