//! Passes on programs in files: what goes in and what comes out, both as text.
//!
//! A file under `tests/passes` starts with directives, then has a program, a line `=>`, and the
//! program that the pass makes of it:
//!
//! ```text
//! # pass: simplify
//! # fires: unit
//! fn f(x: real[d0.0])
//!   v1: real[d0.0] = fill 1.0
//!   v2: real[d0.0] = mul(v1, v0)
//!   return v2
//! =>
//! fn f(x: real[d0.0])
//!   return v0
//! ```
//!
//! | directive | meaning |
//! |---|---|
//! | `pass: recognise` | on a Core program, and what comes out is one; both are also run on random inputs, and the second may be dearer |
//! | `pass: blocks 3`, `blocks sqrt`, `blocks binomial 2` | the same, with the words of the attribute's `checkpoint` |
//! | `pass: simplify` | on a Bulk program; it is also run on random inputs before and after |
//! | `pass: needed`, `pass: single`, `pass: cases` | the same |
//! | `pass: linearise wrt 0 1` | on a Bulk program |
//! | `pass: transpose wrt 0` | of what linearisation makes of a Bulk program |
//! | `pass: vectorise` | on a Core program |
//! | `pass: value`, `jvp wrt 0`, `vjp wrt 0`, `grad wrt 0`, `value-and-grad wrt 0` | the pipeline up to simplified Bulk, on a program of either kind |
//! | `pass: transpose-twice wrt 0` | the vjp with respect to the cotangent of the vjp, on a program of either kind that is linear |
//! | `pass: checkpoints wrt 0` | of the gradient that the pipeline makes of a program of either kind |
//! | `pass: schedule` | on Kernels |
//! | `fires: rule` | the rule is used at least once |
//! | `does not fire: rule` | the rule is not used |
//! | `zeros: unsigned` | the sign of zeros may change; the reason follows as a comment |
//! | `linear: 1 2` | what depends on these parameters is linear in them; then it is compared on finite inputs only |
//! | `lengths: not 1` | the rule saves nothing along an axis of length 1, where it may cost an operation |
//!
//! Further lines that start with `#` are comments. `COTANGENT_BLESS=1` writes what comes out into
//! the files.

mod passes {
    pub(super) mod file;
    pub(super) mod inputs;
}

use cotangent_core::ir::{bulk, bulk_check, bulk_eval, generate};
use cotangent_core::passes::simplify::{RULES, simplify};
use cotangent_core::passes::{linearise::linearise, transpose::transpose};
use cotangent_core::pipeline;
use passes::file::{File, Pass, all};
use passes::inputs::{Sizes, differs, inputs};
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn files() {
    let bless = std::env::var_os("COTANGENT_BLESS").is_some();
    let mut failures = 0;
    let files = all();
    assert!(!files.is_empty(), "no files");
    for path in files {
        let name = path.display();
        let outcome = std::panic::catch_unwind(|| one(&path, bless))
            .unwrap_or_else(|_| Err("panics, see above".into()));
        if let Err(e) = outcome {
            failures += 1;
            eprintln!("{name}: {e}\n");
        }
    }
    assert_eq!(failures, 0, "files fail");
}

fn one(path: &std::path::Path, bless: bool) -> Result<(), String> {
    let file = File::read(path)?;
    let (text, actual) = if let Pass::Schedule = file.pass {
        (file.scheduled()?, None)
    } else {
        let (actual, fired) = file.run()?;
        file.check_fired(&fired)?;
        let text = match file.is_of_core() {
            true => file.rewritten()?.to_string(),
            false => actual.to_string(),
        };
        (text, Some(actual))
    };
    if bless && text != file.expected {
        file.bless(path, &text)?;
    } else if text != file.expected {
        return Err(format!("expected\n{}\nactual\n{text}", file.expected));
    }
    let is_compared = file.is_of_core()
        || matches!(
            file.pass,
            Pass::Simplify | Pass::Needed | Pass::Single | Pass::Cases
        );
    if let Some(actual) = actual.filter(|_| is_compared) {
        same_meaning(&file, &actual)?;
    }
    Ok(())
}

/// Both programs on random inputs: the same values, the second in no more operations, and both
/// without a value where one is.
fn same_meaning(file: &File, after: &bulk::Program) -> Result<(), String> {
    let before = &file.bulk()?;
    let unsigned_zeros = file.unsigned_zeros || file.is_linear();
    let mut rng = generate::Rng::new(11);
    let mut succeeded = 0;
    for trial in 0..60 {
        let sizes = match trial % 4 {
            0 | 1 => Sizes::Threes,
            2 if file.no_single => Sizes::Any { from: 2 },
            2 => Sizes::Any { from: 1 },
            _ => Sizes::Any { from: 0 },
        };
        let counts = !(file.no_single && trial % 4 == 3 || file.is_of_core());
        let special = trial % 2 == 1 && !file.is_linear();
        let Some(args) = inputs(before, sizes, special, &mut rng) else {
            continue;
        };
        let with = || {
            let args: Vec<String> = args.iter().map(ToString::to_string).collect();
            args.join(", ")
        };
        match (
            bulk_eval::eval(before, &args),
            bulk_eval::eval(after, &args),
        ) {
            (Ok(a), Ok(b)) => {
                succeeded += 1;
                for (x, y) in a.results.iter().zip(&b.results) {
                    if differs(x, y, unsigned_zeros) {
                        return Err(format!("{x} becomes {y} with {}\n{after}", with()));
                    }
                }
                if counts && b.cost > a.cost {
                    let (a, b) = (a.cost, b.cost);
                    return Err(format!("dearer: {a} becomes {b} with {}\n{after}", with()));
                }
            }
            (Err(_), Err(_)) => {}
            (Err(_), Ok(_)) if file.may_succeed => {}
            (Err(e), Ok(_)) => return Err(format!("loses `{e}` with {}\n{after}", with())),
            (Ok(_), Err(e)) => return Err(format!("now `{e}` with {}\n{after}", with())),
        }
    }
    if succeeded == 0 {
        return Err("has no value on any input".into());
    }
    Ok(())
}

