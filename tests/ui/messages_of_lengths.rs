//! What is said about lengths that are not known soon enough.

use cotangent::prelude::*;
use ndarray::{Array1, s};

#[differentiable]
fn stated(x: &Array1<f64>, n: usize) -> f64 {
    let y = scan(n, (1, build(3, |i| x[i])), |(k, y), i| (k * 2, build(k, |j| y[0])));
    x[0]
}

#[differentiable]
fn collected(x: &Array1<f64>, n: usize) -> f64 {
    let y = build(n, |i| {
        checkpoint(|| {
            let m = fold(n, 1, |s, j| s + j * i);
            build(m, |i| x[i])
        })
    });
    y.sum()
}

#[differentiable]
fn carried_out(x: &Array1<f64>, n: usize) -> f64 {
    let y = checkpoint(|| {
        let m = fold(n, 1, |s, j| s + j * j);
        build(m, |i| x[i])
    });
    y.sum()
}

#[differentiable]
fn inside(x: &Array1<f64>, n: usize) -> f64 {
    let m = fold(n, 1, |s, j| s + j);
    sum(n, |i| {
        let k = fold(n, 1, |s, j| s + j * i);
        build(k, |j| x[j] * x[i]).sum()
    })
}

#[differentiable]
fn sides(x: &Array1<f64>, n: usize) -> f64 {
    sum(n, |i| {
        let y = if x[i] > 0.0 {
            build(2, |j| x[j])
        } else {
            build(3, |j| x[j] * x[i])
        };
        let z = if x[i] > 1.0 {
            y.clone()
        } else {
            x.clone()
        };
        y.sum() + z.sum()
    })
}

#[differentiable]
fn growing(x: &Array1<f64>, n: usize) -> f64 {
    let mut y = x.clone();
    for i in 0..n {
        y = build(y.len() + 1, |_| x[i]);
    }
    y.sum()
}

#[differentiable]
fn replaced(x: &Array1<f64>, n: usize) -> f64 {
    let mut y = x.clone();
    for i in 0..n {
        let k = fold(i, 1, |s, j| s * 2);
        y.slice_mut(s![..k]).assign(&x.slice(s![..i]));
    }
    y.sum()
}

#[differentiable]
fn rounds(x: &Array1<f64>, n: usize) -> f64 {
    sum(n, |i| {
        let mut t = 0.0;
        for k in 0..n {
            let z = build(k, |j| x[j]);
            t = t * x[0] + z.sum() * i as f64;
        }
        t
    })
}

fn main() {}
