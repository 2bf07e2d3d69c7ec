//! The order in which the equations of a program stand has no influence on what the simplifier
//! makes of it.

use cotangent_core::ir::build::{translate, translate_size};
use cotangent_core::ir::bulk::{self, Var};
use cotangent_core::ir::generate::Rng;
use cotangent_core::ir::ty::{Atom, Elem};
use cotangent_core::ir::{bulk_check, bulk_text, core, core_text, generate};
use cotangent_core::passes::linearise::linearise;
use cotangent_core::passes::simplify::{simplify, simplify_linear};
use cotangent_core::passes::transpose::transpose;
use cotangent_core::passes::vectorise::vectorise;
use std::path::{Path, PathBuf};

/// What an equation refers to: operands, its guard, and values in sizes.
fn needs(eq: &bulk::Eq) -> Vec<Var> {
    let mut out = vec![];
    eq.visit(&mut |v| out.push(v));
    eq.visit_sizes(&mut |s| {
        s.visit(&mut |a| {
            if let Atom::Value(v) = a {
                out.push(Var(*v));
            }
        });
    });
    out
}

/// The same program with its equations in another order, drawn from those where operands come
/// before their uses.
fn permuted(program: &bulk::Program, rng: &mut Rng) -> bulk::Program {
    let params = program.params.len();
    let mut new: Vec<Option<Var>> = (0..params + program.eqs.len())
        .map(|k| (k < params).then_some(Var(k as u32)))
        .collect();
    let mut order = vec![];
    let mut left: Vec<usize> = (0..program.eqs.len()).collect();
    while !left.is_empty() {
        let ready: Vec<usize> = (0..left.len())
            .filter(|&at| {
                let needs = needs(&program.eqs[left[at]]);
                needs.iter().all(|v| new[v.index()].is_some())
            })
            .collect();
        let k = left.remove(rng.pick(&ready));
        new[params + k] = Some(program.var_of(order.len()));
        order.push(k);
    }
    let mut name = |v: Var| new[v.index()].expect("every equation has a place");
    let mut out = program.clone();
    for p in &mut out.params {
        for n in &mut p.ty.shape {
            *n = translate_size(n, &mut name);
        }
    }
    out.eqs = (order.iter())
        .map(|&k| translate(&program.eqs[k], &mut name))
        .collect();
    out.results = program.results.iter().map(|&v| name(v)).collect();
    out
}

/// Simplifies a program in several orders.
fn same_in_any_order(program: &bulk::Program, seeds: &[Var], rng: &mut Rng) -> Result<(), String> {
    let expected = simplify_linear(program, seeds);
    for _ in 0..4 {
        let other = permuted(program, rng);
        if let Err(e) = bulk_check::check(&other) {
            return Err(format!("the permutation is wrong: {e}\n{other}"));
        }
        let actual = simplify_linear(&other, seeds);
        if actual != expected {
            return Err(format!(
                "{program}becomes\n{expected}but\n{other}becomes\n{actual}"
            ));
        }
    }
    Ok(())
}

/// A function, and its vector-Jacobian product.
fn function_and_derivative(program: &bulk::Program, rng: &mut Rng) -> Result<(), String> {
    same_in_any_order(program, &[], rng)?;
    let wrt: Vec<usize> = (0..program.params.len())
        .filter(|&k| program.params[k].ty.elem == Elem::Real)
        .collect();
    let derived = transpose(&linearise(&simplify(program), &wrt));
    let cotangents: Vec<Var> = (program.params.len()..derived.params.len())
        .map(|k| Var(k as u32))
        .collect();
    same_in_any_order(&derived, &cotangents, rng)
}

/// Every file under `tests/passes`.
fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, out);
        } else if path.extension().is_some_and(|e| e == "txt") {
            out.push(path);
        }
    }
}

/// The program of a file, vectorised if it is one of Core.
fn read(path: &Path) -> Result<bulk::Program, String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let input: String = (text.split("\n=>\n").take(1))
        .flat_map(str::lines)
        .filter(|line| !line.starts_with('#'))
        .flat_map(|line| [line, "\n"])
        .collect();
    match bulk_text::parse(&input) {
        Ok(program) => Ok(program),
        Err(_) => vectorise(&core_text::parse(&input)?),
    }
}

#[test]
fn files_in_any_order() {
    let mut paths = vec![];
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/passes");
    files(&folder, &mut paths);
    // Those are about kernels.
    paths.retain(|p| !p.starts_with(folder.join("schedule")));
    paths.sort();
    assert!(!paths.is_empty(), "no files");
    let mut rng = Rng::new(5);
    let mut failures = 0;
    for path in paths {
        let outcome = read(&path).and_then(|p| same_in_any_order(&p, &[], &mut rng));
        if let Err(e) = outcome {
            failures += 1;
            eprintln!("{}: {e}", path.display());
        }
    }
    assert_eq!(failures, 0, "files depend on the order of equations");
}

#[test]
fn generated_programs_in_any_order() {
    let run = |program: &core::Program, seed: u64| match vectorise(program) {
        Ok(bulk) => function_and_derivative(&bulk, &mut Rng::new(seed)),
        Err(_) => Ok(()),
    };
    let count = std::env::var("COTANGENT_PROGRAMS")
        .ok()
        .and_then(|n| n.parse().ok());
    let mut failures = 0;
    for seed in 0..count.unwrap_or(300) {
        let (program, args) = generate::program(seed, 40);
        if run(&program, seed).is_ok() {
            continue;
        }
        failures += 1;
        if failures > 3 {
            continue;
        }
        let small = generate::shrink(&program, &args, &mut |p, _| run(p, seed).is_err());
        eprintln!("seed {seed}:\n{small}{}", run(&small, seed).unwrap_err());
    }
    assert_eq!(failures, 0, "programs depend on the order of equations");
}
