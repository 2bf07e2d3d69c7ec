//! A copy of the workspace with switches in it.
//!
//! The type checker refuses some mutations. rustc says where, and the copy is written again without
//! them, until it compiles.

use crate::rewrite::{Mutation, ranges, rewrite};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The crates with switches, and which of their files have some.
pub(crate) const MUTATED: [(&str, &[&str]); 2] = [
    (
        "ad-core",
        &[
            "src/ir/prims.rs",
            "src/passes/linearise",
            "src/passes/transpose",
            "src/passes/simplify",
        ],
    ),
    (
        "ad-runtime",
        &["src/kernels", "src/elementary", "src/special.rs"],
    ),
];

/// Mutations that rustc accepts, by the file they are in.
pub(crate) struct Tree {
    /// The folder of the copy.
    pub(crate) root: PathBuf,
    /// Every mutation, in the order of its number.
    pub(crate) mutations: Vec<(String, Mutation)>,
}

/// The switch that rewritten code asks.
const SWITCH: &str = r#"//! Which mutation is on.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

static ON: OnceLock<(Option<usize>, Option<String>)> = OnceLock::new();
static SEEN: [AtomicBool; TOTAL] = [const { AtomicBool::new(false) }; TOTAL];

pub fn is_on(id: usize) -> bool {
    let (on, list) = ON.get_or_init(|| {
        let on = std::env::var("COTANGENT_MUTATION").ok();
        (on.and_then(|id| id.parse().ok()), std::env::var("COTANGENT_REACHED").ok())
    });
    if let Some(list) = list
        && !SEEN[id].swap(true, Ordering::Relaxed)
    {
        use std::io::Write;
        let file = std::fs::OpenOptions::new().create(true).append(true).open(list);
        let _ = file.and_then(|mut file| writeln!(file, "{id}"));
    }
    *on == Some(id)
}
"#;

/// All files of Rust in a folder, or the file itself, without those that are only tests.
fn sources(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    let entries = std::fs::read_dir(path).expect("the folder is there");
    let mut entries: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    entries.sort();
    let is_source = |path: &PathBuf| {
        let stem = path.file_stem().and_then(|s| s.to_str());
        let is_rust = path.extension().is_some_and(|e| e == "rs");
        stem != Some("tests") && (is_rust || path.is_dir())
    };
    entries
        .into_iter()
        .filter(is_source)
        .flat_map(|e| sources(&e))
        .collect()
}

impl Tree {
    /// Copies what git knows of the workspace, puts the switches in, and builds.
    ///
    /// # Errors
    /// If the copy does not compile for another reason than a mutation.
    pub(crate) fn make(origin: &Path, root: &Path, only: &str) -> Result<Tree, String> {
        copy(origin, root)?;
        let mut without = BTreeSet::new();
        for _ in 0..40 {
            let mutations = write(origin, root, only, &without)?;
            let refused = refused(root)?;
            if refused.is_empty() {
                let root = root.to_owned();
                return Ok(Tree { root, mutations });
            }
            eprintln!("{} mutations do not compile", refused.len());
            without.extend(refused);
        }
        Err("rustc refuses more mutations each time".into())
    }
}

fn copy(origin: &Path, root: &Path) -> Result<(), String> {
    let list = Command::new("git")
        .args([
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ])
        .current_dir(origin)
        .output()
        .map_err(|e| format!("git: {e}"))?;
    let list = String::from_utf8(list.stdout).map_err(|e| e.to_string())?;
    for name in list.split('\0').filter(|name| !name.is_empty()) {
        let (from, to) = (origin.join(name), root.join(name));
        let Ok(new) = std::fs::read(&from) else {
            continue;
        };
        // Files that stay the same keep their time, so that cargo builds nothing again.
        if std::fs::read(&to).is_ok_and(|old| old == new) {
            continue;
        }
        let folder = to.parent().expect("a file lies in a folder");
        std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        std::fs::write(&to, new).map_err(|e| format!("{}: {e}", to.display()))?;
    }
    Ok(())
}

