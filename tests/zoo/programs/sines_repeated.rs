//! As many sines of a vector as asked for.
//!
//! @ x: [3]; n: 4
//! @ x: [2]; n: 0
//! @ x: [0]; n: 3
//! @ x: [1]; n: 70
//! @ for N in {9, 17, 65, 300, 5000} x: [N]; n: 5
//! @ for N in {8, 9, 65, 300} x: [9]; n: N

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn sines_repeated(x: Array1<f64>, n: usize) -> Array1<f64> {
    let mut x = x;
    let mut k = 0;
    while k < n {
        x = x.mapv(f64::sin);
        k += 1;
    }
    x
}
