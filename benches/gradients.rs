//! The objectives of `suite`, their compiled values and their gradients, timed side by side.
//!
//! ```text
//! cargo bench --bench gradients              # all workloads but the largest
//! cargo bench --bench gradients -- gmm ode   # those whose names begin so, and all with --all
//! ```
//!
//! Of each workload four things are measured: the function as it is written (plain Rust over the
//! combinators), the generated `_value`, the generated `_value_and_grad` or another derivative, and
//! where there is one the same written by hand with ndarray. They take turns, a sample each, so
//! that a busy moment of the machine hits all. Before that they are compared; without the argument
//! `--bench`, as `cargo test --benches` runs it, that is all.
//!
//! With `--serve` it does what `against_jax` asks for, line by line.

#[path = "suite/serve.rs"]
mod serve;
mod suite;
#[path = "suite/timing.rs"]
mod timing;

use std::hint::black_box;
use std::time::Duration;
use suite::{Gradient, Objective, WORKLOADS, Workload};
use timing::{Timer, Times};

/// How many samples are taken, and how long each lasts at least.
const SAMPLES: usize = 11;
const SAMPLE: Duration = Duration::from_millis(20);
/// A single run that takes longer is sampled a few times only.
const LONG: Duration = Duration::from_millis(500);

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let flag = |name: &str| arguments.iter().any(|a| a == name);
    if flag("--serve") {
        serve::serve();
        return;
    }
    let names: Vec<&String> = arguments.iter().filter(|a| !a.starts_with('-')).collect();
    let chosen = |w: &Workload| match &names[..] {
        [] => !w.large || flag("--all"),
        names => names.iter().any(|n| w.name.starts_with(n.as_str())),
    };
    if !flag("--bench") {
        let chosen: Vec<_> = WORKLOADS.iter().filter(|w| chosen(w)).collect();
        for w in &chosen {
            check(w, &*w.open());
        }
        println!(
            "values, and derivatives by hand, of {} objectives agree",
            chosen.len()
        );
        return;
    }
    println!(
        "milliseconds: median (minimum) of {SAMPLES} samples of {} ms or more",
        SAMPLE.as_millis()
    );
    println!(
        "{:32}{:>21}{:>21}{:>21}{:>21}{:>10}{:>8}{:>8}",
        "", "as written", "value", "derivative", "by hand", "der./orig", "/value", "/hand"
    );
    for w in WORKLOADS.iter().filter(|w| chosen(w)) {
        let objective = w.open();
        check(w, &*objective);
        let times = times(w, &*objective);
        let [written, value, grad, hand] = times;
        let show = |t: Option<Times>| {
            t.map_or("-".into(), |t| format!("{:.3} ({:.3})", t.median, t.least))
        };
        let per = |t: Option<Times>| match (grad, t) {
            (Some(grad), Some(t)) => format!("{:.2}", grad.least / t.least),
            _ => "-".into(),
        };
        println!(
            "{:32}{:>21}{:>21}{:>21}{:>21}{:>10}{:>8}{:>8}",
            w.name,
            show(written),
            show(value),
            show(grad),
            show(hand),
            per(written),
            per(value),
            per(hand),
        );
    }
}

/// Whether the values agree, and the derivative with the one by hand.
fn check(workload: &Workload, objective: &dyn Objective) {
    let Workload { name, kind, .. } = workload;
    let Gradient { value, .. } = objective.gradient();
    let close = |a: f64, b: f64| (a - b).abs() <= 1e-8 * (1.0 + a.abs() + b.abs());
    for v in [objective.written(), objective.value()] {
        assert!(close(v, value), "{name}: {v} or {value}");
    }
    if let Some(hand) = objective.by_hand() {
        assert!(
            close(hand.value, value),
            "{name}: {value} or {}",
            hand.value
        );
    }
    let parts = objective
        .parts(kind)
        .expect("a workload has its derivative");
    let Some(hand) = objective.parts_by_hand(kind) else {
        return;
    };
    assert_eq!(hand.len(), parts.len());
    for (k, (a, b)) in parts.iter().zip(&hand).enumerate() {
        assert_eq!(a.shape(), b.shape());
        let same = a.iter().zip(b).all(|(a, b)| close(*a, *b));
        assert!(same, "{name}: part {k} of the {kind} differs");
    }
}

/// As written, its value, its derivative, and by hand.
fn times(workload: &Workload, objective: &dyn Objective) -> [Option<Times>; 4] {
    let kind = workload.kind;
    let runs: [Box<dyn Fn() + '_>; 4] = [
        Box::new(|| _ = black_box(objective.written())),
        Box::new(|| _ = black_box(objective.value())),
        Box::new(|| _ = black_box(objective.parts(kind))),
        Box::new(|| _ = black_box(objective.parts_by_hand(kind))),
    ];
    let mut timers = runs.map(|run| Timer::new(run, SAMPLE));
    for round in 0..SAMPLES {
        for timer in &mut timers {
            if round < 3 || timer.once < LONG {
                timer.sample();
            }
        }
    }
    let mut times = timers.map(|t| Some(t.times()));
    if objective.parts_by_hand(kind).is_none() {
        times[3] = None;
    }
    times
}
