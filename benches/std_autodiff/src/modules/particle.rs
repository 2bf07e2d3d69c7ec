//! A charge that steers a particle: a derivative of a loop that takes derivatives.

use super::descent::descend;
use crate::call::{Answer, Call, Failure};
use serde::Deserialize;
use std::autodiff::{autodiff_forward, autodiff_reverse};

/// The potential of two charges. `w` moves the first.
#[autodiff_reverse(potential_reverse, Duplicated, Const, Active)]
#[autodiff_forward(potential_forward, 2, Dual, Const, Dual)]
fn potential(z: &[f64; 2], w: f64) -> f64 {
    let distance = |y: f64| ((z[0] - 10.0).powi(2) + (z[1] - y).powi(2)).sqrt();
    1.0 / distance(10.0 - w) + 1.0 / distance(0.0)
}

/// The square of the place where the particle meets the axis.
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

#[autodiff_reverse(by_reverse_reverse, Active, Active)]
#[autodiff_forward(by_reverse_forward, Dual, Dual)]
fn by_reverse(w: f64) -> f64 {
    miss(w, |z, w| {
        let mut gradient = [0.0; 2];
        potential_reverse(z, &mut gradient, w, 1.0);
        gradient
    })
}

#[autodiff_reverse(by_forward_reverse, Active, Active)]
#[autodiff_forward(by_forward_forward, Dual, Dual)]
fn by_forward(w: f64) -> f64 {
    miss(w, |z, w| {
        let [_, x, y] = potential_forward(z, &[1.0, 0.0], &[0.0, 1.0], w);
        [x, y]
    })
}

#[derive(Deserialize)]
struct Input {
    w: f64,
}

pub(crate) fn call(call: &Call<'_>) -> Result<Answer, Failure> {
    let Input { w } = call.input()?;
    // Either mode gives a value and a derivative, and takes a 1.
    let search = |f: fn(f64) -> f64, derivative: fn(f64, f64) -> (f64, f64)| {
        let run = || descend(|w| f(w[0]), |w| [derivative(w[0], 1.0).1], &[w]);
        call.time(run, |[w]| w)
    };
    // The first letter is the mode of the outer derivative.
    match call.function {
        "rr" => search(by_reverse, by_reverse_reverse),
        "fr" => search(by_reverse, by_reverse_forward),
        "rf" => search(by_forward, by_forward_reverse),
        "ff" => search(by_forward, by_forward_forward),
        _ => call.unknown(),
    }
}
