//! Factorisation of a matrix of positive numbers into two of low rank: half the squared error.

use super::{Gradient, Input, Objective, Random, constant, variable};
use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, grad, wrt(w, h))]
pub(crate) fn nnmf(w: &Array2<f64>, h: &Array2<f64>, x: &Array2<f64>) -> f64 {
    0.5 * sum(x.dim(), |(i, j)| {
        let product = sum(w.ncols(), |r| w[[i, r]] * h[[r, j]]);
        (x[[i, j]] - product).powi(2)
    })
}

/// A matrix and its factors.
pub(crate) struct Nnmf {
    w: Array2<f64>,
    h: Array2<f64>,
    x: Array2<f64>,
}

impl Nnmf {
    /// Of `n` rows and `m` columns, and of rank `r`.
    pub(crate) fn new(n: usize, m: usize, r: usize) -> Self {
        let mut random = Random::new(10);
        Nnmf {
            w: random.uniform2(n, r),
            h: random.uniform2(r, m),
            x: random.uniform2(n, m) * r as f64,
        }
    }
}

impl Objective for Nnmf {
    fn inputs(&self) -> Vec<Input> {
        vec![
            variable("w", &self.w),
            variable("h", &self.h),
            constant("x", &self.x),
        ]
    }

    fn written(&self) -> f64 {
        nnmf(&self.w, &self.h, &self.x)
    }

    fn value(&self) -> f64 {
        nnmf_value(&self.w, &self.h, &self.x)
    }

    fn gradient(&self) -> Gradient {
        let (value, (w, h)) = nnmf_value_and_grad(&self.w, &self.h, &self.x);
        let parts = vec![w.into_dyn(), h.into_dyn()];
        Gradient { value, parts }
    }

    fn by_hand(&self) -> Option<Gradient> {
        let Nnmf { w, h, x } = self;
        let r = w.dot(h) - x;
        Some(Gradient {
            value: 0.5 * r.iter().map(|r| r * r).sum::<f64>(),
            parts: vec![r.dot(&h.t()).into_dyn(), w.t().dot(&r).into_dyn()],
        })
    }
}
