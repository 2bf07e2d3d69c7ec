use cotangent::ndarray::Array1;
use cotangent::prelude::*;

#[derive(Clone, Differentiable)]
struct Lines {
    ends: [f64; 2],
    weights: Array1<f64>,
}

#[derive(Clone, Differentiable)]
struct Pair<T> {
    first: T,
    second: T,
}

#[differentiable(jacobian)]
fn with_arrays(x: &[f64; 2], y: &Array1<f64>) -> Lines {
    Lines {
        ends: *x,
        weights: y * x[0],
    }
}

#[differentiable(jacobian)]
fn generic<T: Real>(x: T) -> Pair<T> {
    Pair {
        first: x,
        second: x * x,
    }
}

#[differentiable(hessian)]
fn of_arrays(x: &Lines) -> f64 {
    x.ends[0] * x.weights.sum()
}

#[differentiable(jacobian)]
fn in_a_tuple(x: (Pair<f64>, f64)) -> Pair<f64> {
    Pair {
        first: x.0.first,
        second: x.1,
    }
}

#[differentiable(jvps)]
fn several_with_arrays(x: &Lines) -> f64 {
    x.ends[0] * x.weights.sum()
}

#[derive(Clone, Differentiable)]
struct Counted {
    slope: f64,
    count: usize,
}

#[differentiable(vjps)]
fn counted(x: &Counted) -> f64 {
    x.slope * x.count as f64
}

#[differentiable]
fn calls_several(x: &Counted, along: &Array1<f64>) -> f64 {
    let (_, all) = counted_vjps(x, along);
    all[0].slope
}

fn main() {}
