//! Hand tracking: a model of a hand is posed so that its surface touches measured points.

use crate::arrays::flat;
use crate::call::{Answer, Call, Failure};
use serde::Deserialize;
use std::array;
use std::autodiff::autodiff_forward;

/// The first three rows of a matrix that moves places in homogeneous coordinates. The fourth is
/// always (0, 0, 0, 1).
type Move = [[f64; 4]; 3];

/// A hand at rest. Bones and vertices are places in homogeneous coordinates.
#[derive(Deserialize)]
struct Hand {
    /// The bone that each bone hangs on, which comes before it; -1 for the first.
    parents: Vec<i64>,
    /// Each bone as its parent sees it.
    base_relatives: Vec<[[f64; 4]; 4]>,
    /// Maps from the hand to each bone.
    inverse_base_absolutes: Vec<[[f64; 4]; 4]>,
    /// The vertices of the skin.
    base_positions: Vec<[f64; 4]>,
    /// How far each vertex follows each bone.
    #[serde(deserialize_with = "flat")]
    weights: Vec<f64>,
    triangles: Vec<[usize; 3]>,
    is_mirrored: bool,
}

/// How bone `b` turns about the axes x and z. Each of five fingers has four bones, behind the first
/// bone of the hand: one that is stiff, one that turns about both axes, and two that turn about x.
fn joint(theta: &[f64], b: usize) -> (f64, f64) {
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
fn turn(x: f64, z: f64) -> Move {
    let ((sx, cx), (sz, cz)) = (x.sin_cos(), z.sin_cos());
    [
        [cz, -sz * cx, sz * sx, 0.0],
        [sz, cz * cx, -cz * sx, 0.0],
        [0.0, sx, cx, 0.0],
    ]
}

/// The rotation by a vector, whose length is the angle.
fn rotation(x: f64, y: f64, z: f64) -> [[f64; 3]; 3] {
    let angle = (x * x + y * y + z * z).sqrt();
    if angle < 1e-4 {
        return [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    }
    let (x, y, z) = (x / angle, y / angle, z / angle);
    let (s, c) = angle.sin_cos();
    let t = 1.0 - c;
    [
        [c + x * x * t, x * y * t - z * s, x * z * t + y * s],
        [y * x * t + z * s, c + y * y * t, y * z * t - x * s],
        [z * x * t - y * s, z * y * t + x * s, c + z * z * t],
    ]
}

/// The move `b`, then `a`.
fn product(a: &Move, b: &Move) -> Move {
    let mut out = [[0.0; 4]; 3];
    for r in 0..3 {
        for c in 0..4 {
            let last = if c == 3 { a[r][3] } else { 0.0 };
            out[r][c] = a[r][0] * b[0][c] + a[r][1] * b[1][c] + a[r][2] * b[2][c] + last;
        }
    }
    out
}

/// The move of bone `b`. Enzyme refuses to differentiate vectors of arrays, so that all are in one.
fn get(moves: &[f64], b: usize) -> Move {
    array::from_fn(|r| array::from_fn(|c| moves[12 * b + 4 * r + c]))
}

fn put(moves: &mut [f64], b: usize, value: &Move) {
    for r in 0..3 {
        for c in 0..4 {
            moves[12 * b + 4 * r + c] = value[r][c];
        }
    }
}

fn first_rows(matrix: &[[f64; 4]; 4]) -> &Move {
    matrix.first_chunk().expect("there are four")
}

/// Where the vertices are. `theta` holds the rotation and the place of the hand, and four angles
/// for each finger.
fn vertices(theta: &[f64], hand: &Hand) -> Vec<f64> {
    let bones = hand.parents.len();
    let mut absolutes = vec![0.0; 12 * bones];
    let mut moves = vec![0.0; 12 * bones];
    for b in 0..bones {
        let (x, z) = joint(theta, b);
        let relative = product(first_rows(&hand.base_relatives[b]), &turn(x, z));
        let absolute = if hand.parents[b] < 0 {
            relative
        } else {
            product(&get(&absolutes, hand.parents[b] as usize), &relative)
        };
        let back = first_rows(&hand.inverse_base_absolutes[b]);
        put(&mut moves, b, &product(&absolute, back));
        put(&mut absolutes, b, &absolute);
    }
    let rotation = rotation(theta[0], theta[1], theta[2]);
    let mut vertices = vec![0.0; 3 * hand.base_positions.len()];
    for (v, vertex) in vertices.chunks_exact_mut(3).enumerate() {
        let place = &hand.base_positions[v];
        let mut posed = [0.0; 3];
        let weights = &hand.weights[v * bones..][..bones];
        for (weight, rows) in weights.iter().zip(moves.chunks_exact(12)) {
            for r in 0..3 {
                let row = &rows[4 * r..][..4];
                posed[r] += weight
                    * (row[0] * place[0]
                        + row[1] * place[1]
                        + row[2] * place[2]
                        + row[3] * place[3]);
            }
        }
        if hand.is_mirrored {
            posed[0] = -posed[0];
        }
        for r in 0..3 {
            let row = &rotation[r];
            vertex[r] = row[0] * posed[0] + row[1] * posed[1] + row[2] * posed[2] + theta[3 + r];
        }
    }
    vertices
}

/// The measured points, each with the vertex that is to touch it.
#[autodiff_forward(distances_forward, 4, Dual, Const, Const, Const, Dual)]
fn distances(theta: &[f64], hand: &Hand, points: &[f64], touching: &[usize], out: &mut [f64]) {
    let vertices = vertices(theta, hand);
    for (i, &v) in touching.iter().enumerate() {
        for r in 0..3 {
            out[3 * i + r] = points[3 * i + r] - vertices[3 * v + r];
        }
    }
}

/// The measured points, each with the place in a triangle of the skin that is to touch it, by two
/// barycentric coordinates.
#[autodiff_forward(
    distances_in_triangles_forward,
    4,
    Dual,
    Dual,
    Const,
    Const,
    Const,
    Dual
)]
fn distances_in_triangles(
    us: &[f64],
    theta: &[f64],
    hand: &Hand,
    points: &[f64],
    touching: &[usize],
    out: &mut [f64],
) {
    let vertices = vertices(theta, hand);
    for (i, &triangle) in touching.iter().enumerate() {
        let (u, v) = (us[2 * i], us[2 * i + 1]);
        let [a, b, c] = hand.triangles[triangle];
        for r in 0..3 {
            let (a, b, c) = (
                vertices[3 * a + r],
                vertices[3 * b + r],
                vertices[3 * c + r],
            );
            out[3 * i + r] = points[3 * i + r] - (u * a + v * b + (1.0 - u - v) * c);
        }
    }
}

