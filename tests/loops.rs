//! What long loops need of memory in reverse mode, and that checkpoints change nothing but that.

use cotangent::prelude::*;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Counts what is allocated, and how much there was at most.
struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is handed to the allocator of the system; the counters change nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Relaxed) + layout.size();
        MOST.fetch_max(now, Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Relaxed);
        // SAFETY: `at` comes from `alloc` above.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What `f` gives, and how many bytes it needed at most.
fn peak<T>(f: impl FnOnce() -> T) -> (T, usize) {
    let before = NOW.load(Relaxed);
    MOST.store(before, Relaxed);
    let result = f();
    (result, MOST.load(Relaxed) - before)
}

#[differentiable(grad)]
fn logistic(r: f64, x: f64, n: usize) -> f64 {
    let mut y = x;
    for _ in 0..n {
        y = r * y * (1.0 - y) + 0.001 * y.sin();
    }
    y
}

#[differentiable(grad, checkpoint = "sqrt")]
fn logistic_in_blocks(r: f64, x: f64, n: usize) -> f64 {
    let mut y = x;
    for _ in 0..n {
        y = r * y * (1.0 - y) + 0.001 * y.sin();
    }
    y
}

#[differentiable(grad, checkpoint = "every = 100")]
fn logistic_every_hundred(r: f64, x: f64, n: usize) -> f64 {
    let mut y = x;
    for _ in 0..n {
        y = r * y * (1.0 - y) + 0.001 * y.sin();
    }
    y
}

#[differentiable(grad, checkpoint = "binomial = 10")]
fn logistic_with_ten_states(r: f64, x: f64, n: usize) -> f64 {
    let mut y = x;
    for _ in 0..n {
        y = r * y * (1.0 - y) + 0.001 * y.sin();
    }
    y
}

/// The same without a length that is known before.
#[differentiable(grad, checkpoint = "binomial = 10")]
fn logistic_until(r: f64, x: f64, n: usize) -> f64 {
    let mut y = x;
    let mut k = 0;
    while k < n {
        y = r * y * (1.0 - y) + 0.001 * y.sin();
        k += 1;
    }
    y
}

#[differentiable(grad, checkpoint = "binomial = 7")]
fn diffusion(x: &[f64], n: usize) -> f64 {
    let m = x.len();
    let mut y = build(m, |i| x[i]);
    for _ in 0..n {
        y = build(m, |i| y[i] + 0.1 * y[(i + 1) % m].sin());
    }
    sum(m, |i| y[i] * y[i])
}

#[differentiable(grad, into, hvp, checkpoint = "binomial = 2")]
fn relaxed(x: &[f32], a: f32, n: usize) -> f32 {
    let m = x.len();
    let mut y = build(m, |i| x[i]);
    for _ in 0..n {
        y = build(m, |i| y[i] + a * y[(i + 1) % m].sin());
    }
    sum(m, |i| y[i] * y[i])
}

#[differentiable(grad, hvp)]
fn relaxed_with_all_states(x: &[f32], a: f32, n: usize) -> f32 {
    let m = x.len();
    let mut y = build(m, |i| x[i]);
    for _ in 0..n {
        y = build(m, |i| y[i] + a * y[(i + 1) % m].sin());
    }
    sum(m, |i| y[i] * y[i])
}

/// Other derivatives than the gradient of `f64`s, and the gradient into a buffer.
fn other_derivatives() {
    let (x, v) = ([0.1, -0.4, 0.9], [1.0, 0.5, -2.0]);
    let mut workspace = cotangent::Workspace::default();
    let close = |(a, b): (&[f32], f32), (c, d): (&[f32], f32)| {
        let mut pairs = a.iter().zip(c).chain([(&b, &d)]);
        pairs.all(|(a, c)| (a - c).abs() <= 1e-5 * (1.0 + c.abs()))
    };
    for n in [0, 1, 2, 7, 30] {
        let gradient = relaxed_grad(&x, 0.1, n);
        let whole = relaxed_with_all_states_grad(&x, 0.1, n);
        assert!(
            close((&gradient.0[..], gradient.1), (&whole.0[..], whole.1)),
            "{n} steps"
        );
        let mut room = gradient.clone();
        room.0.fill(0.0);
        let mut write = || relaxed_grad_into(&x, 0.1, n, &mut room, &mut workspace);
        write();
        let ((), bytes) = peak(write);
        assert_eq!((room, bytes), (gradient, 0), "{n} steps");
        let products = relaxed_hvp(&x, 0.1, n, &v, 0.3);
        let whole = relaxed_with_all_states_hvp(&x, 0.1, n, &v, 0.3);
        assert!(
            close((&products.0[..], products.1), (&whole.0[..], whole.1)),
            "{n} steps"
        );
    }
}

