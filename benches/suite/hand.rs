//! Hand tracking: a model of a hand with bones is to be posed so that it touches measured points.

use super::{Gradient, Input, Objective, Random, constant, hand_by_hand, variable, whole};
use cotangent::prelude::*;
use ndarray::{Array1, Array2, Array3, ArrayD, Axis, array, concatenate, s};

/// A hand. Bones turn vertices; weights say by which of them each vertex is moved how far.
#[derive(Clone, Differentiable)]
pub(crate) struct Model {
    /// The bone that each hangs on, which comes before it; -1 for the first.
    pub(crate) parents: Array1<i64>,
    pub(crate) base_relatives: Array3<f64>,
    pub(crate) inverse_base_absolutes: Array3<f64>,
    /// In homogeneous coordinates.
    pub(crate) base_positions: Array2<f64>,
    pub(crate) weights: Array2<f64>,
    pub(crate) mirrored: bool,
}

/// Where the vertices are. `theta` is the rotation and the place of the hand, and four angles for
/// each finger.
#[differentiable(vjp, jvp, wrt(theta))]
pub(crate) fn vertices(theta: &Array1<f64>, model: &Model) -> Array2<f64> {
    let bones = model.parents.len();
    let mut absolutes = Array3::zeros((bones, 4, 4));
    for b in 0..bones {
        // Bones 2, 3 and 4 of the first finger, 6, 7 and 8 of the second, ..
        let (finger, joint) = ((b + 2) / 4, (b + 2) % 4);
        let bends = matches!(finger, 1..=5) && joint < 3;
        let x = if bends {
            theta[2 + 4 * finger + if joint == 0 { 0 } else { joint + 1 }]
        } else {
            0.0
        };
        let z = if bends && joint == 0 {
            theta[3 + 4 * finger]
        } else {
            0.0
        };
        let ((sx, cx), (sz, cz)) = (x.sin_cos(), z.sin_cos());
        let turn = array![
            [cz, -sz * cx, sz * sx, 0.0],
            [sz, cz * cx, -cz * sx, 0.0],
            [0.0, sx, cx, 0.0],
            [0.0, 0.0, 0.0, 1.0],
        ];
        let relative = model.base_relatives.index_axis(Axis(0), b).dot(&turn);
        let absolute = if model.parents[b] < 0 {
            relative
        } else {
            let parent = model.parents[b] as usize;
            absolutes.index_axis(Axis(0), parent).dot(&relative)
        };
        absolutes.index_axis_mut(Axis(0), b).assign(&absolute);
    }
    let transforms = build((bones, 3, 4), |(b, r, c)| {
        sum(4, |k| {
            absolutes[[b, r, k]] * model.inverse_base_absolutes[[b, k, c]]
        })
    });
    let posed = build((model.weights.nrows(), 3), |(v, r)| {
        let there = sum(bones, |b| {
            let moved = sum(4, |c| transforms[[b, r, c]] * model.base_positions[[v, c]]);
            model.weights[[v, b]] * moved
        });
        if model.mirrored && r == 0 {
            -there
        } else {
            there
        }
    });

    let angle = (theta[0] * theta[0] + theta[1] * theta[1] + theta[2] * theta[2]).sqrt();
    let rotation = if angle < 1e-4 {
        Array2::eye(3)
    } else {
        let (x, y, z) = (theta[0] / angle, theta[1] / angle, theta[2] / angle);
        let (s, c) = angle.sin_cos();
        let t = 1.0 - c;
        array![
            [c + x * x * t, x * y * t - z * s, x * z * t + y * s],
            [y * x * t + z * s, c + y * y * t, y * z * t - x * s],
            [z * x * t - y * s, z * y * t + x * s, c + z * z * t],
        ]
    };
    posed.dot(&rotation.t()) + theta.slice(s![3..6])
}

/// How far the vertices of `touching` are from the points.
#[differentiable(vjp, jacobian, wrt(theta))]
pub(crate) fn residuals(
    theta: &Array1<f64>,
    model: &Model,
    touching: &Array1<usize>,
    points: &Array2<f64>,
) -> Array2<f64> {
    let vertices = vertices(theta, model);
    build(points.dim(), |(i, r)| {
        points[[i, r]] - vertices[[touching[i], r]]
    })
}

/// Half the sum of the squares of that.
#[differentiable(value, grad, wrt(theta))]
pub(crate) fn misfit(
    theta: &Array1<f64>,
    model: &Model,
    touching: &Array1<usize>,
    points: &Array2<f64>,
) -> f64 {
    let residuals = residuals(theta, model, touching, points);
    0.5 * residuals.mapv(|r| r * r).sum()
}

