//! Programs over whole arrays refuse the same arguments as the functions as written, and take all
//! others.

#![expect(
    clippy::reversed_empty_ranges,
    reason = "an end below zero in `s!` counts from the end"
)]

use cotangent::ndarray::{Array1, Array2, Axis, concatenate, s, stack};
use cotangent::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};

fn works<T>(f: impl FnOnce() -> T) -> bool {
    catch_unwind(AssertUnwindSafe(f)).is_ok()
}

fn vector(n: usize) -> Array1<f64> {
    Array1::from_shape_fn(n, |i| 0.5 + i as f64)
}

fn matrix(n: usize, m: usize) -> Array2<f64> {
    Array2::from_shape_fn((n, m), |(i, j)| 0.3 + (i * m + j) as f64)
}

/// Both work, or neither does.
macro_rules! same {
    ($f:ident, $grad:ident, $($arg:expr),*) => {{
        let (plain, derived) = (works(|| $f($($arg),*)), works(|| $grad($($arg),*)));
        assert_eq!(plain, derived, "{} of {:?}", stringify!($f), ($($arg),*));
    }};
}

#[differentiable]
fn sums(a: &Array2<f64>, x: &Array1<f64>) -> f64 {
    (a + x).sum()
}

#[differentiable]
fn columns(a: &Array2<f64>, x: &Array1<f64>) -> f64 {
    (a * &x.view().insert_axis(Axis(1))).sum()
}

#[differentiable]
fn products(a: &Array2<f64>, x: &Array1<f64>) -> f64 {
    a.dot(x).sum() + a.t().dot(&a.dot(&a.t())).sum()
}

#[differentiable]
fn reshaped(a: &Array2<f64>, x: &Array1<f64>) -> f64 {
    (&a.to_shape(x.len()).unwrap() * x).sum()
}

#[differentiable]
fn centred(a: &Array2<f64>, x: &Array1<f64>) -> f64 {
    let means = a.mean_axis(Axis(0)).unwrap();
    means.sum() + x.mean().unwrap()
}

#[differentiable]
fn joined(a: &Array2<f64>, x: &Array1<f64>) -> f64 {
    let row = x.view().insert_axis(Axis(0));
    let tall = concatenate(Axis(0), &[a.view(), row]).unwrap();
    let twice = stack![Axis(0), x.view(), x.view()];
    tall.sum() + twice.sum()
}

#[differentiable(allow(zero_gradient))]
fn broadcasted(a: &Array2<f64>, x: &Array1<f64>) -> f64 {
    x.broadcast(a.dim()).unwrap().sum()
}

#[differentiable]
fn first_and_rest(a: &Array2<f64>, x: &Array1<f64>) -> f64 {
    a.slice(s![0, 1..]).sum() + x.slice(s![2..]).sum() + x.slice(s![..-1]).sum()
}

#[differentiable]
fn inner(a: &Array2<f64>, x: &Array1<f64>) -> f64 {
    a.slice(s![1..-1, ..;2]).sum() + x.slice(s![1..-1;-1]).sum() + x.slice(s![..;3]).sum()
}

#[differentiable]
fn rows(a: &Array2<f64>, x: &Array1<f64>) -> f64 {
    let scores = a.rows().into_iter().map(|row| row.dot(x)).sum::<f64>();
    scores
        + a.outer_iter()
            .zip(x)
            .map(|(row, s)| row.sum() * s)
            .sum::<f64>()
}

#[differentiable]
fn zipped(a: &Array2<f64>, x: &Array1<f64>) -> f64 {
    a.iter().zip(x).map(|(p, q)| p * q).sum::<f64>() + x.iter().skip(2).zip(a).count() as f64
}

#[differentiable]
fn elements(a: &Array2<f64>, x: &Array1<f64>) -> f64 {
    let some = x.get(2).copied().unwrap_or(1.0) + x.first().copied().unwrap_or(2.0);
    some + x.last().unwrap()
        + a.diag().sum()
        + x.windows(2).into_iter().map(|w| w[0] * w[1]).sum::<f64>()
}

#[test]
fn the_same_arguments_are_refused() {
    for n in 0..4 {
        for m in 0..4 {
            for k in 0..5 {
                // A length of 1 that is only known at run time is not stretched, and where an array
                // is empty there is no row to compare with.
                let stretched = [n, m, k].into_iter().any(|n| n < 2);
                let (a, x) = (&matrix(n, m), &vector(k));
                if !stretched {
                    same!(sums, sums_grad, a, x);
                    same!(columns, columns_grad, a, x);
                    same!(broadcasted, broadcasted_grad, a, x);
                }
                same!(products, products_grad, a, x);
                same!(reshaped, reshaped_grad, a, x);
                same!(centred, centred_grad, a, x);
                same!(joined, joined_grad, a, x);
                same!(first_and_rest, first_and_rest_grad, a, x);
                same!(inner, inner_grad, a, x);
                same!(rows, rows_grad, a, x);
                same!(zipped, zipped_grad, a, x);
                same!(elements, elements_grad, a, x);
            }
        }
    }
}

#[test]
fn what_does_not_fit_is_said() {
    let panics = catch_unwind(AssertUnwindSafe(|| sums_grad(&matrix(2, 3), &vector(4))));
    let message = panics.expect_err("sizes differ");
    let message = message.downcast_ref::<String>().expect("a message");
    assert_eq!(
        message,
        "sums_grad: `a` has 3 columns but `x` has 4 elements (a.ncols() must be x.len())"
    );
}
