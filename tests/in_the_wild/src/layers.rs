//! Layers and kernels.

use cotangent::prelude::*;
use ndarray::linalg::general_mat_mul;
use ndarray::{Array, Array1, Array2, Array3, ArrayView1, Axis, Zip, azip, s};

#[differentiable(grad)]
fn two_layers(x: &Array2<f64>, w1: &Array2<f64>, b1: &Array1<f64>, w2: &Array2<f64>) -> f64 {
    let mut h = x.dot(w1) + b1;
    h.mapv_inplace(|v| v.max(0.0));
    h.dot(w2).sum()
}

/// Weights and biases of a layer.
#[derive(Clone, Debug, Differentiable)]
pub struct Dense {
    w: Array2<f64>,
    b: Array1<f64>,
}

#[differentiable(grad)]
fn layer_norm(x: &Array2<f64>, gamma: &Array1<f64>, beta: &Array1<f64>) -> f64 {
    let mut out = Array2::<f64>::zeros(x.dim());
    for (i, row) in x.axis_iter(Axis(0)).enumerate() {
        let mean = row.mean().unwrap();
        let var = row.mapv(|v| (v - mean).powi(2)).mean().unwrap();
        let inv = 1.0 / (var + 1e-5).sqrt();
        for (j, v) in row.iter().enumerate() {
            out[[i, j]] = (v - mean) * inv * gamma[j] + beta[j];
        }
    }
    out.iter()
        .enumerate()
        .map(|(k, v)| v * (k as f64).sin())
        .sum()
}

#[differentiable(grad)]
fn attention(q: &Array2<f64>, k: &Array2<f64>, v: &Array2<f64>) -> f64 {
    let scale = 1.0 / (q.ncols() as f64).sqrt();
    let mut scores = q.dot(&k.t()) * scale;
    for mut row in scores.axis_iter_mut(Axis(0)) {
        let max = row.fold(f64::NEG_INFINITY, |m, &x| m.max(x));
        row.mapv_inplace(|x| (x - max).exp());
        let total = row.sum();
        row.mapv_inplace(|x| x / total);
    }
    scores.dot(v).mapv(|x| x * x).sum()
}

#[differentiable(grad)]
fn causal_scores(q: &Array2<f64>, k: &Array2<f64>) -> f64 {
    let mut s = q.dot(&k.t());
    for ((i, j), v) in s.indexed_iter_mut() {
        if j > i {
            *v = -1e3;
        }
    }
    s.mapv(f64::exp).sum()
}

#[differentiable(grad)]
fn batch_norm(x: &Array2<f64>, gamma: &Array1<f64>) -> f64 {
    let mean = x.mean_axis(Axis(0)).unwrap();
    let mut centred = x - &mean;
    let var = centred.mapv(|v| v * v).mean_axis(Axis(0)).unwrap();
    azip!((mut col in centred.columns_mut(), &v in &var, &g in gamma) col *= g / (v + 1e-5).sqrt());
    centred.mapv(|v| v.powi(3)).sum()
}

#[differentiable(grad)]
fn gru_cell(x: &Array1<f64>, h: &Array1<f64>, w: &Array2<f64>, u: &Array2<f64>) -> f64 {
    let z = (w.dot(x) + u.dot(h)).mapv(|v| 1.0 / (1.0 + (-v).exp()));
    let mut next = h.clone();
    next.zip_mut_with(&z, |h, &z| *h = (1.0 - z) * *h + z * z);
    next.sum()
}

#[differentiable(grad)]
fn linear_with_gemm(a: &Array2<f64>, b: &Array2<f64>) -> f64 {
    let mut c = Array2::<f64>::zeros((a.nrows(), b.ncols()));
    general_mat_mul(2.0, a, b, 0.0, &mut c);
    c.mapv(|v| v * v).sum()
}

#[differentiable(grad)]
fn rbf_kernel(x: &Array2<f64>, gamma: f64) -> f64 {
    let n = x.nrows();
    let mut k = Array2::<f64>::zeros((n, n));
    for i in 0..n {
        for j in 0..n {
            let d = &x.row(i) - &x.row(j);
            k[[i, j]] = (-gamma * d.dot(&d)).exp();
        }
    }
    k.sum() / (n * n) as f64
}