/// How far the points are from places in the triangles of `touching`, given by two barycentric
/// coordinates.
#[differentiable(vjp, jvp, wrt(theta, places))]
pub(crate) fn complicated_residuals(
    theta: &Array1<f64>,
    places: &Array2<f64>,
    model: &Model,
    triangles: &Array2<usize>,
    touching: &Array1<usize>,
    points: &Array2<f64>,
) -> Array2<f64> {
    let vertices = vertices(theta, model);
    build(points.dim(), |(i, r)| {
        let (u, v) = (places[[i, 0]], places[[i, 1]]);
        let corner = |c: usize| vertices[[triangles[[touching[i], c]], r]];
        points[[i, r]] - (u * corner(0) + v * corner(1) + (1.0 - u - v) * corner(2))
    })
}

/// The same by `theta` alone.
#[differentiable(jacobian, wrt(theta))]
pub(crate) fn by_pose(
    theta: &Array1<f64>,
    places: &Array2<f64>,
    model: &Model,
    triangles: &Array2<usize>,
    touching: &Array1<usize>,
    points: &Array2<f64>,
) -> Array2<f64> {
    complicated_residuals(theta, places, model, triangles, touching, points)
}

/// The same by `places` alone: each point depends on its own.
#[differentiable(jacobian(sparse), wrt(places))]
pub(crate) fn by_places(
    theta: &Array1<f64>,
    places: &Array2<f64>,
    model: &Model,
    triangles: &Array2<usize>,
    touching: &Array1<usize>,
    points: &Array2<f64>,
) -> Array2<f64> {
    complicated_residuals(theta, places, model, triangles, touching, points)
}

/// Half the sum of the squares of that.
#[differentiable(value, grad, wrt(theta, places))]
pub(crate) fn complicated_misfit(
    theta: &Array1<f64>,
    places: &Array2<f64>,
    model: &Model,
    triangles: &Array2<usize>,
    touching: &Array1<usize>,
    points: &Array2<f64>,
) -> f64 {
    let residuals = complicated_residuals(theta, places, model, triangles, touching, points);
    0.5 * residuals.mapv(|r| r * r).sum()
}

impl Model {
    /// The first bone, five fingers of four, and the wrist; each vertex is moved by one to four
    /// bones.
    fn new(random: &mut Random, vertices: usize) -> Self {
        let bones = 22;
        let mut placed = || {
            let (s, c) = (random.uniform() - 0.5).sin_cos();
            let mut shift = || 0.2 * (random.uniform() - 0.5);
            array![
                [c, -s, 0.0, shift()],
                [s, c, 0.0, shift()],
                [0.0, 0.0, 1.0, shift()],
                [0.0, 0.0, 0.0, 1.0],
            ]
        };
        let (mut base_relatives, mut inverse_base_absolutes) =
            (Array3::zeros((bones, 4, 4)), Array3::zeros((bones, 4, 4)));
        for b in 0..bones {
            base_relatives.index_axis_mut(Axis(0), b).assign(&placed());
            inverse_base_absolutes
                .index_axis_mut(Axis(0), b)
                .assign(&placed());
        }
        let mut weights = Array2::zeros((vertices, bones));
        for mut weights in weights.rows_mut() {
            for _ in 0..1 + random.index(4) {
                weights[random.index(bones)] = 0.1 + random.uniform();
            }
            let total = weights.sum();
            weights /= total;
        }
        let ones = Array2::ones((vertices, 1));
        let base_positions = concatenate![Axis(1), random.normal2(vertices, 3), ones];
        Model {
            parents: Array1::from_shape_fn(bones, |b| match b {
                0 => -1,
                1 | 5 | 9 | 13 | 17 | 21 => 0,
                _ => b as i64 - 1,
            }),
            base_relatives,
            inverse_base_absolutes,
            base_positions,
            weights,
            mirrored: false,
        }
    }

    fn inputs(&self) -> Vec<Input> {
        vec![
            Input {
                name: "parents",
                differentiated: false,
                data: super::Data::Whole(self.parents.clone().into_dyn()),
            },
            constant("base_relatives", &self.base_relatives),
            constant("inverse_base_absolutes", &self.inverse_base_absolutes),
            constant("base_positions", &self.base_positions),
            constant("weights", &self.weights),
        ]
    }
}

/// A hand and points that vertices are to touch.
pub(crate) struct Hand {
    pub(super) theta: Array1<f64>,
    pub(super) model: Model,
    pub(super) touching: Array1<usize>,
    pub(super) points: Array2<f64>,
}

