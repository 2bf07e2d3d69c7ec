//! Images: filters, warps, histograms, scores.

use cotangent::prelude::*;
use ndarray::{Array1, Array2, Array3, Axis, s};

#[differentiable(grad)]
fn bilateral(image: &Array2<f64>, sigma_space: f64, sigma_range: f64) -> f64 {
    let (h, w) = image.dim();
    let mut total = 0.0;
    for y in 1..h - 1 {
        for x in 1..w - 1 {
            let (mut top, mut bottom) = (0.0, 0.0);
            for dy in 0..3 {
                for dx in 0..3 {
                    let v = image[[y + dy - 1, x + dx - 1]];
                    let space = (dy as f64 - 1.0).powi(2) + (dx as f64 - 1.0).powi(2);
                    let range = (v - image[[y, x]]).powi(2);
                    let weight = (-space / sigma_space.powi(2) - range / sigma_range.powi(2)).exp();
                    top += weight * v;
                    bottom += weight;
                }
            }
            total += (top / bottom).powi(2);
        }
    }
    total
}

#[differentiable(grad)]
fn psnr(image: &Array2<f64>, reference: &Array2<f64>) -> f64 {
    let mse = (image - reference).mapv(|d| d * d).mean().unwrap();
    -10.0 * mse.log10()
}

#[differentiable(grad)]
fn ssim(a: &Array1<f64>, b: &Array1<f64>) -> f64 {
    const C1: f64 = 0.01 * 0.01;
    const C2: f64 = 0.03 * 0.03;
    let n = a.len() as f64;
    let (ma, mb) = (a.sum() / n, b.sum() / n);
    let va = a.iter().map(|x| (x - ma).powi(2)).sum::<f64>() / (n - 1.0);
    let vb = b.iter().map(|x| (x - mb).powi(2)).sum::<f64>() / (n - 1.0);
    let cov: f64 = a
        .iter()
        .zip(b)
        .map(|(x, y)| (x - ma) * (y - mb))
        .sum::<f64>()
        / (n - 1.0);
    (2.0 * ma * mb + C1) * (2.0 * cov + C2) / ((ma * ma + mb * mb + C1) * (va + vb + C2))
}

#[differentiable(grad)]
fn luminance(rgb: &Array3<f64>) -> f64 {
    let weights = [0.2126, 0.7152, 0.0722];
    let mut grey = Array2::<f64>::zeros((rgb.len_of(Axis(0)), rgb.len_of(Axis(1))));
    for (c, w) in weights.iter().enumerate() {
        grey = grey + rgb.slice(s![.., .., c]).mapv(|v| w * v);
    }
    grey.mapv(|v| v.abs().powf(1.0 / 2.2)).sum()
}

#[differentiable(grad)]
fn soft_histogram(values: &[f64], bins: usize, width: f64) -> f64 {
    let mut histogram = vec![0.0; bins];
    for v in values {
        for (k, bin) in histogram.iter_mut().enumerate() {
            let centre = -1.0 + 2.0 * k as f64 / (bins - 1) as f64;
            *bin += (-((v - centre) / width).powi(2)).exp();
        }
    }
    let total: f64 = histogram.iter().sum();
    histogram
        .iter()
        .map(|b| -(b / total) * (b / total).ln())
        .sum()
}

#[differentiable(grad)]
fn unsharp(image: &Array2<f64>, amount: f64) -> f64 {
    let (h, w) = image.dim();
    let inner = image.slice(s![1..h - 1, 1..w - 1]);
    let blurred = (&image.slice(s![..h - 2, 1..w - 1])
        + &image.slice(s![2.., 1..w - 1])
        + &image.slice(s![1..h - 1, ..w - 2])
        + &image.slice(s![1..h - 1, 2..]))
        / 4.0;
    let sharp = &inner + &((&inner - &blurred) * amount);
    sharp.mapv(|v| v.tanh()).sum()
}

#[differentiable(grad)]
fn optical_flow(first: &Array2<f64>, second: &Array2<f64>, u: f64, v: f64) -> f64 {
    let mut error = 0.0;
    for ((y, x), &now) in first.indexed_iter() {
        if y == 0 || x == 0 || y + 1 >= first.nrows() || x + 1 >= first.ncols() {
            continue;
        }
        let ix = 0.5 * (first[[y, x + 1]] - first[[y, x - 1]]);
        let iy = 0.5 * (first[[y + 1, x]] - first[[y - 1, x]]);
        let it = second[[y, x]] - now;
        error += (ix * u + iy * v + it).powi(2);
    }
    error
}

#[differentiable(grad)]
fn warped(image: &Array2<f64>, angle: f64, scale: f64) -> f64 {
    let (h, w) = image.dim();
    let (s, c) = angle.sin_cos();
    let mut total = 0.0;
    for i in 0..h {
        for j in 0..w {
            let y = scale * (c * i as f64 - s * j as f64);
            let x = scale * (s * i as f64 + c * j as f64);
            let (y0, x0) = (y.floor(), x.floor());
            if y0 < 0.0 || x0 < 0.0 || y0 as usize + 1 >= h || x0 as usize + 1 >= w {
                continue;
            }
            let (fy, fx) = (y - y0, x - x0);
            let (a, b) = (y0 as usize, x0 as usize);
            total += (1.0 - fy) * (1.0 - fx) * image[[a, b]]
                + (1.0 - fy) * fx * image[[a, b + 1]]
                + fy * (1.0 - fx) * image[[a + 1, b]]
                + fy * fx * image[[a + 1, b + 1]];
        }
    }
    total
}

tests! {
    edges: bilateral, bilateral_value_and_grad, i: matrix(4, 5), s: 1.2, r: 0.8 => (&i, s, r);
    noise: psnr, psnr_value_and_grad, a: matrix(3, 4), b: matrix(3, 4).mapv(|v| v * v) => (&a, &b);
    structure: ssim, ssim_value_and_grad, a: vector(6), b: positive(6) => (&a, &b);
    grey: luminance, luminance_value_and_grad, c: cube(2, 3, 3).mapv(|v| 0.2 + v * v) => (&c);
    counts: soft_histogram, soft_histogram_value_and_grad, v: list(7), w: 0.4; n: 5 => (&v, n, w);
    sharper: unsharp, unsharp_value_and_grad, i: matrix(4, 5), a: 0.6 => (&i, a);
    flow: optical_flow, optical_flow_value_and_grad,
        a: matrix(4, 5), b: matrix(4, 5).mapv(|v| v * v), u: 0.3, v: -0.2 => (&a, &b, u, v);
    turned: warped, warped_value_and_grad, i: matrix(5, 6), a: 0.31, s: 0.83 => (&i, a, s);
}
