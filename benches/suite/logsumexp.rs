//! The logarithm of a sum of exponentials, written with a maximum and a sum.

use super::{Gradient, Input, Objective, Random, variable};
use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad)]
pub(crate) fn log_total(x: &Array1<f64>) -> f64 {
    let largest = maximum(x.len(), |i| x[i]);
    largest + sum(x.len(), |i| (x[i] - largest).exp()).ln()
}

/// A vector.
pub(crate) struct Logsumexp(Array1<f64>);

impl Logsumexp {
    /// Of `n` elements.
    pub(crate) fn new(n: usize) -> Self {
        Logsumexp(Random::new(5).uniform1(n))
    }
}

impl Objective for Logsumexp {
    fn inputs(&self) -> Vec<Input> {
        vec![variable("x", &self.0)]
    }

    fn written(&self) -> f64 {
        log_total(&self.0)
    }

    fn value(&self) -> f64 {
        log_total_value(&self.0)
    }

    fn gradient(&self) -> Gradient {
        let (value, x) = log_total_value_and_grad(&self.0);
        let parts = vec![x.into_dyn()];
        Gradient { value, parts }
    }

    fn by_hand(&self) -> Option<Gradient> {
        let largest = self.0.fold(f64::NEG_INFINITY, |l, &x| l.max(x));
        let weights = self.0.mapv(|x| (x - largest).exp());
        let total = weights.sum();
        Some(Gradient {
            value: total.ln() + largest,
            parts: vec![(weights / total).into_dyn()],
        })
    }
}
