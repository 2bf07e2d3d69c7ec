//! The programs run as they are written.

use cotangent_zoo::{generic_programs_over_f32, programs};

#[test]
fn primal_runs() {
    let mut wrong = Vec::new();
    for program in programs().iter().chain(generic_programs_over_f32()) {
        for case in program.test_cases() {
            let place = format!("{} at `{}`", program.name, case.text);
            let run = std::panic::catch_unwind(|| (program.primal)(&case.args));
            let Ok(result) = run else {
                wrong.push(format!("{place} panics"));
                continue;
            };
            if result.shape().is_empty() != program.scalar_result {
                wrong.push(format!("{place} has the shape {:?}", result.shape()));
            }
            let finite = result.real().data.iter().all(|x| x.is_finite());
            if finite == case.flags.nonfinite {
                wrong.push(format!("{place} is {result}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_program_has_two_cases() {
    for program in programs() {
        assert!(
            program.test_cases().len() >= 2,
            "{} has a single case",
            program.name
        );
    }
}

#[test]
fn smooth_cases_are_smooth() {
    // Where a case is not flagged, central differences converge as they do for smooth functions,
    // and there is no kink: the slopes on both sides agree.
    let mut wrong = Vec::new();
    for program in programs() {
        for case in program.test_cases() {
            // Differences in `f32` say little.
            if case.flags.nonsmooth || case.flags.nonfinite || program.single {
                continue;
            }
            let tangents = program.random_tangents(&case.args, "smooth");
            let f = |h: f64| {
                let args = program.moved(&case.args, &tangents, h);
                (program.primal)(&args).real().data.clone()
            };
            // For every element of the result, its slope and its bend.
            let here = f(0.0);
            let differences = |h: f64| -> Vec<(f64, f64)> {
                let (up, down) = (f(h), f(-h));
                let triples = up.iter().zip(&down).zip(&here);
                triples
                    .map(|((u, d), x)| ((u - d) / (2.0 * h), (u - x - (x - d)) / h))
                    .collect()
            };
            let extrapolated = |h: f64| -> Vec<(f64, f64)> {
                let pairs = differences(h).into_iter().zip(differences(0.5 * h));
                pairs
                    .map(|(c, f)| ((4.0 * f.0 - c.0) / 3.0, 2.0 * f.1 - c.1))
                    .collect()
            };
            let tolerance = if case.flags.loose { 1e-5 } else { 1e-7 };
            for (one, other) in extrapolated(1e-3).iter().zip(extrapolated(3e-4)) {
                let scale = 1.0 + one.0.abs() + other.0.abs();
                let converges = (one.0 - other.0).abs() <= tolerance * scale;
                let straight = other.1.abs() <= 1e-5 * scale;
                if !(converges && straight) {
                    let place = format!("{} at `{}`", program.name, case.text);
                    wrong.push(format!("{place}: slope and bend {one:?} or {other:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
