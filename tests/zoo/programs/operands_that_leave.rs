//! Statements that change something and whose operands leave the loop, the round or the function:
//! what they change stays as it was.
//!
//! @ x: {0.9, 1.2, 0.8, 1.1, 0.7, 0.95}; from: 3
//! @ x: {0.9, 0.6, 0.8, 1.1, 0.7, 0.95}; from: 1
//! @ x: {0.9, 1.2, 0.3, 1.1, 0.5, 0.95}; from: 9
//! @ x: {0.3, 1.2, 0.8, 1.1, 0.7}; from: 0
//! @ x: {0.9}; from: 2
//! @ x: {}; from: 2

use cotangent::prelude::*;

const LIMIT: f64 = 0.65;

#[derive(Clone, Copy, Differentiable)]
pub struct Pair {
    pub a: f64,
    pub b: f64,
}

#[differentiable]
fn scale(y: &mut [f64], k: f64) -> f64 {
    y[0] += 0.25;
    for v in y.iter_mut() {
        *v *= k;
    }
    y[1]
}

#[differentiable]
fn variables(x: &[f64], from: usize) -> f64 {
    let (mut a, mut c, mut d) = (0.5, 1.0, 2.0);
    for (i, v) in x.iter().enumerate() {
        a += 0.125;
        c *= if *v > LIMIT { *v } else { break };
        d = match i {
            0 => d * v,
            i if i < from => d + v,
            _ => continue,
        };
        (a, c) = if i != 2 { (c + 0.5, a * v) } else { continue };
        a = a * v + (if i < 4 { c } else { break }) * {
            c += 0.25;
            c
        };
    }
    let mut r = 1.0;
    for v in x {
        let old = std::mem::replace(&mut r, if *v > LIMIT { *v } else { break });
        d += old * r;
        let p = &mut r;
        *p = *p * 1.5 + if *v < 1.15 { *v } else { continue };
        let is_large = *v > 1.0 || if *v > 0.75 { *v > 0.85 } else { break };
        d *= if is_large { 1.25 } else { 0.75 };
    }
    a * c + d * r
}

#[differentiable]
fn parts(x: &[f64], from: usize) -> f64 {
    let mut y = vec![1.0, 0.5, 0.25];
    let mut p = Pair { a: 1.0, b: 0.5 };
    let mut t = (1.0, [2.0, 3.0]);
    let mut best = None;
    for (i, v) in x.iter().enumerate() {
        y[0] += 0.5;
        y[i % 3] = match x.get(i + 1) {
            Some(next) => next * y[0],
            None => break,
        };
        y[if i != 1 { i % 3 } else { continue }] *= *v;
        p = Pair {
            b: if *v > LIMIT { *v * p.b } else { continue },
            ..p
        };
        p.a *= if i != from { *v } else { break };
        t.1[i % 2] += if *v > 0.75 { t.0 } else { t.0 += 1.0; continue };
        best = Some(if *v > 0.85 { *v } else { continue });
    }
    y[0] * y[1] + y[2] * p.a * p.b + t.0 * t.1[0] + t.1[1] + best.unwrap_or(0.5)
}

#[differentiable]
fn calls(x: &[f64], from: usize) -> f64 {
    let mut y = vec![1.0, 0.5];
    let mut w = vec![0.5, 1.5];
    let mut m = ndarray::Array2::<f64>::ones((2, 2));
    let mut t = 0.5;
    for (i, v) in x.iter().enumerate() {
        t += scale(&mut y, if *v > LIMIT { *v } else { break });
        t += x[if i < from { i } else { continue }];
        w.swap(0, if *v > 0.75 { 1 } else { continue });
        w[0] += t;
        m.row_mut(i % 2).fill(if *v < 1.15 { *v } else { continue });
        t = t.max(0.25) + f64::min(t, if i < 4 { *v } else { break });
        for k in 0..(if i != 2 { 2 } else { continue }) {
            t += w[k] * v;
        }
        if (if i < 3 { *v } else { break }) < 1.0 {
            t *= 1.5;
        }
    }
    t + y[0] * y[1] + w[0] * w[0] + w[1] + m.sum() * m[[1, 0]]
}

#[differentiable]
fn returned(x: &[f64], from: usize) -> f64 {
    let mut t = 1.0;
    for (i, v) in x.iter().enumerate() {
        t = t * v + if i < from { 1.0 } else { return t * t };
        t -= 0.5 * v.sin() * if *v > LIMIT { t } else { return t + v };
    }
    t *= if x.len() > 1 { x[1] } else { return t * 3.0 };
    t * t
}

#[differentiable(value, grad, vjp, jvp)]
pub fn operands_that_leave(x: &[f64], from: usize) -> f64 {
    variables(x, from) + parts(x, from) + calls(x, from) + returned(x, from)
}
