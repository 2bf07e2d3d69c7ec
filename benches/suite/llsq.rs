//! A polynomial that is to be the sign of its argument, by least squares.

use super::{Gradient, Input, Objective, Random, count, variable};
use cotangent::prelude::*;
use ndarray::{Array1, Zip};

/// Half the sum of the squared errors at `n` points from -1 to 1.
#[differentiable(value, grad)]
pub(crate) fn llsq(x: &Array1<f64>, n: usize) -> f64 {
    let mut total = 0.0;
    for i in 0..n {
        let t = -1.0 + 2.0 * i as f64 / (n - 1) as f64;
        let mut error = if t > 0.0 {
            1.0
        } else if t < 0.0 {
            -1.0
        } else {
            0.0
        };
        let mut power = 1.0;
        for j in 0..x.len() {
            error -= x[j] * power;
            power *= t;
        }
        total += error * error;
    }
    0.5 * total
}

/// Coefficients, and a number of points.
pub(crate) struct Llsq {
    x: Array1<f64>,
    n: usize,
}

impl Llsq {
    /// `n` points, `m` coefficients.
    pub(crate) fn new(n: usize, m: usize) -> Self {
        Llsq {
            x: Random::new(6).uniform1(m),
            n,
        }
    }
}

impl Objective for Llsq {
    fn inputs(&self) -> Vec<Input> {
        vec![variable("x", &self.x), count("n", self.n)]
    }

    fn written(&self) -> f64 {
        llsq(&self.x, self.n)
    }

    fn value(&self) -> f64 {
        llsq_value(&self.x, self.n)
    }

    fn gradient(&self) -> Gradient {
        let (value, x) = llsq_value_and_grad(&self.x, self.n);
        let parts = vec![x.into_dyn()];
        Gradient { value, parts }
    }

    fn by_hand(&self) -> Option<Gradient> {
        let (mut value, mut gradient) = (0.0, Array1::<f64>::zeros(self.x.len()));
        for i in 0..self.n {
            let t = -1.0 + 2.0 * i as f64 / (self.n - 1) as f64;
            let sign = if t == 0.0 { 0.0 } else { t.signum() };
            let error = sign - self.x.iter().rev().fold(0.0, |r, x| r * t + x);
            value += 0.5 * error * error;
            let mut by = -error;
            Zip::from(&mut gradient).for_each(|g| {
                *g += by;
                by *= t;
            });
        }
        let parts = vec![gradient.into_dyn()];
        Some(Gradient { value, parts })
    }
}
