//! The lints say nothing about the zoo but where a program says that it is meant.

use cotangent_core::warnings_in_file;
use std::path::Path;

/// The lints of each annotated function of a source text.
fn warnings(source: &str) -> Vec<String> {
    let file = syn::parse_file(source).expect("the source is Rust");
    let mut all = vec![];
    for item in &file.items {
        if let syn::Item::Fn(function) = item {
            let name = function.sig.ident.to_string();
            if let Ok(found) = warnings_in_file(&file, &name) {
                all.extend(found);
            }
        }
    }
    all
}

#[test]
fn the_zoo_draws_none() {
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/zoo/programs");
    let mut drawn = vec![];
    for entry in std::fs::read_dir(programs).expect("the folder of programs can be read") {
        let path = entry.expect("a file of the folder can be read").path();
        let source = std::fs::read_to_string(&path).expect("a program can be read");
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        drawn.extend(warnings(&source).iter().map(|w| format!("{name}: {w}")));
    }
    assert!(drawn.is_empty(), "{}", drawn.join("\n"));
}