#[differentiable(grad)]
fn polynomial_kernel(x: ArrayView1<f64>, y: ArrayView1<f64>, c: f64, degree: i32) -> f64 {
    (x.dot(&y) + c).powi(degree)
}

#[differentiable(grad)]
fn global_average(x: &Array3<f64>, w: &Array1<f64>) -> f64 {
    let pooled: Array1<f64> = x.outer_iter().map(|c| c.mean().unwrap()).collect();
    pooled.dot(w)
}

#[differentiable(grad)]
fn dropout(x: &Array1<f64>, mask: &[bool], keep: f64) -> f64 {
    let mut y = x.clone();
    Zip::from(&mut y).and(mask).for_each(|y, &m| {
        if m {
            *y /= keep;
        } else {
            *y = 0.0;
        }
    });
    y.mapv(|v| v * v).sum()
}

#[differentiable(grad)]
fn padded(x: &Array2<f64>) -> f64 {
    let (h, w) = x.dim();
    let mut p = Array2::<f64>::zeros((h + 2, w + 2));
    p.slice_mut(s![1..-1, 1..-1]).assign(x);
    let mut total = 0.0;
    for i in 1..=h {
        for j in 1..=w {
            let lap =
                p[[i - 1, j]] + p[[i + 1, j]] + p[[i, j - 1]] + p[[i, j + 1]] - 4.0 * p[[i, j]];
            total += lap * lap;
        }
    }
    total
}

use crate::harness::{matrix, vector};

impl crate::harness::Numbers for Dense {
    fn numbers(&self) -> Vec<f64> {
        [self.w.numbers(), self.b.numbers()].concat()
    }
    fn with(&self, from: &mut dyn Iterator<Item = f64>) -> Dense {
        let w = self.w.with(from);
        Dense {
            w,
            b: self.b.with(from),
        }
    }
}

fn dense(n: usize, m: usize) -> Dense {
    Dense {
        w: matrix(n, m),
        b: vector(n),
    }
}

#[differentiable(grad)]
fn conv2d(image: &Array2<f64>, kernel: &Array2<f64>) -> f64 {
    let (kh, kw) = kernel.dim();
    let mut total = 0.0;
    for window in image.windows((kh, kw)) {
        let r = (&window * kernel).sum();
        total += r * r;
    }
    total
}

#[differentiable(grad)]
fn conv2d_zip(image: &Array2<f64>, kernel: &Array2<f64>) -> f64 {
    let (h, w) = image.dim();
    let mut out = Array2::zeros((h - 2, w - 2));
    Zip::from(&mut out)
        .and(image.windows((3, 3)))
        .for_each(|o, win| *o = (&win * kernel).sum().tanh());
    out.sum()
}

#[differentiable(grad)]
fn max_pool(x: &Array2<f64>) -> f64 {
    let mut out = 0.0;
    for chunk in x.exact_chunks((2, 2)) {
        let m = chunk.iter().fold(f64::MIN, |a, &b| a.max(b));
        out += m * m;
    }
    out
}

#[differentiable(grad)]
fn positional(x: &Array2<f64>) -> f64 {
    let d = x.ncols();
    let mut pe = Array::zeros(x.dim());
    for (pos, mut row) in pe.axis_iter_mut(Axis(0)).enumerate() {
        for j in 0..d {
            let freq = 1.0 / 10000f64.powf((2 * (j / 2)) as f64 / d as f64);
            row[j] = if j & 1 == 0 {
                (pos as f64 * freq).sin()
            } else {
                (pos as f64 * freq).cos()
            };
        }
    }
    (x + &pe).mapv(f64::sin).sum()
}

#[differentiable(grad)]
fn perceptron(layers: &[Dense; 2], x: &Array1<f64>) -> f64 {
    let mut h = x.clone();
    for layer in layers {
        h = (layer.w.dot(&h) + &layer.b).mapv(f64::tanh);
    }
    h.sum()
}

#[differentiable(grad)]
fn deep(weights: &[Array2<f64>; 3], x: &Array1<f64>) -> f64 {
    let mut h = x.to_owned();
    for w in weights.iter() {
        h = w.dot(&h).mapv(|v| v.tanh());
    }
    h.dot(&h)
}

