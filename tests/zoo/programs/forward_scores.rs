//! Log-sum-exp over the ways into a state: from itself and, but for the first, from the one before.
//! Reverse mode reads what it kept one position further on, where there is one, under several
//! conditions.
//!
//! @ log_probs: [4, 3]; label: {0, 2, 1}
//! @ log_probs: [1, 2]; label: {1}
//! @ log_probs: [9, 9]; label: {0, 1, 2, 3, 4, 5, 6, 7, 8}
//! @ log_probs: [12, 2]; label: {1, 1}

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, grad, vjp, jvp)]
pub fn forward_scores(log_probs: &Array2<f64>, label: &[usize]) -> f64 {
    let states = label.len();
    let mut alpha = vec![-5.0; states];
    alpha[0] = log_probs[[0, label[0]]];
    for t in 1..log_probs.nrows() {
        let prev = alpha.clone();
        for s in 0..states {
            let stay = prev[s];
            let step = if s > 0 { prev[s - 1] } else { f64::NEG_INFINITY };
            let m = stay.max(step);
            let into =
                if m < -4.0 { m } else { m + ((stay - m).exp() + (step - m).exp()).ln() };
            alpha[s] = into + log_probs[[t, label[s]]];
        }
    }
    -alpha[states - 1]
}
