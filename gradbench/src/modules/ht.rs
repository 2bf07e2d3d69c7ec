//! Hand tracking: a model of a hand is posed so that its surface touches measured points.

use crate::arrays::{matrix, vector};
use crate::call::{Answer, Call, Failure};
use cotangent::prelude::*;
use ndarray::{Array1, Array2, Array3, ArrayView3, Axis, array, s};
use serde::{Deserialize, Deserializer};

/// A hand at rest. Bones and vertices are places in homogeneous coordinates.
#[derive(Clone, Differentiable, Deserialize)]
struct Hand {
    /// The bone that each bone hangs on, which comes before it; -1 for the first.
    parents: Vec<i64>,
    /// Each bone as its parent sees it.
    #[serde(deserialize_with = "matrices")]
    base_relatives: Array3<f64>,
    /// Maps from the hand to each bone.
    #[serde(deserialize_with = "matrices")]
    inverse_base_absolutes: Array3<f64>,
    /// The vertices of the skin.
    #[serde(deserialize_with = "matrix")]
    base_positions: Array2<f64>,
    /// How far each vertex follows each bone.
    #[serde(deserialize_with = "matrix")]
    weights: Array2<f64>,
    is_mirrored: bool,
}

/// How bone `b` turns about the axes x and z. Each of five fingers has four bones, behind the first
/// bone of the hand: one that is stiff, one that turns about both axes, and two that turn about x.
#[differentiable(vjp, jvp)]
fn joint(theta: &Array1<f64>, b: usize) -> (f64, f64) {
    if b == 0 || b > 20 {
        return (0.0, 0.0);
    }
    let (finger, bone) = ((b - 1) / 4, (b - 1) % 4);
    let first = 6 + 4 * finger;
    match bone {
        0 => (0.0, 0.0),
        1 => (theta[first], theta[first + 1]),
        2 => (theta[first + 2], 0.0),
        _ => (theta[first + 3], 0.0),
    }
}

/// The rotation about x, then z.
#[differentiable(vjp, jvp)]
fn turn(x: f64, z: f64) -> Array2<f64> {
    let ((sx, cx), (sz, cz)) = (x.sin_cos(), z.sin_cos());
    array![
        [cz, -sz * cx, sz * sx, 0.0],
        [sz, cz * cx, -cz * sx, 0.0],
        [0.0, sx, cx, 0.0],
        [0.0, 0.0, 0.0, 1.0],
    ]
}

/// The rotation by a vector, whose length is the angle.
#[differentiable(vjp, jvp)]
fn rotation(vector: &[f64; 3]) -> Array2<f64> {
    let [x, y, z] = *vector;
    let angle = (x * x + y * y + z * z).sqrt();
    if angle < 1e-4 {
        return Array2::eye(3);
    }
    let (x, y, z) = (x / angle, y / angle, z / angle);
    let (s, c) = angle.sin_cos();
    let t = 1.0 - c;
    array![
        [c + x * x * t, x * y * t - z * s, x * z * t + y * s],
        [y * x * t + z * s, c + y * y * t, y * z * t - x * s],
        [z * x * t - y * s, z * y * t + x * s, c + z * z * t],
    ]
}

/// Where the vertices are. `theta` holds the rotation and the place of the hand, and four angles
/// for each finger.
#[differentiable(vjp, jvp, wrt(theta))]
fn vertices(theta: &Array1<f64>, hand: &Hand) -> Array2<f64> {
    let bones = hand.parents.len();
    let mut absolutes = Array3::zeros((bones, 4, 4));
    for b in 0..bones {
        let (x, z) = joint(theta, b);
        let relative = hand.base_relatives.index_axis(Axis(0), b).dot(&turn(x, z));
        let absolute = if hand.parents[b] < 0 {
            relative
        } else {
            let parent = hand.parents[b] as usize;
            absolutes.index_axis(Axis(0), parent).dot(&relative)
        };
        absolutes.index_axis_mut(Axis(0), b).assign(&absolute);
    }
    let moves = build(bones, |b| {
        let absolute = absolutes.index_axis(Axis(0), b);
        absolute.dot(&hand.inverse_base_absolutes.index_axis(Axis(0), b))
    });
    let mut posed = build((hand.weights.nrows(), 3), |(v, r)| {
        sum(bones, |b| {
            sum(4, |c| {
                moves[[b, r, c]] * (hand.weights[[v, b]] * hand.base_positions[[v, c]])
            })
        })
    });
    if hand.is_mirrored {
        posed.column_mut(0).mapv_inplace(|x| -x);
    }
    let rotation = rotation(&[theta[0], theta[1], theta[2]]);
    posed.dot(&rotation.t()) + theta.slice(s![3..6])
}

