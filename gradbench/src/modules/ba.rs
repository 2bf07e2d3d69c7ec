//! Bundle adjustment: cameras, points, and where the cameras saw the points.

use crate::call::{Answer, Call, Failure};
use cotangent::Parameters;
use cotangent::prelude::*;
use serde::{Deserialize, Serialize};
use std::array;

/// A camera with two coefficients of radial distortion.
#[derive(Clone, Debug, Differentiable)]
struct Camera {
    rotation: [f64; 3],
    centre: [f64; 3],
    focal: f64,
    principal: [f64; 2],
    distortion: [f64; 2],
}

/// The numbers of a camera, of a point, and of both with a weight, which is the last of them.
const CAMERA: usize = 11;
const POINT: usize = 3;
const WEIGHT: usize = CAMERA + POINT;
const BLOCK: usize = WEIGHT + 1;

#[differentiable(vjp, jvp)]
fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[differentiable(vjp, jvp)]
fn cross(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// Turns `x` by the vector `rotation`, whose length is the angle.
#[differentiable(vjp, jvp)]
fn rotated(rotation: &[f64; 3], x: &[f64; 3]) -> [f64; 3] {
    let squared = dot(rotation, rotation);
    if squared == 0.0 {
        let c = cross(rotation, x);
        [x[0] + c[0], x[1] + c[1], x[2] + c[2]]
    } else {
        let angle = squared.sqrt();
        let (sine, cosine) = angle.sin_cos();
        let inverse = 1.0 / angle;
        let axis = [
            rotation[0] * inverse,
            rotation[1] * inverse,
            rotation[2] * inverse,
        ];
        let c = cross(&axis, x);
        let along = dot(&axis, x) * (1.0 - cosine);
        [
            x[0] * cosine + c[0] * sine + axis[0] * along,
            x[1] * cosine + c[1] * sine + axis[1] * along,
            x[2] * cosine + c[2] * sine + axis[2] * along,
        ]
    }
}

/// The weighted distance between where the camera projects the point and where it was seen.
#[differentiable(jacobian, wrt(camera, point, weight))]
fn reprojection(camera: &Camera, point: &[f64; 3], weight: f64, seen: &[f64; 2]) -> [f64; 2] {
    let centre = camera.centre;
    let [x, y, z] = rotated(
        &camera.rotation,
        &[
            point[0] - centre[0],
            point[1] - centre[1],
            point[2] - centre[2],
        ],
    );
    let (u, v) = (x / z, y / z);
    let squared = u * u + v * v;
    let [k1, k2] = camera.distortion;
    let scale = camera.focal * (1.0 + k1 * squared + k2 * squared * squared);
    [
        weight * (scale * u + camera.principal[0] - seen[0]),
        weight * (scale * v + camera.principal[1] - seen[1]),
    ]
}

/// How far the square of a weight is from 1.
#[differentiable(grad)]
fn weight_error(weight: f64) -> f64 {
    1.0 - weight * weight
}

/// Where a camera saw a point.
struct Observation {
    camera: u32,
    point: u32,
    seen: [f64; 2],
}

/// Each observation has a weight.
struct Problem {
    cameras: Vec<Camera>,
    points: Vec<[f64; 3]>,
    weights: Vec<f64>,
    observations: Vec<Observation>,
}

/// With so many cameras, points or observations, `u32` counts the entries of the Jacobian.
const LARGEST: usize = 100_000_000;

/// A sparse matrix by rows: row i has the entries from `rows[i]` to `rows[i + 1]`.
struct Rows {
    rows: Vec<u32>,
    cols: Vec<u32>,
    vals: Vec<f64>,
}

impl Problem {
    fn errors(&self) -> (Vec<[f64; 2]>, Vec<f64>) {
        let weighted = self.observations.iter().zip(&self.weights);
        let reprojections = weighted.map(|(observation, &weight)| {
            let camera = &self.cameras[observation.camera as usize];
            let point = &self.points[observation.point as usize];
            reprojection(camera, point, weight, &observation.seen)
        });
        let weights = self.weights.iter().map(|&w| weight_error(w));
        (reprojections.collect(), weights.collect())
    }

    /// The Jacobian of both kinds of errors by cameras, points and weights.
    fn jacobian(&self) -> Rows {
        let (n, m, p) = (self.cameras.len(), self.points.len(), self.weights.len());
        let entries = (2 * BLOCK + 1) * p;
        let (mut rows, mut cols) = (Vec::with_capacity(3 * p + 1), Vec::with_capacity(entries));
        let mut vals = Vec::with_capacity(entries);
        rows.push(0);
        for (o, observation) in self.observations.iter().enumerate() {
            let (c, j) = (observation.camera as usize, observation.point as usize);
            let (camera, point, weight) = reprojection_jacobian(
                &self.cameras[c],
                &self.points[j],
                self.weights[o],
                &observation.seen,
            );
            let columns: [u32; BLOCK] = array::from_fn(|k| match k {
                ..CAMERA => CAMERA * c + k,
                CAMERA..WEIGHT => CAMERA * n + POINT * j + k - CAMERA,
                _ => CAMERA * n + POINT * m + o,
            } as u32);
            for e in 0..2 {
                let mut row = [0.0; BLOCK];
                camera[e].write_to(&mut row[..CAMERA]);
                point[e].write_to(&mut row[CAMERA..WEIGHT]);
                row[WEIGHT] = weight[e];
                vals.extend(row);
                cols.extend(columns);
                rows.push(vals.len() as u32);
            }
        }
        for (o, &w) in self.weights.iter().enumerate() {
            vals.push(weight_error_grad(w));
            cols.push((CAMERA * n + POINT * m + o) as u32);
            rows.push(vals.len() as u32);
        }
        Rows { rows, cols, vals }
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
    reproj_error: Repeated<[f64; 2]>,
    w_err: RepeatedElement,
}

#[derive(Serialize)]
struct Repeated<T> {
    elements: T,
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
    let p = input.p;
    let sizes = [input.n, input.m, p];
    if sizes.contains(&0) || sizes.iter().any(|&size| size > LARGEST) {
        let reason = format!("`n`, `m` and `p` must be at least 1 and at most {LARGEST}");
        return Err(Failure::new(reason));
    }
    let c = &input.cam;
    let camera = Camera {
        rotation: [c[0], c[1], c[2]],
        centre: [c[3], c[4], c[5]],
        focal: c[6],
        principal: [c[7], c[8]],
        distortion: [c[9], c[10]],
    };
    let (n, m) = (input.n as u32, input.m as u32);
    let observation = |o| Observation {
        camera: o % n,
        point: o % m,
        seen: input.feat,
    };
    let problem = Problem {
        cameras: vec![camera; input.n],
        points: vec![input.x; input.m],
        weights: vec![input.w; p],
        observations: (0..p as u32).map(observation).collect(),
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
