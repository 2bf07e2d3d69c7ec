//! Expansion ends, soon, however often a thing is written: doubling with each constant or arm, as of a
//! walk without a memo, would never end at these sizes.

mod expansion {
    pub(super) mod shapes;
}

use expansion::shapes::{SHAPES, Shape};
use std::sync::mpsc;
use std::time::Duration;

/// How long one expansion may take. The slowest takes a few seconds without optimisation.
const LIMIT: Duration = Duration::from_secs(240);

/// Expands a shape, within the limit.
fn expand(shape: &'static Shape, n: usize) {
    let (done, waits) = mpsc::channel();
    let name = shape.name;
    // The compiler brings its own stack; reading a long file takes one as well.
    let reader = std::thread::Builder::new().stack_size(1 << 28);
    let run = move || {
        let file = syn::parse_file(&shape.source(n)).expect("Rust");
        let out = cotangent_core::expand_in_file(&file, "f").map(|tokens| tokens.to_string());
        // Nobody waits if the limit has passed.
        let _ = done.send(out);
    };
    reader.spawn(run).expect("a thread");
    let out = waits.recv_timeout(LIMIT);
    let out = out.unwrap_or_else(|e| panic!("{name} at {n} takes more than {LIMIT:?}: {e}"));
    let text = out.unwrap_or_else(|e| panic!("{name} at {n}: {e}"));
    assert!(!text.contains("compile_error"), "{name} at {n}: {text}");
}

#[test]
fn all_shapes_expand() {
    for shape in SHAPES {
        expand(shape, shape.from);
    }
}

#[test]
fn many_of_a_thing_end() {
    for (name, n) in [
        ("constants_in_sum", 48),
        ("arms_in_sum", 48),
        ("lets_used_twice", 200),
        ("closures", 100),
        ("blocks_with_lets", 100),
    ] {
        let shape = SHAPES.iter().find(|s| s.name == name);
        expand(shape.expect("the table has this shape"), n);
    }
}
