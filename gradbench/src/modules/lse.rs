//! The logarithm of a sum of exponentials, with the largest taken out.

use crate::call::{Answer, Call, Failure};
use cotangent::prelude::*;
use serde::Deserialize;

#[differentiable(value, grad)]
fn log_sum_exp(x: &[f64]) -> f64 {
    let largest = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    largest + x.iter().map(|v| (v - largest).exp()).sum::<f64>().ln()
}

#[derive(Deserialize)]
struct Input {
    x: Vec<f64>,
}

pub(crate) fn call(call: &Call<'_>) -> Result<Answer, Failure> {
    let Input { x } = call.input()?;
    match call.function {
        "primal" => call.time(|| log_sum_exp_value(&x), |value| value),
        "gradient" => call.time(|| log_sum_exp_grad(&x), |gradient| gradient),
        _ => call.unknown(),
    }
}
