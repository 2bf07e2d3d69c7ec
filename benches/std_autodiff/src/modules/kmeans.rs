//! The cost of k-means, and the direction of Newton's method for it.

use crate::arrays::rows;
use crate::call::{Answer, Call, Failure};
use serde::Deserialize;
use std::autodiff::{autodiff_forward, autodiff_reverse};

/// The sum of the squared distances between the points and their nearest centroids, in `d`
/// dimensions.
#[autodiff_reverse(cost_reverse, Duplicated, Const, Const, Active)]
fn cost(centroids: &[f64], points: &[f64], d: usize) -> f64 {
    let mut total = 0.0;
    for point in points.chunks_exact(d) {
        let mut nearest = f64::INFINITY;
        for centroid in centroids.chunks_exact(d) {
            let mut squared = 0.0;
            for (c, p) in centroid.iter().zip(point) {
                squared += (c - p) * (c - p);
            }
            if squared < nearest {
                nearest = squared;
            }
        }
        total += nearest;
    }
    total
}

/// Adds the gradient to `out`.
#[autodiff_forward(gradient_forward, Dual, Const, Const, Dual)]
fn gradient(centroids: &[f64], points: &[f64], d: usize, out: &mut [f64]) {
    cost_reverse(centroids, out, points, d, 1.0);
}

/// The gradient over the diagonal of the Hessian. As that has no other elements, its product with a
/// vector of ones is its diagonal.
fn direction(centroids: &[f64], points: &[f64], d: usize) -> Vec<f64> {
    let n = centroids.len();
    let (mut step, mut diagonal) = (vec![0.0; n], vec![0.0; n]);
    gradient_forward(
        centroids,
        &vec![1.0; n],
        points,
        d,
        &mut step,
        &mut diagonal,
    );
    for (s, h) in step.iter_mut().zip(&diagonal) {
        *s /= h;
    }
    step
}

#[derive(Deserialize)]
struct Input {
    points: Vec<Vec<f64>>,
    centroids: Vec<Vec<f64>>,
}

pub(crate) fn call(call: &Call<'_>) -> Result<Answer, Failure> {
    let input: Input = call.input()?;
    let (k, d) = (input.centroids.len(), input.centroids[0].len());
    let (points, centroids) = (input.points.concat(), input.centroids.concat());
    match call.function {
        "cost" => call.time(|| cost(&centroids, &points, d), |value| value),
        "dir" => call.time(|| direction(&centroids, &points, d), |step| rows(&step, k)),
        _ => call.unknown(),
    }
}
