//! Jacobians and second derivatives of every program of the zoo, interpreted.

use cotangent_core::ir::core;
use cotangent_core::ir::value::Value;
use cotangent_zoo::bounds::{Above, Compiled};
use cotangent_zoo::higher::{hessians, jacobians, linearised, second, series};
use cotangent_zoo::limit::Watchdog;
use cotangent_zoo::programs;
use cotangent_zoo::stages::{Differences, lower_inlined};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// A check at arguments of what is made of a program.
type Check<'a, P> = &'a dyn Fn(&P, &[Value], Differences) -> Result<(), String>;

/// The cases of all programs that fail a check of what is made of each program once.
fn wrong<P>(made: &dyn Fn(core::Program) -> Result<P, String>, check: Check<'_, P>) -> Vec<String> {
    let watchdog = Watchdog::new();
    let mut wrong = vec![];
    for program in programs().iter().filter(|p| is_wanted(p.name)) {
        watchdog.start(program.name.to_owned());
        let lowered = lower_inlined(program.source, program.name);
        let made = lowered.and_then(|(core, consts)| Ok((made(core)?, consts)));
        let (made, consts) = match made {
            Ok(made) => made,
            Err(message) => {
                wrong.push(format!("{}: {message}", program.name));
                continue;
            }
        };
        for case in program.small_cases() {
            watchdog.start(format!("{} at `{}`", program.name, case.text));
            let differences = match case.flags.nonsmooth || case.flags.nonfinite {
                true => Differences::Skip,
                false => Differences::WhereSmooth,
            };
            let args: Vec<_> = case.args.iter().chain(&consts).cloned().collect();
            if let Err(message) = check(&made, &args, differences) {
                wrong.push(format!("{} at `{}`: {message}", program.name, case.text));
            }
        }
    }
    wrong
}

/// Whether a program is run: all are, unless `COTANGENT_ZOO` lists parts of names.
fn is_wanted(name: &str) -> bool {
    let words = std::env::var("COTANGENT_ZOO");
    words.map_or(true, |words| {
        words.split(',').any(|word| name.contains(word.trim()))
    })
}

fn assert_none(wrong: &[String]) {
    let (count, all) = (wrong.len(), wrong.join("\n"));
    assert!(wrong.is_empty(), "{count} cases fail:\n{all}");
}

#[test]
fn products_with_the_hessian() {
    assert_none(&wrong(&Ok, &second));
}

#[test]
fn columns_are_rows() {
    assert_none(&wrong(&Ok, &|program, args, _| {
        jacobians(program, args).map(|_| ())
    }));
}

#[test]
fn linear_programs_multiply() {
    assert_none(&wrong(&Ok, &|program, args, _| linearised(program, args)));
}

#[test]
fn series_are_derivatives_of_derivatives() {
    assert_none(&wrong(&Ok, &series));
}

#[test]
fn hessians_are_symmetric() {
    assert_none(&wrong(&Ok, &hessians));
}

/// Programs with a derivative that takes more than it may, and why.
const EXCEPTIONS: [(&str, &str); 4] = [
    ("determinant_by_recursion", RECURSION),
    ("determinant_of_copied_minors", RECURSION),
    ("recursion_in_loops", RECURSION),
    ("recursion_over_an_array", RECURSION),
];

const RECURSION: &str =
    "it calls itself as a unit, so a derivative computes again at each level what is below";

#[test]
fn derivatives_cost_what_they_may() {
    let dear = RefCell::new(BTreeSet::new());
    let named = |core: core::Program| Ok((core.name.clone(), Compiled::of(core)?));
    let failures = wrong(&named, &|(name, derivatives), args, _| {
        let above = derivatives.above(args)?;
        if above.is_empty() {
            return Ok(());
        }
        dear.borrow_mut().insert(name.clone());
        if EXCEPTIONS.iter().any(|(exception, _)| exception == name) {
            return Ok(());
        }
        let above = above.iter().map(|a| {
            let Above {
                what,
                operations,
                allowed,
            } = a;
            format!("{what}: {operations} operations, allowed {allowed}")
        });
        Err(above.collect::<Vec<_>>().join("; "))
    });
    assert_none(&failures);
    let dear = dear.into_inner();
    for (name, reason) in EXCEPTIONS.iter().filter(|(name, _)| is_wanted(name)) {
        let is_needed = dear.contains(*name);
        assert!(
            is_needed,
            "`{name}` costs what it may, and is listed since {reason}"
        );
    }
}
