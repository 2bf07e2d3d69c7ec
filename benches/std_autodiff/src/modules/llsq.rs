//! A polynomial that approximates the sign of its argument, by least squares.

use crate::call::{Answer, Call, Failure};
use serde::Deserialize;
use std::autodiff::autodiff_reverse;

/// Half the sum of squared errors at `n` points from -1 to 1.
#[autodiff_reverse(misfit_reverse, Duplicated, Const, Active)]
fn misfit(coefficients: &[f64], n: usize) -> f64 {
    let mut total = 0.0;
    for i in 0..n {
        let t = -1.0 + 2.0 * i as f64 / (n - 1) as f64;
        let mut error = if t == 0.0 { 0.0 } else { t.signum() };
        let mut power = 1.0;
        for c in coefficients {
            error -= c * power;
            power *= t;
        }
        total += error * error;
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
        "primal" => call.time(|| misfit(&x, n), |value| value),
        "gradient" => call.time(
            || {
                let mut gradient = vec![0.0; x.len()];
                misfit_reverse(&x, &mut gradient, n, 1.0);
                gradient
            },
            |gradient| gradient,
        ),
        _ => call.unknown(),
    }
}
