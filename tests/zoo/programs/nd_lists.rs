//! Arrays that are written out.
//!
//! @ x: ; y:
//! @ x: 2.0; y: -0.5

use cotangent::prelude::*;
use ndarray::{Array1, Array2, arr1, arr2, array};

#[differentiable(value, grad, vjp, jvp)]
pub fn nd_lists(x: f64, y: f64) -> f64 {
    let point = array![x, y, x * y];
    let turn = arr2(&[[x.cos(), -x.sin()], [x.sin(), x.cos()]]);
    let weights = arr1(&[1.0, 2.0, 4.0]);
    let halves = vec![0.5; 3];
    let pairs = Array2::from_shape_vec((3, 2), vec![x, 1.0, y, 2.0, x - y, 3.0]).unwrap();
    let turned = turn.dot(&Array1::from_vec(vec![y, 1.0]));
    let volume = array![[x, 1.0, 0.0], [0.0, y, 1.0]].dot(&point);
    point.dot(&weights) * point[2]
        + turned[0] * turn[[1, 0]]
        + halves.iter().sum::<f64>() * pairs.sum()
        + volume[1] * pairs.row(1)[0]
}
