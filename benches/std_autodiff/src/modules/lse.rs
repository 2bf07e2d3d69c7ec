//! The logarithm of a sum of exponentials, with the largest taken out.

use crate::call::{Answer, Call, Failure};
use serde::Deserialize;
use std::autodiff::autodiff_reverse;

#[autodiff_reverse(log_sum_exp_reverse, Duplicated, Active)]
pub(super) fn log_sum_exp(x: &[f64]) -> f64 {
    let mut largest = f64::NEG_INFINITY;
    for &v in x {
        if v > largest {
            largest = v;
        }
    }
    let mut total = 0.0;
    for &v in x {
        total += (v - largest).exp();
    }
    largest + total.ln()
}

#[derive(Deserialize)]
struct Input {
    x: Vec<f64>,
}

pub(crate) fn call(call: &Call<'_>) -> Result<Answer, Failure> {
    let Input { x } = call.input()?;
    match call.function {
        "primal" => call.time(|| log_sum_exp(&x), |value| value),
        "gradient" => call.time(
            || {
                let mut gradient = vec![0.0; x.len()];
                log_sum_exp_reverse(&x, &mut gradient, 1.0);
                gradient
            },
            |gradient| gradient,
        ),
        _ => call.unknown(),
    }
}
