//! Filters of images and signals, matrices by hand.

use cotangent::prelude::*;
use ndarray::{Array1, Array2, ArrayView2, Axis, Slice, array, s};

#[differentiable(grad)]
fn moving_average(x: &[f64], width: usize) -> f64 {
    let smooth: Vec<f64> = x
        .windows(width)
        .map(|w| w.iter().sum::<f64>() / width as f64)
        .collect();
    smooth.iter().map(|v| v * v).sum()
}

#[differentiable(grad)]
fn exponential_smoothing(x: &[f64], alpha: f64) -> f64 {
    let mut level = x[0];
    let mut error = 0.0;
    for &v in &x[1..] {
        error += (v - level).powi(2);
        level = alpha * v + (1.0 - alpha) * level;
    }
    error
}

#[differentiable(grad)]
fn biquad(x: &[f64], b: [f64; 3], a: [f64; 2]) -> f64 {
    let [b0, b1, b2] = b;
    let [a1, a2] = a;
    let (mut z1, mut z2) = (0.0, 0.0);
    let mut out = vec![0.0; x.len()];
    for (y, &v) in out.iter_mut().zip(x) {
        *y = b0 * v + z1;
        z1 = b1 * v - a1 * *y + z2;
        z2 = b2 * v - a2 * *y;
    }
    out.iter().map(|y| y * y).sum()
}

#[differentiable(grad)]
fn sobel(image: ArrayView2<f64>) -> f64 {
    const GX: [[f64; 3]; 3] = [[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0], [-1.0, 0.0, 1.0]];
    let (h, w) = image.dim();
    let mut out = Array2::<f64>::zeros((h, w));
    for y in 1..h - 1 {
        for x in 1..w - 1 {
            let (mut gx, mut gy) = (0.0, 0.0);
            for dy in 0..3 {
                for dx in 0..3 {
                    let v = image[[y + dy - 1, x + dx - 1]];
                    gx += GX[dy][dx] * v;
                    gy += GX[dx][dy] * v;
                }
            }
            out[[y, x]] = (gx * gx + gy * gy + 1e-9).sqrt();
        }
    }
    out.sum()
}

#[differentiable(grad)]
fn gaussian_blur(image: &Array2<f64>, sigma: f64) -> f64 {
    let radius = 2usize;
    let mut kernel: Vec<f64> = (0..2 * radius + 1)
        .map(|i| {
            let d = i as f64 - radius as f64;
            (-d * d / (2.0 * sigma * sigma)).exp()
        })
        .collect();
    let total: f64 = kernel.iter().sum();
    kernel.iter_mut().for_each(|k| *k /= total);
    let (h, w) = image.dim();
    let mut out = Array2::zeros((h, w));
    for i in 0..h {
        for j in 0..w {
            let mut acc = 0.0;
            for (k, weight) in kernel.iter().enumerate() {
                let jj = (j + k).saturating_sub(radius).min(w - 1);
                acc += weight * image[(i, jj)];
            }
            out[(i, j)] = acc;
        }
    }
    out.mapv(|v: f64| v * v).sum()
}

#[differentiable(grad)]
fn reversed(x: &Array1<f64>, w: &Array1<f64>) -> f64 {
    let mut flipped = x.clone();
    flipped.invert_axis(Axis(0));
    let even = x.slice(s![..;2]).sum();
    flipped.dot(w) * even
}

#[differentiable(grad)]
fn dft_power(x: &[f64]) -> f64 {
    let n = x.len();
    let step = -2.0 * std::f64::consts::PI / n as f64;
    let mut power = 0.0;
    for k in 0..n {
        let (re, im) = x.iter().enumerate().fold((0.0, 0.0), |(re, im), (t, v)| {
            let (s, c) = (step * (k * t) as f64).sin_cos();
            (re + v * c, im + v * s)
        });
        power += (re * re + im * im) * (k as f64 + 1.0);
    }
    power
}

