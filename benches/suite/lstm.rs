//! A network of long short-term memory without matrices, that is to foresee a text.

use super::{Gradient, Input, Objective, Random, constant, variable};
use cotangent::prelude::*;
use ndarray::Array2;

/// Rows 2i and 2i+1 of `weights` are the factors and offsets of layer i, in four parts: forget, in,
/// out, change. The same rows of `state` are what it says and what it remembers before the first
/// character.
#[differentiable(value, grad, wrt(weights, extra))]
pub(crate) fn lstm(
    weights: &Array2<f64>,
    extra: &Array2<f64>,
    state: &Array2<f64>,
    sequence: &Array2<f64>,
) -> f64 {
    let (length, b) = sequence.dim();
    let layers = state.nrows() / 2;
    let mut state = state.clone();
    let mut total = 0.0;
    for t in 0..length - 1 {
        let mut said = build(b, |k| sequence[[t, k]] * extra[[0, k]]);
        for i in 0..layers {
            let (w, bias) = (weights.row(2 * i), weights.row(2 * i + 1));
            let (before, memory) = (state.row(2 * i), state.row(2 * i + 1));
            let cell = build(b, |k| {
                let forget = sigmoid(said[k] * w[k] + bias[k]);
                let enter = sigmoid(before[k] * w[b + k] + bias[b + k]);
                let change = (before[k] * w[3 * b + k] + bias[3 * b + k]).tanh();
                memory[k] * forget + enter * change
            });
            said = build(b, |k| {
                let out = sigmoid(said[k] * w[2 * b + k] + bias[2 * b + k]);
                out * cell[k].tanh()
            });
            state.row_mut(2 * i).assign(&said);
            state.row_mut(2 * i + 1).assign(&cell);
        }
        let guess = build(b, |k| said[k] * extra[[1, k]] + extra[[2, k]]);
        let norm = (2.0 + sum(b, |k| guess[k].exp())).ln();
        total += sum(b, |k| sequence[[t + 1, k]] * (guess[k] - norm));
    }
    -total / (b * (length - 1)) as f64
}

/// A network and a text.
pub(crate) struct Lstm {
    weights: Array2<f64>,
    extra: Array2<f64>,
    state: Array2<f64>,
    sequence: Array2<f64>,
}

impl Lstm {
    /// `l` layers, `c` characters of 14 bits.
    pub(crate) fn new(l: usize, c: usize) -> Self {
        let (mut random, b) = (Random::new(2), 14);
        // Letters, spaces, and now and then a typographic apostrophe.
        let text: Vec<u32> = (0..c)
            .map(|_| match random.index(32) {
                i @ 0..26 => 97 + i as u32,
                26..31 => 32,
                _ => 0x2019,
            })
            .collect();
        Lstm {
            weights: random.uniform2(2 * l, 4 * b),
            extra: random.uniform2(3, b),
            state: random.uniform2(2 * l, b),
            sequence: Array2::from_shape_fn((c, b), |(t, k)| f64::from(text[t] >> k & 1)),
        }
    }
}

impl Objective for Lstm {
    fn inputs(&self) -> Vec<Input> {
        vec![
            variable("weights", &self.weights),
            variable("extra", &self.extra),
            constant("state", &self.state),
            constant("sequence", &self.sequence),
        ]
    }

    fn written(&self) -> f64 {
        lstm(&self.weights, &self.extra, &self.state, &self.sequence)
    }

    fn value(&self) -> f64 {
        lstm_value(&self.weights, &self.extra, &self.state, &self.sequence)
    }

    fn gradient(&self) -> Gradient {
        let (value, (weights, extra)) =
            lstm_value_and_grad(&self.weights, &self.extra, &self.state, &self.sequence);
        let parts = vec![weights.into_dyn(), extra.into_dyn()];
        Gradient { value, parts }
    }
}
