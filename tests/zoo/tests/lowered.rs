//! What the front end makes of a program computes the same as the program compiled by rustc.

use cotangent_core::ir::core_eval;
use cotangent_zoo::stages::lower;
use cotangent_zoo::{Value, programs};

#[test]
fn core_agrees_with_rustc() {
    let mut wrong = vec![];
    for program in programs() {
        let (core, consts) = match lower(program.source, program.name) {
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
            let args: Vec<Value> = case.args.iter().chain(&consts).cloned().collect();
            let place = format!("{} at `{}`", program.name, case.text);
            match core_eval::eval(&core, &args) {
                Err(message) => wrong.push(format!("{place}: {message}\n{core}")),
                Ok((values, _)) => {
                    // Core computes in double precision whatever the program does.
                    let tolerance = if program.single { 1e-4 } else { 1e-10 };
                    let same = |(x, y): (&f64, &f64)| {
                        x == y
                            || (x.is_nan() && y.is_nan())
                            || (x - y).abs() <= tolerance * (1.0 + x.abs() + y.abs())
                    };
                    // What is made of several values is given one real number after another.
                    let real = |v: &Value| match v {
                        Value::Real(t) => t.data.clone(),
                        Value::Int(_) | Value::Bool(_) => vec![],
                    };
                    let found: Vec<f64> = values.iter().flat_map(real).collect();
                    let wanted = real(&expected);
                    let shape = match &values[..] {
                        [one] => one.shape() == expected.shape(),
                        _ => true,
                    };
                    let all = found.len() == wanted.len() && found.iter().zip(&wanted).all(same);
                    if !shape || !all {
                        wrong.push(format!(
                            "{place}: {} instead of {expected}\n{core}",
                            values[0]
                        ));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
