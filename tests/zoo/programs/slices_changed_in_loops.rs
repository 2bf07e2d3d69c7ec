//! Parts of rows, of columns and of planes are borrowed and changed in loops.
//!
//! @ x: [4, 4]
//! @ x: [9, 9]
//! @ x: [1, 1]
//! @ x: [0, 0]

use cotangent::prelude::*;
use ndarray::{Array2, Array3, s};

#[differentiable(value, grad, vjp, jvp)]
pub fn slices_changed_in_loops(x: &Array2<f64>) -> f64 {
    let n = x.nrows();
    let mut m = x.to_owned();
    for k in 0..n {
        for i in k + 1..n {
            let row = m.slice(s![k, k..]).to_owned();
            let factor = m[[i, k]].cos();
            let mut part = m.slice_mut(s![i, k..]);
            part.scaled_add(-0.3 * factor, &row);
            m.slice_mut(s![i, ..k]).mapv_inplace(|v| v * factor);
        }
        m.slice_mut(s![..;2, k]).mapv_inplace(f64::sin);
    }
    let mut planes = Array3::zeros((2, n, n));
    planes.slice_mut(s![0, .., ..]).assign(&m);
    planes.slice_mut(s![1, n / 2.., ..]).fill(m.sum());
    planes.mapv(f64::sin).sum()
}
