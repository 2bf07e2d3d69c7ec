//! Variables that change in straight lines, branches and tuples.
//!
//! @ x: 0.5; y: 0.25; n: 0
//! @ x: 1.5; y: 0.75; n: 1
//! @ x: -0.5; y: 2.0; n: 2

use cotangent::prelude::*;

#[differentiable(value, grad, vjp, jvp)]
pub fn variables_that_change(x: f64, y: f64, n: usize) -> f64 {
    let mut a = x * y;
    let mut b = y;
    a += x.sin();
    if a > 1.0 {
        a -= b;
        b *= a;
    } else {
        b = a + 2.0 * b;
    }
    let mut p = (a, (b, 1.5));
    p.1.0 *= p.0;
    (a, b) = (p.1.0, p.0 - a);
    match n {
        0 => a += p.1.1,
        1 => {
            let t = a;
            a = b;
            b = t * t;
        }
        _ => b = 3.0,
    }
    let c;
    if b > a {
        c = b / (1.0 + a * a);
    } else {
        c = a;
    }
    a * b + c
}