#[derive(Deserialize)]
struct Input {
    theta: Vec<f64>,
    #[serde(deserialize_with = "flat")]
    us: Vec<f64>,
    data: Data,
}

#[derive(Deserialize)]
struct Data {
    model: Hand,
    correspondences: Vec<usize>,
    #[serde(deserialize_with = "flat")]
    points: Vec<f64>,
}

impl Input {
    fn errors(&self) -> Vec<f64> {
        let Data {
            model,
            correspondences,
            points,
        } = &self.data;
        let mut out = vec![0.0; points.len()];
        if self.us.is_empty() {
            distances(&self.theta, model, points, correspondences, &mut out);
        } else {
            let (us, theta) = (&self.us, &self.theta);
            distances_in_triangles(us, theta, model, points, correspondences, &mut out);
        }
        out
    }

    /// The Jacobian by columns: the two coordinates of each point, if there are some, then `theta`.
    /// A point depends on its own coordinates alone, so that one column serves the coordinates of
    /// all. Columns are taken four at a time; where fewer are left, the others are zero.
    fn columns(&self) -> Vec<f64> {
        let Data {
            model,
            correspondences,
            points,
        } = &self.data;
        let (us, theta) = (&self.us, &self.theta);
        let own = if us.is_empty() { 0 } else { 2 };
        let (length, count) = (points.len(), own + theta.len());
        let mut columns = vec![0.0; length * count.next_multiple_of(4)];
        let mut out = vec![0.0; length];
        for (group, columns) in columns.chunks_exact_mut(4 * length).enumerate() {
            let mut us_tangents: [Vec<f64>; 4] = array::from_fn(|_| vec![0.0; us.len()]);
            let mut tangents: [Vec<f64>; 4] = array::from_fn(|_| vec![0.0; theta.len()]);
            for k in 0..4 {
                let column = 4 * group + k;
                if column < own {
                    us_tangents[k]
                        .iter_mut()
                        .skip(column)
                        .step_by(2)
                        .for_each(|t| *t = 1.0);
                } else if column < count {
                    tangents[k][column - own] = 1.0;
                }
            }
            let [u0, u1, u2, u3] = &us_tangents;
            let [t0, t1, t2, t3] = &tangents;
            let (first, second) = columns.split_at_mut(2 * length);
            let (c0, c1) = first.split_at_mut(length);
            let (c2, c3) = second.split_at_mut(length);
            if us.is_empty() {
                distances_forward(
                    theta,
                    t0,
                    t1,
                    t2,
                    t3,
                    model,
                    points,
                    correspondences,
                    &mut out,
                    c0,
                    c1,
                    c2,
                    c3,
                );
            } else {
                distances_in_triangles_forward(
                    us,
                    u0,
                    u1,
                    u2,
                    u3,
                    theta,
                    t0,
                    t1,
                    t2,
                    t3,
                    model,
                    points,
                    correspondences,
                    &mut out,
                    c0,
                    c1,
                    c2,
                    c3,
                );
            }
        }
        columns.truncate(length * count);
        columns
    }
}

pub(crate) fn call(call: &Call<'_>) -> Result<Answer, Failure> {
    let input: Input = call.input()?;
    match call.function {
        "objective" => call.time(|| input.errors(), |errors| errors),
        "jacobian" => call.time(
            || input.columns(),
            |columns| {
                let length = input.data.points.len();
                let row = |i| columns.iter().skip(i).step_by(length).copied().collect();
                (0..length).map(row).collect::<Vec<Vec<f64>>>()
            },
        ),
        _ => call.unknown(),
    }
}
