//! Bundle adjustment: cameras and points from their images, by Levenberg–Marquardt with the sparse
//! Jacobian.

use crate::common::{
    BLUE, GREY, ORANGE, Outcome, Random, Run, canvas, chart, dots, finish, halves, legend, stroke,
};
use cotangent::ndarray::{Array1, Axis, concatenate, s};
use cotangent::prelude::*;
use cotangent::{Parameters, Sparse};
use plotters::prelude::*;

/// Where a camera sees a point. A camera is a rotation vector, a translation and a focal length.
#[differentiable]
fn image(camera: &[f64; 7], point: &[f64; 3]) -> [f64; 2] {
    let [a, b, c] = [camera[0], camera[1], camera[2]];
    let [x, y, z] = [point[0], point[1], point[2]];
    let angle = (a * a + b * b + c * c + 1e-18).sqrt();
    let (s, k) = (angle.sin() / angle, (1.0 - angle.cos()) / (angle * angle));
    let along = k * (a * x + b * y + c * z);
    let cos = angle.cos();
    let u = cos * x + s * (b * z - c * y) + along * a + camera[3];
    let v = cos * y + s * (c * x - a * z) + along * b + camera[4];
    let depth = cos * z + s * (a * y - b * x) + along * c + camera[5];
    [camera[6] * u / depth, camera[6] * v / depth]
}

/// The differences between where points are seen and where they should be, in pixels.
#[differentiable(jacobian(sparse), wrt(cameras, points))]
fn residuals(
    cameras: &[[f64; 7]],
    points: &[[f64; 3]],
    seen: &[(usize, usize)],
    pixels: &[[f64; 2]],
) -> Vec<[f64; 2]> {
    (0..seen.len())
        .map(|k| {
            let (camera, point) = seen[k];
            let [u, v] = image(&cameras[camera], &points[point]);
            [u - pixels[k][0], v - pixels[k][1]]
        })
        .collect()
}

/// A matrix times a vector.
fn product(m: &Sparse, v: &[f64], out: &mut Array1<f64>) {
    for ((&i, &j), x) in m.rows.iter().zip(&m.columns).zip(&m.values) {
        out[i] += x * v[j];
    }
}

/// The transpose of a matrix times a vector.
fn transposed_product(m: &Sparse, v: &Array1<f64>) -> Array1<f64> {
    let mut out = Array1::zeros(m.shape.1);
    for ((&i, &j), x) in m.rows.iter().zip(&m.columns).zip(&m.values) {
        out[j] += x * v[i];
    }
    out
}

/// Solves `(JᵀJ + damping · diag(JᵀJ)) x = −Jᵀ r` by conjugate gradients. The first two cameras
/// stay where they are.
fn step(cameras: &Sparse, points: &Sparse, r: &Array1<f64>, damping: f64) -> Array1<f64> {
    let split = cameras.shape.1;
    let transposed = |v: &Array1<f64>| {
        let mut by_cameras = transposed_product(cameras, v);
        by_cameras.slice_mut(s![..14]).fill(0.0);
        concatenate![Axis(0), by_cameras, transposed_product(points, v)]
    };
    let mut diagonal = Array1::from_elem(split + points.shape.1, 1e-9);
    for (m, first) in [(cameras, 0), (points, split)] {
        for (&j, x) in m.columns.iter().zip(&m.values) {
            diagonal[first + j] += x * x;
        }
    }
    let normal = |v: &Array1<f64>| {
        let flat = v.to_flat();
        let mut image = Array1::zeros(r.len());
        product(cameras, &flat[..split], &mut image);
        product(points, &flat[split..], &mut image);
        transposed(&image) + &(v * &diagonal * damping)
    };
    let mut x = Array1::zeros(diagonal.len());
    let mut rest = -transposed(r);
    let mut direction = &rest / &diagonal;
    let mut square = rest.dot(&direction);
    let target = 1e-16 * square;
    for _ in 0..300 {
        let image = normal(&direction);
        let along = square / direction.dot(&image);
        x.scaled_add(along, &direction);
        rest.scaled_add(-along, &image);
        let scaled = &rest / &diagonal;
        let next = rest.dot(&scaled);
        if next < target {
            break;
        }
        direction = scaled + direction * (next / square);
        square = next;
    }
    x
}

