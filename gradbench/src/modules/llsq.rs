//! A polynomial that approximates the sign of its argument, by least squares.

use crate::call::{Answer, Call, Failure};
use cotangent::prelude::*;
use serde::Deserialize;

/// Half the sum of squared errors at `n` points from -1 to 1.
#[differentiable(value, grad)]
fn misfit(coefficients: &[f64], n: usize) -> f64 {
    let mut total = 0.0;
    for i in 0..n {
        let t = -1.0 + 2.0 * i as f64 / (n - 1) as f64;
        let sign = if t == 0.0 { 0.0 } else { t.signum() };
        let mut polynomial = 0.0;
        let mut power = 1.0;
        for c in coefficients {
            polynomial += c * power;
            power *= t;
        }
        total += (sign - polynomial).powi(2);
    }
    0.5 * total
}

#[derive(Deserialize)]
struct Input {
    x: Vec<f64>,
    n: usize,
}

pub(crate) fn call(call: &Call<'_>) -> Result<Answer, Failure> {
    let Input { x, n } = call.input()?;
    match call.function {
        "primal" => call.time(|| misfit_value(&x, n), |value| value),
        "gradient" => call.time(|| misfit_grad(&x, n), |gradient| gradient),
        _ => call.unknown(),
    }
}