#[differentiable(grad)]
fn haar(x: &[f64]) -> f64 {
    let mut data = x.to_vec();
    let half = data.len() / 2;
    let mut out = vec![0.0; 2 * half];
    for (i, pair) in data.chunks_exact(2).enumerate() {
        out[i] = (pair[0] + pair[1]) / 2f64.sqrt();
        out[half + i] = (pair[0] - pair[1]) / 2f64.sqrt();
    }
    data.copy_from_slice(&out);
    data[..half].iter().map(|v| v.powi(4)).sum::<f64>()
        + data[half..].iter().map(|v| v.abs()).sum::<f64>()
}

#[differentiable(grad)]
fn determinant(a: &Array2<f64>) -> f64 {
    let n = a.nrows();
    let mut m = a.clone();
    let mut det = 1.0;
    for k in 0..n {
        let pivot = m[[k, k]];
        det *= pivot;
        for i in k + 1..n {
            let factor = m[[i, k]] / pivot;
            for j in k..n {
                let v = m[[k, j]];
                m[[i, j]] -= factor * v;
            }
        }
    }
    det
}

#[differentiable(grad)]
fn cholesky_log_det(a: &Array2<f64>) -> f64 {
    let n = a.shape()[0];
    let mut l = Array2::<f64>::zeros((n, n));
    for i in 0..n {
        for j in 0..=i {
            let mut sum = a[[i, j]];
            for k in 0..j {
                sum -= l[[i, k]] * l[[j, k]];
            }
            l[[i, j]] = if i == j { sum.sqrt() } else { sum / l[[j, j]] };
        }
    }
    2.0 * l.diag().mapv(f64::ln).sum()
}

#[differentiable(grad)]
fn thomas(a: &[f64], b: &[f64], c: &[f64], d: &[f64]) -> f64 {
    let n = d.len();
    let mut cp = vec![0.0; n];
    let mut x = d.to_vec();
    cp[0] = c[0] / b[0];
    x[0] /= b[0];
    for i in 1..n {
        let m = b[i] - a[i] * cp[i - 1];
        cp[i] = c[i] / m;
        x[i] = (x[i] - a[i] * x[i - 1]) / m;
    }
    for i in (0..n - 1).rev() {
        x[i] -= cp[i] * x[i + 1];
    }
    x.iter().map(|v| v * v).sum()
}

#[differentiable(grad)]
fn regularised(a: &Array2<f64>, ridge: f64) -> f64 {
    let mut gram = a.t().dot(a);
    gram.diag_mut().mapv_inplace(|v| v + ridge);
    for v in gram.diag_mut() {
        *v *= 2.0;
    }
    (&gram * &gram).sum()
}

#[differentiable(grad)]
fn normalise_columns(a: &Array2<f64>) -> f64 {
    let mut q = a.to_owned();
    for mut column in q.columns_mut() {
        let norm = column.dot(&column).sqrt();
        column /= norm;
    }
    q.t().dot(&q).sum()
}

#[differentiable(grad)]
fn gram_schmidt(a: &Array2<f64>) -> f64 {
    let mut q = a.clone();
    for j in 0..q.ncols() {
        for k in 0..j {
            let r = q.column(k).dot(&q.column(j));
            let other = q.column(k).to_owned();
            q.column_mut(j).scaled_add(-r, &other);
        }
        let norm = q.column(j).dot(&q.column(j)).sqrt();
        let mut c = q.column_mut(j);
        c /= norm;
    }
    q[[0, 0]] + q[[1, 1]] * 2.0
}

