//! Values of two polynomials at many points, term by term: what the loop carries is computed again
//! in reverse, where that is one product.
//!
//! @ t: [4]; x: [3]; y: [3]
//! @ t: [1]; x: [1]; y: [1]
//! @ t: [3]; x: [0]; y: [0]
//! @ t: [0]; x: [2]; y: [2]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn powers_of_points(t: &Array1<f64>, x: &Array1<f64>, y: &Array1<f64>) -> f64 {
    let mut total = 0.0;
    for i in 0..t.len() {
        let mut error = t[i].sin();
        let (mut power, mut chebyshev, mut before) = (1.0, t[i], 1.0);
        for j in 0..x.len() {
            error -= x[j] * power + y[j] * chebyshev;
            power *= 0.5 * i as f64;
            let next = i as f64 * chebyshev - before;
            before = chebyshev;
            chebyshev = next;
        }
        total += error * error;
    }
    0.5 * total
}
