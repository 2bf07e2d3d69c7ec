//! The cost of k-means: for each point the squared distance to its nearest centre.

use super::{Gradient, Input, Objective, Random, constant, variable};
use cotangent::prelude::*;
use ndarray::{Array2, Zip, s};

#[differentiable(value, grad, wrt(centres))]
pub(crate) fn kmeans(centres: &Array2<f64>, points: &Array2<f64>) -> f64 {
    sum(points.nrows(), |i| {
        minimum(centres.nrows(), |j| {
            sum(points.ncols(), |c| {
                (centres[[j, c]] - points[[i, c]]).powi(2)
            })
        })
    })
}

/// Centres and points.
pub(crate) struct Kmeans {
    centres: Array2<f64>,
    points: Array2<f64>,
}

impl Kmeans {
    /// `k` centres, which are the last of `n` points of `d` dimensions.
    pub(crate) fn new(k: usize, n: usize, d: usize) -> Self {
        let points = Random::new(4).uniform2(n, d);
        Kmeans {
            centres: points.slice(s![n - k.., ..]).to_owned(),
            points,
        }
    }
}

impl Objective for Kmeans {
    fn inputs(&self) -> Vec<Input> {
        vec![
            variable("centres", &self.centres),
            constant("points", &self.points),
        ]
    }

    fn written(&self) -> f64 {
        kmeans(&self.centres, &self.points)
    }

    fn value(&self) -> f64 {
        kmeans_value(&self.centres, &self.points)
    }

    fn gradient(&self) -> Gradient {
        let (value, centres) = kmeans_value_and_grad(&self.centres, &self.points);
        let parts = vec![centres.into_dyn()];
        Gradient { value, parts }
    }

    fn by_hand(&self) -> Option<Gradient> {
        let Kmeans { centres, points } = self;
        let mut value = 0.0;
        let mut gradient = Array2::zeros(centres.dim());
        for p in points.rows() {
            let (mut nearest, mut least) = (0, f64::INFINITY);
            for (j, centre) in centres.rows().into_iter().enumerate() {
                let d = (p.iter().zip(centre)).map(|(p, c)| (p - c) * (p - c)).sum();
                if d < least {
                    (nearest, least) = (j, d);
                }
            }
            value += least;
            Zip::from(gradient.row_mut(nearest))
                .and(p)
                .and(centres.row(nearest))
                .for_each(|g, p, c| *g += 2.0 * (c - p));
        }
        let parts = vec![gradient.into_dyn()];
        Some(Gradient { value, parts })
    }
}
