//! Functions that write through `&mut`, called by others: right-hand sides, steppers, filters.

use cotangent::prelude::*;
use ndarray::{Array2, ArrayViewMut1};

#[differentiable(vjp)]
fn lorenz(_t: f64, y: &[f64], dydt: &mut [f64]) {
    dydt[0] = 10.0 * (y[1] - y[0]);
    dydt[1] = y[0] * (28.0 - y[2]) - y[1];
    dydt[2] = y[0] * y[1] - 8.0 / 3.0 * y[2];
}

#[differentiable(vjp)]
fn rk4_step(t: f64, h: f64, y: &mut [f64]) {
    let n = y.len();
    let mut k1 = vec![0.0; n];
    let mut k2 = vec![0.0; n];
    let mut k3 = vec![0.0; n];
    let mut k4 = vec![0.0; n];
    let mut tmp = vec![0.0; n];
    lorenz(t, y, &mut k1);
    for i in 0..n {
        tmp[i] = y[i] + 0.5 * h * k1[i];
    }
    lorenz(t + 0.5 * h, &tmp, &mut k2);
    for i in 0..n {
        tmp[i] = y[i] + 0.5 * h * k2[i];
    }
    lorenz(t + 0.5 * h, &tmp, &mut k3);
    for i in 0..n {
        tmp[i] = y[i] + h * k3[i];
    }
    lorenz(t + h, &tmp, &mut k4);
    for i in 0..n {
        y[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
    }
}

#[differentiable(grad)]
fn end_of_trajectory(y0: &[f64], h: f64, steps: usize) -> f64 {
    let mut y = y0.to_vec();
    let mut t = 0.0;
    for _ in 0..steps {
        rk4_step(t, h, &mut y);
        t += h;
    }
    y.iter().map(|v| v * v).sum()
}

/// Symplectic Euler with a workspace that the caller owns.
#[differentiable(vjp)]
fn force(x: &[f64], stiffness: f64, out: &mut [f64]) {
    for i in 0..x.len() {
        out[i] = -stiffness * x[i];
        if i > 0 {
            out[i] += x[i - 1];
        }
    }
}

#[differentiable(vjp)]
fn leap(x: &mut Vec<f64>, v: &mut Vec<f64>, a: &mut [f64], k: f64, h: f64) {
    force(x, k, a);
    for i in 0..x.len() {
        v[i] += h * a[i];
        x[i] += h * v[i];
    }
}

#[differentiable(grad)]
fn chain(x0: &[f64], k: f64, rounds: usize) -> f64 {
    let mut x = x0.to_vec();
    let mut v = vec![0.0; x.len()];
    let mut work = vec![0.0; x.len()];
    for _ in 0..rounds {
        leap(&mut x, &mut v, &mut work, k, 0.1);
    }
    x.iter().zip(&v).map(|(x, v)| x * v).sum()
}

#[differentiable(vjp)]
fn low_pass(x: f64, alpha: f64, state: &mut f64) -> f64 {
    *state += alpha * (x - *state);
    *state
}

#[differentiable(grad)]
fn filtered(xs: &[f64], alpha: f64) -> f64 {
    let mut state = 0.0;
    let mut total = 0.0;
    for &x in xs {
        let y = low_pass(x, alpha, &mut state);
        total += (x - y).powi(2);
    }
    total + state
}

#[derive(Clone, Differentiable)]
struct Particle {
    at: [f64; 2],
    speed: [f64; 2],
}

#[differentiable(vjp)]
fn drift(p: &mut Particle, h: f64) {
    for i in 0..2 {
        p.speed[i] -= h * p.at[i];
        p.at[i] += h * p.speed[i];
    }
}

#[differentiable(grad, wrt(speed, h))]
fn orbit(speed: [f64; 2], h: f64) -> f64 {
    let mut p = Particle {
        at: [1.0, 0.5],
        speed,
    };
    for _ in 0..6 {
        drift(&mut p, h);
    }
    p.at[0] * p.at[1] + p.speed[0]
}

#[differentiable(vjp)]
fn normalise(mut row: ArrayViewMut1<f64>, eps: f64) {
    let norm = row.iter().map(|v| v * v).sum::<f64>().sqrt() + eps;
    for v in row.iter_mut() {
        *v /= norm;
    }
}

#[differentiable(grad)]
fn similarity(x: &Array2<f64>, eps: f64) -> f64 {
    let mut x = x.clone();
    for i in 0..x.nrows() {
        normalise(x.row_mut(i), eps);
    }
    x.row(0).dot(&x.row(1))
}

/// Parts of a variable are lent as well.
#[differentiable(vjp, wrt(x))]
fn prefix_sums(x: &mut [f64]) {
    for i in 1..x.len() {
        x[i] += x[i - 1];
    }
}

#[differentiable(grad)]
fn parts(x: &[f64]) -> f64 {
    let mut y = x.to_vec();
    prefix_sums(&mut y[1..]);
    prefix_sums(&mut y);
    y.iter().map(|v| v.sin()).sum()
}

tests! {
    trajectory_is: end_of_trajectory, end_of_trajectory_value_and_grad, y: list(3), h: 0.02 => (&y, h, 5);
    chain_is: chain, chain_value_and_grad, x: list(4), k: 1.3 => (&x, k, 6);
    filtered_is: filtered, filtered_value_and_grad, x: list(6), a: 0.3 => (&x, a);
    orbit_is: orbit, orbit_value_and_grad, s: [0.1, -0.2], h: 0.2 => (s, h);
    similarity_is: similarity, similarity_value_and_grad, x: matrix(3, 4), e: 0.1 => (&x, e);
    parts_are: parts, parts_value_and_grad, x: list(5) => (&x);
}
