//! Bundle adjustment: cameras, points, and where the cameras saw the points.

use super::{Gradient, Input, Objective, Random, ba_by_hand, constant, variable, whole};
use cotangent::Sparse;
use cotangent::prelude::*;
use ndarray::{Array1, Array2, ArrayD, ArrayView1};
use std::hint::black_box;

/// How far from where it was seen, times `weight`, a camera shows a point. A camera is the vector
/// of its rotation, its centre, its focal length, its principal point and two coefficients of
/// radial distortion.
#[differentiable(vjp, jvp, wrt(camera, point, weight))]
pub(crate) fn reprojection(
    camera: ArrayView1<'_, f64>,
    point: ArrayView1<'_, f64>,
    weight: f64,
    seen: ArrayView1<'_, f64>,
) -> [f64; 2] {
    let r = [camera[0], camera[1], camera[2]];
    let d = [
        point[0] - camera[3],
        point[1] - camera[4],
        point[2] - camera[5],
    ];
    let cross = |a: [f64; 3], b: [f64; 3]| {
        [
            a[1] * b[2] - a[2] * b[1],
            a[2] * b[0] - a[0] * b[2],
            a[0] * b[1] - a[1] * b[0],
        ]
    };
    let squared = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    let turned = if squared == 0.0 {
        let c = cross(r, d);
        [d[0] + c[0], d[1] + c[1], d[2] + c[2]]
    } else {
        let angle = squared.sqrt();
        let (sine, cosine) = angle.sin_cos();
        let a = [r[0] / angle, r[1] / angle, r[2] / angle];
        let c = cross(a, d);
        let along = (a[0] * d[0] + a[1] * d[1] + a[2] * d[2]) * (1.0 - cosine);
        [
            d[0] * cosine + c[0] * sine + a[0] * along,
            d[1] * cosine + c[1] * sine + a[1] * along,
            d[2] * cosine + c[2] * sine + a[2] * along,
        ]
    };
    let (x, y) = (turned[0] / turned[2], turned[1] / turned[2]);
    let s = x * x + y * y;
    let scale = camera[6] * (1.0 + camera[9] * s + camera[10] * s * s);
    [
        weight * (scale * x + camera[7] - seen[0]),
        weight * (scale * y + camera[8] - seen[1]),
    ]
}

/// Half the sum of the squares of all residuals, those of the weights included. Observation o is of
/// point `which[o][1]` by camera `which[o][0]`.
#[differentiable(value, grad, wrt(cameras, points, weights))]
pub(crate) fn ba(
    cameras: &Array2<f64>,
    points: &Array2<f64>,
    weights: &Array1<f64>,
    which: &Array2<usize>,
    seen: &Array2<f64>,
) -> f64 {
    0.5 * sum(weights.len(), |o| {
        let w = weights[o];
        let e = reprojection(
            cameras.row(which[[o, 0]]),
            points.row(which[[o, 1]]),
            w,
            seen.row(o),
        );
        let g = 1.0 - w * w;
        e[0] * e[0] + e[1] * e[1] + g * g
    })
}

/// The residuals of the observations, and those of the weights.
#[differentiable(jacobian(sparse), wrt(cameras, points, weights))]
pub(crate) fn residuals(
    cameras: &Array2<f64>,
    points: &Array2<f64>,
    weights: &Array1<f64>,
    which: &Array2<usize>,
    seen: &Array2<f64>,
) -> (Array2<f64>, Array1<f64>) {
    let reprojections = build(weights.len(), |o| {
        reprojection(
            cameras.row(which[[o, 0]]),
            points.row(which[[o, 1]]),
            weights[o],
            seen.row(o),
        )
    });
    (reprojections, weights.mapv(|w| 1.0 - w * w))
}

/// What is to be adjusted.
pub(crate) struct Ba {
    pub(super) cameras: Array2<f64>,
    pub(super) points: Array2<f64>,
    pub(super) weights: Array1<f64>,
    pub(super) which: Array2<usize>,
    pub(super) seen: Array2<f64>,
}

impl Ba {
    /// `n` cameras, `m` points, `p` observations.
    pub(crate) fn new(n: usize, m: usize, p: usize) -> Self {
        let mut random = Random::new(3);
        let camera = [
            0.1, -0.2, 0.3, 0.5, -0.4, -2.0, 1.5, 0.05, -0.1, 0.02, -0.01,
        ];
        let point = [0.3, 0.6, 1.2];
        let mut near = |x: f64| x + 0.05 * (random.uniform() - 0.5);
        Ba {
            cameras: Array2::from_shape_fn((n, 11), |(_, k)| near(camera[k])),
            points: Array2::from_shape_fn((m, 3), |(_, k)| near(point[k])),
            weights: Array1::from_shape_simple_fn(p, || near(0.8)),
            which: Array2::from_shape_fn((p, 2), |(o, k)| o % [n, m][k]),
            seen: Array2::from_shape_fn((p, 2), |(_, k)| near([0.2, -0.15][k])),
        }
    }
}

impl Ba {
    /// The entries of the Jacobian by cameras, points and weights: the values, by rows.
    fn parts([cameras, points, weights]: [Sparse; 3]) -> Vec<ArrayD<f64>> {
        let values = |s: Sparse| {
            black_box((s.rows, s.columns));
            Array1::from(s.values).into_dyn()
        };
        vec![values(cameras), values(points), values(weights)]
    }
}

impl Objective for Ba {
    fn inputs(&self) -> Vec<Input> {
        vec![
            variable("cameras", &self.cameras),
            variable("points", &self.points),
            variable("weights", &self.weights),
            whole("which", &self.which),
            constant("seen", &self.seen),
        ]
    }

    fn written(&self) -> f64 {
        ba(
            &self.cameras,
            &self.points,
            &self.weights,
            &self.which,
            &self.seen,
        )
    }

    fn value(&self) -> f64 {
        ba_value(
            &self.cameras,
            &self.points,
            &self.weights,
            &self.which,
            &self.seen,
        )
    }

    fn gradient(&self) -> Gradient {
        let (value, (cameras, points, weights)) = ba_value_and_grad(
            &self.cameras,
            &self.points,
            &self.weights,
            &self.which,
            &self.seen,
        );
        let parts = vec![cameras.into_dyn(), points.into_dyn(), weights.into_dyn()];
        Gradient { value, parts }
    }

    fn derivative(&self, kind: &str) -> Option<Vec<ArrayD<f64>>> {
        (kind == "jacobian").then(|| {
            let (_, (cameras, points, weights)) = residuals_jacobian_sparse(
                &self.cameras,
                &self.points,
                &self.weights,
                &self.which,
                &self.seen,
            );
            Ba::parts([cameras, points, weights])
        })
    }

    fn derivative_by_hand(&self, kind: &str) -> Option<Vec<ArrayD<f64>>> {
        (kind == "jacobian").then(|| Ba::parts(ba_by_hand::jacobian(self)))
    }
}
