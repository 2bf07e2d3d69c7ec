//! Eliminations of matrices in flat lists: places in other rows are read while a row changes.
//!
//! @ x: [9]; n: 3
//! @ x: [25]; n: 5
//! @ x: [1]; n: 1
//! @ x: [0]; n: 0
//! @ x: [81]; n: 9

use cotangent::prelude::*;

/// A matrix that can be eliminated without pivots.
#[differentiable]
fn dominant(x: &[f64], n: usize) -> Vec<f64> {
    let mut a = x.to_vec();
    for i in 0..n {
        a[i * n + i] += 2.0 + n as f64;
    }
    a
}

/// Row by row.
#[differentiable]
fn factors(x: &[f64], n: usize) -> f64 {
    let mut a = dominant(x, n);
    for k in 0..n {
        for i in k + 1..n {
            let f = a[i * n + k] / a[k * n + k];
            a[i * n + k] = f;
            for j in k + 1..n {
                a[i * n + j] -= f * a[k * n + j];
            }
        }
    }
    a.iter().map(|v| v.sin()).sum()
}

/// Many right-hand sides, from the last row to the first.
#[differentiable]
fn solved(x: &[f64], n: usize) -> f64 {
    let a = dominant(x, n);
    let mut y: Vec<f64> = (0..n * n).map(|p| (p as f64).cos()).collect();
    for i in (0..n).rev() {
        for k in i + 1..n {
            for j in 0..n {
                y[i * n + j] -= a[i * n + k] * y[k * n + j];
            }
        }
        for j in 0..n {
            y[i * n + j] /= a[i * n + i];
        }
    }
    y.iter().map(|v| v.sin()).sum()
}

/// Rows made orthogonal to each other.
#[differentiable]
fn orthogonal(x: &[f64], n: usize) -> f64 {
    let mut q = dominant(x, n);
    for k in 0..n {
        let mut s = 0.0;
        for c in 0..n {
            s += q[k * n + c] * q[k * n + c];
        }
        let s = s.sqrt();
        for c in 0..n {
            q[k * n + c] /= s;
        }
        for i in k + 1..n {
            let mut d = 0.0;
            for c in 0..n {
                d += q[k * n + c] * q[i * n + c];
            }
            for c in 0..n {
                q[i * n + c] -= d * q[k * n + c];
            }
        }
    }
    q.iter().map(|v| v.sin()).sum()
}

/// All rows but one, in a list with the identity beside the matrix.
#[differentiable]
fn inverted(x: &[f64], n: usize) -> f64 {
    let m = dominant(x, n);
    let w = 2 * n;
    let mut a = vec![0.0; n * w];
    for i in 0..n {
        for j in 0..n {
            a[i * w + j] = m[i * n + j];
        }
        a[i * w + n + i] = 1.0;
    }
    for k in 0..n {
        let p = a[k * w + k];
        for j in 0..w {
            a[k * w + j] /= p;
        }
        for i in 0..n {
            if i != k {
                let f = a[i * w + k];
                for j in 0..w {
                    a[i * w + j] -= f * a[k * w + j];
                }
            }
        }
    }
    let mut t = 0.0;
    for i in 0..n {
        for j in 0..n {
            t += a[i * w + n + j].sin();
        }
    }
    t
}

#[differentiable(value, grad, vjp, jvp)]
pub fn eliminations_in_flat_lists(x: &[f64], n: usize) -> f64 {
    factors(x, n) + solved(x, n) + orthogonal(x, n) + inverted(x, n)
}
