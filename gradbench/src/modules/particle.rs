//! A charge that steers a particle: a derivative of a loop that takes derivatives.

use super::descent::descend;
use crate::call::{Answer, Call, Failure};
use cotangent::prelude::*;
use serde::Deserialize;

/// The potential of two charges. `w` moves the first.
#[differentiable(grad, jacobian(forward), wrt(z))]
fn potential(z: &[f64; 2], w: f64) -> f64 {
    let distance = |y: f64| ((z[0] - 10.0).powi(2) + (z[1] - y).powi(2)).sqrt();
    1.0 / distance(10.0 - w) + 1.0 / distance(0.0)
}

/// The square of the place where the particle meets the axis.
#[differentiable]
fn miss(w: f64, gradient: impl Fn(&[f64; 2], f64) -> [f64; 2]) -> f64 {
    let dt = 0.1;
    let mut z = [0.0, 8.0];
    let mut v = [0.75, 0.0];
    loop {
        let slope = gradient(&z, w);
        let next = [z[0] + dt * v[0], z[1] + dt * v[1]];
        if next[1] <= 0.0 {
            break;
        }
        v = [v[0] - dt * slope[0], v[1] - dt * slope[1]];
        z = next;
    }
    let end = z[0] - z[1] / v[1] * v[0];
    end * end
}

#[differentiable(grad, jacobian(forward))]
fn by_reverse(w: f64) -> f64 {
    miss(w, potential_grad)
}

#[differentiable(grad, jacobian(forward))]
fn by_forward(w: f64) -> f64 {
    miss(w, potential_jacobian)
}

#[derive(Deserialize)]
struct Input {
    w: f64,
}

pub(crate) fn call(call: &Call<'_>) -> Result<Answer, Failure> {
    let Input { w } = call.input()?;
    let search = |f: fn(f64) -> f64, gradient: fn(f64) -> f64| {
        let run = || descend(|w| f(w[0]), |w| [gradient(w[0])], &[w]);
        call.time(run, |[w]| w)
    };
    // The first letter is the mode of the outer derivative.
    match call.function {
        "rr" => search(by_reverse, by_reverse_grad),
        "fr" => search(by_reverse, by_reverse_jacobian),
        "rf" => search(by_forward, by_forward_grad),
        "ff" => search(by_forward, by_forward_jacobian),
        _ => call.unknown(),
    }
}
