//! The saddle of a game: a search whose objective is a search.

use super::descent::descend;
use crate::call::{Answer, Call, Failure};
use serde::Deserialize;
use std::autodiff::{autodiff_forward, autodiff_reverse};

type Point = [f64; 2];

/// The directions of forward mode.
const AXES: [Point; 2] = [[1.0, 0.0], [0.0, 1.0]];

/// What the first player pays, and the second player wins.
fn payment(a: &Point, b: &Point) -> f64 {
    a[0] * a[0] + a[1] * a[1] - b[0] * b[0] - b[1] * b[1]
}

/// What the second player minimises.
#[autodiff_reverse(loss_reverse, Const, Duplicated, Active)]
#[autodiff_forward(loss_forward, 2, Const, Dual, Dual)]
fn loss(a: &Point, b: &Point) -> f64 {
    -payment(a, b)
}

fn loss_gradient_reverse(a: &Point, b: &Point) -> Point {
    let mut gradient = [0.0; 2];
    loss_reverse(a, b, &mut gradient, 1.0);
    gradient
}

fn loss_gradient_forward(a: &Point, b: &Point) -> Point {
    let [_, x, y] = loss_forward(a, b, &AXES[0], &AXES[1]);
    [x, y]
}

/// The payment after the second player's best answer, found by gradients in reverse mode.
#[autodiff_reverse(by_reverse_reverse, Duplicated, Const, Active)]
#[autodiff_forward(by_reverse_forward, 2, Dual, Const, Dual)]
fn by_reverse(a: &Point, start: &Point) -> f64 {
    let b = descend(|b| loss(a, b), |b| loss_gradient_reverse(a, b), start);
    payment(a, &b)
}

/// The same, found by gradients in forward mode.
#[autodiff_reverse(by_forward_reverse, Duplicated, Const, Active)]
#[autodiff_forward(by_forward_forward, 2, Dual, Const, Dual)]
fn by_forward(a: &Point, start: &Point) -> f64 {
    let b = descend(|b| loss(a, b), |b| loss_gradient_forward(a, b), start);
    payment(a, &b)
}

type Reverse = fn(&Point, &mut Point, &Point, f64) -> f64;
type Forward = fn(&Point, &Point, &Point, &Point) -> [f64; 3];

fn outer_reverse(by: Reverse, a: &Point, start: &Point) -> Point {
    let mut gradient = [0.0; 2];
    by(a, &mut gradient, start, 1.0);
    gradient
}

fn outer_forward(by: Forward, a: &Point, start: &Point) -> Point {
    let [_, x, y] = by(a, &AXES[0], &AXES[1], start);
    [x, y]
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
    let (reverse, forward) = (loss_gradient_reverse, loss_gradient_forward);
    // The first letter is the mode of the outer derivative.
    match call.function {
        "rr" => search(
            by_reverse,
            |a, s| outer_reverse(by_reverse_reverse, a, s),
            reverse,
        ),
        "fr" => search(
            by_reverse,
            |a, s| outer_forward(by_reverse_forward, a, s),
            reverse,
        ),
        "rf" => search(
            by_forward,
            |a, s| outer_reverse(by_forward_reverse, a, s),
            forward,
        ),
        "ff" => search(
            by_forward,
            |a, s| outer_forward(by_forward_forward, a, s),
            forward,
        ),
        _ => call.unknown(),
    }
}
