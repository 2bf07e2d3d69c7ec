//! A network of long short-term memory without matrices that predicts the next character of a text.

use crate::arrays::matrix;
use crate::call::{Answer, Call, Failure};
use cotangent::prelude::*;
use ndarray::Array2;
use serde::Deserialize;

/// The negative log-likelihood of a text. Rows 2i and 2i+1 of `main` are the factors and offsets of
/// layer i, in four parts: forget, in, out, change. The same rows of `state` are its output and its
/// memory at the start.
#[differentiable(value, grad, wrt(main, extra))]
fn loss(
    main: &Array2<f64>,
    extra: &Array2<f64>,
    state: &Array2<f64>,
    sequence: &Array2<f64>,
) -> f64 {
    let (length, b) = sequence.dim();
    let layers = state.nrows() / 2;
    let mut state = state.clone();
    let mut total = 0.0;
    for t in 0..length - 1 {
        let mut input = &sequence.row(t) * &extra.row(0);
        for i in 0..layers {
            let (w, bias) = (main.row(2 * i), main.row(2 * i + 1));
            let (hidden, memory) = (state.row(2 * i), state.row(2 * i + 1));
            let cell = build(b, |k| {
                let forget = sigmoid(input[k] * w[k] + bias[k]);
                let enter = sigmoid(hidden[k] * w[b + k] + bias[b + k]);
                let change = (hidden[k] * w[3 * b + k] + bias[3 * b + k]).tanh();
                memory[k] * forget + enter * change
            });
            input = build(b, |k| {
                let out = sigmoid(input[k] * w[2 * b + k] + bias[2 * b + k]);
                out * cell[k].tanh()
            });
            state.row_mut(2 * i).assign(&input);
            state.row_mut(2 * i + 1).assign(&cell);
        }
        let guess = input * extra.row(1) + extra.row(2);
        let norm = (2.0 + guess.mapv(f64::exp).sum()).ln();
        total += (&sequence.row(t + 1) * &(guess - norm)).sum();
    }
    -total / (b * (length - 1)) as f64
}

#[derive(Deserialize)]
struct Input {
    #[serde(deserialize_with = "matrix")]
    main_params: Array2<f64>,
    #[serde(deserialize_with = "matrix")]
    extra_params: Array2<f64>,
    #[serde(deserialize_with = "matrix")]
    state: Array2<f64>,
    #[serde(deserialize_with = "matrix")]
    sequence: Array2<f64>,
}

pub(crate) fn call(call: &Call<'_>) -> Result<Answer, Failure> {
    let Input {
        main_params: main,
        extra_params: extra,
        state,
        sequence,
    } = call.input()?;
    match call.function {
        "objective" => call.time(
            || loss_value(&main, &extra, &state, &sequence),
            |value| value,
        ),
        "jacobian" => call.time(
            || loss_grad(&main, &extra, &state, &sequence),
            |(main, extra)| main.into_iter().chain(extra).collect::<Vec<f64>>(),
        ),
        _ => call.unknown(),
    }
}
