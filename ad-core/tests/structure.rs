//! The places of the compiler import what ARCHITECTURE.md's table lets them import, and nothing
//! else.

use std::path::{Path, PathBuf};
use syn::visit::{self, Visit};

/// Each place with the places that it may import. All of these stand above it, so there are no
/// circles.
const PLACES: [(&str, &[&str]); 15] = [
    ("ir", &[]),
    ("defect", &[]),
    ("derivative", &["ir"]),
    ("loops", &["ir"]),
    ("front", &["ir", "defect", "derivative", "loops"]),
    ("thresholds", &[]),
    ("passes", &["ir", "thresholds"]),
    ("pipeline", &["ir", "defect", "derivative", "passes"]),
    ("back", &["ir", "derivative", "front", "thresholds"]),
    (
        "link",
        &["ir", "defect", "derivative", "front", "pipeline", "back"],
    ),
    ("lints", &["ir", "derivative", "front", "pipeline", "back"]),
    ("derive", &["defect", "front", "link"]),
    (
        "expansion",
        &[
            "ir",
            "defect",
            "derivative",
            "front",
            "pipeline",
            "back",
            "link",
            "lints",
        ],
    ),
    ("block", &["front", "link", "expansion"]),
    (
        "expand",
        &["defect", "front", "link", "derive", "expansion", "block"],
    ),
];

/// Places that know neither tokens nor syntax.
const WITHOUT_TOKENS: [&str; 5] = ["ir", "derivative", "loops", "passes", "pipeline"];

/// The crates that represent tokens and syntax.
const TOKENS: [&str; 3] = ["proc_macro2", "quote", "syn"];

/// The switches of `benches/ablation`, which are of no pass.
const OF_ALL_PASSES: &str = "ablation";

/// The paths that a file mentions outside of its tests, from the root of the crate.
struct Mentions {
    module: Vec<String>,
    paths: Vec<Vec<String>>,
}

impl Mentions {
    fn add(&mut self, path: &[String]) {
        let supers = path.iter().take_while(|s| *s == "super").count();
        let (base, rest) = match path.first().map(String::as_str) {
            Some("crate") => (&[][..], &path[1..]),
            Some("super") => (
                &self.module[..self.module.len().saturating_sub(supers)],
                &path[supers..],
            ),
            Some("self") | None => return,
            Some(_) => (&[][..], path),
        };
        let outside = path[0] != "crate" && supers == 0;
        let root = outside.then(|| "::".to_owned());
        self.paths
            .push(root.iter().chain(base).chain(rest).cloned().collect());
    }

    fn tree(&mut self, tree: &syn::UseTree, before: &[String]) {
        let with = |ident: &syn::Ident| [before, &[ident.to_string()]].concat();
        match tree {
            syn::UseTree::Path(path) => self.tree(&path.tree, &with(&path.ident)),
            syn::UseTree::Name(name) => self.add(&with(&name.ident)),
            syn::UseTree::Rename(name) => self.add(&with(&name.ident)),
            syn::UseTree::Glob(_) => self.add(before),
            syn::UseTree::Group(group) => {
                (group.items.iter()).for_each(|tree| self.tree(tree, before));
            }
        }
    }
}

impl<'ast> Visit<'ast> for Mentions {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.tree(&item.tree, &[]);
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if item.ident == "tests" {
            return;
        }
        self.module.push(item.ident.to_string());
        visit::visit_item_mod(self, item);
        self.module.pop();
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments: Vec<String> = path.segments.iter().map(|s| s.ident.to_string()).collect();
        if segments.len() > 1 {
            self.add(&segments);
        }
        visit::visit_path(self, path);
    }
}

/// All source files below a folder but those of tests.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.file_stem().is_some_and(|name| name == "tests") {
            continue;
        }
        match path.is_dir() {
            true => files(&path, found),
            false => found.push(path),
        }
    }
}

/// The module of a file.
fn module(file: &Path) -> Vec<String> {
    let names = file.with_extension("");
    let names = names.iter().map(|name| name.to_str().expect("a name"));
    names
        .filter(|name| *name != "mod")
        .map(str::to_owned)
        .collect()
}

/// What is wrong with a path in a module, if anything.
fn wrong(module: &[String], path: &[String]) -> Option<String> {
    let [place, inner @ ..] = module else {
        return None;
    };
    let [to, inner_to @ ..] = path else {
        return None;
    };
    let (_, may) = (PLACES.iter())
        .find(|(name, _)| name == place)
        .expect("a listed place");
    if to == "::" {
        let is_of_tokens = inner_to
            .first()
            .is_some_and(|name| TOKENS.contains(&name.as_str()));
        let is_wrong = is_of_tokens && WITHOUT_TOKENS.contains(&place.as_str());
        return is_wrong.then(|| format!("`{place}` knows no tokens"));
    }
    let is_place = PLACES.iter().any(|(name, _)| name == to);
    if is_place && to != place && !may.contains(&to.as_str()) {
        return Some(format!("`{place}` may not import `{to}`"));
    }
    if place == "passes"
        && to == place
        && let (Some(pass), Some(other)) = (inner.first(), inner_to.first())
        && pass != other
        && other != OF_ALL_PASSES
    {
        return Some(format!(
            "the pass `{pass}` may not import the pass `{other}`"
        ));
    }
    None
}

#[test]
fn places_import_what_they_may() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut all = vec![];
    files(&root, &mut all);
    let mut found = vec![];
    for file in &all {
        let module = module(file.strip_prefix(&root).expect("a file below the root"));
        if module == ["lib"] {
            continue;
        }
        let text = std::fs::read_to_string(file).expect("a file");
        let mut mentions = Mentions {
            module: module.clone(),
            paths: vec![],
        };
        mentions.visit_file(&syn::parse_file(&text).expect("a source file"));
        let wrong = mentions
            .paths
            .iter()
            .filter_map(|path| wrong(&module, path));
        found.extend(wrong.map(|message| format!("{}: {message}", module.join("/"))));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn places_stand_below_what_they_import() {
    for (k, (place, may)) in PLACES.iter().enumerate() {
        for other in *may {
            let above = PLACES[..k].iter().any(|(name, _)| name == other);
            assert!(above, "`{place}` imports `{other}`, which stands below");
        }
    }
}

#[test]
fn a_wrong_import_is_seen() {
    let names = |path: &str| path.split('/').map(str::to_owned).collect::<Vec<_>>();
    let cases = [
        ("front/lower", "use crate::back::unit::unfit;", true),
        ("front/lower", "use crate::ir::{bulk, core::Expr};", false),
        (
            "passes/fuse/prune",
            "use super::super::simplify::live;",
            true,
        ),
        (
            "passes/fuse/prune",
            "use crate::passes::{ablation, simplify::live};",
            true,
        ),
        ("passes/fuse/prune", "use super::graph::Graph;", false),
        ("ir/kernel", "fn f() { crate::pipeline::derive(); }", true),
        ("ir/kernel", "use quote::quote;", true),
        ("back/emit", "use quote::quote;", false),
        (
            "back/emit",
            "#[cfg(test)] mod tests { use crate::pipeline; }",
            false,
        ),
    ];
    for (from, text, is_wrong) in cases {
        let module = names(from);
        let mut mentions = Mentions {
            module: module.clone(),
            paths: vec![],
        };
        mentions.visit_file(&syn::parse_str(text).expect("a source file"));
        let found = mentions
            .paths
            .iter()
            .any(|path| wrong(&module, path).is_some());
        assert_eq!(found, is_wrong, "{from}: {text}");
    }
}
