//! The length, the amplitude and the noise of a Gaussian process, fitted by its evidence.

use crate::common::{
    Adam, BLUE, GREY, ORANGE, Outcome, Random, Run, band, canvas, chart, curve, dots, finish,
    legend,
};
use cotangent::linalg::{cholesky, triangular_solve};
use cotangent::ndarray::{Array1, Array2};
use cotangent::prelude::*;
use plotters::prelude::*;

/// The covariance between two positions. All parameters are logarithms: length, amplitude, noise.
#[differentiable]
fn covariance(log: &[f64; 3], a: f64, b: f64) -> f64 {
    let d = (a - b) / log[0].exp();
    (2.0 * log[1] - 0.5 * d * d).exp()
}

#[differentiable]
fn covariances(log: &[f64; 3], x: &Array1<f64>) -> Array2<f64> {
    let noise = (2.0 * log[2]).exp();
    build((x.len(), x.len()), |(i, j)| {
        covariance(log, x[i], x[j]) + if i == j { noise } else { 0.0 }
    })
}

/// The negative logarithm of the evidence, without its constant.
#[differentiable(wrt(log))]
fn loss(log: &[f64; 3], x: &Array1<f64>, y: &Array1<f64>) -> f64 {
    let l = cholesky(&covariances(log, x));
    let z = triangular_solve(&l, y);
    0.5 * z.dot(&z) + sum(x.len(), |i| l[[i, i]].ln())
}

/// The mean and the deviation of the function at a position.
fn posterior(log: &[f64; 3], x: &Array1<f64>, y: &Array1<f64>, at: f64) -> (f64, f64) {
    let l = cholesky(&covariances(log, x));
    let k = triangular_solve(&l, &x.mapv(|x| covariance(log, x, at)));
    let variance = covariance(log, at, at) - k.dot(&k);
    (k.dot(&triangular_solve(&l, y)), variance.max(0.0).sqrt())
}

fn truth(x: f64) -> f64 {
    (1.3 * x).sin() + 0.3 * x
}

pub fn run(run: &Run) -> Outcome {
    let mut random = Random(11);
    let noise = 0.25;
    // Nothing is measured between 4 and 6.
    let x = Array1::from_shape_fn(60, |i| {
        let u = 8.0 * (i as f64 + random.uniform()) / 60.0;
        if u < 4.0 { u } else { u + 2.0 }
    });
    let y = x.mapv(|x| truth(x) + noise * random.normal());
    let mut log = [0.0, 0.0, 0.0];
    let mut adam = Adam::new(0.05);
    for _ in 0..run.steps(300) {
        let gradient = loss_grad(&log, &x, &y);
        adam.step(&mut log, &gradient);
    }
    let [length, amplitude, fitted] = log.map(f64::exp);
    println!("   length {length:.2}, amplitude {amplitude:.2}, noise {fitted:.3} (true: {noise})");
    assert!(run.is_short || (fitted - noise).abs() < 0.06);

    let path = run.picture("gaussian_process.svg");
    let picture = canvas(&path, (700, 420))?;
    let caption = "A Gaussian process with fitted hyperparameters";
    let mut chart = chart(&picture, caption, (0.0..10.0, "x"), (-1.0..4.5, "y"))?;
    let grid: Vec<f64> = (0..=200).map(|k| 0.05 * k as f64).collect();
    let all: Vec<(f64, f64, f64)> = (grid.iter())
        .map(|&at| posterior(&log, &x, &y, at))
        .zip(&grid)
        .map(|((mean, deviation), &at)| (at, mean, deviation))
        .collect();
    let deviations = all
        .iter()
        .map(|(at, m, d)| (*at, [m - 2.0 * d, m + 2.0 * d]));
    band(&mut chart, "two deviations", BLUE, deviations)?;
    let mean = all.iter().map(|(at, mean, _)| (*at, *mean));
    curve(&mut chart, "mean", BLUE, mean)?;
    let real = grid.iter().map(|&at| (at, truth(at)));
    curve(&mut chart, "truth", GREY, real)?;
    let points = x.iter().zip(&y).map(|(&x, &y)| (x, y));
    dots(&mut chart, "data", (ORANGE, 3), points)?;
    legend(&mut chart, SeriesLabelPosition::UpperLeft)?;
    finish(&picture, &path)
}
