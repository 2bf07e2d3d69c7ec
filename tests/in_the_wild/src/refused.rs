//! Functions of the folder `refused` are not in the language yet: each is an error of ours, and
//! what is accepted one day belongs among the others.

use std::path::Path;

/// The annotated functions of a file.
fn functions(file: &syn::File) -> Vec<String> {
    let mut names = vec![];
    for item in &file.items {
        if let syn::Item::Fn(function) = item {
            names.push(function.sig.ident.to_string());
        }
    }
    names
}

#[test]
fn the_others_are_refused() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("refused");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("a file").path();
        let text = std::fs::read_to_string(&path).expect("a text");
        let file = syn::parse_file(&text).expect("Rust");
        for name in functions(&file) {
            let out = cotangent_core::expand_in_file(&file, &name);
            let refused = match out {
                Ok(tokens) => tokens.to_string().contains("compile_error"),
                Err(_) => true,
            };
            assert!(refused, "`{name}` of {} is accepted", path.display());
            count += 1;
        }
    }
    assert!(count > 0, "no function is read");
}
