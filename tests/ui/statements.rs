use cotangent::prelude::*;
use ndarray::{Array1, Array2, s};

#[differentiable]
fn items(x: f64) -> f64 {
    fn twice<T: Copy + std::ops::Add<Output = T>>(x: T) -> T {
        x + x
    }
    use std::f64::consts::*;
    #[cfg(all())]
    let y = x;
    let (a, b);
    (a, b) = (x, x);
    twice(y) * PI + a + b
}

#[differentiable]
fn leaving(x: &Array1<f64>, n: usize) -> f64 {
    let Some(k) = n.checked_sub(1) else {
        return 0.0;
    };
    let mut t = 0.0;
    for i in 0..k {
        if x[i] > 0.0 {
            t += x[i];
            if t > 3.0 {
                break;
            }
            t += 1.0;
        }
        t += 2.0;
    }
    let found = 1.0 + loop {
        t += 1.0;
        if t > 9.0 {
            return t;
        }
    };
    if let Some(k) = n.checked_sub(2) {
        t += k as f64;
    }
    t + found
}

#[differentiable]
fn early(x: f64, n: usize) -> f64 {
    if n > 3 {
        if x > 1.0 {
            return x;
        }
    } else {
        return 2.0;
    }
    x * x
}

#[differentiable]
fn assigned(x: &Array1<f64>, a: &Array2<f64>) -> f64 {
    let mut y = x.clone();
    let mut b = a.clone();
    b.diag_mut().fill(1.0);
    b.slice_mut(s![..;2, ..]).fill(1.0);
    b.index_axis_mut(ndarray::Axis(x.len()), 0).fill(1.0);
    y.slice_mut(s![..-1]).fill(2.0);
    b.swap((0, 0), (1, 1));
    let z = y.fill(3.0);
    let mut k = x.len();
    k <<= 1;
    *y.first_mut().unwrap() = 2.0;
    y.sum() + b.sum() + k as f64
}

#[differentiable]
fn reassigned(x: &Array1<f64>, n: usize) -> f64 {
    let mut y = x.clone();
    y = y.mapv(|v| v + LOST);
    let t;
    if n > 2 {
        t = y[0];
    } else {
        t = 1.0;
    }
    s = t;
    t
}

#[differentiable]
fn conditions(x: &[f64], #[cfg(all())] n: usize) -> f64 {
    let mut a = x[n];
    #[cfg(debug_assertions)]
    {
        a *= 2.0;
    }
    #[cfg(not(debug_assertions))]
    if a > 0.0 {
        return 7.0;
    }
    match n {
        #[cfg(all())]
        0 => a,
        _ => 2.0 * a,
    }
}

#[differentiable]
fn recursive_item(x: f64, n: usize) -> f64 {
    fn power(x: f64, n: usize) -> f64 {
        if n == 0 { 1.0 } else { x * power(x, n - 1) }
    }
    power(x, n)
}

#[differentiable]
fn u16(x: f64) -> f64 {
    x
}

fn main() {}
