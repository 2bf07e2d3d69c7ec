//! Derivatives of generated programs, raised to Core: the same numbers there, after reading the
//! text form back, and after vectorising and simplifying once more; and their derivatives are
//! derivatives.

use cotangent_core::derivative::{Derivative, Takes};
use cotangent_core::ir::core::{Block, Bound, Expr, Fresh, Param, Program, Routine, Sym, Ty};
use cotangent_core::ir::prims::Prim;
use cotangent_core::ir::ty::Elem;
use cotangent_core::ir::value::{Tensor, Value};
use cotangent_core::ir::{bulk_eval, core_check, core_eval, core_text, generate};
use cotangent_core::pipeline;

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
        match what.takes() {
            Takes::Each(_) => {
                for &k in &wrt {
                    args.push(random(args[k].shape(), &mut rng));
                }
            }
            Takes::Cotangent => args.extend(value.iter().map(|v| random(v.shape(), &mut rng))),
            Takes::Nothing | Takes::Cotangents | Takes::SeveralOfEach(_) => {}
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

/// One result of a routine in a loop of two rounds; in the second one all real arguments are
/// halved.
fn in_a_loop(routine: &Routine, result: usize) -> Program {
    let mut fresh = Fresh::after(1 << 20);
    let i = fresh.sym("round");
    let index = |s: &Sym| Expr::var(s, Ty::scalar(Elem::Int));
    let is_first = Expr::prim(Prim::IEq, vec![index(&i), Expr::int(0)]);
    let scale = Expr::cond(is_first, Expr::real(1.0), Expr::real(0.5));
    let mut params = vec![];
    let mut bound = vec![];
    for p in &routine.params {
        let sym = fresh.sym(&p.sym.hint);
        let outer = Expr::var(&sym, p.ty);
        params.push(Param {
            sym,
            ty: p.ty,
            lengths: vec![],
        });
        if p.ty.elem != Elem::Real {
            bound.push(Bound::Let(p.sym.clone(), outer));
            continue;
        }
        let axes: Vec<Sym> = (0..p.ty.rank).map(|_| fresh.sym("k")).collect();
        let at = axes.iter().map(|s| Some(index(s))).collect();
        let element = match p.ty.rank {
            0 => outer.clone(),
            _ => Expr::index(outer.clone(), at),
        };
        let mut scaled = Expr::prim(Prim::Mul, vec![element, scale.clone()]);
        for (axis, sym) in axes.into_iter().enumerate().rev() {
            scaled = Expr::build(sym, Expr::dim(outer.clone(), axis), scaled);
        }
        bound.push(Bound::Let(p.sym.clone(), scaled));
    }
    bound.extend(routine.body.lets.iter().cloned());
    let body = Expr::under(bound, routine.body.results[result].clone());
    Program {
        name: "looped".into(),
        params,
        body: Block::single(Expr::build(i, Expr::int(2), body)),
    }
}

fn check_in_a_loop(program: &Program, args: &[Value]) -> Result<bool, String> {
    let wrt: Vec<usize> = (program.params.iter().enumerate())
        .filter(|(_, p)| p.ty.elem == Elem::Real)
        .map(|(k, _)| k)
        .collect();
    let (value, _) = core_eval::eval(program, args)?;
    let mut args = args.to_vec();
    args.push(random(value[0].shape(), &mut generate::Rng::new(5)));
    let routine = pipeline::routine(program, Derivative::Vjp, &wrt)?;
    let halved: Vec<Value> = (args.iter())
        .map(|v| match v {
            Value::Real(t) => {
                let data = t.data.iter().map(|x| 0.5 * x).collect();
                Value::Real(Tensor::new(t.shape.clone(), data))
            }
            Value::Int(_) | Value::Bool(_) => v.clone(),
        })
        .collect();
    for k in 0..routine.body.results.len() {
        let looped = in_a_loop(&routine, k);
        let at = |e| format!("{k}: {e}\n{looped}");
        match core_check::check(&looped) {
            // What is computed of real arguments differs from round to round.
            Err(e) if e.contains("depends on a binder around it") => return Ok(false),
            verdict => verdict.map_err(at)?,
        }
        let one = routine.program("raised");
        let (first, second) = (
            core_eval::eval(&one, &args)?.0.swap_remove(k),
            core_eval::eval(&one, &halved)?.0.swap_remove(k),
        );
        let data = [&first.real().data[..], &second.real().data[..]].concat();
        let shape = [&[2], first.shape()].concat();
        let expected = Value::Real(Tensor::new(shape, data));
        let (actual, _) = core_eval::eval(&looped, &args).map_err(at)?;
        same("Core", &actual[0], &expected).map_err(at)?;
        match pipeline::to_bulk(&looped, &mut |_, _| {}) {
            // Sizes that are computed would be computed in each round.
            Err(e) if e.contains("computed inside a loop") => return Ok(false),
            Err(e) => return Err(at(e)),
            Ok(bulk) => {
                let outcome = bulk_eval::eval(&bulk, &args);
                let outcome = outcome.map_err(|e| at(format!("{e}\n{bulk}")))?;
                same("Bulk", &outcome.results[0], &expected)
                    .map_err(|e| at(format!("{e}\n{bulk}")))?;
            }
        }
    }
    Ok(true)
}

#[test]
fn derivatives_of_generated_programs_in_a_loop() {
    let (mut wrong, mut done) = (vec![], 0);
    for seed in 0..count() {
        let (program, args) = generate::program(seed, 25);
        match check_in_a_loop(&program, &args) {
            Ok(looped) => done += u64::from(looped),
            Err(e) => wrong.push(format!("seed {seed}:\n{program}\n{e}")),
        }
    }
    wrong.sort_by_key(String::len);
    let shown: String = wrong.iter().take(2).map(String::as_str).collect();
    assert!(wrong.is_empty(), "{} fail\n{shown}", wrong.len());
    assert!(2 * done > count(), "only {done} can stand in a loop");
}

fn count() -> u64 {
    let count = std::env::var("COTANGENT_PROGRAMS").ok();
    count.and_then(|n| n.parse().ok()).unwrap_or(300)
}

#[test]
fn derivatives_of_generated_programs() {
    let count = count();
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
