//! Expansion takes time proportional to the length of the function, and under a second for one of
//! 500 lines.
//!
//! Growth is measured in allocations, which are the same on every machine: what is looked at again
//! and again is nearly always copied as well. They are counted for all stages, verification
//! included.

mod growth {
    pub(super) mod shapes;
}

use growth::shapes::{SHAPES, Shape};
use proc_macro2::TokenStream;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::time::{Duration, Instant};

/// Counts what each thread allocates.
struct Counting;

thread_local! {
    /// Allocations, and their bytes.
    static COUNT: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: all work is done by the system's allocator; the counter does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // Threads that end allocate after their counter is gone.
        let _ = COUNT.try_with(|c| {
            let (count, bytes) = c.get();
            c.set((count + 1, bytes + layout.size()));
        });
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(at, layout) }
    }
}

/// All functions that a scalar function can have, save the general product, which the gradient
/// contains.
const MODES: &str = "value, grad, jvp";

/// The stack that rustc gives to macros.
const STACK: usize = 8 << 20;

/// For each shape, what comes of it on a thread of its own.
fn with_each<T: Send>(f: impl Fn(&Shape) -> T + Sync) -> Vec<(&'static str, T)> {
    let of_one = |shape: &'static Shape| {
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(STACK);
            let thread = thread.spawn_scoped(scope, || f(shape));
            let out = thread.expect("threads can be made").join();
            (shape.name, out.expect("expands without a panic"))
        })
    };
    SHAPES.iter().map(of_one).collect()
}

/// Expands a function.
fn expand(source: &str) -> TokenStream {
    let tokens = |text: &str| text.parse::<TokenStream>().expect("tokens");
    cotangent_core::expand(tokens(MODES), tokens(source))
}

/// What is allocated on the way: the number of allocations, and bytes.
fn work(shape: &Shape, lines: usize) -> (usize, usize) {
    let source = shape.source(lines);
    let before = COUNT.get();
    let out = expand(&source);
    let after = COUNT.get();
    let is_error = out.to_string().contains("compile_error");
    assert!(!is_error, "{} of {lines} lines is rejected", shape.name);
    (after.0 - before.0, after.1 - before.1)
}

/// Twice the lines, at most a little more than twice the work.
#[test]
fn work_grows_with_the_length_of_the_function() {
    const MOST: f64 = 2.4;
    let growth = with_each(|shape| {
        let [short, long] = [200, 400].map(|lines| {
            let actual = shape.source(lines).lines().count();
            let (count, bytes) = work(shape, lines);
            (actual as f64, count as f64, bytes as f64)
        });
        // Not every shape has just as many lines as are asked for.
        let longer = long.0 / short.0 / 2.0;
        (long.1 / short.1 / longer, long.2 / short.2 / longer)
    });
    let mut failures = 0;
    for (name, (count, bytes)) in growth {
        println!("{name}: {count:.2} times the allocations, {bytes:.2} times the bytes");
        failures += usize::from(count > MOST || bytes > MOST);
    }
    assert_eq!(failures, 0, "shapes whose work grows too fast, see above");
}

/// The bound itself. In a build with debug assertions, which verifies every program, twenty times
/// as much is allowed.
#[test]
fn five_hundred_lines_take_under_a_second() {
    let most = match cfg!(debug_assertions) {
        false => Duration::from_secs(1),
        true => Duration::from_secs(20),
    };
    let times = with_each(|shape| {
        let source = shape.source(500);
        // Other work on the machine only ever adds to the time.
        let attempts = (0..3).map(|_| {
            let start = Instant::now();
            let _ = expand(&source);
            start.elapsed()
        });
        let mut best = Duration::MAX;
        for time in attempts {
            best = best.min(time);
            if best < most {
                break;
            }
        }
        best
    });
    let mut failures = 0;
    for (name, time) in times {
        println!("{name}: {:.2} s", time.as_secs_f64());
        failures += usize::from(time > most);
    }
    assert_eq!(
        failures, 0,
        "shapes that take longer than {most:?}, see above"
    );
}
