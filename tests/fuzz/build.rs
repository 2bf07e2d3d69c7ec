//! Writes a sample of generated programs as modules, which the tests compile.

#![allow(
    dead_code,
    missing_docs,
    unreachable_pub,
    reason = "parts of the library are used"
)]

#[path = "src/grammar/mod.rs"]
mod grammar;
#[path = "src/rng.rs"]
mod rng;
#[path = "src/source.rs"]
mod source;
#[path = "src/tree.rs"]
mod tree;

use grammar::Program;
use std::fmt::Write;
use std::path::PathBuf;
use std::{env, fs};

/// The seeds that are compiled; those that the front end does not accept are left out.
const SEEDS: std::ops::Range<u64> = 0..16;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo names the output directory"));
    let (mut modules, mut entries) = (String::new(), String::new());
    for seed in SEEDS {
        let program = Program::of(seed);
        let file = syn::parse_file(&program.text("f")).expect("generated programs are Rust");
        let accepted = cotangent_core::expand_in_file(&file, "f");
        if accepted.is_ok_and(|tokens| !tokens.to_string().contains("compile_error")) {
            let path = out.join(format!("p{seed}.rs"));
            fs::write(&path, source::module(&program))
                .expect("the output directory can be written");
            writeln!(modules, "#[path = {:?}]\nmod p{seed};", path).expect("strings take all");
            write!(entries, "&p{seed}::ENTRY, ").expect("strings take all");
        }
    }
    let table = format!("{modules}\nstatic SAMPLE: &[&Entry] = &[{entries}];\n");
    fs::write(out.join("sample.rs"), table).expect("the output directory can be written");
}