#[differentiable(grad)]
fn deep_in_a_vector(weights: &[Array2<f64>], x: &Array1<f64>) -> f64 {
    let mut h = x.to_owned();
    for w in weights {
        h = w.dot(&h).mapv(|v| v.tanh());
    }
    h.dot(&h)
}

#[differentiable(grad)]
fn gram_of_points(points: &[Vec<f64>], scale: f64) -> f64 {
    let mut total = 0.0;
    for a in points {
        for b in points.iter() {
            let d2: f64 = a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum();
            total += (-scale * d2).exp();
        }
    }
    total
}

tests! {
    perceptron_is: perceptron, perceptron_value_and_grad, l: [dense(3, 2), dense(3, 3)], x: vector(2) => (&l, &x);
    perceptron_by_widths_is: perceptron, perceptron_value_and_grad, l: [dense(4, 2), dense(1, 4)], x: vector(2) => (&l, &x);
    deep_is: deep, deep_value_and_grad, l: [matrix(4, 2), matrix(3, 4), matrix(2, 3)], x: vector(2) => (&l, &x);
    deep_in_a_vector_is: deep_in_a_vector, deep_in_a_vector_value_and_grad, l: vec![matrix(3, 3), matrix(3, 3)], x: vector(3) => (&l, &x);
    gram_is: gram_of_points, gram_of_points_value_and_grad, x: vec![list(2), list(2), list(2)], g: 0.7 => (&x, g);
    gram_of_ragged_is: gram_of_points, gram_of_points_value_and_grad, x: vec![list(2), list(0), list(3)], g: 0.7 => (&x, g);
    positional_is: positional, positional_value_and_grad, x: matrix(3, 4) => (&x);
    max_pool_is: max_pool, max_pool_value_and_grad, x: matrix(4, 6) + Array2::from_shape_fn((4, 6), |(i, j)| 0.01 * (i + 2 * j) as f64) => (&x);
    conv2d_zip_is: conv2d_zip, conv2d_zip_value_and_grad, i: matrix(5, 4), k: matrix(3, 3) => (&i, &k);
    conv2d_is: conv2d, conv2d_value_and_grad, i: matrix(5, 4), k: matrix(2, 3) => (&i, &k);
    two_layers_are: two_layers, two_layers_value_and_grad, x: matrix(3, 2), w: matrix(2, 4), b: vector(4), v: matrix(4, 2) => (&x, &w, &b, &v);
    layer_norm_is: layer_norm, layer_norm_value_and_grad, x: matrix(3, 4), g: vector(4), b: vector(4) => (&x, &g, &b);
    attention_is: attention, attention_value_and_grad, q: matrix(3, 2), k: matrix(4, 2), v: matrix(4, 2) => (&q, &k, &v);
    causal_scores_are: causal_scores, causal_scores_value_and_grad, q: matrix(3, 2), k: matrix(3, 2) => (&q, &k);
    batch_norm_is: batch_norm, batch_norm_value_and_grad, x: matrix(4, 3), g: vector(3) => (&x, &g);
    gru_cell_is: gru_cell, gru_cell_value_and_grad, x: vector(2), h: vector(3), w: matrix(3, 2), u: matrix(3, 3) => (&x, &h, &w, &u);
    gemm_is: linear_with_gemm, linear_with_gemm_value_and_grad, a: matrix(3, 2), b: matrix(2, 4) => (&a, &b);
    rbf_is: rbf_kernel, rbf_kernel_value_and_grad, x: matrix(4, 2), g: 0.7 => (&x, g);
    polynomial_kernel_is: polynomial_kernel, polynomial_kernel_value_and_grad, x: vector(3), y: vector(3), c: 1.1 => (x.view(), y.view(), c, 3);
    global_average_is: global_average, global_average_value_and_grad, x: cube(2, 3, 4), w: vector(2) => (&x, &w);
    dropout_is: dropout, dropout_value_and_grad, x: vector(3), k: 0.8 => (&x, &[true, false, true], k);
    padded_is: padded, padded_value_and_grad, x: matrix(3, 4) => (&x);
}
