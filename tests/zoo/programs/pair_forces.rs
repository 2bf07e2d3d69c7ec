//! What pairs of points, edges and rows of different lengths add to arrays at two places.
//!
//! @ p: [4, 3]; w: [6]; ends: [3, 2] in 0..4; ptr: {0, 2, 2, 5, 6}; n: 5
//! @ p: [9, 3]; w: [9]; ends: [5, 2] in 0..9; ptr: {0, 0, 7, 8, 8, 9}; n: 9
//! @ p: [1, 3]; w: [1]; ends: [1, 2] in 0..1; ptr: {0, 1}; n: 1
//! @ p: [0, 3]; w: [0]; ends: [0, 2] in 0..1; ptr: {0}; n: 0

use cotangent::prelude::*;
use ndarray::Array2;

/// A step of the motion of points that attract each other.
#[differentiable]
fn moved(p: &Array2<f64>) -> f64 {
    let n = p.nrows();
    let mut force = vec![vec![0.0; 3]; n];
    for i in 0..n {
        for j in i + 1..n {
            let mut r2 = 0.1;
            for c in 0..3 {
                let q = p[[i, c]] - p[[j, c]];
                r2 += q * q;
            }
            let w = 1.0 / (r2 * r2.sqrt());
            for c in 0..3 {
                let g = w * (p[[j, c]] - p[[i, c]]);
                force[i][c] += g;
                force[j][c] -= g;
            }
        }
    }
    let mut all = 0.0;
    for i in 0..n {
        for c in 0..3 {
            all += (p[[i, c]] + 0.1 * force[i][c]).sin();
        }
    }
    all
}

/// Forces along the edges of a graph.
#[differentiable]
fn springs(p: &Array2<f64>, ends: &Array2<usize>) -> f64 {
    let mut force = Array2::<f64>::zeros(p.raw_dim());
    for k in 0..ends.nrows() {
        let (i, j) = (ends[[k, 0]], ends[[k, 1]]);
        let mut r2 = 1.0;
        for c in 0..p.ncols() {
            r2 += (p[[i, c]] - p[[j, c]]).powi(2);
        }
        for c in 0..p.ncols() {
            let g = (p[[i, c]] - p[[j, c]]) / r2.sqrt();
            force[[i, c]] -= g;
            force[[j, c]] += g;
        }
    }
    force.mapv(f64::cos).sum()
}

/// What numbers add to two places in a triangle, and to one of them alone.
#[differentiable]
fn triangle(w: &[f64]) -> f64 {
    let n = w.len();
    let mut both = vec![0.0; n];
    let mut later = vec![0.5; n];
    for i in 0..n {
        for j in i + 1..n {
            let g = (w[i] - w[j]).sin();
            both[i] += g;
            both[j] -= g * w[i];
            later[j] -= g;
        }
    }
    both.iter().zip(&later).map(|(a, b)| a.sin() * b).sum()
}

/// A product with the transpose of a sparse matrix, by rows.
#[differentiable]
fn transposed(w: &[f64], ptr: &[usize], n: usize) -> f64 {
    let mut y = vec![0.0; n + 1];
    for i in 0..ptr.len() - 1 {
        for k in ptr[i]..ptr[i + 1] {
            y[(k * 3) % (n + 1)] += w[k] * w[i];
        }
    }
    y.iter().map(|v| v.sin()).sum()
}

/// A convolution that adds each product where it belongs.
#[differentiable]
fn convolved(w: &[f64], kernel: &[f64]) -> f64 {
    let mut out = vec![0.0; w.len() + kernel.len()];
    for i in 0..w.len() {
        for j in 0..kernel.len() {
            out[i + j] += w[i] * kernel[j];
        }
    }
    out.iter().map(|v| v.sin()).sum()
}

#[differentiable(value, grad, vjp, jvp)]
pub fn pair_forces(
    p: &Array2<f64>,
    w: &[f64],
    ends: &Array2<usize>,
    ptr: &[usize],
    n: usize,
) -> f64 {
    let kernel = [0.5, -0.25, 1.5];
    moved(p) + springs(p, ends) + triangle(w) + transposed(w, ptr, n) + convolved(w, &kernel)
}
