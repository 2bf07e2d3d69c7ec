//! What the front end makes of a program computes the same as the program compiled by rustc.

use cotangent_core::ir::core_eval;
use cotangent_zoo::stages::lower_both;
use cotangent_zoo::{Value, programs};

#[test]
fn core_agrees_with_rustc() {
    let mut wrong = vec![];
    for program in programs() {
        let lowered = match lower_both(program.source, program.name) {
            Ok(lowered) => lowered,
            Err(message) => {
                wrong.push(format!("{}: {message}", program.name));
                continue;
            }
        };
        for case in program.small_cases() {
            // What panics is reported by the test of the programs themselves.
            let Ok(expected) = std::panic::catch_unwind(|| (program.primal)(&case.args)) else {
                continue;
            };
            let args: Vec<Value> = case.args.iter().chain(&lowered.consts).cloned().collect();
            let place = format!("{} at `{}`", program.name, case.text);
            for (what, core) in [
                ("as written", &lowered.written),
                ("recognised", &lowered.program),
            ] {
                let computed = core_eval::eval(core, &args);
                let computed = computed.map(|(values, _)| values);
                if let Err(message) =
                    computed.and_then(|found| same(&found, &expected, program.single))
                {
                    wrong.push(format!("{place}, {what}: {message}\n{core}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whether Core gives what rustc's function does.
fn same(found: &[Value], wanted: &Value, single: bool) -> Result<(), String> {
    // Core computes in double precision whatever the program does.
    let tolerance = if single { 1e-4 } else { 1e-10 };
    let close = |(x, y): (&f64, &f64)| {
        x == y
            || (x.is_nan() && y.is_nan())
            || (x - y).abs() <= tolerance * (1.0 + x.abs() + y.abs())
    };
    // What is made of several values is given one real number after another.
    let real = |v: &Value| match v {
        Value::Real(t) => t.data.clone(),
        Value::Int(_) | Value::Bool(_) => vec![],
    };
    let numbers: Vec<f64> = found.iter().flat_map(real).collect();
    let expected = real(wanted);
    let shape = match found {
        [one] => one.shape() == wanted.shape(),
        _ => true,
    };
    let all = numbers.len() == expected.len() && numbers.iter().zip(&expected).all(close);
    match shape && all {
        true => Ok(()),
        false => Err(format!("{} instead of {wanted}", found[0])),
    }
}
