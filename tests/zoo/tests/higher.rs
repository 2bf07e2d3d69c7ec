//! Jacobians and second derivatives of every program of the zoo, interpreted.

use cotangent_core::ir::core;
use cotangent_core::ir::value::Value;
use cotangent_zoo::higher::{hessians, jacobians, linearised, second};
use cotangent_zoo::limit::Watchdog;
use cotangent_zoo::programs;
use cotangent_zoo::stages::{Differences, lower_inlined};

/// A check of a program at arguments.
type Check<'a> = &'a dyn Fn(&core::Program, &[Value], Differences) -> Result<(), String>;

/// The cases of all programs that fail a check.
fn wrong(what: Check<'_>) -> Vec<String> {
    let watchdog = Watchdog::new();
    let mut wrong = vec![];
    for program in programs().iter().filter(|p| is_wanted(p.name)) {
        for case in program.small_cases() {
            watchdog.start(format!("{} at `{}`", program.name, case.text));
            let differences = match case.flags.nonsmooth || case.flags.nonfinite {
                true => Differences::Skip,
                false => Differences::WhereSmooth,
            };
            let checked = lower_inlined(program.source, program.name).and_then(|(core, consts)| {
                let args: Vec<_> = case.args.iter().chain(&consts).cloned().collect();
                what(&core, &args, differences)
            });
            if let Err(message) = checked {
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
    assert_none(&wrong(&second));
}

#[test]
fn columns_are_rows() {
    assert_none(&wrong(&|program, args, _| {
        jacobians(program, args).map(|_| ())
    }));
}

#[test]
fn linear_programs_multiply() {
    assert_none(&wrong(&|program, args, _| linearised(program, args)));
}

#[test]
fn hessians_are_symmetric() {
    assert_none(&wrong(&hessians));
}