/// Writes the files with switches, and says which mutations they hold.
fn write(
    origin: &Path,
    root: &Path,
    only: &str,
    without: &BTreeSet<usize>,
) -> Result<Vec<(String, Mutation)>, String> {
    let mut all = vec![];
    let mut next = 0;
    for (member, paths) in MUTATED {
        for path in paths
            .iter()
            .flat_map(|path| sources(&origin.join(member).join(path)))
        {
            let name = path
                .strip_prefix(origin)
                .expect("it lies there")
                .display()
                .to_string();
            let text = std::fs::read_to_string(&path).map_err(|e| format!("{name}: {e}"))?;
            let mut file = syn::parse_file(&text).map_err(|e| format!("{name}: {e}"))?;
            let (made, end) = rewrite(&mut file, next, without);
            next = end;
            if name.contains(only) {
                all.extend(made.into_iter().map(|mutation| (name.clone(), mutation)));
                put(&root.join(&name), &prettyplease::unparse(&file))?;
            }
        }
    }
    for (member, _) in MUTATED {
        let lib = std::fs::read_to_string(origin.join(member).join("src/lib.rs"));
        let lib = lib.map_err(|e| e.to_string())?;
        put(
            &root.join(member).join("src/lib.rs"),
            &format!("{lib}\nmod mutant;\n"),
        )?;
        let switch = SWITCH.replace("TOTAL", &next.to_string());
        put(&root.join(member).join("src/mutant.rs"), &switch)?;
    }
    Ok(all)
}

fn put(path: &Path, text: &str) -> Result<(), String> {
    if std::fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    std::fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}

/// A command of cargo in the copy.
pub(crate) fn cargo(root: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("cargo");
    command
        .args(arguments)
        .arg("--message-format=json")
        .current_dir(root)
        .env("CARGO_TARGET_DIR", root.join("target"))
        .env("RUSTFLAGS", "--cap-lints=allow");
    command
}

/// The mutations that rustc refuses.
fn refused(root: &Path) -> Result<BTreeSet<usize>, String> {
    let mut out = BTreeSet::new();
    let members: Vec<&str> = MUTATED
        .iter()
        .flat_map(|(member, _)| ["-p", package(member)])
        .collect();
    let arguments = [&["check", "--keep-going"], &members[..]].concat();
    let output = cargo(root, &arguments)
        .output()
        .map_err(|e| format!("cargo: {e}"))?;
    let mut files: BTreeMap<String, Vec<Place>> = BTreeMap::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Ok(message) = serde_json::from_str::<Value>(line) else {
            continue;
        };
        let message = &message["message"];
        if message["level"] != "error" || message["spans"].as_array().is_none_or(Vec::is_empty) {
            continue;
        }
        // The mutations around the places that rustc shows, or else those nearest to them.
        let mut around = BTreeSet::new();
        let mut nearest = (usize::MAX, BTreeSet::new());
        for span in message["spans"].as_array().into_iter().flatten() {
            let name = span["file_name"].as_str().unwrap_or_default().to_owned();
            if !files.contains_key(&name) {
                files.insert(name.clone(), places(&root.join(&name)).unwrap_or_default());
            }
            let number = |key: &str| span[key].as_u64().unwrap_or(1) as usize;
            let at = (number("line_start"), number("column_start") - 1);
            let here = files[&name]
                .iter()
                .filter(|place| place.from <= at && at <= place.to);
            around.extend(here.min_by_key(|place| place.size()).map(|place| place.id));
            for place in &files[&name] {
                let distance = place.from.0.abs_diff(at.0);
                if distance < nearest.0 {
                    nearest = (distance, BTreeSet::new());
                }
                if distance == nearest.0 {
                    nearest.1.insert(place.id);
                }
            }
        }
        let blamed = if around.is_empty() { nearest.1 } else { around };
        if blamed.is_empty() {
            return Err(message["rendered"]
                .as_str()
                .unwrap_or("no message")
                .to_owned());
        }
        out.extend(blamed);
    }
    if out.is_empty() && !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    Ok(out)
}

fn package(member: &str) -> &'static str {
    match member {
        "ad-core" => "cotangent-core",
        _ => "cotangent-runtime",
    }
}

/// Where a mutation stands in a written file: lines from one, columns from zero.
struct Place {
    id: usize,
    from: (usize, usize),
    to: (usize, usize),
}

impl Place {
    fn size(&self) -> (usize, usize) {
        let lines = self.to.0 - self.from.0;
        (
            lines,
            if lines == 0 {
                self.to.1 - self.from.1
            } else {
                0
            },
        )
    }
}

fn places(path: &Path) -> Result<Vec<Place>, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let file = syn::parse_file(&text).map_err(|e| format!("{}: {e}", path.display()))?;
    let place = |(id, span): (usize, proc_macro2::Span)| {
        let (start, end) = (span.start(), span.end());
        let (from, to) = ((start.line, start.column), (end.line, end.column));
        Place { id, from, to }
    };
    Ok(ranges(&file).into_iter().map(place).collect())
}
