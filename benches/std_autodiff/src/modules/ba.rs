//! Bundle adjustment: cameras, points, and where the cameras saw the points.

use crate::call::{Answer, Call, Failure};
use serde::{Deserialize, Serialize};
use std::array;
use std::autodiff::autodiff_reverse;

/// The numbers of a camera: rotation, centre, focal length, principal point, distortion.
const CAMERA: usize = 11;
const POINT: usize = 3;
/// Those of a camera, a point and a weight, on which the errors of an observation depend.
const BLOCK: usize = CAMERA + POINT + 1;

fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// Turns `x` by the vector `rotation`, whose length is the angle.
fn rotated(rotation: &[f64; 3], x: &[f64; 3]) -> [f64; 3] {
    let squared = dot(rotation, rotation);
    if squared == 0.0 {
        let c = cross(rotation, x);
        return [x[0] + c[0], x[1] + c[1], x[2] + c[2]];
    }
    let angle = squared.sqrt();
    let (sine, cosine) = angle.sin_cos();
    let axis = rotation.map(|r| r / angle);
    let c = cross(&axis, x);
    let along = dot(&axis, x) * (1.0 - cosine);
    array::from_fn(|i| x[i] * cosine + c[i] * sine + axis[i] * along)
}

/// The weighted distance between where the camera projects the point and where it was seen.
#[autodiff_reverse(
    reprojection_reverse,
    2,
    Duplicated,
    Duplicated,
    Duplicated,
    Const,
    Duplicated
)]
fn reprojection(
    camera: &[f64; CAMERA],
    point: &[f64; POINT],
    weight: &f64,
    seen: &[f64; 2],
    errors: &mut [f64; 2],
) {
    let [r0, r1, r2, c0, c1, c2, focal, p0, p1, k1, k2] = *camera;
    let [x, y, z] = rotated(
        &[r0, r1, r2],
        &[point[0] - c0, point[1] - c1, point[2] - c2],
    );
    let (u, v) = (x / z, y / z);
    let squared = u * u + v * v;
    let scale = focal * (1.0 + k1 * squared + k2 * squared * squared);
    errors[0] = weight * (scale * u + p0 - seen[0]);
    errors[1] = weight * (scale * v + p1 - seen[1]);
}

/// How far the square of a weight is from 1.
#[autodiff_reverse(weight_error_reverse, Active, Active)]
fn weight_error(weight: f64) -> f64 {
    1.0 - weight * weight
}

/// Each observation has a weight, and is the place where camera and point of these numbers met.
struct Problem {
    cameras: Vec<[f64; CAMERA]>,
    points: Vec<[f64; POINT]>,
    weights: Vec<f64>,
    observations: Vec<(u32, u32)>,
    seen: Vec<[f64; 2]>,
}

/// A sparse matrix by rows: row i has the entries from `rows[i]` to `rows[i + 1]`.
struct Rows {
    rows: Vec<u32>,
    cols: Vec<u32>,
    vals: Vec<f64>,
}

impl Problem {
    fn errors(&self) -> (Vec<[f64; 2]>, Vec<f64>) {
        let mut reprojections = vec![[0.0; 2]; self.weights.len()];
        for (o, errors) in reprojections.iter_mut().enumerate() {
            let (camera, point) = self.observations[o];
            reprojection(
                &self.cameras[camera as usize],
                &self.points[point as usize],
                &self.weights[o],
                &self.seen[o],
                errors,
            );
        }
        let weights = self.weights.iter().map(|&w| weight_error(w));
        (reprojections, weights.collect())
    }

