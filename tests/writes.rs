//! Functions that write through `&mut` parameters.

#![deny(warnings, missing_docs, clippy::all)]
// Functions are written as solvers have them.
#![allow(clippy::ptr_arg, clippy::needless_range_loop)]

use cotangent::ndarray::{Array1, Array2, ArrayViewMut1, array};
use cotangent::prelude::*;

#[differentiable(value, vjp, jvp, jacobian)]
fn rhs(t: f64, y: &[f64], dydt: &mut [f64]) {
    assert_eq!(y.len(), dydt.len());
    for i in 0..y.len() {
        dydt[i] = t * y[i] * y[i];
    }
}

#[test]
fn what_is_written_is_a_result() {
    for n in [0, 1, 9, 65] {
        let y: Vec<f64> = (0..n).map(|i| i as f64 - 3.0).collect();
        let (mut written, mut tangent) = (vec![f64::NAN; n], vec![f64::NAN; n]);
        rhs(2.0, &y, &mut written);
        let primal = written.clone();
        written.fill(f64::NAN);
        let (dt, dy) = rhs_vjp(2.0, &y, &vec![0.5; n], &mut written);
        assert_eq!(written, primal);
        let squares: f64 = y.iter().map(|y| 0.5 * y * y).sum();
        assert!((dt - squares).abs() < 1e-12 * squares.max(1.0));
        assert!(dy.iter().zip(&y).all(|(d, y)| *d == 2.0 * y));
        written.fill(f64::NAN);
        rhs_jvp(2.0, &y, 1.0, &y, &mut written, &mut tangent);
        assert_eq!(written, primal);
        assert!(tangent.iter().zip(&y).all(|(d, y)| *d == 5.0 * y * y));
        written.fill(f64::NAN);
        rhs_value(2.0, &y, &mut written);
        assert_eq!(written, primal);
        let (by_t, by_y) = rhs_jacobian(2.0, &y, &mut tangent);
        assert_eq!(by_t, y.iter().map(|y| y * y).collect::<Vec<f64>>());
        let diagonal: Array1<f64> = y.iter().map(|y| 4.0 * y).collect();
        assert_eq!(by_y, Array2::from_diag(&diagonal));
    }
}

#[test]
#[should_panic(expected = "left: 2")]
fn an_assertion_fails_as_written() {
    rhs_vjp(2.0, &[1.0, 2.0], &[1.0], &mut [0.0]);
}

#[differentiable]
fn lorenz(sigma: f64, y: &[f64; 3], dydt: &mut [f64; 3]) {
    dydt[0] = sigma * (y[1] - y[0]);
    dydt[1] = y[0] * (28.0 - y[2]) - y[1];
    dydt[2] = y[0] * y[1];
}

#[differentiable]
fn product(a: &Array2<f64>, x: &Array1<f64>, out: &mut Array1<f64>) {
    out.assign(&a.dot(x));
}

#[differentiable]
fn root(x: f64, out: &mut f64) {
    if x < 0.0 {
        *out = 0.0;
        return;
    }
    *out = x.sqrt();
}

#[test]
fn of_every_kind() {
    let mut d = [0.0; 3];
    let (by_sigma, by_y) = lorenz_vjp(10.0, &[1.0, 2.0, 3.0], &[1.0; 3], &mut d);
    assert_eq!((by_sigma, by_y), (1.0, [17.0, 10.0, -1.0]));
    assert_eq!(d, [10.0, 23.0, 2.0]);
    lorenz(10.0, &[1.0, 2.0, 3.0], &mut d);
    assert_eq!(d, [10.0, 23.0, 2.0]);
    let (a, x) = (array![[1.0, 2.0], [3.0, 4.0]], array![1.0, 1.0]);
    let mut out = array![0.0, 0.0];
    let (da, dx) = product_vjp(&a, &x, &array![1.0, 10.0], &mut out);
    assert_eq!(da, array![[1.0, 1.0], [10.0, 10.0]]);
    assert_eq!((dx, out), (array![31.0, 42.0], array![3.0, 7.0]));
    let mut out = f64::NAN;
    assert_eq!((root_vjp(4.0, 1.0, &mut out), out), (0.25, 2.0));
    assert_eq!((root_vjp(-4.0, 1.0, &mut out), out), (0.0, 0.0));
    root(9.0, &mut out);
    product(&a, &x, &mut array![0.0, 0.0]);
    assert_eq!(out, 3.0);
}

/// A state that is read and written, and a result.
#[differentiable(value, grad, vjp, jvp)]
fn filter(state: &mut [f64], z: f64) -> f64 {
    let r = z - state[0];
    state[0] += 0.5 * r;
    state[1] = state[1] * 0.5 + r * r;
    r * state[1]
}

