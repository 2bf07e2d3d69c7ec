//! The saddle of a game: a search whose objective is a search.

use super::descent::descend;
use crate::call::{Answer, Call, Failure};
use cotangent::prelude::*;
use serde::Deserialize;

type Point = [f64; 2];

/// What the first player pays, and the second player wins.
#[differentiable]
fn payment(a: &[f64; 2], b: &[f64; 2]) -> f64 {
    a[0] * a[0] + a[1] * a[1] - b[0] * b[0] - b[1] * b[1]
}

/// What the second player minimises.
#[differentiable(grad, jacobian(forward), wrt(b))]
fn loss(a: &[f64; 2], b: &[f64; 2]) -> f64 {
    -payment(a, b)
}

/// The payment after the second player's best answer, found by gradients in reverse mode.
#[differentiable(grad, jacobian(forward), wrt(a))]
fn by_reverse(a: &[f64; 2], start: &[f64; 2]) -> f64 {
    let b = descend(|b| loss(a, b), |b| loss_grad(a, b), start);
    payment(a, &b)
}

/// The same, found by gradients in forward mode.
#[differentiable(grad, jacobian(forward), wrt(a))]
fn by_forward(a: &[f64; 2], start: &[f64; 2]) -> f64 {
    let b = descend(|b| loss(a, b), |b| loss_jacobian(a, b), start);
    payment(a, &b)
}

#[derive(Deserialize)]
struct Input {
    start: Point,
}

pub(crate) fn call(call: &Call<'_>) -> Result<Answer, Failure> {
    let Input { start } = call.input()?;
    type Gradient = fn(&Point, &Point) -> Point;
    let search = |f: fn(&Point, &Point) -> f64, outer: Gradient, inner: Gradient| {
        let run = || {
            let a = descend(|a| f(a, &start), |a| outer(a, &start), &start);
            let b = descend(|b| loss(&a, b), |b| inner(&a, b), &start);
            [a[0], a[1], b[0], b[1]]
        };
        call.time(run, |saddle| saddle)
    };
    // The first letter is the mode of the outer derivative.
    match call.function {
        "rr" => search(by_reverse, by_reverse_grad, loss_grad),
        "fr" => search(by_reverse, by_reverse_jacobian, loss_grad),
        "rf" => search(by_forward, by_forward_grad, loss_jacobian),
        "ff" => search(by_forward, by_forward_jacobian, loss_jacobian),
        _ => call.unknown(),
    }
}
