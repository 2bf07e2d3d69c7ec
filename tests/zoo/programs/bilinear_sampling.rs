//! An image read between its pixels, clamped at the border.
//!
//! @ image: [3, 4]; u: {0.5, 1.75, 2.9}; v: {0.25, 2.5, 3.2}
//! @ image: [1, 1]; u: {0.3}; v: {0.6}

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, vjp, jvp)]
pub fn bilinear_sampling(image: &Array2<f64>, u: &Array1<f64>, v: &Array1<f64>) -> Array1<f64> {
    let (n, m) = image.dim();
    let pixel = |i: usize, j: usize| image[[i.min(n - 1), j.min(m - 1)]];
    build(u.len(), |k| {
        let i = u[k] as usize;
        let j = v[k] as usize;
        let s = u[k].fract();
        let t = v[k].fract();
        let top = (1.0 - t) * pixel(i, j) + t * pixel(i, j + 1);
        let bottom = (1.0 - t) * pixel(i + 1, j) + t * pixel(i + 1, j + 1);
        (1.0 - s) * top + s * bottom
    })
}
