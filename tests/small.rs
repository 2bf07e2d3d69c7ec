//! Arrays of a few elements, as many as their types say, are not on the heap.

use cotangent::ndarray::{Array1, Array2, array};
use cotangent::prelude::*;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Counts what is asked for on each thread.
struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: everything is left to the allocator of the system.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = COUNT.try_with(|count| count.set(count.get() + 1));
        // SAFETY: as promised by the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        // SAFETY: as promised by the caller.
        unsafe { System.dealloc(start, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What a call returns, and how often it asked for memory.
fn counted<T>(call: impl FnOnce() -> T) -> (T, usize) {
    let before = COUNT.get();
    let result = call();
    (result, COUNT.get() - before)
}

/// The derivative of `f` along a direction, by central differences.
fn along(f: impl Fn(f64) -> f64) -> f64 {
    let h = 1e-6;
    (f(h) - f(-h)) / (2.0 * h)
}

/// Products of matrices, and of a matrix with a vector.
#[differentiable(value, grad)]
fn products(x: &[f64; 3], m: &[[f64; 3]; 3]) -> f64 {
    let a = Array2::from_shape_fn((3, 3), |(i, j)| m[i][j]);
    let cube = a.dot(&a.t()).dot(&a);
    let v = Array1::from_shape_fn(3, |i| x[i]);
    let w = cube.dot(&v);
    w.dot(&v).tanh() + w.sum()
}

/// A system of three equations, by elimination.
#[differentiable(value, grad)]
fn solved(m: &[[f64; 3]; 3], x: &[f64; 3]) -> f64 {
    let mut a = Array2::from_shape_fn((3, 3), |(i, j)| m[i][j]);
    let mut b = Array1::from_shape_fn(3, |i| x[i]);
    for k in 0..3 {
        for i in k + 1..3 {
            let f = a[[i, k]] / a[[k, k]];
            for j in k..3 {
                a[[i, j]] -= f * a[[k, j]];
            }
            b[i] -= f * b[k];
        }
    }
    for k in (0..3).rev() {
        for j in k + 1..3 {
            b[k] -= a[[k, j]] * b[j];
        }
        b[k] /= a[[k, k]];
    }
    b.dot(&b)
}

/// A vector turned many times: a matrix and a vector are states of a loop.
#[differentiable(value)]
fn turned(angle: f64, times: usize, x: &[f64; 3]) -> f64 {
    let (s, c) = angle.sin_cos();
    let turn = array![[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]];
    let mut v = Array1::from_shape_fn(3, |i| x[i]);
    let mut all = Array2::eye(3);
    for _ in 0..times {
        all = turn.dot(&all);
        v = turn.dot(&v);
    }
    all.dot(&v).sum()
}

const M: [[f64; 3]; 3] = [[2.0, 0.3, -0.1], [0.2, 1.5, 0.4], [-0.3, 0.1, 1.8]];
const X: [f64; 3] = [0.2, -0.1, 0.3];

#[test]
fn products_need_no_memory() {
    let (value, count) = counted(|| products_value(&X, &M));
    assert_eq!(count, 0, "for the value");
    assert!((value - products(&X, &M)).abs() < 1e-12);
    let ((again, (x_bar, m_bar)), count) = counted(|| products_value_and_grad(&X, &M));
    assert_eq!(count, 0, "for the gradient");
    assert!((value - again).abs() < 1e-12);
    let sum: f64 = x_bar.iter().sum::<f64>() + m_bar.as_flattened().iter().sum::<f64>();
    let expected = along(|h| products(&X.map(|x| x + h), &M.map(|row| row.map(|x| x + h))));
    assert!(
        (sum - expected).abs() < 1e-6 * expected.abs(),
        "{sum} {expected}"
    );
}

#[test]
fn elimination_needs_no_memory_for_its_value() {
    let (value, count) = counted(|| solved_value(&M, &X));
    assert_eq!(count, 0);
    assert!((value - solved(&M, &X)).abs() < 1e-12);
    let (_, (m_bar, x_bar)) = solved_value_and_grad(&M, &X);
    let sum: f64 = x_bar.iter().sum::<f64>() + m_bar.as_flattened().iter().sum::<f64>();
    let expected = along(|h| solved(&M.map(|row| row.map(|x| x + h)), &X.map(|x| x + h)));
    assert!(
        (sum - expected).abs() < 1e-6 * expected.abs(),
        "{sum} {expected}"
    );
}

#[test]
fn states_need_no_memory() {
    let (value, count) = counted(|| turned_value(0.3, 7, &X));
    assert_eq!(count, 0);
    assert!((value - turned(0.3, 7, &X)).abs() < 1e-12);
}
