//! A table read between its entries: reals are cast to indices.
//!
//! @ table: [5]; at: {0.25, 3.5, 2.75, 1.1}
//! @ table: [2]; at: {0.5}
//! @ table: [2]; at: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn linear_interpolation(table: &Array1<f64>, at: &Array1<f64>) -> Array1<f64> {
    build(at.len(), |i| {
        let cell = at[i].floor() as usize;
        let t = at[i] - cell as f64;
        (1.0 - t) * table[cell] + t * table[cell + 1]
    })
}
