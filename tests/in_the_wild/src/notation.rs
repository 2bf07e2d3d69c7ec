//! Constants, aliases, patterns, conversions and methods of ndarray.

use cotangent::prelude::*;
use ndarray::linalg::general_mat_mul;
use ndarray::*;
type Vector = Array1<f64>;
type Matrix = Array2<f64>;
const TABLE: [f64; 8] = [1.0, 0.5, 0.25, 0.125, 2.0, 3.0, 4.0, 5.0];
static GAINS: [f64; 3] = [0.1, 0.2, 0.7];
#[differentiable]
fn tabled(x: &[f64]) -> f64 {
    x.iter()
        .enumerate()
        .map(|(i, v)| TABLE[(i * 3) % 8] * v.powi(2) + GAINS[i % 3])
        .sum()
}

#[differentiable]
fn aliased(a: &Matrix, x: &Vector) -> Vector {
    let y: Vector = a.dot(x);
    y.mapv(f64::tanh)
}

#[differentiable]
fn inner_items(x: f64) -> f64 {
    use std::f64::consts::E;
    const K: f64 = 2.0;
    fn sq(x: f64) -> f64 {
        x * x
    }
    sq(x) * K + E.powf(x)
}

#[differentiable]
fn pats((a, b): (f64, f64), [c, d]: [f64; 2]) -> f64 {
    a * c + b * d
}

#[differentiable]
fn axes(a: &Array2<f64>) -> f64 {
    let axis = Axis(1);
    let m: Array1<f64> = a.sum_axis(axis);
    let n = a.len_of(axis) as f64;
    m.iter().map(|v| (v / n).sin()).sum()
}

#[differentiable]
fn conversions(x: &[f64], k: f32, n: u8) -> f64 {
    let a: Array1<f64> = x.to_vec().into();
    let b = Array1::from(x.to_vec());
    let c = Array1::from_vec(vec![f64::from(k); x.len()]);
    let d = n as f64;
    let e = f64::from(n) + n as i32 as f64;
    (a * b * c).sum() * d + e
}

#[differentiable]
fn bits(x: &[f64], mask: usize) -> f64 {
    let mut t = 0.0;
    for i in 0..x.len() {
        if (mask >> i) & 1 == 1 {
            t += x[i];
        } else {
            t -= x[i ^ 1].powi(2);
        }
    }
    t
}

#[differentiable]
fn from_fns(x: f64) -> f64 {
    let p: [f64; 5] = std::array::from_fn(|i| x.powi(i as i32));
    let q = [0.0, 1.0, 2.0].map(|i| p[1] * 2.0 * i);
    let _q: [f64; 3] = core::array::from_fn(|i| p[i] * 2.0);
    p.iter().sum::<f64>() + q[2]
}

#[differentiable]
fn slices(x: &[f64]) -> f64 {
    match x {
        [] => 0.0,
        [a] => a * a,
        [first, .., last] => first * last,
    }
}

#[differentiable]
fn chunked(x: &[f64]) -> f64 {
    x.chunks(3).map(|c| c.iter().product::<f64>()).sum::<f64>()
        + *x.iter()
            .max_by(|a, b| a.partial_cmp(b).unwrap())
            .unwrap_or(&0.0)
}

#[differentiable]
fn scans(x: &[f64]) -> f64 {
    let c: Vec<f64> = x
        .iter()
        .scan(1.0, |acc, v| {
            *acc *= 0.9;
            *acc += v;
            Some(*acc)
        })
        .collect();
    let (a, b): (Vec<f64>, Vec<f64>) = c.iter().map(|v| (v.sin(), v.cos())).unzip();
    let all = [a, b].concat();
    let last = all.last().copied().unwrap_or_default();
    all.iter().sum::<f64>() * last
}

