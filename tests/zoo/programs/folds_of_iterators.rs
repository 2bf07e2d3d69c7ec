//! Folds of iterators whose states are numbers, tuples and arrays, one item after another.
//!
//! @ x: [4]; y: [4]; a: [3, 2]
//! @ x: [1]; y: [1]; a: [1, 2]
//! @ x: [0]; y: [0]; a: [0, 2]

use cotangent::prelude::*;
use ndarray::{Array1, Array2, Zip};

#[differentiable(value, grad, vjp, jvp)]
pub fn folds_of_iterators(x: &Array1<f64>, y: &Array1<f64>, a: &Array2<f64>) -> f64 {
    // Horner's scheme, from the end.
    let horner = x.iter().rev().fold(0.5, |s, c| s * y.len() as f64 * 0.3 + c);
    let (even, odd) = (x.iter().zip(y).enumerate()).fold((1.0, 0.0), |(e, o), (i, (x, y))| {
        if i % 2 == 0 { (e * x, o) } else { (e, o + y * e) }
    });
    let state = Array1::from_elem(a.ncols(), 0.5);
    let last = a.outer_iter().skip(1).fold(state, |s, row| (&s * &row).mapv(f64::cos) + s[0]);
    let mixed = Zip::from(x).and(y).fold(1.0, |s: f64, &x, &y| (s * x - y).tanh());
    let all = a.fold(0.1, |s: f64, v| (s + v).sin());
    let count = (1..4).map(|k| k as f64 * mixed).fold(all, |s: f64, v| (s * v).exp());
    horner * even + odd + last.sum() + count
}