impl Hand {
    /// A model of `v` vertices, `n` points.
    pub(crate) fn new(v: usize, n: usize) -> Self {
        let mut random = Random::new(12);
        Hand {
            theta: random.uniform1(26) - 0.5,
            model: Model::new(&mut random, v),
            touching: Array1::from_shape_simple_fn(n, || random.index(v)),
            points: random.normal2(n, 3),
        }
    }
}

impl Objective for Hand {
    fn inputs(&self) -> Vec<Input> {
        let mut inputs = vec![variable("theta", &self.theta)];
        inputs.extend(self.model.inputs());
        inputs.push(whole("touching", &self.touching));
        inputs.push(constant("points", &self.points));
        inputs
    }

    fn written(&self) -> f64 {
        misfit(&self.theta, &self.model, &self.touching, &self.points)
    }

    fn value(&self) -> f64 {
        misfit_value(&self.theta, &self.model, &self.touching, &self.points)
    }

    fn gradient(&self) -> Gradient {
        let (value, theta) =
            misfit_value_and_grad(&self.theta, &self.model, &self.touching, &self.points);
        let parts = vec![theta.into_dyn()];
        Gradient { value, parts }
    }

    fn derivative(&self, kind: &str) -> Option<Vec<ArrayD<f64>>> {
        (kind == "jacobian").then(|| {
            let jacobian =
                residuals_jacobian(&self.theta, &self.model, &self.touching, &self.points);
            vec![jacobian.into_dyn()]
        })
    }

    fn derivative_by_hand(&self, kind: &str) -> Option<Vec<ArrayD<f64>>> {
        (kind == "jacobian").then(|| vec![hand_by_hand::simple(self).into_dyn()])
    }
}

/// A hand and points that places in its triangles are to touch.
pub(crate) struct Complicated {
    pub(super) theta: Array1<f64>,
    pub(super) places: Array2<f64>,
    pub(super) model: Model,
    pub(super) triangles: Array2<usize>,
    pub(super) touching: Array1<usize>,
    pub(super) points: Array2<f64>,
}

impl Complicated {
    /// A model of `v` vertices and twice as many triangles, `n` points.
    pub(crate) fn new(v: usize, n: usize) -> Self {
        let mut random = Random::new(13);
        Complicated {
            theta: random.uniform1(26) - 0.5,
            places: random.uniform2(n, 2),
            model: Model::new(&mut random, v),
            triangles: Array2::from_shape_simple_fn((2 * v, 3), || random.index(v)),
            touching: Array1::from_shape_simple_fn(n, || random.index(2 * v)),
            points: random.normal2(n, 3),
        }
    }
}

impl Objective for Complicated {
    fn inputs(&self) -> Vec<Input> {
        let mut inputs = vec![
            variable("theta", &self.theta),
            variable("places", &self.places),
        ];
        inputs.extend(self.model.inputs());
        inputs.push(whole("triangles", &self.triangles));
        inputs.push(whole("touching", &self.touching));
        inputs.push(constant("points", &self.points));
        inputs
    }

    fn written(&self) -> f64 {
        let Complicated {
            theta,
            places,
            model,
            triangles,
            touching,
            points,
        } = self;
        complicated_misfit(theta, places, model, triangles, touching, points)
    }

    fn value(&self) -> f64 {
        let Complicated {
            theta,
            places,
            model,
            triangles,
            touching,
            points,
        } = self;
        complicated_misfit_value(theta, places, model, triangles, touching, points)
    }

    fn gradient(&self) -> Gradient {
        let Complicated {
            theta,
            places,
            model,
            triangles,
            touching,
            points,
        } = self;
        let (value, (theta, places)) =
            complicated_misfit_value_and_grad(theta, places, model, triangles, touching, points);
        let parts = vec![theta.into_dyn(), places.into_dyn()];
        Gradient { value, parts }
    }

    fn derivative(&self, kind: &str) -> Option<Vec<ArrayD<f64>>> {
        let Complicated {
            theta,
            places,
            model,
            triangles,
            touching,
            points,
        } = self;
        (kind == "jacobian").then(|| {
            let pose = by_pose_jacobian(theta, places, model, triangles, touching, points);
            let (_, by_places) =
                by_places_jacobian_sparse(theta, places, model, triangles, touching, points);
            let own = Array3::from_shape_vec((places.nrows(), 3, 2), by_places.values);
            vec![
                pose.into_dyn(),
                own.expect("two for each residual").into_dyn(),
            ]
        })
    }

    fn derivative_by_hand(&self, kind: &str) -> Option<Vec<ArrayD<f64>>> {
        (kind == "jacobian").then(|| {
            let (pose, own) = hand_by_hand::complicated(self);
            vec![pose.into_dyn(), own.into_dyn()]
        })
    }
}
