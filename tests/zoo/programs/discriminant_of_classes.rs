//! The log-likelihood of points under classes that have a centre and a precision matrix each: what
//! a class makes of all points is a tile, and the maximum over the classes is between two phases.
//!
//! @ x: [4, 2]; centre: [3, 2]; precision: [3, 2, 2]
//! @ x: [1, 3]; centre: [1, 3]; precision: [1, 3, 3]
//! @ x: [70, 2]; centre: [3, 2]; precision: [3, 2, 2]

use cotangent::prelude::*;
use ndarray::{Array2, Array3};

#[differentiable(value, grad, vjp, jvp)]
pub fn discriminant_of_classes(
    x: &Array2<f64>,
    centre: &Array2<f64>,
    precision: &Array3<f64>,
) -> f64 {
    let (n, d) = x.dim();
    let classes = centre.nrows();
    let distance = build((n, classes), |(i, k)| {
        let turned = build(d, |r| {
            sum(d, |c| precision[[k, r, c]] * (x[[i, c]] - centre[[k, c]]))
        });
        sum(d, |r| turned[r] * turned[r])
    });
    sum(n, |i| logsumexp(classes, |k| -0.5 * distance[[i, k]]))
}
