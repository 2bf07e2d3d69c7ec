use cotangent::ndarray::{Array1, Array2, Axis, Order, s};
use cotangent::prelude::*;

#[differentiable]
fn f(a: &Array2<f64>, x: &Array1<f64>, k: usize) -> f64 {
    let y = a.sum_axis(k);
    let z = x.mapv(|v| (v, v * v));
    let mut b = a.clone();
    b.swap_axes(0, 1);
    let c = x.slice(s![..; 1 - k as isize]);
    let d = a.to_shape(((6,), Order::ColumnMajor)).unwrap();
    let e = x.windows(k).into_iter().map(|w| w.to_vec()).count();
    y.sum() + z[0].0 + b.sum() + c.sum() + d.sum() + e as f64
}

fn main() {}