#[differentiable(grad)]
fn swap_rows(a: &[f64], b: &[f64]) -> f64 {
    let mut x = a.to_vec();
    x.swap(0, 2);
    x[1..].fill(0.5);
    x.reverse();
    x.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[differentiable(grad)]
fn total_variation(image: &Array2<f64>) -> f64 {
    let dx = &image.slice(s![.., 1..]) - &image.slice(s![.., ..-1]);
    let dy = image.slice_axis(Axis(0), Slice::from(1..)).to_owned()
        - image.slice_axis(Axis(0), Slice::from(..-1));
    dx.mapv(|v| (v * v + 1e-3).sqrt()).sum() + dy.mapv(|v| (v * v + 1e-3).sqrt()).sum()
}

#[differentiable(grad)]
fn fixed_kernel(x: &Array2<f64>) -> f64 {
    let k = array![[0.0, 1.0, 0.0], [1.0, -4.0, 1.0], [0.0, 1.0, 0.0]];
    x.windows((3, 3))
        .into_iter()
        .map(|w| (&w * &k).sum().powi(2))
        .sum()
}

#[differentiable(grad)]
fn symmetric(a: &Array2<f64>) -> f64 {
    let lower = a.tril(0);
    let upper = a.triu(1);
    (&lower.dot(&upper) - a).mapv(|v| v * v).sum()
}

#[differentiable(grad)]
fn cascade(x: &[f64]) -> f64 {
    let mut out: Vec<f64> = Vec::new();
    out.extend_from_slice(&x[..2]);
    for i in 0..x.len() {
        out.push(x[i] * x[i]);
    }
    out.pop();
    out.iter()
        .enumerate()
        .map(|(i, v)| v * (i as f64 + 1.0))
        .sum()
}

#[differentiable(grad)]
fn running_means(x: &[f64]) -> f64 {
    x.iter()
        .scan(0.0, |total, &v| {
            *total += v;
            Some(*total)
        })
        .enumerate()
        .map(|(i, t)| (t / (i + 1) as f64).powi(2))
        .sum()
}

#[differentiable(grad)]
fn hash_weights(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for (i, v) in x.iter().enumerate() {
        let h = ((i as u64) << 3) ^ ((i as u64) >> 1);
        total += v * (h & 7) as f64;
    }
    total * total
}

tests! {
    hash_is: hash_weights, hash_weights_value_and_grad, a: list(6) => (&a);
    running_means_are: running_means, running_means_value_and_grad, x: list(5) => (&x);
    cascade_is: cascade, cascade_value_and_grad, a: list(4) => (&a);
    symmetric_is: symmetric, symmetric_value_and_grad, a: matrix(3, 3) => (&a);
    fixed_kernel_is: fixed_kernel, fixed_kernel_value_and_grad, x: matrix(5, 4) => (&x);
    total_variation_is: total_variation, total_variation_value_and_grad, x: matrix(3, 5) => (&x);
    moving_average_is: moving_average, moving_average_value_and_grad, x: list(7) => (&x, 3);
    smoothing_is: exponential_smoothing, exponential_smoothing_value_and_grad, x: list(5), a: 0.3 => (&x, a);
    biquad_is: biquad, biquad_value_and_grad, x: list(7), b: [0.2, 0.3, 0.1], a: [-0.5, 0.2] => (&x, b, a);
    sobel_is: sobel, sobel_value_and_grad, x: matrix(4, 5) => (x.view());
    blur_is: gaussian_blur, gaussian_blur_value_and_grad, x: matrix(3, 5), s: 1.1 => (&x, s);
    reversed_is: reversed, reversed_value_and_grad, x: vector(5), w: vector(5) => (&x, &w);
    dft_is: dft_power, dft_power_value_and_grad, x: list(5) => (&x);
    haar_is: haar, haar_value_and_grad, x: list(6) => (&x);
    determinant_is: determinant, determinant_value_and_grad, a: matrix(4, 4) => (&a);
    cholesky_is: cholesky_log_det, cholesky_log_det_value_and_grad, a: (matrix(3, 3) * 0.1 + Array2::<f64>::eye(3)) => (&a);
    thomas_is: thomas, thomas_value_and_grad, a: list(4), b: vec![3.0, 3.1, 3.2, 3.3], c: list(4), d: list(4) => (&a, &b, &c, &d);
    regularised_is: regularised, regularised_value_and_grad, a: matrix(4, 3), r: 0.4 => (&a, r);
    normalise_is: normalise_columns, normalise_columns_value_and_grad, a: matrix(4, 3) => (&a);
    gram_schmidt_is: gram_schmidt, gram_schmidt_value_and_grad, a: matrix(4, 3) => (&a);
    swap_is: swap_rows, swap_rows_value_and_grad, a: list(4), b: list(4) => (&a, &b);
}
