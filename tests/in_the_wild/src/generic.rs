//! Generic numeric code over the traits of `num_traits` and ndarray.

use cotangent::prelude::*;
use ndarray::{Array1, Array2, ArrayBase, Data, Ix1, Ix2, NdFloat};
use num_traits::Float;
use std::iter::Sum;

#[differentiable(grad)]
fn rosenbrock<T: Float>(x: &[T]) -> T {
    let hundred = T::from(100.0).unwrap();
    x.windows(2).fold(T::zero(), |sum, w| {
        sum + hundred * (w[1] - w[0] * w[0]).powi(2) + (T::one() - w[0]).powi(2)
    })
}

#[differentiable(grad)]
fn variance<T: Float + Sum>(x: &[T]) -> T {
    let n = T::from(x.len()).unwrap();
    let mean = x.iter().copied().sum::<T>() / n;
    x.iter().map(|&v| (v - mean).powi(2)).sum::<T>() / n
}

#[differentiable(grad)]
fn huber<T>(residuals: &[T], delta: T) -> T
where
    T: Float,
{
    let half = T::from(0.5).unwrap();
    let mut total = T::zero();
    for &r in residuals {
        let a = r.abs();
        total = total
            + if a <= delta {
                half * r * r
            } else {
                delta * (a - half * delta)
            };
    }
    total
}

#[differentiable(grad)]
fn log_sum_exp<T: Float>(x: &[T]) -> T {
    let largest = x.iter().copied().fold(T::neg_infinity(), T::max);
    let sum = x.iter().fold(T::zero(), |s, &v| s + (v - largest).exp());
    largest + sum.ln()
}

#[differentiable(grad)]
fn safe_norm<T: Float>(x: &[T]) -> T {
    (x.iter().fold(T::zero(), |s, &v| s + v * v) + T::epsilon()).sqrt()
}

#[differentiable(grad)]
fn dense_layer<A: NdFloat>(w: &Array2<A>, b: &Array1<A>, x: &Array1<A>) -> A {
    (w.dot(x) + b).mapv(|v| v.tanh()).sum()
}

#[differentiable(grad)]
fn squared_norm<S: Data<Elem = f64>>(x: &ArrayBase<S, Ix1>) -> f64 {
    x.dot(x)
}

#[differentiable(grad)]
fn weighted_rows<S, R>(a: &ArrayBase<S, Ix2>, w: &ArrayBase<R, Ix1>) -> f64
where
    S: Data<Elem = f64>,
    R: Data<Elem = f64>,
{
    a.rows()
        .into_iter()
        .zip(w.iter())
        .map(|(row, w)| w * row.sum().powi(2))
        .sum()
}

#[differentiable(grad)]
fn frobenius<T: NdFloat, S: Data<Elem = T>>(a: &ArrayBase<S, Ix2>) -> T {
    a.iter().fold(T::zero(), |sum, &v| sum + v * v).sqrt()
}

#[differentiable(grad)]
fn median_of<T: Float>(x: &[T]) -> T {
    let mut sorted = x.to_vec();
    sorted.sort_by(|a, b| a.partial_cmp(b).unwrap());
    sorted[sorted.len() / 2]
}

#[test]
fn the_same_in_single_precision() {
    let (x, y) = ([0.5f32, -1.0, 2.0], [0.5f64, -1.0, 2.0]);
    for (a, b) in rosenbrock_grad(&x).into_iter().zip(rosenbrock_grad(&y)) {
        assert!((f64::from(a) - b).abs() < 1e-3 * (1.0 + b.abs()));
    }
    assert_eq!(median_of_grad(&x), [1.0, 0.0, 0.0]);
    assert_eq!(
        frobenius_grad(&ndarray::array![[3.0f32, 4.0]]),
        ndarray::array![[0.6, 0.8]]
    );
    assert_eq!(
        squared_norm_grad(&ndarray::array![3.0, 4.0].view()),
        ndarray::array![6.0, 8.0]
    );
}

tests! {
    rosenbrock_is: rosenbrock, rosenbrock_value_and_grad, x: list(9) => (&x);
    rosenbrock_of_nothing_is: rosenbrock, rosenbrock_value_and_grad, x: list(0) => (&x);
    variance_is: variance, variance_value_and_grad, x: list(65) => (&x);
    huber_is: huber, huber_value_and_grad, r: list(9), d: 0.4 => (&r, d);
    log_sum_exp_is: log_sum_exp, log_sum_exp_value_and_grad, x: list(9) => (&x);
    norm_is: safe_norm, safe_norm_value_and_grad, x: list(9) => (&x);
    layer_is: dense_layer, dense_layer_value_and_grad, w: matrix(3, 4), b: vector(3), x: vector(4) => (&w, &b, &x);
    squared_is: squared_norm, squared_norm_value_and_grad, x: vector(9) => (&x);
    weighted_is: weighted_rows, weighted_rows_value_and_grad, a: matrix(3, 4), w: vector(3) => (&a, &w);
    frobenius_is: frobenius, frobenius_value_and_grad, a: matrix(3, 4) => (&a);
    median_is: median_of, median_of_value_and_grad, x: list(9) => (&x);
}
