//! Expansion takes at most quadratic work in how often a thing is written, whatever the thing is.
//!
//! Work is measured in allocations, as in `growth.rs`, which holds long functions to linear work.
//! Doubling at every level, as of a walk without a memo, would never end at these sizes.

mod expansion {
    pub(super) mod shapes;
}

use expansion::shapes::{SHAPES, Shape};
use proc_macro2::TokenStream;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::mpsc;
use std::time::Duration;

/// Counts what each thread allocates.
struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: all work is done by the system's allocator; the counter does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // Threads that end allocate after their counter is gone.
        let _ = COUNT.try_with(|c| c.set(c.get() + 1));
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(at, layout) }
    }
}

/// Shapes whose work grows faster: reads of windows of windows.
const STEEP: &[&str] = &["arrays_read_at_neighbours", "windows"];

/// How long one expansion may take. The slowest takes a few seconds without optimisation.
const LIMIT: Duration = Duration::from_secs(240);

/// The shapes whose names contain one of those that the variable `COTANGENT_SHAPES` lists; all
/// without it.
fn chosen() -> impl Iterator<Item = &'static Shape> {
    let parts = std::env::var("COTANGENT_SHAPES").unwrap_or_default();
    let is_chosen = move |s: &&Shape| parts.split(',').any(|part| s.name.contains(part));
    SHAPES.iter().filter(is_chosen)
}

/// The allocations of an expansion, and the length of the code, within the limit.
fn work(shape: &'static Shape, n: usize) -> (usize, usize) {
    let (done, waits) = mpsc::channel();
    let name = shape.name;
    // The compiler brings its own stack; reading a long file takes one as well.
    let reader = std::thread::Builder::new().stack_size(1 << 28);
    let run = move || {
        let file = syn::parse_file(&shape.source(n)).expect("Rust");
        let before = COUNT.get();
        let out = cotangent_core::expand_in_file(&file, "f");
        let work = COUNT.get() - before;
        // Nobody waits if the limit has passed.
        let _ = done.send((work, out.map(|tokens| tokens.to_string())));
    };
    reader.spawn(run).expect("a thread");
    let out = waits.recv_timeout(LIMIT);
    let (work, out) =
        out.unwrap_or_else(|e| panic!("{name} at {n} takes more than {LIMIT:?}: {e}"));
    let text = out.unwrap_or_else(|e| panic!("{name} at {n}: {e}"));
    assert!(!text.contains("compile_error"), "{name} at {n}: {text}");
    (work, text.len())
}

/// Twice as many, at most five times the work and the code.
#[test]
fn work_is_at_most_quadratic() {
    let mut failures = vec![];
    for shape in chosen().filter(|s| !STEEP.contains(&s.name)) {
        let [few, many] = [2, 4].map(|by| work(shape, by * shape.from));
        let growth = |a: usize, b: usize| b as f64 / a as f64;
        let (work, code) = (growth(few.0, many.0), growth(few.1, many.1));
        println!(
            "{}: {work:.2} times the work, {code:.2} times the code",
            shape.name
        );
        if work > 5.0 || code > 5.0 {
            failures.push(shape.name);
        }
    }
    assert!(failures.is_empty(), "{failures:?} grow too fast");
}

#[test]
fn steep_shapes_expand() {
    for shape in chosen().filter(|s| STEEP.contains(&s.name)) {
        work(shape, shape.from);
    }
}

/// Sizes at which doubling with each of them would never end.
#[test]
fn many_of_a_thing_end() {
    for (name, n) in [
        ("constants_in_sum", 48),
        ("elements_of_list", 32),
        ("nested_ifs_of_sums", 40),
        ("arms_in_sum", 48),
        ("nested_while", 16),
        ("nested_for_with_state", 12),
        ("sums_around_while", 10),
        ("lets_used_twice", 200),
        ("closures", 100),
        ("blocks_with_lets", 100),
    ] {
        let shape = SHAPES.iter().find(|s| s.name == name);
        work(shape.expect("the table has this shape"), n);
    }
}

/// What an item expands to, and the errors among it.
fn errors_of(item: String) -> Vec<String> {
    // Printing what is nested takes a stack, too.
    let printer = std::thread::Builder::new().stack_size(1 << 28);
    let run = move || {
        let tokens = |text: &str| text.parse::<TokenStream>().expect("tokens");
        let out = cotangent_core::expand(tokens("value, grad"), tokens(&item)).to_string();
        let errors = out.split("compile_error").skip(1);
        errors
            .map(|rest| rest.chars().take(200).collect())
            .collect()
    };
    let thread = printer.spawn(run).expect("a thread");
    thread.join().expect("no panic")
}

#[test]
fn what_is_nested_too_deep_is_refused() {
    let n = 20_000;
    for body in [
        format!("{}x{}", "(".repeat(n), ")".repeat(n)),
        format!("{}x{}", "{ ".repeat(n), " }".repeat(n)),
        format!("{}x{}", "[".repeat(n), "]".repeat(n)),
        format!("{}x", "-".repeat(n)),
        format!("{}x", "|y| ".repeat(n)),
        format!("x{}", ".sin()".repeat(n)),
        format!("x{}", " + x".repeat(n)),
        format!("{}x", "a = ".repeat(n)),
        format!(
            "if x < 1.0 {{ x }} {} else {{ x }}",
            "else if x < 2.0 { x }".repeat(n)
        ),
        format!("let y: {}f64 = x; x", "&".repeat(n)),
        format!("let {}y = x; x", "&".repeat(n)),
    ] {
        let start: String = body.chars().take(30).collect();
        let errors = errors_of(format!("fn f(x: f64) -> f64 {{ {body} }}"));
        assert_eq!(errors.len(), 1, "{start}");
        assert!(errors[0].contains("nested too deep"), "{start}: {errors:?}");
    }
}

#[test]
fn calls_that_take_in_too_much_are_refused() {
    let doubling = (0..60).map(|k| {
        let next = k + 1;
        format!("let g{next} = |z: f64| g{k}(z * x) + g{k}(z + x);\n")
    });
    let doubling: String = doubling.collect();
    let deep = (0..10_000).map(|k| {
        let next = k + 1;
        format!("let g{next} = |z: f64| g{k}(z * x);\n")
    });
    let deep: String = deep.collect();
    for (closures, last) in [(doubling, 60), (deep, 10_000)] {
        let errors = errors_of(format!(
            "fn f(x: f64) -> f64 {{ let g0 = |z: f64| z.sin();\n{closures} g{last}(x) }}"
        ));
        assert_eq!(errors.len(), 1, "{errors:?}");
        assert!(
            errors[0].contains("what this call stands for"),
            "{errors:?}"
        );
    }
}
