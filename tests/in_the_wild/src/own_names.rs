//! Functions of people's own that have the names of functions of the prelude.

mod activations {
    use cotangent::differentiable;

    #[differentiable]
    pub fn sigmoid(x: f64) -> f64 {
        0.5 * (1.0 + (0.5 * x).tanh())
    }

    /// Leaky, unlike that of the prelude.
    #[differentiable]
    pub fn relu(x: f64) -> f64 {
        if x > 0.0 { x } else { 0.01 * x }
    }
}

mod statistics {
    use cotangent::prelude::*;
    use ndarray::Array1;

    #[differentiable]
    pub fn mean(x: &[f64]) -> f64 {
        x.iter().sum::<f64>() / x.len() as f64
    }

    #[differentiable(grad)]
    pub fn variance(x: &[f64]) -> f64 {
        let mean = mean(x);
        sum(x.len(), |i| (x[i] - mean).powi(2)) / (x.len() as f64 - 1.0)
    }

    #[differentiable]
    pub fn norm(x: &Array1<f64>) -> f64 {
        x.dot(x).sqrt()
    }

    #[differentiable(vjp)]
    pub fn softmax(x: &Array1<f64>) -> Array1<f64> {
        let largest = x.fold(f64::NEG_INFINITY, |a, &b| a.max(b));
        let e = x.mapv(|v| (v - largest).exp());
        let total = e.sum();
        e / total
    }
}

mod model {
    use super::activations::{relu, sigmoid};
    use super::statistics::*;
    use cotangent::differentiable;
    use ndarray::Array1;

    #[differentiable(grad)]
    pub fn neuron(w: &[f64], x: &[f64]) -> f64 {
        let z: f64 = w.iter().zip(x).map(|(w, x)| w * x).sum();
        sigmoid(z) + relu(mean(w))
    }

    #[differentiable(grad)]
    pub fn attention(scores: &Array1<f64>, values: &Array1<f64>) -> f64 {
        softmax(scores).dot(values) / norm(values)
    }

    #[differentiable(grad)]
    pub fn activated(x: &Array1<f64>) -> f64 {
        x.mapv(sigmoid).sum()
    }
}

mod quadrature {
    use cotangent::prelude::*;

    /// The trapezoidal rule, with closures as the sum of the prelude has them.
    #[differentiable]
    pub fn sum(f: impl Fn(f64) -> f64, a: f64, b: f64) -> f64 {
        let mut total = 0.5 * (f(a) + f(b));
        for i in 1..8 {
            total += f(a + (b - a) * i as f64 / 8.0);
        }
        total * (b - a) / 8.0
    }

    /// The error function by quadrature.
    #[differentiable]
    pub fn erf(x: f64) -> f64 {
        sum(|t| (-t * t).exp(), 0.0, x) * std::f64::consts::FRAC_2_SQRT_PI
    }

    #[differentiable(grad)]
    pub fn call_price(spot: f64, strike: f64, volatility: f64) -> f64 {
        let d = ((spot / strike).ln() + 0.5 * volatility.powi(2)) / volatility;
        let cdf = |x: f64| 0.5 * (1.0 + erf(x / 2f64.sqrt()));
        spot * cdf(d) - strike * cdf(d - volatility)
    }
}

use model::*;
use quadrature::{call_price, call_price_value_and_grad};
use statistics::{variance, variance_value_and_grad};

tests! {
    variance_is: variance, variance_value_and_grad, x: list(5) => (&x);
    neuron_is: neuron, neuron_value_and_grad, w: list(3), x: list(3) => (&w, &x);
    attention_is: attention, attention_value_and_grad, s: vector(4), v: vector(4) => (&s, &v);
    activated_is: activated, activated_value_and_grad, x: vector(4) => (&x);
    call_price_is: call_price, call_price_value_and_grad, s: 1.1, k: 0.9, v: 0.3 => (s, k, v);
}
