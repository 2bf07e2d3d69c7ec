//! Arguments and fields that may be there or not.

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(grad)]
fn weighted_mean(x: &[f64], weights: Option<&[f64]>) -> f64 {
    let mut total = 0.0;
    let mut norm = 0.0;
    for i in 0..x.len() {
        let w = weights.map(|w| w[i]).unwrap_or(1.0);
        total += w * x[i];
        norm += w;
    }
    total / norm
}

#[differentiable(grad, wrt(prediction))]
fn weighted_loss(
    prediction: &Array2<f64>,
    target: &Array2<f64>,
    weights: Option<&Array2<f64>>,
) -> f64 {
    let squares = (prediction - target).mapv(|r| r * r);
    match weights {
        Some(w) => (&squares * w).sum() / w.sum(),
        None => squares.mean().unwrap(),
    }
}

#[differentiable(grad, wrt(logits))]
fn cross_entropy(logits: &[f64], label: usize, smoothing: Option<f64>) -> f64 {
    let m = logits.iter().cloned().fold(f64::NEG_INFINITY, f64::max);
    let z = m + logits.iter().map(|v| (v - m).exp()).sum::<f64>().ln();
    let Some(e) = smoothing else {
        return z - logits[label];
    };
    let mean = logits.iter().sum::<f64>() / logits.len() as f64;
    z - (1.0 - e) * logits[label] - e * mean
}

#[derive(Clone, Differentiable)]
struct Linear {
    weights: Array2<f64>,
    bias: Option<Array1<f64>>,
    dropout: Option<f64>,
    top: Option<usize>,
}

#[differentiable(grad, wrt(x))]
fn forward(layer: &Linear, x: &Array1<f64>) -> f64 {
    let mut h = layer.weights.dot(x);
    if let Some(bias) = &layer.bias {
        h = h + bias;
    }
    let scale = layer.dropout.map_or(1.0, |p| 1.0 / (1.0 - p));
    let top = layer.top.unwrap_or(h.len());
    let mut total = 0.0;
    for v in h.iter().take(top) {
        total += (scale * v).tanh();
    }
    total
}

/// The gradient of an `Option` is an `Option`.
#[differentiable(grad)]
fn damped(x: f64, damping: Option<f64>) -> f64 {
    match damping {
        Some(c) if c > 0.0 => (-c * x).exp() * x.cos(),
        _ => x.cos(),
    }
}

fn linear(bias: bool) -> Linear {
    Linear {
        weights: ndarray::array![[0.1, 0.2], [-0.3, 0.4], [0.5, 0.6]],
        bias: bias.then(|| ndarray::array![0.3, -0.2, 0.1]),
        dropout: bias.then_some(0.25),
        top: (!bias).then_some(2),
    }
}

#[test]
fn the_gradient_is_there_where_the_argument_is() {
    let (_, (dx, dc)) = damped_value_and_grad(0.5, Some(0.2));
    assert!((dx + (-0.1f64).exp() * (0.2 * 0.5f64.cos() + 0.5f64.sin())).abs() < 1e-12);
    assert!((dc.unwrap() + 0.5 * (-0.1f64).exp() * 0.5f64.cos()).abs() < 1e-12);
    assert_eq!(damped_grad(0.5, None).1, None);
    let (dx, dw) = weighted_mean_grad(&[1.0, 2.0], Some(&[1.0, 3.0]));
    assert_eq!((dx, dw), (vec![0.25, 0.75], Some(vec![-0.1875, 0.0625])));
}

#[differentiable(grad)]
fn mean(x: &[f64]) -> f64 {
    weighted_mean(x, None)
}

tests! {
    mean_is: mean, mean_value_and_grad, x: list(5) => (&x);
    loss_is: weighted_loss, weighted_loss_value_and_grad, p: matrix(2, 3) => (&p, &matrix(2, 3), None);
    weighted_loss_is: weighted_loss, weighted_loss_value_and_grad, p: matrix(2, 3) => (&p, &matrix(2, 3), Some(&positive_matrix()));
    cross_entropy_is: cross_entropy, cross_entropy_value_and_grad, l: list(4) => (&l, 2, None);
    smoothed_is: cross_entropy, cross_entropy_value_and_grad, l: list(4) => (&l, 2, Some(0.1));
    forward_is: forward, forward_value_and_grad, x: vector(2) => (&linear(true), &x);
    forward_without_bias_is: forward, forward_value_and_grad, x: vector(2) => (&linear(false), &x);
}

fn positive_matrix() -> Array2<f64> {
    ndarray::array![[0.5, 1.0, 0.25], [1.5, 0.75, 2.0]]
}
