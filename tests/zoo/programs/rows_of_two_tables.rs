//! The same by whole rows: each is read before the other table changes.
//!
//! @ u0: [3, 2]; v0: [2, 2]; users: {0, 2, 0}; items: {1, 0, 1}; rate: 0.1
//! @ u0: [1, 2]; v0: [1, 2]; users: {}; items: {}; rate: 0.1
//! @ for N in {9, 65, 300} u0: [N, 20]; v0: [N, 20]; users: {0, 8, 3, 8}; items: {2, 2, 7, 0}; rate: 0.1

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, grad, vjp, jvp)]
pub fn rows_of_two_tables(
    u0: &Array2<f64>,
    v0: &Array2<f64>,
    users: &[usize],
    items: &[usize],
    rate: f64,
) -> f64 {
    let (mut u, mut v) = (u0.clone(), v0.clone());
    let mut loss = 0.0;
    for (&i, &j) in users.iter().zip(items) {
        let (a, b) = (u.row(i).to_owned(), v.row(j).to_owned());
        let e = a.dot(&b) - 1.0;
        loss += e * e;
        u.row_mut(i).scaled_add(-rate * e, &b);
        v.row_mut(j).scaled_add(-rate * e, &a);
    }
    loss + u.sum()
}
