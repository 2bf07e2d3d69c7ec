use cotangent::ndarray::{Array1, Array2, Axis, s};
use cotangent::prelude::*;

#[differentiable]
fn f(a: &Array2<f64>, x: &Array1<f64>) -> f64 {
    let n = x.len();
    let rows = sum(n, |i| a.slice(s![..i, ..]).sum_axis(Axis(0))[0]);
    let dots = sum(n, |i| x.slice(s![..i]).dot(&x.slice(s![n - i..])));
    let mut y = x.clone();
    y.slice_mut(s![..; n as isize]).fill(0.0);
    rows + dots + y.sum() + x.slice(s![1..; n as isize - 2]).sum()
}

fn main() {}
