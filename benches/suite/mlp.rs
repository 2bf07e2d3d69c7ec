//! A network with one hidden layer of tanh, and its mean squared error.

use super::{Gradient, Input, Objective, Random, coefficients, constant, variable};
use cotangent::prelude::*;
use ndarray::{Array1, Array2, ArrayD, Axis, Zip};

#[differentiable(value, grad, taylor = 8, wrt(w1, b1, w2, b2))]
pub(crate) fn mlp(
    w1: &Array2<f64>,
    b1: &Array1<f64>,
    w2: &Array2<f64>,
    b2: &Array1<f64>,
    x: &Array2<f64>,
    y: &Array2<f64>,
) -> f64 {
    let hidden = (x.dot(w1) + b1).mapv(f64::tanh);
    let error = hidden.dot(w2) + b2 - y;
    error.mapv(|e| e * e).sum() / y.len() as f64
}

/// Four coefficients of it.
#[differentiable(taylor = 4, wrt(w1, b1, w2, b2))]
pub(crate) fn to_order_four(
    w1: &Array2<f64>,
    b1: &Array1<f64>,
    w2: &Array2<f64>,
    b2: &Array1<f64>,
    x: &Array2<f64>,
    y: &Array2<f64>,
) -> f64 {
    mlp(w1, b1, w2, b2, x, y)
}

/// A network, and what it is to learn.
pub(crate) struct Mlp {
    w1: Array2<f64>,
    b1: Array1<f64>,
    w2: Array2<f64>,
    b2: Array1<f64>,
    x: Array2<f64>,
    y: Array2<f64>,
}

impl Mlp {
    /// A batch of vectors of `from` numbers, from which `to` follow.
    pub(crate) fn new(batch: usize, from: usize, hidden: usize, to: usize) -> Self {
        let mut random = Random::new(8);
        Mlp {
            w1: random.normal2(from, hidden) / (from as f64).sqrt(),
            b1: random.normal1(hidden),
            w2: random.normal2(hidden, to) / (hidden as f64).sqrt(),
            b2: random.normal1(to),
            x: random.normal2(batch, from),
            y: random.normal2(batch, to),
        }
    }
}

impl Objective for Mlp {
    fn inputs(&self) -> Vec<Input> {
        vec![
            variable("w1", &self.w1),
            variable("b1", &self.b1),
            variable("w2", &self.w2),
            variable("b2", &self.b2),
            constant("x", &self.x),
            constant("y", &self.y),
        ]
    }

    fn written(&self) -> f64 {
        mlp(&self.w1, &self.b1, &self.w2, &self.b2, &self.x, &self.y)
    }

    fn value(&self) -> f64 {
        mlp_value(&self.w1, &self.b1, &self.w2, &self.b2, &self.x, &self.y)
    }

    fn gradient(&self) -> Gradient {
        let (value, (w1, b1, w2, b2)) =
            mlp_value_and_grad(&self.w1, &self.b1, &self.w2, &self.b2, &self.x, &self.y);
        let parts = vec![w1.into_dyn(), b1.into_dyn(), w2.into_dyn(), b2.into_dyn()];
        Gradient { value, parts }
    }

    fn derivative(&self, kind: &str) -> Option<Vec<ArrayD<f64>>> {
        let Mlp {
            w1,
            b1,
            w2,
            b2,
            x,
            y,
        } = self;
        Some(match kind {
            "taylor-4" => coefficients(&to_order_four_taylor(w1, b1, w2, b2, x, y, w1, b1, w2, b2)),
            "taylor-8" => coefficients(&mlp_taylor(w1, b1, w2, b2, x, y, w1, b1, w2, b2)),
            _ => return None,
        })
    }

    fn by_hand(&self) -> Option<Gradient> {
        let Mlp {
            w1,
            b1,
            w2,
            b2,
            x,
            y,
        } = self;
        let hidden = (x.dot(w1) + b1).mapv_into(f64::tanh);
        let n = y.len() as f64;
        let r = hidden.dot(w2) + b2 - y;
        let value = r.iter().map(|r| r * r).sum::<f64>() / n;
        let r = r * (2.0 / n);
        let mut back = r.dot(&w2.t());
        Zip::from(&mut back)
            .and(&hidden)
            .for_each(|b, &h| *b *= 1.0 - h * h);
        let parts = vec![
            x.t().dot(&back).into_dyn(),
            back.sum_axis(Axis(0)).into_dyn(),
            hidden.t().dot(&r).into_dyn(),
            r.sum_axis(Axis(0)).into_dyn(),
        ];
        Some(Gradient { value, parts })
    }
}
