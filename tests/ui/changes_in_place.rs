use cotangent::prelude::*;
use ndarray::{Array1, Array2, ArrayViewMut1, Axis, Zip};

#[differentiable]
fn methods(x: &Array1<f64>, a: &Array2<f64>) -> f64 {
    let mut y = x.clone();
    let mut b = a.clone();
    b.swap_axes(0, 1);
    y.map_inplace(|v| *v *= 2.0);
    b.row_mut(0).mapv_inplace(|v| v + 1.0);
    Zip::from(&mut y).and(x).for_each(|p, &q| *p += q);
    let mut list = y.to_vec();
    list.sort_by(f64::total_cmp);
    let row = b.row_mut(0);
    y.sum()
}

#[differentiable]
fn lists(x: &[f64]) -> f64 {
    let mut list = vec![];
    while list.len() < x.len() {
        list.push(x[0]); if x[0] > 9.0 { return x[0]; }
    }
    let mut more: Vec<f64> = Vec::with_capacity(3);
    more.insert(0, x[0]);
    let mut pairs = Vec::new();
    for v in x {
        pairs.push((v, 1.0));
    }
    list[0] + more[0] + pairs[0].0
}

#[differentiable]
fn references(x: &Array1<f64>) -> f64 {
    let mut y = x.clone();
    for (i, v) in y.iter_mut().enumerate() {
        *v *= i as f64;
    }
    let mut t = 0.0;
    let r = &mut t;
    *r += 1.0;
    let add = |to: &mut f64| *to += 1.0;
    add(&mut t);
    let mut count = |by: f64| t += by;
    count(2.0);
    twice(&mut y);
    y.sum() + t
}

fn twice(y: &mut Array1<f64>) {
    y.mapv_inplace(|v| 2.0 * v);
}

#[differentiable]
fn equal(x: &Array1<f64>, y: &Array1<f64>) -> f64 {
    if x == y { 1.0 } else { x.sum() }
}

#[differentiable]
fn borrowed_by_condition(x: &[f64]) -> f64 {
    let mut a = x.to_vec();
    let mut b = x.to_vec();
    let p = if x[0] > 0.0 { &mut a } else { &mut b };
    p[0] *= 10.0;
    let q = 'found: {
        if x[1] > 0.0 {
            break 'found &mut a[..1];
        }
        &mut b[1..]
    };
    q[0] = 2.0;
    let mut r = &mut a;
    r = &mut b;
    r[0] = 1.0;
    a[0] + b[0]
}

#[differentiable]
fn borrowed_in_lists(x: &[f64]) -> f64 {
    let mut a = x.to_vec();
    let mut b = x.to_vec();
    let items: Vec<_> = a.chunks_mut(1).collect();
    let both = [&mut a, &mut b];
    for k in 0..2 {
        both[k][0] *= 2.0;
    }
    a[0] + b[0]
}

#[differentiable]
fn views(m: &Array2<f64>) -> f64 {
    let mut a = m.clone();
    let mut flat = a.view_mut().into_shape_with_order(4).unwrap();
    flat[0] *= 2.0;
    let mut turned = a.view_mut();
    turned.swap_axes(0, 1);
    turned[[0, 1]] = 3.0;
    a.sum()
}

#[differentiable]
fn parameters(x: &[f64], mut y: &mut [f64], z: &mut [f64]) {
    y[0] = x[0];
    y = &mut y[1..];
    let p = if x[0] > 0.0 { y } else { z };
    p[0] = x[1];
}

#[differentiable]
fn turned_parameter(x: &[f64], mut y: ArrayViewMut1<'_, f64>) {
    y.invert_axis(Axis(0));
    y[0] = x[0];
}

fn main() {}
