//! A search that ends where a residual is small, after a number of steps that depends on two
//! arguments, with a count of the steps; behind it a loop over what it collected.
//!
//! @ a: 2.0; b: 0.5; limit: 30
//! @ a: 0.3; b: -0.2; limit: 9
//! @ a: 1.0; b: 1.0; limit: 0
//! @ a: 7.0; b: 0.1; limit: 65
//! @ a: 7.0; b: 0.1; limit: 300

use cotangent::prelude::*;

#[differentiable(value, grad, vjp, jvp)]
pub fn columns_through_a_search(a: f64, b: f64, limit: usize) -> f64 {
    let mut x = 1.0;
    let mut speed = [b, 0.1 * a];
    let mut steps = 0;
    while (x * x - a).abs() > 1e-9 && steps < limit {
        let slope = 2.0 * x + 0.01 * speed[0];
        x -= (x * x - a) / slope;
        speed = [0.5 * speed[0] + b * x.sin(), speed[1] + 0.01 * x];
        steps += 1;
    }
    let mut total = x + speed[1] * steps as f64;
    let mut left = steps;
    loop {
        if left == 0 || total > 1e6 {
            break;
        }
        total += 0.1 * (speed[0] * left as f64).sin() * x;
        left -= 1;
    }
    total
}
