//! Tables in flat lists that loops fill row by row, from the front and from the back, with gaps and
//! with three indices, and that are read across their rows.
//!
//! @ x: [3]; y: [4]
//! @ x: [1]; y: [1]
//! @ x: [9]; y: [2]
//! @ x: [2]; y: [17]
//! @ x: [0]; y: [3]
//! @ x: [4]; y: [0]

use cotangent::prelude::*;

/// Each element at its place.
#[differentiable]
fn filled(x: &[f64], y: &[f64]) -> f64 {
    let (n, m) = (x.len(), y.len());
    let mut a = vec![0.0; n * m];
    for i in 0..n {
        for j in 0..m {
            a[i * m + j] = (x[i] * y[j]).sin();
        }
    }
    let mut t = 0.0;
    for i in 0..n {
        for j in 0..m {
            t += a[i * m + j] * a[((i + 1) % n) * m + (j + 1) % m];
        }
    }
    t
}

/// The last row first; rows with a border.
#[differentiable]
fn backwards(x: &[f64], y: &[f64]) -> f64 {
    let (n, m) = (x.len(), y.len());
    let w = m + 2;
    let mut a = vec![0.0; n * m];
    let mut b = vec![0.5; n * w];
    for i in (0..n).rev() {
        for j in 0..m {
            a[i * m + j] = x[i] + y[j];
        }
    }
    for i in 0..n {
        for j in (0..m).rev() {
            b[i * w + j + 1] = a[i * m + j] * x[n - 1 - i];
        }
    }
    let mut t = 0.0;
    for i in 0..n {
        for j in 0..m {
            t += (b[i * w + j] - 2.0 * b[i * w + j + 1] + b[i * w + j + 2]).powi(2);
        }
    }
    t
}

/// Three indices.
#[differentiable]
fn cube(x: &[f64], y: &[f64]) -> f64 {
    let (n, m) = (x.len(), y.len());
    let mut a = vec![0.0; n * m * n];
    for i in 0..n {
        for j in 0..m {
            for k in 0..n {
                a[(i * m + j) * n + k] = x[i] * y[j] - x[k];
            }
        }
    }
    let mut t = 0.0;
    for i in 0..n {
        for j in 0..m {
            for k in 0..n {
                t += a[(i * m + j) * n + k] * a[(k * m + j) * n + i];
            }
        }
    }
    t
}

/// Rows as slices.
#[differentiable]
fn copied(x: &[f64], y: &[f64]) -> f64 {
    let (n, m) = (x.len(), y.len());
    let mut a = vec![0.0; n * m];
    for i in 0..n {
        let row: Vec<f64> = y.iter().map(|v| (v * x[i]).cos()).collect();
        a[i * m..(i + 1) * m].copy_from_slice(&row);
    }
    for i in 0..n {
        for v in &mut a[i * m..(i + 1) * m] {
            *v *= x[i];
        }
    }
    a.iter().map(|v| v * v * v).sum()
}

/// A table whose last row is cut off.
#[differentiable]
fn cut_off(x: &[f64], y: &[f64]) -> f64 {
    let (n, m) = (x.len(), y.len());
    let mut a = x.to_vec();
    for k in 0..n {
        for i in 0..n {
            for j in 0..m {
                if i * m + j < n {
                    a[i * m + j] *= 1.0 - 0.1 * y[j] * x[k];
                }
            }
        }
    }
    a.iter().map(|v| v * v).sum()
}

#[differentiable(value, grad, vjp, jvp)]
pub fn tables_in_flat_lists(x: &[f64], y: &[f64]) -> f64 {
    filled(x, y) + backwards(x, y) + cube(x, y) + copied(x, y) + cut_off(x, y)
}