pub fn run(run: &Run) -> Outcome {
    let mut random = Random(2);
    let count = if run.is_short { 40 } else { 60 };
    // Points on a wall with a bulge, cameras on an arc in front of it.
    let truth: Vec<[f64; 3]> = (0..count)
        .map(|_| {
            let (x, y) = (6.0 * random.uniform() - 3.0, 3.0 * random.uniform() - 1.5);
            [x, y, 1.5 * (-x * x).exp() + 0.2 * random.normal()]
        })
        .collect();
    let true_cameras: Vec<[f64; 7]> = (0..8)
        .map(|k| {
            let angle = 0.16 * (f64::from(k) - 3.5);
            [
                0.02 * f64::from(k),
                angle,
                0.01,
                0.3 * angle,
                0.1,
                9.0,
                800.0,
            ]
        })
        .collect();
    let seen: Vec<(usize, usize)> = (0..true_cameras.len())
        .flat_map(|camera| (0..truth.len()).map(move |point| (camera, point)))
        .filter(|_| random.uniform() < 0.7)
        .collect();
    let pixels: Vec<[f64; 2]> = (seen.iter())
        .map(|&(c, p)| image(&true_cameras[c], &truth[p]).map(|u| u + 0.5 * random.normal()))
        .collect();
    let mut points: Vec<[f64; 3]> = (truth.iter())
        .map(|p| p.map(|x| x + 0.3 * random.normal()))
        .collect();
    let before = points.clone();
    let mut cameras = true_cameras.clone();
    for camera in &mut cameras[2..] {
        for (x, scale) in camera
            .iter_mut()
            .zip([0.03, 0.03, 0.03, 0.2, 0.2, 0.2, 20.0])
        {
            *x += scale * random.normal();
        }
    }

    let error = |r: &[f64]| (r.iter().map(|r| r * r).sum::<f64>() / r.len() as f64).sqrt();
    let mut damping = 1e-3;
    for iteration in 0..15 {
        let (r, (by_cameras, by_points)) =
            residuals_jacobian_sparse(&cameras, &points, &seen, &pixels);
        let r = Array1::from(r.to_flat());
        if iteration == 0 {
            let entries = by_cameras.values.len() + by_points.values.len();
            let all = r.len() * (by_cameras.shape.1 + by_points.shape.1);
            println!("   the Jacobian has {entries} entries of {all}");
        }
        let change = step(&by_cameras, &by_points, &r, damping).to_flat();
        let (mut next_cameras, mut next_points) = (cameras.clone(), points.clone());
        let (of_cameras, of_points) = change.split_at(by_cameras.shape.1);
        let moved = |flat: Vec<f64>, by: &[f64]| -> Vec<f64> {
            flat.iter().zip(by).map(|(x, d)| x + d).collect()
        };
        next_cameras.read_from(&moved(cameras.to_flat(), of_cameras));
        next_points.read_from(&moved(points.to_flat(), of_points));
        let after = error(&residuals(&next_cameras, &next_points, &seen, &pixels).to_flat());
        println!(
            "   iteration {iteration:2}: error {:.3} pixels",
            error(&r.to_flat())
        );
        if after < error(&r.to_flat()) {
            (cameras, points, damping) = (next_cameras, next_points, 0.2 * damping);
        } else {
            damping *= 10.0;
        }
    }
    let last = error(&residuals(&cameras, &points, &seen, &pixels).to_flat());
    assert!(last < 0.55, "an error of {last} pixels is left");

    let path = run.picture("bundle.svg");
    let picture = canvas(&path, (820, 380))?;
    let (left, right) = halves(&picture, 410);
    for (area, caption, found) in [(left, "Before", &before), (right, "After", &points)] {
        let caption = format!("{caption}: points from above");
        let mut chart = chart(&area, &caption, (-3.6..3.6, "x"), (-1.2..2.6, "depth"))?;
        let above = |p: &[f64; 3]| (p[0], p[2]);
        let pairs = truth.iter().zip(found);
        chart.draw_series(
            pairs.map(|(t, f)| PathElement::new([above(t), above(f)], stroke(GREY, 1))),
        )?;
        dots(&mut chart, "true", (BLUE, 4), truth.iter().map(above))?;
        dots(&mut chart, "found", (ORANGE, 2), found.iter().map(above))?;
        legend(&mut chart, SeriesLabelPosition::UpperRight)?;
    }
    finish(&picture, &path)
}
