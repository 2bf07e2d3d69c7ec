//! Lists of structs and of tuples that begin with elements and grow: in a `for` loop, in a `while`
//! loop that pops and pushes, and by `if let`. Variables of a loop body have the names of others.
//!
//! @ x: [4]; code: {0, 0, 1, 0, 2}
//! @ x: [1]; code: {2, 0}
//! @ x: [9]; code: {0, 1, 1, 0, 0, 1, 2, 2}
//! @ x: [65]; code: {}

use cotangent::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
pub struct Pose {
    pub at: [f64; 2],
    pub angle: f64,
}

#[differentiable(value, grad, vjp, jvp)]
pub fn lists_that_begin(x: &[f64], code: &[usize]) -> f64 {
    let mut last = Pose {
        at: [0.0, 0.5],
        angle: 0.0,
    };
    let mut poses = vec![last];
    for &step in x {
        let angle = last.angle + 0.1 * step;
        let at = [last.at[0] + angle.cos(), last.at[1] + step * angle.sin()];
        last = Pose { at, angle };
        poses.push(last);
    }
    let (mut total, mut turns) = (0.0, 0.0);
    for (k, p) in poses.iter().enumerate() {
        let mut total = p.at[0];
        if k % 2 == 1 {
            total *= p.angle;
        }
        turns += total;
    }
    let mut open = vec![(0, x.len(), 1.0)];
    while let Some((from, to, weight)) = open.pop() {
        if to - from < 2 {
            total += weight * x[from] * poses[to].at[1];
            continue;
        }
        let middle = (from + to) / 2;
        let change = 0.1 * (x[middle] - x[from]);
        open.push((from, middle, weight * (1.0 + change)));
        open.push((middle, to, weight * (1.0 - change)));
    }
    let mut stack = Vec::new();
    for &op in code {
        if op == 0 {
            stack.push(x[stack.len() % x.len()]);
        } else if let Some(top) = stack.pop() {
            stack.push(if op == 1 { top.sin() } else { top * top });
        } else {
            stack.push(0.25);
        }
    }
    total + turns + stack.iter().sum::<f64>()
}