/// The same, differentiated by the state on entry.
#[differentiable(vjp, jvp, wrt(state, z))]
fn filter_by_state(state: &mut Vec<f64>, z: f64) -> f64 {
    let r = z - state[0];
    state[0] += 0.5 * r;
    r * state[1]
}

#[test]
fn states_are_read_and_written() {
    let mut state = [1.0, 2.0];
    assert_eq!(filter_grad(&mut state, 3.0), 13.0);
    assert_eq!(state, [1.0, 2.0]);
    assert_eq!(filter_value_and_grad(&mut state, 3.0), (10.0, 13.0));
    assert_eq!(filter_vjp(3.0, 1.0, &[0.0, 1.0], &mut state), (10.0, 17.0));
    assert_eq!(state, [2.0, 5.0]);
    let mut state = [1.0, 2.0];
    assert_eq!(filter_value(&mut state, 3.0), 10.0);
    assert_eq!(state, [2.0, 5.0]);
    let (mut state, mut tangent) = ([1.0, 2.0], [f64::NAN; 2]);
    let both = filter_jvp(3.0, 1.0, &mut state, &mut tangent);
    assert_eq!(
        (both, state, tangent),
        ((10.0, 13.0), [2.0, 5.0], [0.5, 4.0])
    );
    assert_eq!(filter(&mut [1.0, 2.0], 3.0), 10.0);

    let mut state = vec![1.0, 2.0];
    let (value, (by_state, by_z)) = filter_by_state_vjp(3.0, 1.0, &[1.0, 0.0], &mut state);
    assert_eq!((value, by_state, by_z), (4.0, vec![-1.5, 2.0], 2.5));
    assert_eq!(state, [2.0, 2.0]);
    // On entry the tangent is that of the state on entry.
    let (mut state, mut tangent) = (vec![1.0, 2.0], vec![1.0, 0.0]);
    let both = filter_by_state_jvp(3.0, 0.0, &mut state, &mut tangent);
    assert_eq!((both, &tangent[..]), ((4.0, -2.0), &[0.5, 0.0][..]));
    assert_eq!(filter_by_state(&mut vec![1.0, 2.0], 3.0), 4.0);
}

#[differentiable]
fn several(x: f64, a: &mut f64, b: &mut Array1<f64>, mut c: ArrayViewMut1<'_, f64>) {
    *a += x * x;
    b.fill(x);
    c[0] = x * *a;
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct State {
    p: f64,
    v: Array1<f64>,
    steps: usize,
}

#[differentiable(wrt(s, dt))]
fn step(s: &mut State, dt: f64) {
    s.p += dt * s.v[0];
    s.v[0] -= dt * s.p;
}

#[test]
fn several_and_structs() {
    let (mut a, mut b, mut c) = (1.0, array![0.0, 0.0], array![5.0, 6.0]);
    let ones = array![1.0, 1.0];
    let g = several_vjp(2.0, 1.0, &ones, &ones, &mut a, &mut b, c.view_mut());
    assert_eq!(
        (g, a, &b, &c),
        (19.0, 5.0, &array![2.0, 2.0], &array![10.0, 6.0])
    );
    let (mut a, mut da, mut db, mut dc) = (1.0, 0.0, b.clone(), c.clone());
    let written = (&mut b, &mut db);
    several_jvp(
        2.0,
        1.0,
        &mut a,
        &mut da,
        written.0,
        written.1,
        c.view_mut(),
        dc.view_mut(),
    );
    assert_eq!((da, db, dc), (4.0, array![1.0, 1.0], array![13.0, 0.0]));
    several(2.0, &mut a, &mut b, c.view_mut());

    let start = State {
        p: 1.0,
        v: array![2.0],
        steps: 7,
    };
    let mut s = start.clone();
    let cotangent = State {
        p: 1.0,
        v: array![0.0],
        steps: 0,
    };
    let (by_state, by_dt) = step_vjp(0.5, &cotangent, &mut s);
    assert_eq!((by_state.p, by_state.v, by_dt), (1.0, array![0.5], 2.0));
    let mut primal = start;
    step(&mut primal, 0.5);
    assert_eq!(s, primal);
}

struct System;

#[differentiable]
impl System {
    #[differentiable]
    fn rhs(rate: f64, y: &[f64], dydt: &mut [f64]) {
        for i in 0..y.len() {
            dydt[i] = Self::decay(rate, y[i]);
        }
    }

    #[differentiable]
    fn decay(rate: f64, y: f64) -> f64 {
        -rate * y
    }
}

#[test]
fn in_a_block() {
    let mut d = [0.0; 2];
    let (by_rate, by_y) = System::rhs_vjp(2.0, &[1.0, 3.0], &[1.0, 1.0], &mut d);
    assert_eq!((by_rate, by_y, d), (-4.0, vec![-2.0, -2.0], [-2.0, -6.0]));
    System::rhs(1.0, &[1.0, 3.0], &mut d);
}
