//! A network of long short-term memory without matrices that predicts the next character of a text.

use crate::arrays::flat;
use crate::call::{Answer, Call, Failure};
use serde::Deserialize;
use std::autodiff::autodiff_reverse;

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// One step of a layer whose factors and offsets are in `main`, each in four parts: forget, in,
/// out, change. `state` holds its output and its memory.
fn step(main: &[f64], state: &mut [f64], input: &mut [f64]) {
    let b = input.len();
    let (w, bias) = main.split_at(4 * b);
    let (hidden, memory) = state.split_at_mut(b);
    for i in 0..b {
        let forget = sigmoid(input[i] * w[i] + bias[i]);
        let enter = sigmoid(hidden[i] * w[b + i] + bias[b + i]);
        let out = sigmoid(input[i] * w[2 * b + i] + bias[2 * b + i]);
        let change = (hidden[i] * w[3 * b + i] + bias[3 * b + i]).tanh();
        memory[i] = memory[i] * forget + enter * change;
        hidden[i] = out * memory[i].tanh();
        input[i] = hidden[i];
    }
}

/// The negative log-likelihood of a text. `main` and `state` hold one layer after the other.
/// `extra` holds the factors of the input, then the factors and offsets of the output. Characters
/// have `b` bits.
#[autodiff_reverse(loss_reverse, Duplicated, Duplicated, Const, Const, Const, Active)]
fn loss(main: &[f64], extra: &[f64], state: &[f64], sequence: &[f64], b: usize) -> f64 {
    let length = sequence.len() / b;
    let mut state = state.to_vec();
    let mut values = vec![0.0; b];
    let mut total = 0.0;
    for t in 0..length - 1 {
        let (now, next) = (&sequence[t * b..][..b], &sequence[(t + 1) * b..][..b]);
        for i in 0..b {
            values[i] = now[i] * extra[i];
        }
        for (main, state) in main.chunks_exact(8 * b).zip(state.chunks_exact_mut(2 * b)) {
            step(main, state, &mut values);
        }
        let mut sum = 2.0;
        for i in 0..b {
            values[i] = values[i] * extra[b + i] + extra[2 * b + i];
            sum += values[i].exp();
        }
        let norm = sum.ln();
        for i in 0..b {
            total += next[i] * (values[i] - norm);
        }
    }
    -total / (b * (length - 1)) as f64
}

#[derive(Deserialize)]
struct Input {
    #[serde(deserialize_with = "flat")]
    main_params: Vec<f64>,
    #[serde(deserialize_with = "flat")]
    extra_params: Vec<f64>,
    #[serde(deserialize_with = "flat")]
    state: Vec<f64>,
    #[serde(deserialize_with = "flat")]
    sequence: Vec<f64>,
}

pub(crate) fn call(call: &Call<'_>) -> Result<Answer, Failure> {
    let Input {
        main_params: main,
        extra_params: extra,
        state,
        sequence,
    } = call.input()?;
    let b = extra.len() / 3;
    match call.function {
        "objective" => call.time(|| loss(&main, &extra, &state, &sequence, b), |value| value),
        "jacobian" => call.time(
            || {
                let mut gradient = vec![0.0; main.len() + extra.len()];
                let (dm, de) = gradient.split_at_mut(main.len());
                loss_reverse(&main, dm, &extra, de, &state, &sequence, b, 1.0);
                gradient
            },
            |gradient| gradient,
        ),
        _ => call.unknown(),
    }
}
