//! The cost of k-means.

use crate::call::{Answer, Call, Failure};
use serde::Deserialize;

/// The sum of the squared distances between the points and their nearest centroids, in `d`
/// dimensions.
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

#[derive(Deserialize)]
struct Input {
    points: Vec<Vec<f64>>,
    centroids: Vec<Vec<f64>>,
}

pub(crate) fn call(call: &Call<'_>) -> Result<Answer, Failure> {
    let input: Input = call.input()?;
    let d = input.centroids[0].len();
    let (points, centroids) = (input.points.concat(), input.centroids.concat());
    match call.function {
        "cost" => call.time(|| cost(&centroids, &points, d), |value| value),
        // Forward over reverse mode compiles, for all points and for a point at a time. What Enzyme
        // makes of it ends the process.
        _ => call.unknown(),
    }
}
