//! A chain of differential equations, solved by the classical Runge–Kutta method.

use crate::call::{Answer, Call, Failure};
use cotangent::prelude::*;
use ndarray::Array1;
use serde::Deserialize;

/// y(2) of y'₀ = x₀, y'ᵢ = xᵢ yᵢ₋₁, y(0) = 0, in `steps` steps.
#[differentiable(value, vjp)]
fn solution(x: &Array1<f64>, steps: usize) -> Array1<f64> {
    let n = x.len();
    let h = 2.0 / steps as f64;
    let slope = |y: &Array1<f64>| build(n, |i| if i == 0 { x[0] } else { x[i] * y[i - 1] });
    let mut y = Array1::zeros(n);
    for _ in 0..steps {
        let k1 = slope(&y);
        let k2 = slope(&(&y + &k1 * (h / 2.0)));
        let k3 = slope(&(&y + &k2 * (h / 2.0)));
        let k4 = slope(&(&y + &k3 * h));
        y = &y + (k1 + 2.0 * k2 + 2.0 * k3 + k4) * (h / 6.0);
    }
    y
}

/// The last element of the solution.
#[differentiable]
fn last(x: &Array1<f64>, steps: usize) -> f64 {
    solution(x, steps)[x.len() - 1]
}

#[derive(Deserialize)]
struct Input {
    #[serde(deserialize_with = "crate::arrays::vector")]
    x: Array1<f64>,
    s: usize,
}

pub(crate) fn call(call: &Call<'_>) -> Result<Answer, Failure> {
    let Input { x, s } = call.input()?;
    match call.function {
        "primal" => call.time(|| solution_value(&x, s), |y| y.to_vec()),
        "gradient" => call.time(|| last_grad(&x, s), |gradient| gradient.to_vec()),
        _ => call.unknown(),
    }
}
