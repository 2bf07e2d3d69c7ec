//! A row and a column, broadcast by method, and joined by `Zip`.
//!
//! @ x: [3]; y: [2]
//! @ x: [1]; y: [1]
//! @ x: [0]; y: [2]

use cotangent::prelude::*;
use ndarray::{Array1, Array2, Axis, Zip};

#[differentiable(value, vjp, jvp)]
pub fn nd_broadcast_method(x: &Array1<f64>, y: &Array1<f64>) -> Array2<f64> {
    let shape = (y.len(), x.len());
    let rows = x.broadcast(shape).unwrap();
    let column = y.view().insert_axis(Axis(1));
    let columns = column
        .broadcast(shape)
        .expect("a column is as long as wanted");
    Zip::from(&rows)
        .and(&columns)
        .map_collect(|&a, &b| (a * b).sin() + b)
}
