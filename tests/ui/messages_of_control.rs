//! What is said about branches, patterns, and what leaves a function or a loop.

use cotangent::prelude::*;

const LIMIT: f64 = 2.0;

#[differentiable]
fn matched(x: f64, n: usize, b: bool) -> f64 {
    let mut y = x;
    let p = match x {
        LIMIT => x,
        _ => 0.0,
    };
    let q = if b { y = 2.0; };
    let s = { let z = x; };
    let r = if b && let 0 = n { x } else { 0.0 };
    let 0.. = n;
    x
}

fn checked(x: f64) -> Option<f64> {
    Some(x)
}

#[differentiable]
fn early(x: f64) -> Option<f64> {
    let y = checked(x)?;
    Some(y * y)
}

#[differentiable]
fn outside(x: f64, n: usize) -> f64 {
    let a = async { x };
    let b = unsafe { x };
    let mut y = x;
    let c = y = 2.0;
    let d = &raw const x;
    let e = if n > 3 { x } else { panic!("no value") };
    x
}

#[differentiable]
fn sides(x: f64, n: usize) -> f64 {
    let mut t = x;
    if n > 3 {
        t += 1.0;
        if x > 1.0 {
            return x;
        }
        t *= 2.0;
    } else {
        t += 2.0;
    }
    t * x
}

#[differentiable]
fn unused(x: &[f64], n: usize) -> f64 {
    let mut y = x.to_vec();
    let mut z = x.to_vec();
    x[0];
    x[0] * 2.0;
    y.reserve(3);
    y.push(2.0);
    (if n > 2 { &mut y } else { &mut z })[0] = 2.0;
    x[0]
}

#[differentiable]
fn shorter(x: &[f64]) -> f64 {
    let mut y = x.to_vec();
    let z = y.pop();
    x[0]
}

#[differentiable]
fn loops(x: &[f64], n: usize) -> f64 {
    let mut t = 0.0;
    for i in 0.. {
        t += x[i];
    }
    for i in 0..n {
        if x[i] > 0.0 {
            t += x[i];
            if t > 3.0 {
                continue;
            }
            t += 1.0;
        }
        t += 2.0;
    }
    for i in 0..n {
        t += if x[i] > 0.0 { break } else { 1.0 };
    }
    t
}

fn main() {}
