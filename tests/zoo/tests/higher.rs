//! Jacobians and second derivatives of every program of the zoo, interpreted.

use cotangent_zoo::derived::Function;
use cotangent_zoo::higher::{hessians, jacobians, linearised, second, series};
use cotangent_zoo::limit::Watchdog;
use cotangent_zoo::parallel::for_each;
use cotangent_zoo::stages::{Differences, lower_inlined};
use cotangent_zoo::{Program, programs};
use std::sync::LazyLock;

/// A check of a function at the arguments of a case.
type Check = fn(&Function, &[cotangent_zoo::Value], Differences) -> Result<(), String>;

/// What is checked, each by a test below.
const CHECKS: [(&str, Check); 6] = [
    ("second", second),
    ("jacobians", |f, args, _| jacobians(f, args)),
    ("linearised", |f, args, _| linearised(f, args)),
    ("series", series),
    ("hessians", hessians),
    ("costs", |f, args, _| costs(f, args)),
];

/// A case that fails a check.
struct Failure {
    check: &'static str,
    program: &'static str,
    message: String,
}

/// The failures of all programs. Each derivative is made once, for all checks and cases.
static FAILURES: LazyLock<Vec<Failure>> = LazyLock::new(|| {
    let wanted = programs().iter().filter(|p| is_wanted(p.name));
    let wanted: Vec<&'static Program> = wanted.collect();
    let failures = for_each(&wanted, |program, watchdog| failures(program, watchdog));
    failures.into_iter().flatten().collect()
});

fn failures(program: &'static Program, watchdog: &Watchdog) -> Vec<Failure> {
    let failure = |check, message| Failure {
        check,
        program: program.name,
        message,
    };
    watchdog.start(program.name.to_owned());
    let made = lower_inlined(program.source, program.name)
        .and_then(|(core, consts)| Ok((Function::of(core)?, consts)));
    let (function, consts) = match made {
        Ok(made) => made,
        Err(e) => return CHECKS.map(|(check, _)| failure(check, e.clone())).into(),
    };
    let mut failures = vec![];
    for case in program.small_cases() {
        let differences = match case.flags.nonsmooth || case.flags.nonfinite {
            true => Differences::Skip,
            false => Differences::WhereSmooth,
        };
        let args: Vec<_> = case.args.iter().chain(&consts).cloned().collect();
        for (name, check) in CHECKS {
            watchdog.start(format!("{}, {name}, at `{}`", program.name, case.text));
            if let Err(message) = check(&function, &args, differences) {
                failures.push(failure(name, format!("at `{}`: {message}", case.text)));
            }
        }
    }
    failures
}

/// Whether a program is run: all are, unless `COTANGENT_ZOO` lists parts of names.
fn is_wanted(name: &str) -> bool {
    let words = std::env::var("COTANGENT_ZOO");
    words.map_or(true, |words| {
        words.split(',').any(|word| name.contains(word.trim()))
    })
}

fn costs(f: &Function, args: &[cotangent_zoo::Value]) -> Result<(), String> {
    let above = f.above(args)?;
    match above.is_empty() {
        true => Ok(()),
        false => Err(format!("{above:?}")),
    }
}

/// No program fails a check, except those that must.
fn assert_none(check: &str, exceptions: &[&str]) {
    assert!(CHECKS.iter().any(|(name, _)| *name == check));
    let failures = || FAILURES.iter().filter(|f| f.check == check);
    let wrong = failures().filter(|f| !exceptions.contains(&f.program));
    let wrong: Vec<_> = wrong
        .map(|f| format!("{} {}", f.program, f.message))
        .collect();
    assert!(
        wrong.is_empty(),
        "{} cases fail:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    for name in exceptions.iter().filter(|name| is_wanted(name)) {
        let fails = failures().any(|f| f.program == *name);
        assert!(fails, "`{name}` passes, and is listed as an exception");
    }
}

#[test]
fn products_with_the_hessian() {
    assert_none("second", &[]);
}

#[test]
fn columns_are_rows() {
    assert_none("jacobians", &[]);
}

#[test]
fn linear_programs_multiply() {
    assert_none("linearised", &[]);
}

#[test]
fn series_are_derivatives_of_derivatives() {
    assert_none("series", &[]);
}

#[test]
fn hessians_are_symmetric() {
    assert_none("hessians", &[]);
}

/// Programs that call themselves as a unit, so that a derivative computes again at each level what
/// is below.
const RECURSIVE: [&str; 4] = [
    "determinant_by_recursion",
    "determinant_of_copied_minors",
    "recursion_in_loops",
    "recursion_over_an_array",
];

#[test]
fn derivatives_cost_what_they_may() {
    assert_none("costs", &RECURSIVE);
}
