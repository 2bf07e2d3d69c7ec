//! What is said about elements, parts and shapes of arrays.

use cotangent::prelude::*;
use ndarray::{Array1, Array2, Axis, Zip, array, azip, s};

#[differentiable]
fn elements(x: &Array1<f64>, a: &Array2<f64>, n: usize) -> f64 {
    let b = a.shape()[3];
    let c = a.get([0, 0]).unwrap();
    let d = a.diff(n, Axis(0));
    let e: [f64; 0] = [];
    let f = [[1.0, 2.0], [3.0, 4.0]].concat();
    let g = (n, n).max((n, 2));
    let h = x.strides();
    let i = Array1::from_elem(3, x.clone());
    let j = a.as_slice().unwrap();
    x[0]
}

#[differentiable]
fn parts(x: &Array1<f64>, a: &Array2<f64>, n: usize) -> f64 {
    let mut part = s![1..];
    let b = x.slice(part)[0];
    let c = a.view().permuted_axes([0, n]);
    let d = a.view().permuted_axes([0, 0]);
    let e = x.view().insert_axis(Axis(0)).insert_axis(Axis(0)).insert_axis(Axis(0));
    let f = e.insert_axis(Axis(0)).insert_axis(Axis(0));
    let g = ndarray::stack![Axis(0), f.view(), f.view()];
    let h = f.insert_axis(Axis(0));
    let k = a.clone().into_shape((n, n));
    let i = a.clone().into_dimensionality::<ndarray::Ix1>().unwrap();
    x[0]
}

#[differentiable]
fn made(x: &Array1<f64>, n: usize) -> f64 {
    let b: Array1<f64> = array![];
    let list = [x.view(), x.view()];
    let c = ndarray::concatenate(Axis(0), &list).unwrap();
    let d = x.mapv(|v| x * v);
    azip!((p in x) assert!(*p > 0.0));
    x[0]
}

#[differentiable]
fn optional(x: &Array1<f64>) -> f64 {
    let a = x.mean().map(|m| m + 1.0);
    let b = x.first().unwrap_or_else(|| &0.0);
    let c = x.first().is_some();
    x[0]
}

#[differentiable]
fn exchanged(a: &Array2<f64>) -> f64 {
    let mut b = a.clone();
    b.swap((0, 0), (1, 1));
    b.sum()
}

#[differentiable]
fn widened(x: &Array1<f64>, a: &Array2<f64>) -> f64 {
    let mut y = x.clone();
    y += a;
    y.sum()
}

#[differentiable]
fn pairs(x: &Array1<f64>, n: usize) -> f64 {
    let mut c = [(x[0], x[1]), (x[1], x[0])];
    c[n].1 = 2.0;
    c[0].0
}

#[differentiable]
fn largest(x: &Array1<f64>, a: &Array2<f64>, k: &Array1<usize>, n: usize) -> f64 {
    let b = (0..n).max().unwrap();
    let c = k.iter().min().unwrap();
    let d = (0..n).filter(|i| x[*i] > 0.0).min().unwrap();
    let e = (0..n).fold(0, |p, q| p.max(q));
    let f = a.rows().into_iter().fold(a.clone(), |p, q| p + &q);
    x[b]
}

#[differentiable]
fn iterated(x: &Array1<f64>, n: usize) -> f64 {
    let a = x.iter().filter(|v| **v > 0.0).next().unwrap();
    let b = x.iter().filter(|v| **v > 0.0).enumerate().map(|(i, v)| *v).sum::<f64>();
    let c = x.iter().zip(x.iter().filter(|v| **v > 0.0)).map(|(p, q)| p * q).sum::<f64>();
    let d = (0..).chain(0..n).map(|i| x[i]).sum::<f64>();
    let e = (0..).count();
    let f = Zip::from(x).all(|p| *p > 0.0);
    let h = x.iter().zip(x.first()).map(|(p, q)| p * q).sum::<f64>();
    x[0]
}

#[differentiable]
fn rows(m: &[[f64; 3]]) -> f64 {
    let a = &m[1..];
    m[0][0]
}

#[derive(Clone, Differentiable)]
struct Spring {
    stiffness: f64,
}

#[differentiable]
fn springs(s: &Spring) -> f64 {
    let a = vec![s.clone()];
    let b = ndarray::arr1(&[(s.stiffness, 1.0)]);
    s.stiffness
}

#[differentiable]
fn ragged(x: &Array1<f64>, n: usize) -> f64 {
    sum(n, |i| x.slice(s![..i]).dot(&x.slice(s![i..])))
        + sum(n, |i| x.slice(s![..i]).dot(&build((n, n), |(p, q)| x[p])).sum())
}

fn main() {}