    /// The Jacobian of both kinds of errors by cameras, points and weights.
    fn jacobian(&self) -> Rows {
        let (n, m, p) = (self.cameras.len(), self.points.len(), self.weights.len());
        let entries = (2 * BLOCK + 1) * p;
        let (mut rows, mut cols) = (Vec::with_capacity(3 * p + 1), Vec::with_capacity(entries));
        let mut vals = Vec::with_capacity(entries);
        rows.push(0);
        for (o, &(c, j)) in self.observations.iter().enumerate() {
            let (c, j) = (c as usize, j as usize);
            let columns: [u32; BLOCK] = array::from_fn(|k| match k {
                ..CAMERA => CAMERA * c + k,
                CAMERA..14 => CAMERA * n + POINT * j + k - CAMERA,
                _ => CAMERA * n + POINT * m + o,
            } as u32);
            for block in self.block(o, c, j) {
                vals.extend(block);
                cols.extend(columns);
                rows.push(vals.len() as u32);
            }
        }
        for (o, &w) in self.weights.iter().enumerate() {
            vals.push(weight_error_reverse(w, 1.0).1);
            cols.push((CAMERA * n + POINT * m + o) as u32);
            rows.push(vals.len() as u32);
        }
        Rows { rows, cols, vals }
    }

    /// The derivatives of both errors of an observation.
    fn block(&self, o: usize, c: usize, j: usize) -> [[f64; BLOCK]; 2] {
        let (mut camera, mut point, mut weight) = ([[0.0; CAMERA]; 2], [[0.0; POINT]; 2], [0.0; 2]);
        let [camera_0, camera_1] = &mut camera;
        let [point_0, point_1] = &mut point;
        let [weight_0, weight_1] = &mut weight;
        let mut seeds = [[1.0, 0.0], [0.0, 1.0]];
        let [seed_0, seed_1] = &mut seeds;
        reprojection_reverse(
            &self.cameras[c],
            camera_0,
            camera_1,
            &self.points[j],
            point_0,
            point_1,
            &self.weights[o],
            weight_0,
            weight_1,
            &self.seen[o],
            &mut [0.0; 2],
            seed_0,
            seed_1,
        );
        array::from_fn(|e| {
            array::from_fn(|k| match k {
                ..CAMERA => camera[e][k],
                CAMERA..14 => point[e][k - CAMERA],
                _ => weight[e],
            })
        })
    }
}

#[derive(Deserialize)]
struct Input {
    n: usize,
    m: usize,
    p: usize,
    cam: [f64; CAMERA],
    x: [f64; POINT],
    w: f64,
    feat: [f64; 2],
}

#[derive(Serialize)]
struct Errors {
    reproj_error: Repeated,
    w_err: RepeatedElement,
}

#[derive(Serialize)]
struct Repeated {
    elements: [f64; 2],
    repeated: usize,
}

#[derive(Serialize)]
struct RepeatedElement {
    element: f64,
    repeated: usize,
}

#[derive(Serialize)]
struct Sample {
    rows: Vec<u32>,
    cols: Vec<u32>,
    vals: Vec<f64>,
}

/// The first 30 elements and the last one.
fn sample<T: Copy>(list: &[T]) -> Vec<T> {
    list.iter().take(30).chain(list.last()).copied().collect()
}

pub(crate) fn call(call: &Call<'_>) -> Result<Answer, Failure> {
    let input: Input = call.input()?;
    let (n, m, p) = (input.n as u32, input.m as u32, input.p);
    let problem = Problem {
        cameras: vec![input.cam; input.n],
        points: vec![input.x; input.m],
        weights: vec![input.w; p],
        observations: (0..p as u32).map(|o| (o % n, o % m)).collect(),
        seen: vec![input.feat; p],
    };
    match call.function {
        "objective" => call.time(
            || problem.errors(),
            |(reprojections, weights)| Errors {
                reproj_error: Repeated {
                    elements: reprojections[0],
                    repeated: p,
                },
                w_err: RepeatedElement {
                    element: weights[0],
                    repeated: p,
                },
            },
        ),
        "jacobian" => call.time(
            || problem.jacobian(),
            |j| Sample {
                rows: sample(&j.rows),
                cols: sample(&j.cols),
                vals: sample(&j.vals),
            },
        ),
        _ => call.unknown(),
    }
}
