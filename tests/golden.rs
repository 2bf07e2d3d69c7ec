//! What is generated for the identities of textbooks is what the textbook says.
//!
//! A file of `tests/golden` holds an annotated function, a line `// =>`, and the generated
//! functions without what all of them have in common: attributes, documentation, imports, the
//! checks of names and sizes, the views of arguments, the struct and the call that a dispatched
//! body needs. Its first lines say what it is about and which derivatives it shows. Where the
//! result is not yet what it should be, lines before the arrow that begin with `// wanted:` say
//! what it should be; they go when it is. `COTANGENT_BLESS=1` writes what comes out into the files.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "the enums of syn are open; what is not listed is shown as it is"
)]

use std::path::{Path, PathBuf};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden");

/// What separates the function from what is generated.
const ARROW: &str = "\n// =>\n";

#[test]
fn generated_functions_are_as_in_the_textbook() {
    let bless = std::env::var_os("COTANGENT_BLESS").is_some();
    let mut files: Vec<PathBuf> = std::fs::read_dir(FOLDER)
        .expect("the folder is there")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no files");
    let mut failures = vec![];
    for path in files {
        if let Err(e) = one(&path, bless) {
            failures.push(format!("{}: {e}", path.display()));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn one(path: &Path, bless: bool) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let (head, expected) = text.split_once(ARROW).unwrap_or((text.trim_end(), ""));
    let shown = head
        .lines()
        .find_map(|line| line.strip_prefix("//! shows: "))
        .ok_or("no line `//! shows: ..`")?;
    let shown: Vec<&str> = shown.split(", ").collect();
    let actual = generated(head, &shown)?;
    if actual == expected {
        return Ok(());
    }
    if bless {
        return std::fs::write(path, format!("{}\n{ARROW}{actual}", head.trim_end()))
            .map_err(|e| e.to_string());
    }
    Err(format!("expected\n{expected}\nactual\n{actual}"))
}

/// The generated functions of the annotated one in a file, as text.
fn generated(source: &str, shown: &[&str]) -> Result<String, String> {
    let file = syn::parse_file(source).map_err(|e| e.to_string())?;
    let [syn::Item::Fn(function)] = &file.items[..] else {
        return Err("not one function".into());
    };
    let mut function = function.clone();
    let annotation = function.attrs.pop().ok_or("not annotated")?;
    let attribute = annotation.meta.require_list().map_err(|e| e.to_string())?;
    let (_, tokens) = cotangent_core::explain(attribute.tokens.clone(), quote::quote!(#function))?;
    let all: syn::File = syn::parse2(tokens).map_err(|e| e.to_string())?;
    let mut out = vec![];
    for suffix in shown {
        let name = format!("{}_{suffix}", function.sig.ident);
        let found = all.items.iter().find_map(|item| {
            if let syn::Item::Fn(f) = item {
                (f.sig.ident == name).then(|| f.clone())
            } else {
                None
            }
        });
        out.push(plain(found.ok_or(format!("no `{name}` is generated"))?));
    }
    Ok(out.join("\n"))
}

/// A function without what all generated functions have in common.
fn plain(mut function: syn::ItemFn) -> String {
    function.attrs.clear();
    function.block.stmts = shown(std::mem::take(&mut function.block.stmts));
    prettyplease::unparse(&syn::File {
        shebang: None,
        frontmatter: None,
        attrs: vec![],
        items: vec![syn::Item::Fn(function)],
    })
}

/// Statements without what is common; those of a body that is dispatched stand in place of it.
fn shown(stmts: Vec<syn::Stmt>) -> Vec<syn::Stmt> {
    let mut out = vec![];
    for s in stmts {
        match s {
            syn::Stmt::Item(syn::Item::Impl(kernel)) => {
                let run = kernel.items.into_iter().find_map(|item| match item {
                    syn::ImplItem::Fn(run) => Some(run.block.stmts),
                    _ => None,
                });
                let mut body = run.expect("a body runs");
                // The last one is bound to the same names.
                body.pop();
                out.extend(shown(body));
            }
            s if is_common(&s) => {}
            s => out.push(s),
        }
    }
    out
}

/// Whether a statement is an import, an assertion, the check of a name, or the view of an argument.
fn is_common(s: &syn::Stmt) -> bool {
    let local = match s {
        syn::Stmt::Local(local) => local,
        syn::Stmt::Item(item) => {
            return matches!(item, syn::Item::Use(_) | syn::Item::Struct(_));
        }
        syn::Stmt::Macro(m) => {
            return m
                .mac
                .path
                .segments
                .last()
                .is_some_and(|l| l.ident == "assert");
        }
        syn::Stmt::Expr(..) => return false,
    };
    let init = local.init.as_ref().map(|init| &*init.expr);
    let calls = |init: &syn::Expr| match init {
        syn::Expr::Path(path) => quote::quote!(#path).to_string(),
        syn::Expr::Call(call) => {
            let function = &call.func;
            quote::quote!(#function).to_string()
        }
        _ => String::new(),
    };
    if init.is_some_and(|init| matches!(&calls(init)[..], "self" | "rt :: dispatch")) {
        return true;
    }
    match (&local.pat, init) {
        (syn::Pat::Wild(_), Some(syn::Expr::Closure(_))) => true,
        (syn::Pat::Ident(name), Some(init)) => {
            let (name, text) = (&name.ident, quote::quote!(#init).to_string());
            text.starts_with("rt :: input ::") || text == format!("{name} . view ()")
        }
        _ => false,
    }
}
