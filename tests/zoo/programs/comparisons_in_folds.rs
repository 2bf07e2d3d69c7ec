//! Folds that keep the larger or the smaller of two numbers by a comparison, which NaN fails.
//!
//! @ x: [5]
//! @ x: [1]
//! @ x: [0]
//! @ x: {NaN, 1.0} @@ nonsmooth nonfinite
//! @ x: {1.0, NaN} @@ nonsmooth nonfinite

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn comparisons_in_folds(x: &[f64]) -> Array1<f64> {
    let all = x.iter().copied();
    let most = all.clone().reduce(|a, b| if b > a { b } else { a }).unwrap_or(0.5);
    let least = all.clone().reduce(|a, b| if a < b { a } else { b }).unwrap_or(0.5);
    let high = x.iter().fold(-9.0, |a, &b| if a > b { a } else { b });
    let low = x.iter().fold(9.0, |a, &b| if a <= b { a } else { b });
    let top = x.iter().fold(-9.0, |a, &b| if b > a { b } else { a });
    let close = all.filter(|v| *v < 3.0).fold(9.0, |a, b| if b < a { b } else { a });
    Array1::from_vec(vec![most, least, high, low, top, close])
}
