//! Generated programs through every stage.

use cotangent_core::ir::generate;
use cotangent_zoo::stages::{Differences, check};

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
fn verdict(
    p: &cotangent_core::ir::core::Program,
    args: &[cotangent_core::ir::value::Value],
) -> Result<(), String> {
    let run = std::panic::AssertUnwindSafe(|| check(p, args, Differences::WhereSmooth));
    match std::panic::catch_unwind(run) {
        Ok(r) => r.map(|_| ()),
        Err(e) => Err(format!(
            "panic: {}",
            e.downcast_ref::<String>().map_or("?", |s| s.as_str())
        )),
    }
}

#[test]
fn every_stage_agrees_on_generated_programs() {
    let mut failures = 0;
    for seed in seeds() {
        let (program, args) = generate::program(seed, 40);
        let Err(message) = verdict(&program, &args) else {
            continue;
        };
        failures += 1;
        if failures > 3 {
            continue;
        }
        let kind = message.split([':', ' ']).next().unwrap_or("").to_owned();
        let small = generate::shrink(&program, &args, &mut |p, a| {
            verdict(p, a).is_err_and(|m| m.starts_with(&kind))
        });
        let why = verdict(&small, &args).err().unwrap_or(message);
        eprintln!("seed {seed} fails; shrunk:\n{small}\nwith {args:?}\n{why}\n");
    }
    assert_eq!(failures, 0, "generated programs fail");
}
