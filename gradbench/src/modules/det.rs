//! The determinant by minors of the first row.

use crate::call::{Answer, Call, Failure};
use cotangent::prelude::*;
use ndarray::Array2;
use serde::Deserialize;

#[differentiable(value, grad, noinline)]
fn determinant(a: &Array2<f64>) -> f64 {
    let n = a.nrows();
    if n == 1 {
        a[[0, 0]]
    } else {
        sum(n, |j| {
            let minor = build((n - 1, n - 1), |(r, c)| {
                a[[r + 1, if c < j { c } else { c + 1 }]]
            });
            let sign = if j % 2 == 0 { 1.0 } else { -1.0 };
            sign * a[[0, j]] * determinant(&minor)
        })
    }
}

#[derive(Deserialize)]
struct Input {
    #[serde(rename = "A")]
    a: Vec<f64>,
    ell: usize,
}

pub(crate) fn call(call: &Call<'_>) -> Result<Answer, Failure> {
    let Input { a, ell } = call.input()?;
    let a = Array2::from_shape_vec((ell, ell), a)?;
    match call.function {
        "primal" => call.time(|| determinant_value(&a), |value| value),
        "gradient" => call.time(
            || determinant_grad(&a),
            |gradient| gradient.iter().copied().collect::<Vec<f64>>(),
        ),
        _ => call.unknown(),
    }
}
