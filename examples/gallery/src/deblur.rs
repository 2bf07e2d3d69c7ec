//! A blurred and noisy image is restored: least squares with a total variation.

use crate::common::{Adam, Outcome, Random, Run};
use cotangent::ndarray::{Array1, Array2};
use cotangent::prelude::*;
use std::fs::File;
use std::path::Path;

/// The image, blurred along both axes. It is dark outside.
#[differentiable]
fn blurred(x: &Array2<f64>, kernel: &Array1<f64>) -> Array2<f64> {
    let (n, m) = x.dim();
    let middle = kernel.len() / 2;
    let down = build((n, m), |(i, j)| {
        sum(kernel.len(), |k| {
            if i + k >= middle && i + k - middle < n {
                kernel[k] * x[[i + k - middle, j]]
            } else {
                0.0
            }
        })
    });
    build((n, m), |(i, j)| {
        sum(kernel.len(), |k| {
            if j + k >= middle && j + k - middle < m {
                kernel[k] * down[[i, j + k - middle]]
            } else {
                0.0
            }
        })
    })
}

/// The misfit to the image that was seen, and how much neighbours differ.
#[differentiable(wrt(x))]
fn cost(x: &Array2<f64>, kernel: &Array1<f64>, seen: &Array2<f64>, weight: f64) -> f64 {
    let (n, m) = x.dim();
    let misfit = (&blurred(x, kernel) - seen).mapv(|d| d * d).sum();
    let variation = sum((n - 1, m - 1), |(i, j)| {
        let (down, right) = (x[[i + 1, j]] - x[[i, j]], x[[i, j + 1]] - x[[i, j]]);
        (down * down + right * right + 1e-6).sqrt()
    });
    misfit + weight * variation
}

/// A disc, a frame, bars of several widths.
fn scene(n: usize) -> Array2<f64> {
    Array2::from_shape_fn((n, n), |(i, j)| {
        let (y, x) = (i as f64 / n as f64, j as f64 / n as f64);
        let disc = (x - 0.3).powi(2) + (y - 0.3).powi(2) < 0.035;
        let frame = (0.58..0.92).contains(&x)
            && (0.12..0.46).contains(&y)
            && !((0.65..0.85).contains(&x) && (0.19..0.39).contains(&y));
        let bars = (0.6..0.9).contains(&y) && (9.0 * x * x).fract() < 0.5 && x > 0.1 && x < 0.95;
        f64::from(u8::from(disc)) * 0.9
            + f64::from(u8::from(frame)) * 0.7
            + f64::from(u8::from(bars)) * 0.8
            + 0.08
    })
}

pub fn run(run: &Run) -> Outcome {
    let n = if run.is_short { 48 } else { 96 };
    let mut random = Random(9);
    let kernel = Array1::from_shape_fn(11, |k| (-0.5 * ((k as f64 - 5.0) / 1.5).powi(2)).exp());
    let kernel = &kernel / kernel.sum();
    let truth = scene(n);
    let seen = blurred(&truth, &kernel).mapv(|x| x + 0.01 * random.normal());
    let mut image = seen.clone();
    let mut adam = Adam::new(0.02);
    let steps = run.steps(600);
    let progress = run.progress(steps + 1);
    for step in 0..=steps {
        let (value, gradient) = cost_value_and_grad(&image, &kernel, &seen, 8e-3);
        adam.step(&mut image, &gradient);
        if step % (steps / 3) == 0 {
            progress.say(&format!("step {step:3}: cost {value:.3}"));
        }
        progress.step();
    }
    drop(progress);
    let error = |x: &Array2<f64>| (x - &truth).mapv(|d| d * d).mean().unwrap_or(0.0).sqrt();
    let (before, after) = (error(&seen), error(&image));
    println!("   error {before:.3} before, {after:.3} after");
    assert!(after < if run.is_short { before } else { 0.75 * before });
    written(&run.picture("deblur.png"), &[&truth, &seen, &image])?;
    Ok(())
}

/// Images side by side, three pixels for one.
fn written(path: &Path, images: &[&Array2<f64>]) -> Outcome {
    let (n, gap, scale) = (images[0].nrows(), 6, 3);
    let width = images.len() * (n + gap) - gap;
    let mut bytes = vec![];
    for row in 0..scale * n {
        for column in 0..scale * width {
            let (i, j) = (row / scale, column / scale);
            let image = images[j / (n + gap)];
            let value = image.get((i, j % (n + gap)));
            bytes.push(value.map_or(255, |x| (255.0 * x.clamp(0.0, 1.0)) as u8));
        }
    }
    let file = File::create(path)?;
    let mut encoder = png::Encoder::new(file, (scale * width) as u32, (scale * n) as u32);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.write_header()?.write_image_data(&bytes)?;
    Ok(())
}