#[test]
fn every_rule_has_a_file_where_it_fires_and_one_where_it_does_not() {
    let mut has: BTreeMap<String, [bool; 2]> = BTreeMap::new();
    for path in all() {
        let file = File::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        for rule in file.fires {
            has.entry(rule).or_default()[0] = true;
        }
        for rule in file.does_not_fire {
            has.entry(rule).or_default()[1] = true;
        }
    }
    let rules: BTreeSet<&str> = RULES.iter().copied().flatten().map(|r| r.name).collect();
    let mut missing = vec![];
    for &rule in &rules {
        let [fires, not] = has.get(rule).copied().unwrap_or_default();
        if !fires {
            missing.push(format!("`# fires: {rule}`"));
        }
        if !not {
            missing.push(format!("`# does not fire: {rule}`"));
        }
    }
    assert!(missing.is_empty(), "no file has {}", missing.join(", "));
    for rule in has.keys() {
        assert!(rules.contains(rule.as_str()), "there is no rule `{rule}`");
    }
}

/// Simplifying twice is simplifying once.
fn idempotent(program: &bulk::Program) -> Result<(), String> {
    let once = simplify(program);
    let twice = simplify(&once);
    if once == twice {
        return Ok(());
    }
    Err(format!("of\n{program}once:\n{once}twice:\n{twice}"))
}

#[test]
fn simplification_is_idempotent_on_files() {
    let mut failures = 0;
    for path in all() {
        let file = File::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        if let Pass::Schedule = file.pass {
            continue;
        }
        let program = match file.bulk() {
            Ok(p) => p,
            Err(_) => file.run().map(|(p, _)| p).unwrap_or_else(|e| panic!("{e}")),
        };
        if let Err(e) = idempotent(&program) {
            failures += 1;
            eprintln!("{}: {e}", path.display());
        }
    }
    assert_eq!(failures, 0, "simplification is not idempotent");
}

#[test]
fn simplification_is_idempotent_on_generated_programs() {
    /// What is simplified: the function, then its vector-Jacobian product.
    fn both(program: &cotangent_core::ir::core::Program) -> Result<(), String> {
        let Ok(bulk) = cotangent_core::passes::vectorise::vectorise(program) else {
            return Ok(());
        };
        idempotent(&bulk)?;
        let real = |p: &bulk::Param| p.ty.elem == cotangent_core::ir::ty::Elem::Real;
        let wrt: Vec<usize> = (0..bulk.params.len())
            .filter(|&k| real(&bulk.params[k]))
            .collect();
        idempotent(&transpose(&linearise(&simplify(&bulk), &wrt)))
    }
    let count = std::env::var("COTANGENT_PROGRAMS")
        .ok()
        .and_then(|n| n.parse().ok());
    let mut failures = 0;
    for seed in 0..count.unwrap_or(500) {
        let (program, args) = generate::program(seed, 40);
        if both(&program).is_ok() {
            continue;
        }
        failures += 1;
        if failures > 3 {
            continue;
        }
        let small = generate::shrink(&program, &args, &mut |p, _| both(p).is_err());
        eprintln!("seed {seed}:\n{small}{}", both(&small).unwrap_err());
    }
    assert_eq!(failures, 0, "simplification is not idempotent");
}

/// The pipeline verifies in debug builds only; a file must hold a sound program in any.
fn verified(program: bulk::Program) -> Result<bulk::Program, String> {
    bulk_check::check(&program).map_err(|e| format!("{e}\n{program}"))?;
    Ok(program)
}

/// The product with the Jacobian of the vector-Jacobian product of a linear function.
fn transposed_twice(program: &bulk::Program, wrt: &[usize]) -> Result<bulk::Program, String> {
    let mut once = verified(transpose(&linearise(program, wrt)))?;
    once.results.drain(..program.results.len());
    let cotangents: Vec<usize> = (program.params.len()..once.params.len()).collect();
    let mut twice = verified(transpose(&linearise(&simplify(&once), &cotangents)))?;
    twice.results.drain(..once.results.len());
    Ok(simplify(&twice))
}

/// A function as a simplified Bulk program.
fn to_bulk(program: &cotangent_core::ir::core::Program) -> Result<bulk::Program, String> {
    pipeline::to_bulk(program, &mut |_, _| {})
}
