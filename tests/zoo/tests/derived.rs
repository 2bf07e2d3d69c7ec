//! The derivatives of the programs agree with each other and with central differences.

#![cfg(feature = "derived")]

use cotangent_zoo::limit::Watchdog;
use cotangent_zoo::stages::{Derivatives, derivatives};
use cotangent_zoo::{Case, Program, Value, generic_programs_over_f32, programs, random_like};

/// Runs a check on every case and lists all that fail.
fn on_every_case(
    check: impl Fn(&Program, &Case) -> Result<(), String> + std::panic::RefUnwindSafe,
) {
    let watchdog = Watchdog::new();
    let mut wrong = Vec::new();
    for program in programs().iter().chain(generic_programs_over_f32()) {
        for case in program.test_cases() {
            watchdog.start(format!("{} at `{}`", program.name, case.text));
            let result = std::panic::catch_unwind(|| check(program, &case))
                .unwrap_or_else(|_| Err("panics".into()));
            if let Err(message) = result {
                wrong.push(format!("{} at `{}`: {message}", program.name, case.text));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn close(what: &str, a: &Value, b: &Value, tolerance: f64) -> Result<(), String> {
    let near = |(x, y): (&f64, &f64)| {
        // Equal infinities are as close as can be, and NaN goes with NaN.
        x == y
            || (x.is_nan() && y.is_nan())
            || (x - y).abs() <= tolerance * (1.0 + x.abs() + y.abs())
    };
    if a.shape() == b.shape() && a.real().data.iter().zip(&b.real().data).all(near) {
        Ok(())
    } else {
        Err(format!("{what}: {a} or {b}"))
    }
}

fn inner(a: &Value, b: &Value) -> f64 {
    assert_eq!(a.shape(), b.shape());
    let pairs = a.real().data.iter().zip(&b.real().data);
    pairs.map(|(x, y)| x * y).sum()
}

fn tangents(program: &Program, case: &Case) -> Vec<Value> {
    program.random_tangents(&case.args, "tangent")
}

fn tolerance(program: &Program, case: &Case) -> f64 {
    match (program.single, case.flags.loose) {
        (false, false) => 1e-10,
        (false, true) => 1e-7,
        (true, false) => 1e-4,
        (true, true) => 1e-2,
    }
}

fn real(x: f64) -> Value {
    Value::Real(cotangent_zoo::Tensor::scalar(x))
}

#[test]
fn values_are_those_of_the_function_as_written() {
    on_every_case(|program, case| {
        let expected = (program.primal)(&case.args);
        let tolerance = tolerance(program, case);
        let value = (program.value)(&case.args);
        close("value", &value, &expected, tolerance)?;
        let (value, _) = (program.jvp)(&case.args, &tangents(program, case));
        close("value of jvp", &value, &expected, tolerance)?;
        let (value, gradients) = (program.vjp)(&case.args, &random_like(&expected, "cotangent"));
        close("value of vjp", &value, &expected, tolerance)?;
        for (p, gradient) in program.real_params().zip(&gradients) {
            if gradient.shape() != case.args[p].shape() {
                return Err(format!("the gradient {gradient} has a wrong shape"));
            }
        }
        Ok(())
    });
}

#[test]
fn forward_agrees_with_reverse() {
    on_every_case(|program, case| {
        if case.flags.nonfinite {
            return Ok(());
        }
        let directions = tangents(program, case);
        let (value, tangent) = (program.jvp)(&case.args, &directions);
        let cotangent = random_like(&value, "cotangent");
        let (_, gradients) = (program.vjp)(&case.args, &cotangent);
        let forward = inner(&cotangent, &tangent);
        let reverse = gradients
            .iter()
            .zip(&directions)
            .map(|(g, t)| inner(g, t))
            .sum();
        close(
            "forward or reverse",
            &real(forward),
            &real(reverse),
            tolerance(program, case),
        )
    });
}

#[test]
fn gradients_are_those_of_reverse() {
    on_every_case(|program, case| {
        let Some(value_and_grad) = program.value_and_grad else {
            return Ok(());
        };
        let (value, gradients) = value_and_grad(&case.args);
        let (expected, products) = (program.vjp)(&case.args, &real(1.0));
        close("value", &value, &expected, tolerance(program, case))?;
        let mut pairs = gradients.iter().zip(&products);
        pairs.try_for_each(|(g, p)| close("gradient", g, p, tolerance(program, case)))
    });
}

#[test]
fn forward_agrees_with_central_differences() {
    on_every_case(|program, case| {
        // Differences in `f32` say little.
        if case.flags.nonfinite || case.flags.nonsmooth || program.single {
            return Ok(());
        }
        let directions = tangents(program, case);
        let (_, tangent) = (program.jvp)(&case.args, &directions);
        let at = |h: f64| (program.primal)(&program.moved(&case.args, &directions, h));
        // Two steps, extrapolated to an error of fourth order.
        let slope = |h: f64| {
            let (up, down) = (at(h), at(-h));
            let pairs = up.real().data.iter().zip(&down.real().data);
            pairs.map(|(u, d)| (u - d) / (2.0 * h)).collect::<Vec<_>>()
        };
        let (coarse, fine) = (slope(1e-3), slope(5e-4));
        let data = coarse
            .iter()
            .zip(&fine)
            .map(|(c, f)| (4.0 * f - c) / 3.0)
            .collect();
        let expected = Value::Real(cotangent_zoo::Tensor::new(tangent.shape().to_vec(), data));
        let tolerance = if case.flags.loose { 1e-4 } else { 1e-6 };
        close("tangent or difference", &tangent, &expected, tolerance)
    });
}

#[test]
fn single_precision_is_close_to_double() {
    on_every_case(|program, case| {
        if !program.single || case.flags.large {
            return Ok(());
        }
        let directions = tangents(program, case);
        let cotangent = random_like(&(program.primal)(&case.args), "cotangent");
        let Derivatives {
            value,
            tangent,
            gradients,
        } = derivatives(
            program.source,
            program.name,
            &case.args,
            &directions,
            &cotangent,
        )?;
        let tolerance = tolerance(program, case);
        close("value", &(program.value)(&case.args), &value, tolerance)?;
        let (_, found) = (program.jvp)(&case.args, &directions);
        close("tangent", &found, &tangent, tolerance)?;
        let (_, found) = (program.vjp)(&case.args, &cotangent);
        let mut pairs = found.iter().zip(&gradients);
        pairs.try_for_each(|(f, g)| close("gradient", f, g, tolerance))
    });
}
