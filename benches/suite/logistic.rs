//! Logistic regression: the mean negative log-likelihood of labels 0 and 1.

use super::{Gradient, Input, Objective, Random, coefficients, constant, variable};
use cotangent::prelude::*;
use ndarray::{Array1, Array2, ArrayD, Axis, Zip, arr0};

#[differentiable(value, grad, hvp, taylor = 8, wrt(w, b))]
pub(crate) fn logistic(w: &Array1<f64>, b: f64, x: &Array2<f64>, y: &Array1<f64>) -> f64 {
    mean(y.len(), |i| {
        let z = x.row(i).dot(w) + b;
        softplus(z) - y[i] * z
    })
}

/// The same by `w` alone.
#[differentiable(hessian, wrt(w))]
pub(crate) fn of_slopes(w: &Array1<f64>, b: f64, x: &Array2<f64>, y: &Array1<f64>) -> f64 {
    logistic(w, b, x, y)
}

/// Four coefficients of it.
#[differentiable(taylor = 4, wrt(w, b))]
pub(crate) fn to_order_four(w: &Array1<f64>, b: f64, x: &Array2<f64>, y: &Array1<f64>) -> f64 {
    logistic(w, b, x, y)
}

/// A model and labelled points.
pub(crate) struct Logistic {
    w: Array1<f64>,
    b: f64,
    x: Array2<f64>,
    y: Array1<f64>,
}

impl Logistic {
    /// `n` points of `d` dimensions.
    pub(crate) fn new(n: usize, d: usize) -> Self {
        let mut random = Random::new(9);
        Logistic {
            w: random.normal1(d) / (d as f64).sqrt(),
            b: 0.3,
            x: random.normal2(n, d),
            y: random.uniform1(n).mapv(f64::round),
        }
    }
}

impl Objective for Logistic {
    fn inputs(&self) -> Vec<Input> {
        vec![
            variable("w", &self.w),
            variable("b", &arr0(self.b)),
            constant("x", &self.x),
            constant("y", &self.y),
        ]
    }

    fn written(&self) -> f64 {
        logistic(&self.w, self.b, &self.x, &self.y)
    }

    fn value(&self) -> f64 {
        logistic_value(&self.w, self.b, &self.x, &self.y)
    }

    fn gradient(&self) -> Gradient {
        let (value, (w, b)) = logistic_value_and_grad(&self.w, self.b, &self.x, &self.y);
        let parts = vec![w.into_dyn(), arr0(b).into_dyn()];
        Gradient { value, parts }
    }

    fn derivative(&self, kind: &str) -> Option<Vec<ArrayD<f64>>> {
        let Logistic { w, b, x, y } = self;
        Some(match kind {
            "hessian" => vec![of_slopes_hessian(w, *b, x, y).into_dyn()],
            "hvp" => {
                let (dw, db) = logistic_hvp(w, *b, x, y, w, *b);
                vec![dw.into_dyn(), arr0(db).into_dyn()]
            }
            "taylor-4" => coefficients(&to_order_four_taylor(w, *b, x, y, w, *b)),
            "taylor-8" => coefficients(&logistic_taylor(w, *b, x, y, w, *b)),
            _ => return None,
        })
    }

    fn derivative_by_hand(&self, kind: &str) -> Option<Vec<ArrayD<f64>>> {
        let Logistic { w, b, x, y } = self;
        let n = y.len() as f64;
        (kind == "hessian").then(|| {
            let weights = (x.dot(w) + *b).mapv_into(|z| {
                let s = 1.0 / (1.0 + (-z).exp());
                s * (1.0 - s) / n
            });
            let scaled = x * &weights.insert_axis(Axis(1));
            vec![x.t().dot(&scaled).into_dyn()]
        })
    }

    fn by_hand(&self) -> Option<Gradient> {
        let Logistic { w, b, x, y } = self;
        let n = y.len() as f64;
        let z = x.dot(w) + *b;
        let mut value = 0.0;
        Zip::from(&z).and(y).for_each(|&z, &y| {
            value += z.max(0.0) + (-z.abs()).exp().ln_1p() - y * z;
        });
        let r = Zip::from(&z)
            .and(y)
            .map_collect(|&z, &y| (1.0 / (1.0 + (-z).exp()) - y) / n);
        Some(Gradient {
            value: value / n,
            parts: vec![x.t().dot(&r).into_dyn(), arr0(r.sum()).into_dyn()],
        })
    }
}
