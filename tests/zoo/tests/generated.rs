//! Generated programs through every stage.

use cotangent_core::ir::core::Program;
use cotangent_core::ir::cost::Cost;
use cotangent_core::ir::generate;
use cotangent_core::ir::value::Value;
use cotangent_zoo::parallel::for_each;
use cotangent_zoo::stages::{Counts, Differences, check};

fn seeds() -> std::ops::Range<u64> {
    let count = std::env::var("COTANGENT_PROGRAMS")
        .ok()
        .and_then(|n| n.parse().ok());
    let from = std::env::var("COTANGENT_FROM")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(0);
    from..from + count.unwrap_or(2000)
}

/// What the check says, panics included.
fn verdict(p: &Program, args: &[Value]) -> Result<Counts, String> {
    let run = std::panic::AssertUnwindSafe(|| check(p, args, Differences::WhereSmooth));
    match std::panic::catch_unwind(run) {
        Ok(r) => r,
        Err(e) => Err(format!(
            "panic: {}",
            e.downcast_ref::<String>().map_or("?", |s| s.as_str())
        )),
    }
}

/// Whether a program that every stage agrees on has a cheap gradient, as the interpreter of Bulk
/// counts. Fused programs add zeros that were stored, which in some very small programs is more
/// than all else. `growth` has the law about visits and memory.
fn cheap(p: &Program, args: &[Value]) -> Result<(), String> {
    match verdict(p, args) {
        Ok(counts) => {
            let operations = counts.vjp;
            let fused = Cost {
                operations,
                ..counts.fused
            };
            Counts { fused, ..counts }.cheap_in_operations()
        }
        Err(_) => Ok(()),
    }
}

#[test]
fn every_stage_agrees_on_generated_programs() {
    none_fails(|p, args| verdict(p, args).map(|_| ()));
}

#[test]
fn gradients_of_generated_programs_are_cheap() {
    none_fails(cheap);
}

/// Runs a check on all programs. Of those that fail, three are shown: the smallest of the first
/// few, shrunk.
fn none_fails(check: impl Fn(&Program, &[Value]) -> Result<(), String> + Sync) {
    /// How many are shrunk.
    const SHRUNK: usize = 12;
    /// How large the programs are.
    const SIZE: usize = 40;
    let seeds: Vec<u64> = seeds().collect();
    let failures = for_each(&seeds, |seed, watchdog| {
        watchdog.start(format!("seed {seed}"));
        let (program, args) = generate::program(*seed, SIZE);
        Some((*seed, check(&program, &args).err()?))
    });
    let failures: Vec<(u64, String)> = failures.into_iter().flatten().collect();
    let mut small = vec![];
    for (seed, message) in failures.iter().take(SHRUNK) {
        let (program, args) = generate::program(*seed, SIZE);
        let kind = message.split([':', ' ']).next().unwrap_or("");
        let shrunk = generate::shrink(&program, &args, &mut |p, a| {
            check(p, a).is_err_and(|m| m.starts_with(kind))
        });
        let why = check(&shrunk, &args).err();
        let why = why.as_ref().unwrap_or(message);
        small.push(format!(
            "seed {seed} fails; shrunk:\n{shrunk}\nwith {args:?}\n{why}\n"
        ));
    }
    small.sort_by_key(String::len);
    for text in small.iter().take(3) {
        eprintln!("{text}");
    }
    let (count, all) = (failures.len(), seeds.len());
    assert_eq!(count, 0, "of {all} generated programs fail");
}
