//! Cosines between the rows of two matrices.
//!
//! @ a: [2, 3]; b: [4, 3]
//! @ a: [1, 1] in 0.5..1.0; b: [1, 1] in 0.5..1.0

use cotangent::prelude::*;
use ndarray::{Array2, Axis};

#[differentiable(value, vjp, jvp)]
pub fn nd_cosine_similarity(a: &Array2<f64>, b: &Array2<f64>) -> Array2<f64> {
    let norms = |m: &Array2<f64>| (m * m).sum_axis(Axis(1)).mapv(f64::sqrt);
    let (na, nb) = (norms(a), norms(b));
    let scale = na.insert_axis(Axis(1)) * nb.insert_axis(Axis(0));
    a.dot(&b.t()) / scale
}
