//! The law of cheap gradients at n, 2n and 4n.

use cotangent_core::ir::generate;
use cotangent_zoo::limit::Watchdog;
use cotangent_zoo::measure::scaled;
use cotangent_zoo::programs;
use cotangent_zoo::stages::{is_exception, lower};

/// The generated programs that break the law, and why. One that keeps it must go.
const SEEDS: [(u64, &str); 2] = [(53, A_BRANCH), (124, A_BRANCH)];

const A_BRANCH: &str =
    "arrays that a side makes element by element are visited also where it is not taken";

/// No more steps of a function than an interpreter takes in a moment.
const MOST: u64 = 20_000;

fn assert_none(failures: &[String]) {
    let (count, all) = (failures.len(), failures.join("\n"));
    assert!(failures.is_empty(), "{count} fail:\n{all}");
}

#[test]
fn of_the_zoo() {
    let mut failures = vec![];
    let watchdog = Watchdog::new();
    for program in programs().iter().filter(|p| !is_exception(p.name)) {
        let (core, consts) = lower(program.source, program.name).expect(program.name);
        for case in program
            .test_cases()
            .iter()
            .filter(|c| !c.flags.deep && !c.flags.large)
        {
            // Invariants are computed also before loops over nothing.
            if case.args.iter().any(|v| v.shape().contains(&0)) {
                continue;
            }
            watchdog.start(format!("{} at `{}`, made larger,", program.name, case.text));
            let args: Vec<_> = case.args.iter().chain(&consts).cloned().collect();
            // Where a stage fails is for the tests of stages.
            for (k, counts) in scaled(&core, &args, MOST).iter().flatten().enumerate() {
                if let Err(e) = counts.cheap() {
                    let (name, times) = (program.name, 1 << k);
                    failures.push(format!("{name} at `{}`, {times} times: {e}", case.text));
                }
            }
        }
    }
    assert_none(&failures);
}

#[test]
fn of_generated_programs() {
    let mut failures = vec![];
    for seed in 0..500 {
        let (program, args) = generate::program(seed, 40);
        let known = failures.len();
        for (k, counts) in scaled(&program, &args, MOST).iter().flatten().enumerate() {
            if let Err(e) = counts.cheap() {
                failures.push(format!("seed {seed}, {} times: {e}", 1 << k));
            }
        }
        if let Some((_, why)) = SEEDS.iter().find(|(s, _)| *s == seed) {
            if failures.len() == known {
                failures.push(format!("seed {seed} keeps the law: {why}"));
            } else {
                failures.truncate(known);
            }
        }
    }
    assert_none(&failures);
}