static STEPS: AtomicUsize = AtomicUsize::new(0);

#[custom_derivative(vjp = counted_step_vjp)]
fn counted_step(x: f64) -> f64 {
    STEPS.fetch_add(1, Relaxed);
    x.sin()
}

fn counted_step_vjp(x: f64, cotangent: f64) -> (f64, f64) {
    (x.sin(), x.cos() * cotangent)
}

#[differentiable(grad, checkpoint = "binomial = 3")]
fn counted_steps(x: f64, n: usize) -> f64 {
    let mut y = x;
    for _ in 0..n {
        y = counted_step(y);
    }
    y
}

/// `(c + r)! / (c! r!)`.
fn binomial(c: usize, r: usize) -> usize {
    (1..=r).fold(1, |all, k| all * (c + k) / k)
}

/// The fewest steps forwards that reach the states before each of `l` steps in reverse order, if at
/// most `c` states are kept.
fn fewest(l: usize, c: usize) -> usize {
    let rounds = (1..).find(|r| binomial(c, *r) >= l);
    let rounds = rounds.expect("the binomial coefficients grow");
    if l > 1 {
        rounds * l - binomial(c + 1, rounds - 1)
    } else {
        0
    }
}

// One test, since the counters belong to all threads.
#[test]
fn a_million_steps() {
    let n = 1_000_000;
    let (whole, bytes) = peak(|| logistic_grad(3.2, 0.3, n));
    assert_eq!(logistic_value_and_grad(3.2, 0.3, n).1, whole);
    assert!(whole.0.is_finite() && whole.0 != 0.0, "{whole:?}");
    // Four numbers are kept of each step.
    assert!(bytes <= 32 * n + 4096, "{bytes} bytes");

    let (blocks, bytes) = peak(|| logistic_in_blocks_grad(3.2, 0.3, n));
    assert_eq!(blocks, whole);
    // A state of each block, and four numbers of each step of one block.
    assert!(bytes <= 40 * 1000 + 4096, "{bytes} bytes");

    let (blocks, bytes) = peak(|| logistic_every_hundred_grad(3.2, 0.3, n));
    assert_eq!(blocks, whole);
    assert!(bytes <= 8 * (n / 100) + 32 * 100 + 4096, "{bytes} bytes");

    for n in [1_000, 100_000] {
        let whole = logistic_grad(3.2, 0.3, n);
        let (some, bytes) = peak(|| logistic_with_ten_states_grad(3.2, 0.3, n));
        assert_eq!(some, whole, "{n}");
        // Ten states, and before which step each of them was.
        assert!(bytes <= 4096, "{n} steps: {bytes} bytes");
        let (some, bytes) = peak(|| logistic_until_grad(3.2, 0.3, n));
        assert_eq!(some, whole, "{n}");
        assert!(bytes <= 4096, "{n} steps: {bytes} bytes");
    }

    // Seven states, the present one, the next one, its cotangents, and the argument.
    let x: Vec<f64> = (0..1000).map(|k| 0.001 * f64::from(k)).collect();
    let (_, bytes) = peak(|| diffusion_grad(&x, 3000));
    assert!(bytes <= 16 * 8 * 1000, "{bytes} bytes");

    for n in [0, 1, 2, 3, 4, 10, 100, 1000] {
        STEPS.store(0, Relaxed);
        let slope = counted_steps_grad(0.7, n);
        assert!(slope > 0.0 && slope <= 1.0, "{slope}");
        // The value needs the state behind the last step, too.
        assert_eq!(STEPS.load(Relaxed), fewest(n + 1, 3), "{n} steps");
    }

    other_derivatives();

    // Lengths that the blocks do not divide.
    for n in [0, 1, 2, 3, 7, 99, 101, 1234] {
        let whole = logistic_grad(3.2, 0.3, n);
        assert_eq!(logistic_in_blocks_grad(3.2, 0.3, n), whole, "{n}");
        assert_eq!(logistic_every_hundred_grad(3.2, 0.3, n), whole, "{n}");
        assert_eq!(logistic_with_ten_states_grad(3.2, 0.3, n), whole, "{n}");
        assert_eq!(logistic_until_grad(3.2, 0.3, n), whole, "{n}");
    }
}
