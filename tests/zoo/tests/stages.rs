//! Every program of the zoo through every stage, interpreted; and what it costs.

use cotangent_zoo::stages::{Counts, Differences, check, lower};
use cotangent_zoo::{Case, Program, programs};
use std::fmt::Write;

fn run(program: &Program, case: &Case) -> Result<Counts, String> {
    let (core, consts) = lower(program.source, program.name)?;
    let args: Vec<_> = case.args.iter().chain(&consts).cloned().collect();
    let differences = if case.flags.nonsmooth || case.flags.nonfinite {
        Differences::Skip
    } else {
        Differences::WhereSmooth
    };
    check(&core, &args, differences)
}

#[test]
fn every_stage_agrees_on_the_zoo() {
    let mut wrong = vec![];
    for program in programs() {
        for case in program.test_cases() {
            if let Err(message) = run(program, &case) {
                wrong.push(format!("{} at `{}`: {message}", program.name, case.text));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The counted operations of every program at its first case, compared with the table that is checked
/// in. `COTANGENT_BLESS=1` renews the table.
#[test]
fn counted_operations_are_as_recorded() {
    let mut table = String::from(
        "# Real operations: the function as written, simplified, value and vjp, the same fused.\n",
    );
    for program in programs() {
        let case = program.test_cases().remove(0);
        let c = run(program, &case).unwrap_or_default();
        let Counts {
            core,
            value,
            vjp,
            fused,
        } = c;
        writeln!(
            table,
            "{:40} {core:6} {value:6} {vjp:6} {fused:6}",
            program.name
        )
        .expect("a string");
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/costs.txt");
    if std::env::var_os("COTANGENT_BLESS").is_some() {
        std::fs::write(path, &table).expect("the table can be written");
    }
    let recorded = std::fs::read_to_string(path).unwrap_or_default();
    for (now, before) in table.lines().zip(recorded.lines()) {
        assert_eq!(
            now, before,
            "counts changed; COTANGENT_BLESS=1 records them"
        );
    }
    assert_eq!(table.lines().count(), recorded.lines().count());
}
