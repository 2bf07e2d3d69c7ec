//! Derivatives of generated programs, raised to Core: the same numbers there, after reading the text
//! form back, and after vectorising and simplifying once more; and their derivatives are derivatives.

use cotangent_core::ir::core::Program;
use cotangent_core::ir::ty::Elem;
use cotangent_core::ir::value::{Tensor, Value};
use cotangent_core::ir::{bulk_eval, core_check, core_eval, core_text, generate};
use cotangent_core::pipeline::{self, Derivative};

fn close(a: f64, b: f64) -> bool {
    a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= 1e-9 * (1.0 + a.abs().max(b.abs()))
}

fn same(what: &str, a: &Value, b: &Value) -> Result<(), String> {
    let agree = a.shape() == b.shape()
        && match (a, b) {
            (Value::Real(x), Value::Real(y)) => {
                x.data.iter().zip(&y.data).all(|(x, y)| close(*x, *y))
            }
            (a, b) => a == b,
        };
    agree.then_some(()).ok_or(format!("{what}: {a} is not {b}"))
}

fn random(shape: &[usize], rng: &mut generate::Rng) -> Value {
    let n = shape.iter().product();
    let data = (0..n).map(|_| rng.real(-1.0, 1.0)).collect();
    Value::Real(Tensor::new(shape.to_vec(), data))
}

fn check(program: &Program, args: &[Value]) -> Result<(), String> {
    let bulk = pipeline::to_bulk(program, &mut |_, _| {})?;
    let (value, _) = core_eval::eval(program, args)?;
    let wrt: Vec<usize> = (program.params.iter().enumerate())
        .filter(|(_, p)| p.ty.elem == Elem::Real)
        .map(|(k, _)| k)
        .collect();
    let mut rng = generate::Rng::new(5);
    for what in [Derivative::Value, Derivative::Jvp, Derivative::Vjp] {
        let mut args = args.to_vec();
        match what {
            Derivative::Jvp => {
                for &k in &wrt {
                    args.push(random(args[k].shape(), &mut rng));
                }
            }
            Derivative::Vjp => args.extend(value.iter().map(|v| random(v.shape(), &mut rng))),
            Derivative::Value | Derivative::Grad | Derivative::ValueAndGrad => {}
        }
        let derived = pipeline::derive(&bulk, what, &wrt, &mut |_, _| {})?;
        let expected = bulk_eval::eval(&derived, &args)?.results;
        let routine = pipeline::routine(program, what, &wrt)?;
        let raised = routine.program("raised");
        let at = |stage: &str, e| format!("{what:?}, {stage}: {e}\n{derived}\n{raised}");
        core_check::check(&raised).map_err(|e| at("verifier", e))?;
        let read = core_text::parse(&raised.to_string()).map_err(|e| at("text", e))?;
        if read != raised {
            return Err(at("text", "not the same".into()));
        }
        let (actual, _) = core_eval::eval(&raised, &args).map_err(|e| at("Core", e))?;
        let again = pipeline::to_bulk(&raised, &mut |_, _| {}).map_err(|e| at("again", e))?;
        let outcome = bulk_eval::eval(&again, &args).map_err(|e| at("Bulk", e))?;
        for ((core, bulk), expected) in actual.iter().zip(&outcome.results).zip(&expected) {
            same("Core", core, expected).map_err(|e| at("Core", e))?;
            same("Bulk", bulk, expected).map_err(|e| at(&again.to_string(), e))?;
        }
    }
    Ok(())
}

#[test]
fn derivatives_of_generated_programs() {
    let count = std::env::var("COTANGENT_PROGRAMS").ok();
    let count = count.and_then(|n| n.parse().ok()).unwrap_or(300);
    let mut wrong = vec![];
    for seed in 0..count {
        let (program, args) = generate::program(seed, 25);
        if let Err(e) = check(&program, &args) {
            wrong.push(format!("seed {seed}:\n{program}\n{e}"));
        }
    }
    wrong.sort_by_key(String::len);
    let shown: String = wrong.iter().take(2).map(String::as_str).collect();
    assert!(wrong.is_empty(), "{} of {count} fail\n{shown}", wrong.len());
}