/// The measured points, each with the vertex that is to touch it.
#[differentiable(value, jacobian, wrt(theta))]
fn distances(
    theta: &Array1<f64>,
    hand: &Hand,
    points: &Array2<f64>,
    touching: &[usize],
) -> Array2<f64> {
    let vertices = vertices(theta, hand);
    build(points.dim(), |(i, r)| {
        points[[i, r]] - vertices[[touching[i], r]]
    })
}

/// The measured points, each with the place in a triangle of the skin that is to touch it, by two
/// barycentric coordinates.
#[differentiable(value, jvps, wrt(us, theta))]
fn distances_in_triangles(
    us: &Array2<f64>,
    theta: &Array1<f64>,
    hand: &Hand,
    points: &Array2<f64>,
    touching: &[usize],
    triangles: &Array2<usize>,
) -> Array2<f64> {
    let vertices = vertices(theta, hand);
    build(points.dim(), |(i, r)| {
        let (u, v) = (us[[i, 0]], us[[i, 1]]);
        let corner = |c: usize| vertices[[triangles[[touching[i], c]], r]];
        points[[i, r]] - (u * corner(0) + v * corner(1) + (1.0 - u - v) * corner(2))
    })
}

#[derive(Deserialize)]
struct Input {
    #[serde(deserialize_with = "vector")]
    theta: Array1<f64>,
    #[serde(deserialize_with = "matrix")]
    us: Array2<f64>,
    data: Data,
}

#[derive(Deserialize)]
struct Data {
    model: Model,
    correspondences: Vec<usize>,
    #[serde(deserialize_with = "matrix")]
    points: Array2<f64>,
}

#[derive(Deserialize)]
struct Model {
    #[serde(flatten)]
    hand: Hand,
    triangles: Vec<[usize; 3]>,
}

/// Reads a list of matrices of equal shapes.
fn matrices<'de, D: Deserializer<'de>>(from: D) -> Result<Array3<f64>, D::Error> {
    let list: Vec<[[f64; 4]; 4]> = Vec::deserialize(from)?;
    Ok(Array3::from_shape_fn((list.len(), 4, 4), |(k, r, c)| {
        list[k][r][c]
    }))
}

/// The Jacobian by columns: the two coordinates of each point, then `theta`. A point depends on its
/// own coordinates alone, so that one column serves the coordinates of all.
fn columns_in_triangles(input: &Input, triangles: &Array2<usize>) -> Array3<f64> {
    let Input { theta, us, data } = input;
    let columns = 2 + theta.len();
    let mut us_tangents = Array3::zeros((columns, us.nrows(), 2));
    let mut theta_tangents = Array2::zeros((columns, theta.len()));
    for k in 0..2 {
        us_tangents.slice_mut(s![k, .., k]).fill(1.0);
    }
    theta_tangents.slice_mut(s![2.., ..]).diag_mut().fill(1.0);
    let hand = &data.model.hand;
    let (_, columns) = distances_in_triangles_jvps(
        us,
        theta,
        hand,
        &data.points,
        &data.correspondences,
        triangles,
        &us_tangents,
        &theta_tangents,
    );
    columns
}

pub(crate) fn call(call: &Call<'_>) -> Result<Answer, Failure> {
    let input: Input = call.input()?;
    let Input { theta, us, data } = &input;
    let Data {
        model,
        correspondences: touching,
        points,
    } = data;
    let hand = &model.hand;
    let triangles = &Array2::from(model.triangles.clone());
    let list = |residuals: Array2<f64>| residuals.into_raw_vec_and_offset().0;
    match (call.function, us.is_empty()) {
        ("objective", true) => call.time(|| distances_value(theta, hand, points, touching), list),
        ("objective", false) => call.time(
            || distances_in_triangles_value(us, theta, hand, points, touching, triangles),
            list,
        ),
        ("jacobian", true) => call.time(
            || distances_jacobian(theta, hand, points, touching),
            |jacobian| rows_of(jacobian.view()),
        ),
        ("jacobian", false) => call.time(
            || columns_in_triangles(&input, triangles),
            |columns| rows_of(columns.permuted_axes([1, 2, 0]).view()),
        ),
        _ => call.unknown(),
    }
}

/// The derivatives of each coordinate of each point.
fn rows_of(jacobian: ArrayView3<'_, f64>) -> Vec<Vec<f64>> {
    jacobian
        .lanes(Axis(2))
        .into_iter()
        .map(|row| row.to_vec())
        .collect()
}