#[differentiable]
fn nd_misc(a: &Array2<f64>, b: &Array2<f64>, step: usize) -> f64 {
    let mut t = a.slice_axis(Axis(0), Slice::from(0..2)).sum();
    t += a.slice(s![..;step as isize, ..]).sum();
    t += a.triu(1).sum() * a.tril(-1).sum();
    t += ndarray::linalg::kron(a, b).sum();
    let mut c = a.clone();
    c.swap_axes(0, 1);
    t += c[[1, 0]];
    let mut d = a.clone();
    d.invert_axis(Axis(0));
    t += d[[0, 0]] * 3.0;
    let mut e = a.clone();
    e.accumulate_axis_inplace(Axis(1), |&p, q| *q += p);
    t += e[[0, 1]];
    t += a.fold_axis(Axis(1), 1.0, |acc, v| acc * v).sum();
    let mut g = Array2::zeros((a.nrows(), b.ncols()));
    general_mat_mul(0.5, a, b, 0.0, &mut g);
    t += g.mapv(|v| v * v).sum();
    let y = a.clone().into_dyn();
    t += y.sum();
    for ch in a.axis_chunks_iter(Axis(0), 2) {
        t += ch.sum().powi(2);
    }
    t += a
        .windows((2, 2))
        .into_iter()
        .map(|w| w[[0, 0]] * w[[1, 1]])
        .sum::<f64>();
    let z = arr0(t);
    t += z.sum();
    t
}

#[differentiable]
fn rows_added(x: &Array2<f64>, at: &[usize], n: usize) -> f64 {
    let mut out = Array2::<f64>::zeros((n, x.ncols()));
    for (k, &i) in at.iter().enumerate() {
        let mut r = out.row_mut(i);
        r += &x.row(k);
    }
    out.mapv(|v| v * v).sum()
}

#[differentiable]
fn residual_loop(a: &Array2<f64>, r0: &Array1<f64>) -> f64 {
    let mut r = r0.clone();
    let mut k = 0;
    while r.dot(&r) > 1e-3 && k < 10 {
        r = &r - &a.dot(&r);
        k += 1;
    }
    r.sum()
}

#[differentiable]
fn size_inside(x: &Array1<f64>) -> f64 {
    let mut parts = Vec::new();
    for i in 1..x.len() {
        let m = x.len() / i;
        let p: f64 = (0..m).map(|j| x[j] * i as f64).sum();
        parts.push(p);
    }
    parts.iter().map(|v| v.sin()).sum()
}

sized! {
    tabled_: tabled, tabled_value_and_grad, n in [0, 1, 9, 65, 300], x: list(n) => (&x);
    inner: inner_items, inner_items_value_and_grad, n in [1], x: 0.4 => (x);
    pats_: pats, pats_value_and_grad, n in [1], a: (0.2, 0.3), b: [0.4, 0.5] => (a, b);
    axes_: axes, axes_value_and_grad, n in [0, 1, 9], a: matrix(n, 3) => (&a);
    bits_: bits, bits_value_and_grad, n in [0, 2, 8], x: list(n) => (&x, 0b1011_0110);
    fromf: from_fns, from_fns_value_and_grad, n in [1], x: 0.7 => (x);
    slic: slices, slices_value_and_grad, n in [0, 1, 9, 65], x: list(n) => (&x);
    chu: chunked, chunked_value_and_grad, n in [0, 1, 9, 65], x: list(n) => (&x);
    sca: scans, scans_value_and_grad, n in [0, 1, 9, 65, 300], x: list(n) => (&x);
    misc: nd_misc, nd_misc_value_and_grad, n in [4], a: matrix(n, 4), b: matrix(n, 4) => (&a, &b, 2);
    rows_: rows_added, rows_added_value_and_grad, n in [1, 9], x: matrix(n, 3); at: vec![0; n] => (&x, &at, 2);
    resid: residual_loop, residual_loop_value_and_grad, n in [0, 1, 5], a: matrix(n, n) * 0.2, x: vector(n) => (&a, &x);
    siz: size_inside, size_inside_value_and_grad, n in [0, 1, 9, 65], x: vector(n) => (&x);
}
