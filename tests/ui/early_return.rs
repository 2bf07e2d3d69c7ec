use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable]
fn local(x: &Array1<f64>, n: usize) -> Array1<f64> {
    for i in 0..n {
        let y = x * (i as f64);
        if y[0] > 1.0 {
            return y;
        }
    }
    x * 2.0
}

#[differentiable]
fn in_closure(x: &[f64]) -> Option<f64> {
    let ends = |y: &[f64]| -> Option<f64> { Some(*y.first()? + *y.last()?) };
    ends(x)
}

#[differentiable]
fn with_value(x: f64) -> f64 {
    let mut t = x;
    let root = 0.0 + loop {
        t = 0.5 * (t + x / t);
        if (t * t - x).abs() < 1e-12 {
            return t;
        }
    };
    root * x
}

#[differentiable]
fn in_condition(x: &[f64]) -> Option<f64> {
    let mut t = 1.0;
    while t < *x.first()? {
        t *= 2.0;
    }
    Some(t * x[0])
}

#[differentiable]
fn other_patterns(x: f64, n: usize) -> f64 {
    let 0..=3 = n else {
        return x;
    };
    x * x
}

fn main() {}
