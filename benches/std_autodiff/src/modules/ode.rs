//! A chain of differential equations, solved by the classical Runge–Kutta method.

use crate::call::{Answer, Call, Failure};
use serde::Deserialize;
use std::autodiff::autodiff_reverse;

/// The slopes x₀ and xᵢ yᵢ₋₁.
fn slopes(x: &[f64], y: &[f64], out: &mut [f64]) {
    out[0] = x[0];
    for i in 1..x.len() {
        out[i] = x[i] * y[i - 1];
    }
}

/// Goes from `y` along the slopes `k`.
fn along(y: &[f64], h: f64, k: &[f64], out: &mut [f64]) {
    for i in 0..y.len() {
        out[i] = y[i] + h * k[i];
    }
}

/// y(2) of y' = slopes(y), y(0) = 0, in `steps` steps.
#[autodiff_reverse(solution_reverse, Duplicated, Const, Duplicated)]
fn solution(x: &[f64], steps: usize, y: &mut [f64]) {
    let n = x.len();
    let h = 2.0 / steps as f64;
    let (mut k1, mut k2, mut k3) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    let (mut k4, mut next) = (vec![0.0; n], vec![0.0; n]);
    y.fill(0.0);
    for _ in 0..steps {
        slopes(x, y, &mut k1);
        along(y, h / 2.0, &k1, &mut next);
        slopes(x, &next, &mut k2);
        along(y, h / 2.0, &k2, &mut next);
        slopes(x, &next, &mut k3);
        along(y, h, &k3, &mut next);
        slopes(x, &next, &mut k4);
        for i in 0..n {
            y[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
        }
    }
}

#[derive(Deserialize)]
struct Input {
    x: Vec<f64>,
    s: usize,
}

pub(crate) fn call(call: &Call<'_>) -> Result<Answer, Failure> {
    let Input { x, s } = call.input()?;
    let n = x.len();
    match call.function {
        "primal" => call.time(
            || {
                let mut y = vec![0.0; n];
                solution(&x, s, &mut y);
                y
            },
            |y| y,
        ),
        // Of the last element.
        "gradient" => call.time(
            || {
                let (mut y, mut seed, mut gradient) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
                seed[n - 1] = 1.0;
                solution_reverse(&x, &mut gradient, s, &mut y, &mut seed);
                gradient
            },
            |gradient| gradient,
        ),
        _ => call.unknown(),
    }
}
