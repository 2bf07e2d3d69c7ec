//! Loops and labelled blocks that have values, inside of one another.
//!
//! @ x: {0.4, 0.7}; n: 2
//! @ x: {1.3, 0.6, 0.8}; n: 5
//! @ x: {2.5, 1.6, 0.8, -0.4, 0.3}; n: 9
//! @ x: {0.8}; n: 0

use cotangent::prelude::*;

#[differentiable]
fn nested(x: &[f64], n: usize) -> f64 {
    let a = loop {
        let q = loop {
            break x[0] * 2.0;
        };
        break q + 1.0;
    };
    let b = 'a: {
        let q = 'b: {
            if x[0] > 2.0 {
                break 'a x[0];
            }
            if x[0] > 1.0 {
                break 'b 7.0;
            }
            x[0]
        };
        q * a
    };
    let mut i = 0;
    let c = loop {
        i += 1;
        let q = 'b: {
            if i > n {
                break 'b b;
            }
            x[0] * i as f64
        };
        if q > 1.5 || i > n {
            break q * 2.0;
        }
    };
    let d = 'a: {
        let mut k = 0;
        let q = loop {
            k += 1;
            if k > i || k > 3 {
                break c + k as f64;
            }
        };
        if q > 4.0 {
            break 'a q;
        }
        q * q
    };
    a + b * c + d
}

#[differentiable]
fn anywhere(x: &[f64], n: usize) -> f64 {
    let mut r = 1.0;
    for v in x {
        r = loop {
            r += v * v + 0.25;
            if r > 1.0 {
                break v * r;
            }
        };
        r -= 2.0 * 'a: {
            if *v > 1.0 {
                break 'a r;
            }
            v * r
        };
    }
    let s = match n {
        0 => loop {
            break x[0] * 2.0;
        },
        1..=5 => 'a: {
            if x[1] > 0.65 {
                break 'a x[1];
            }
            x[0] * x[1]
        },
        _ => 1.0,
    };
    if n == 9 {
        return loop {
            r += 1.0;
            if r > 0.0 {
                break r * s;
            }
        };
    }
    r * s
}

#[differentiable(value, grad, vjp, jvp)]
pub fn nested_values_of_loops(x: &[f64], n: usize) -> f64 {
    nested(x, n) + anywhere(x, n)
}
