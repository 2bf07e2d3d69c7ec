//! Prints every stage of the annotated functions in a file: the program in Core, after each pass,
//! and the generated code.
//!
//! ```text
//! cargo run --release --example explain -- examples/quickstart.rs [function]
//! ```
//!
//! In a crate of yours, `cargo cotangent explain FUNCTION --stages` prints the same.

use cotangent_core::link::in_file;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let Some(path) = args.next() else {
        eprintln!("usage: explain FILE [FUNCTION]");
        return ExitCode::FAILURE;
    };
    let only = args.next();
    let source = match std::fs::read_to_string(&path) {
        Ok(source) => source,
        Err(e) => {
            eprintln!("{path}: {e}");
            return ExitCode::FAILURE;
        }
    };
    let file = match syn::parse_file(&source) {
        Ok(file) => file,
        Err(e) => {
            eprintln!("{path}: {e}");
            return ExitCode::FAILURE;
        }
    };
    let mut found = false;
    for item in &file.items {
        let syn::Item::Fn(function) = item else {
            continue;
        };
        let name = function.sig.ident.to_string();
        if only.as_ref().is_some_and(|only| name != *only) {
            continue;
        }
        if in_file::find(&file, &name).is_none() {
            continue;
        }
        found = true;
        if let Err(e) = explain(&file, &name) {
            eprintln!("{e}");
            return ExitCode::FAILURE;
        }
    }
    if !found {
        eprintln!("{path}: no function with #[differentiable]");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn explain(file: &syn::File, name: &str) -> Result<(), String> {
    let (stages, generated) = cotangent_core::explain_in_file(file, name)?;
    println!("{stages}");
    match syn::parse2::<syn::File>(generated) {
        Ok(mut file) => {
            for item in &mut file.items {
                if let syn::Item::Fn(function) = item {
                    function.attrs.retain(|a| !a.path().is_ident("allow"));
                }
            }
            println!("==== generated code\n\n{}", prettyplease::unparse(&file));
        }
        Err(e) => return Err(format!("the generated code does not parse: {e}")),
    }
    Ok(())
}
