//! The determinant by minors of the first row.

use crate::call::{Answer, Call, Failure};
use serde::Deserialize;
use std::autodiff::autodiff_reverse;

/// The determinant of the last rows of `a`, which has `n` columns, and of those columns whose bits
/// are set.
#[autodiff_reverse(minor_reverse, Duplicated, Const, Const, Active)]
fn minor(a: &[f64], n: usize, columns: u32) -> f64 {
    let row = n - columns.count_ones() as usize;
    if row == n {
        return 1.0;
    }
    let mut total = 0.0;
    let mut sign = 1.0;
    let mut left = columns;
    while left != 0 {
        let j = left.trailing_zeros();
        total += sign * a[row * n + j as usize] * minor(a, n, columns & !(1 << j));
        sign = -sign;
        left &= left - 1;
    }
    total
}

#[derive(Deserialize)]
struct Input {
    #[serde(rename = "A")]
    a: Vec<f64>,
    ell: usize,
}

pub(crate) fn call(call: &Call<'_>) -> Result<Answer, Failure> {
    let Input { a, ell } = call.input()?;
    let all = (1 << ell) - 1;
    match call.function {
        "primal" => call.time(|| minor(&a, ell, all), |value| value),
        "gradient" => call.time(
            || {
                let mut gradient = vec![0.0; a.len()];
                minor_reverse(&a, &mut gradient, ell, all, 1.0);
                gradient
            },
            |gradient| gradient,
        ),
        _ => call.unknown(),
    }
}
