//! A few generated programs, expanded and compared stage by stage, and compiled and compared with
//! themselves.

use cotangent_fuzz::expansion::{Outcome, expand};
use cotangent_fuzz::grammar::Program;
use cotangent_fuzz::panics;
use cotangent_fuzz::verdict::Entry;

include!(concat!(env!("OUT_DIR"), "/sample.rs"));

/// How many programs are expanded.
const EXPANDED: u64 = 100;

#[test]
fn generated_programs_expand() {
    panics::keep();
    let mut accepted = 0;
    for seed in 0..EXPANDED {
        match expand(&Program::of(seed), true) {
            Outcome::Fine => accepted += 1,
            Outcome::Refused(_) => {}
            Outcome::Wrong(kind, detail) => {
                let text = Program::of(seed).text("f");
                let _ = std::panic::take_hook();
                panic!("seed {seed}: {kind}: {detail}\n{text}");
            }
        }
    }
    assert!(
        accepted * 100 > EXPANDED * 80,
        "{accepted} of {EXPANDED} are accepted"
    );
}

#[test]
fn compiled_programs_agree_with_themselves() {
    panics::keep();
    let mut failures = vec![];
    for entry in SAMPLE {
        for (size, wrong) in entry.check(&mut |_, _| {}) {
            failures.push(format!("seed {}, size {size}: {wrong:?}", entry.seed));
        }
    }
    let _ = std::panic::take_hook();
    assert!(failures.is_empty(), "{failures:#?}");
}
