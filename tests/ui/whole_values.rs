use cotangent::prelude::*;
use ndarray::{Array1, Array2, Axis, Zip, array, s};

#[differentiable]
fn indices(x: &Array1<f64>, a: &Array2<f64>, m: [[f64; 3]; 3]) -> f64 {
    x[[0, 1]] + a[0] + a.shape()[2] as f64 + m[[0, 1]] + m[7][0] + x.nrows() as f64
        + a.slice(s![1..])[0] + a.sum_axis(Axis(2))[0] + x.get(0).unwrap()
        + a.row(0, 1)[0]
}

#[differentiable]
fn shapes(x: &Array1<f64>, a: &Array2<f64>, n: usize) -> f64 {
    let b = a.broadcast(3).unwrap()[0];
    let c = x.to_shape(2, 2).unwrap();
    let d = a.select(Axis(0), n);
    let e = Array2::<f64>::zeros(n);
    let f = Array2::from_diag(a);
    let g = Array1::<f64>::linspace(0.0, 1.0, 3, 4);
    let h = Array2::<f64>::eye((n, n));
    let i = build((n, n, n, n, n, n, n), |t| x[0]);
    let j = ndarray::stack![Axis(0)];
    let k = array![1.0, n];
    x[0]
}

#[differentiable]
fn operations(x: &Array1<f64>, a: &Array2<f64>, n: usize, idx: &Array1<usize>) -> f64 {
    let b = x.dot(&idx);
    let c = x.mapv(|v, w| v);
    let d = idx.std(0.0);
    let e = x.mapv(|v| v > 0.0).sum();
    let f = scatter_add(n, n, |i| x[i]);
    let g = scatter_add(n, n, |i| ((i, i), x[i]));
    let h = sum(n, |i| x[i] > 0.0);
    let i = logsumexp(n, |i| a.row(i));
    let j = maximum(n, |i| i);
    let k = fold(n, |t: f64| t, |s, i| s);
    let l = fold(n, 0.0, |s, i| (s, x[i]));
    let m = x + a * n;
    x[0]
}

#[differentiable]
fn iterated(x: &Array1<f64>, a: &Array2<f64>, n: usize) -> f64 {
    let b = x.iter().inspect(|v| ()).sum::<f64>();
    let c = a.rows().into_iter().filter(|r| r[0] > 0.0).sum::<f64>();
    let d = x.iter().map(|v| *v > 0.0).sum::<f64>();
    let e = (0..n).max();
    let f = (0..).map(|i| x[i]).sum::<f64>();
    let g = Zip::from(x).and(a).map_collect(|p, q| p * q);
    let h = x.iter().filter_map(|v| Some(v)).sum::<f64>();
    let i = x.iter().scan(0.0, |s, v| Some(s + v)).sum::<f64>();
    let mut t = 0.0;
    for v in x.windows() {
        t += v[0];
    }
    for r in x.rows() {
        t += r[0];
    }
    for v in n {
        t += v;
    }
    t
}

fn main() {}
