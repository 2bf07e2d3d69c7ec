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

    // Lengths that the blocks do not divide.
    for n in [0, 1, 2, 3, 7, 99, 101, 1234] {
        let whole = logistic_grad(3.2, 0.3, n);
        assert_eq!(logistic_in_blocks_grad(3.2, 0.3, n), whole, "{n}");
        assert_eq!(logistic_every_hundred_grad(3.2, 0.3, n), whole, "{n}");
    }
}
