//! What the functions of `tests/in_the_wild` cost: each is expanded within a limit of time, and the
//! law of cheap gradients holds for arguments that suit its sizes.

use cotangent_core::ir::arguments::{Given, arguments};
use cotangent_core::ir::core::Program;
use cotangent_core::ir::value::Value;
use cotangent_core::pipeline;
use cotangent_zoo::limit::Watchdog;
use cotangent_zoo::measure::Gradient;
use cotangent_zoo::stages::lower;
use std::fs;
use std::path::Path;

/// The lengths of arguments that belong together, though the function takes others, too.
const TOGETHER: [(&str, &[(&str, usize)]); 1] = [("polynomial_features", &[("x", 5), ("w", 21)])];

/// No more steps of a function than an interpreter takes in a moment.
const MOST: u64 = 200_000;

/// The lengths that are tried, until a function has a value.
const LENGTHS: [usize; 7] = [24, 9, 5, 4, 3, 2, 1];

/// The share of the functions that must have a value at these lengths, in percent.
const MEASURED: usize = 80;

#[test]
fn gradients_are_cheap() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../in_the_wild/src");
    let watchdog = Watchdog::new();
    let (mut all, mut measured, mut failures) = (0, 0, vec![]);
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("a file can be listed").path();
        let source = fs::read_to_string(&path).expect("a file can be read");
        let file = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        for name in annotated(&source) {
            watchdog.start(format!("{file}, {name}"));
            // Functions of other files, generic ones and methods are compiled in their crate.
            let Ok((program, consts)) = lower(&source, &name) else {
                continue;
            };
            all += 1;
            let own = TOGETHER.iter().filter(|(n, _)| *n == name);
            let given = (own.flat_map(|(_, lengths)| *lengths))
                .map(|(arg, n)| ((*arg).to_owned(), vec![*n]))
                .collect();
            match cost(&program, &consts, &given) {
                Ok(has_value) => measured += usize::from(has_value),
                Err(e) => failures.push(format!("{file}, {name}: {e}")),
            }
        }
    }
    assert!(
        measured * 100 >= all * MEASURED,
        "{measured} of {all} functions have a value"
    );
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Whether there are arguments for which the function has a value; an error if the law does not
/// hold for these.
fn cost(program: &Program, consts: &[Value], given: &Given) -> Result<bool, String> {
    let gradient = Gradient::of(program)?;
    let bulk = pipeline::to_bulk(program, &mut |_, _| {})?;
    for length in LENGTHS {
        let Ok(mut args) = arguments(&bulk, given, length) else {
            continue;
        };
        let first = args.len() - consts.len();
        args.splice(first.., consts.iter().cloned());
        if let Some(counts) = gradient.counts(&args, MOST)? {
            counts.cheap().map_err(|e| format!("at {length}: {e}"))?;
            return Ok(true);
        }
    }
    Ok(false)
}

/// The names of the annotated functions of a source text.
fn annotated(source: &str) -> Vec<String> {
    let file = syn::parse_file(source).expect("the source is Rust");
    let is_annotated = |a: &syn::Attribute| a.path().is_ident("differentiable");
    let functions = file.items.into_iter().filter_map(|item| {
        let syn::Item::Fn(f) = item else { return None };
        let found = f.attrs.iter().any(is_annotated);
        found.then(|| f.sig.ident.to_string())
    });
    functions.collect()
}
