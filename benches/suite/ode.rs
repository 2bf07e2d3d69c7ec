//! A chain of differential equations by the classical method of Runge and Kutta.

use super::{Gradient, Input, Objective, Random, count, variable};
use cotangent::prelude::*;
use ndarray::Array1;

/// y(2) of y'₀ = x₀, y'ᵢ = xᵢ yᵢ₋₁, y(0) = 0, in `s` steps.
#[differentiable(value, vjp, jvp)]
pub(crate) fn solution(x: &Array1<f64>, s: usize) -> Array1<f64> {
    let n = x.len();
    let h = 2.0 / s as f64;
    let slope = |y: &Array1<f64>| build(n, |i| if i == 0 { x[0] } else { x[i] * y[i - 1] });
    let mut y = Array1::zeros(n);
    for _ in 0..s {
        let k1 = slope(&y);
        let k2 = slope(&(&y + &k1 * (h / 2.0)));
        let k3 = slope(&(&y + &k2 * (h / 2.0)));
        let k4 = slope(&(&y + &k3 * h));
        y = &y + (k1 + 2.0 * k2 + 2.0 * k3 + k4) * (h / 6.0);
    }
    y
}

/// The last element of it.
#[differentiable(value, grad)]
pub(crate) fn last(x: &Array1<f64>, s: usize) -> f64 {
    solution(x, s)[x.len() - 1]
}

/// Factors, and a number of steps.
pub(crate) struct Ode {
    x: Array1<f64>,
    s: usize,
}

impl Ode {
    /// `n` equations, `s` steps.
    pub(crate) fn new(n: usize, s: usize) -> Self {
        Ode {
            x: Random::new(7).uniform1(n),
            s,
        }
    }
}

impl Objective for Ode {
    fn inputs(&self) -> Vec<Input> {
        vec![variable("x", &self.x), count("s", self.s)]
    }

    fn written(&self) -> f64 {
        last(&self.x, self.s)
    }

    fn value(&self) -> f64 {
        last_value(&self.x, self.s)
    }

    fn gradient(&self) -> Gradient {
        let (value, x) = last_value_and_grad(&self.x, self.s);
        let parts = vec![x.into_dyn()];
        Gradient { value, parts }
    }
}
