//! What cargo does for the command: it expands the macro, and builds and runs a check.
//!
//! All of it happens in a target directory of its own, so the user's builds stay as they are.

use crate::Options;
use crate::check::Structs;
use crate::sections::without_sections;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The names of the variables that the macro reads.
const DUMP: &str = "COTANGENT_DUMP";
const BESIDE: &str = "COTANGENT_BESIDE";

/// A crate, or the crates of a workspace.
pub(crate) struct Build<'a> {
    options: &'a Options,
    metadata: Value,
    target: PathBuf,
}

impl<'a> Build<'a> {
    /// # Errors
    /// If there is no crate.
    pub(crate) fn new(options: &'a Options) -> Result<Build<'a>, String> {
        let mut metadata = cargo(options, "metadata");
        metadata
            .args(["--no-deps", "--format-version", "1"])
            .stderr(Stdio::inherit());
        let metadata = metadata.output().map_err(no_start)?;
        let metadata: Value = serde_json::from_slice(&metadata.stdout)
            .map_err(|_| "error: this is not a folder of a crate".to_owned())?;
        let target = metadata["target_directory"].as_str().unwrap_or("target");
        let target = Path::new(target).join("cotangent");
        Ok(Build {
            options,
            metadata,
            target,
        })
    }

    fn packages(&self) -> impl Iterator<Item = &Value> {
        self.metadata["packages"].as_array().into_iter().flatten()
    }

    /// Cargo does not know that the variables change what the macro writes.
    fn clean(&self) -> Result<(), String> {
        let mut clean = cargo(self.options, "clean");
        clean.arg("--target-dir").arg(&self.target);
        for package in self.packages() {
            clean.args(["-p", package["name"].as_str().unwrap_or_default()]);
        }
        clean.stderr(Stdio::null()).status().map_err(no_start)?;
        Ok(())
    }

    fn command(&self, command: &str) -> Command {
        let mut cargo = cargo(self.options, command);
        cargo
            .args(["--all-targets", "--target-dir"])
            .arg(&self.target)
            .args(&self.options.for_cargo)
            .env(DUMP, &self.options.function);
        cargo
    }

    /// What the macro writes when the members of the workspace are checked anew.
    ///
    /// # Errors
    /// With what cargo says.
    pub(crate) fn expansion(&self) -> Result<String, String> {
        // The dependencies, with all processors.
        if !self.target.exists() {
            let mut check = self.command("check");
            let check = check.env_remove(DUMP).stderr(Stdio::null()).status();
            check.map_err(no_start)?;
        }
        self.clean()?;
        // One target after the other, since each writes to stderr.
        let mut check = self.command("check");
        let check = check.args(["--jobs", "1"]).output().map_err(no_start)?;
        let output = String::from_utf8_lossy(&check.stderr).into_owned();
        match check.status.success() {
            true => Ok(output),
            false => Err(without_sections(&output)),
        }
    }

    /// The structs of the sources of all packages.
    pub(crate) fn structs(&self) -> Structs {
        let mut structs = Structs::new();
        self.each_item(&mut |item| {
            if let syn::Item::Struct(item) = item {
                structs.insert(item.ident.to_string(), item.clone());
            }
        });
        structs
    }

    /// The names of the functions and methods with `#[differentiable]` in the sources.
    pub(crate) fn annotated(&self) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        self.each_item(&mut |item| {
            if let syn::Item::Fn(item) = item
                && is_annotated(&item.attrs)
            {
                names.insert(item.sig.ident.to_string());
            }
            if let syn::Item::Impl(item) = item {
                for member in &item.items {
                    if let syn::ImplItem::Fn(method) = member
                        && is_annotated(&method.attrs)
                    {
                        names.insert(method.sig.ident.to_string());
                    }
                }
            }
        });
        names
    }

    /// Shows the items of the sources of all packages, those of modules in a file included.
    fn each_item(&self, see: &mut dyn FnMut(&syn::Item)) {
        for package in self.packages() {
            let manifest = package["manifest_path"].as_str().unwrap_or_default();
            for folder in ["src", "tests", "examples", "benches"] {
                each_file(&Path::new(manifest).with_file_name(folder), see);
            }
        }
    }

    /// Builds the tests with items beside the function, and runs the one of this name. Gives what
    /// it says, and whether it passes.
    ///
    /// # Errors
    /// If the test does not build, or no target has it.
    pub(crate) fn run_test(&self, items: &str, name: &str) -> Result<(String, bool), String> {
        let file = self.target.join(format!("{name}.rs"));
        let written = fs::create_dir_all(&self.target).and_then(|()| fs::write(&file, items));
        written.map_err(|e| format!("error: {}: {e}", file.display()))?;
        self.clean()?;
        let mut test = self.command("test");
        test.args(["--no-run", "--message-format", "json-render-diagnostics"]);
        let built = test.env(BESIDE, &file).output().map_err(no_start)?;
        if !built.status.success() {
            let said = without_sections(&String::from_utf8_lossy(&built.stderr));
            let errors = said.find("\nerror").map_or(&said[..], |at| &said[at + 1..]);
            return Err(format!(
                "{errors}\nnote: the check is in {}",
                file.display()
            ));
        }
        let messages = String::from_utf8_lossy(&built.stdout);
        for message in messages
            .lines()
            .filter_map(|l| serde_json::from_str::<Value>(l).ok())
        {
            let Some(executable) = message["executable"].as_str() else {
                continue;
            };
            // Other targets may have test harnesses that run everything.
            if !holds(executable, name) {
                continue;
            }
            let mut run = Command::new(executable);
            if let Some(manifest) = message["manifest_path"].as_str() {
                run.current_dir(Path::new(manifest).with_file_name(""));
            }
            let run = run.args([name, "--nocapture", "--test-threads=1"]).output();
            let run = run.map_err(no_start)?;
            return Ok((said(&run), run.status.success()));
        }
        Err("error: no target has the check; is the function inside of a function?".into())
    }
}

/// What a check says, or all that its program says if it ends before.
fn said(run: &std::process::Output) -> String {
    let text = String::from_utf8_lossy(&run.stdout);
    let lines = text
        .split('\n')
        .filter_map(|line| Some(line.split_once("cotangent: ")?.1));
    let own: Vec<&str> = lines.collect();
    match own.is_empty() {
        false => own.join("\n"),
        true => format!("{text}{}", String::from_utf8_lossy(&run.stderr)),
    }
}

fn holds(executable: &str, name: &str) -> bool {
    let bytes = fs::read(executable).unwrap_or_default();
    bytes.windows(name.len()).any(|w| w == name.as_bytes())
}

fn is_annotated(attrs: &[syn::Attribute]) -> bool {
    let last = |a: &syn::Attribute| a.path().segments.last().map(|s| s.ident.to_string());
    attrs
        .iter()
        .any(|a| last(a).as_deref() == Some("differentiable"))
}

fn each_file(folder: &Path, see: &mut dyn FnMut(&syn::Item)) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            each_file(&path, see);
        } else if path.extension().is_some_and(|e| e == "rs") {
            let text = fs::read_to_string(&path).unwrap_or_default();
            let file = syn::parse_file(&text);
            each_of(&file.map(|f| f.items).unwrap_or_default(), see);
        }
    }
}

fn each_of(items: &[syn::Item], see: &mut dyn FnMut(&syn::Item)) {
    for item in items {
        see(item);
        if let syn::Item::Mod(module) = item
            && let Some((_, items)) = &module.content
        {
            each_of(items, see);
        }
    }
}

fn no_start(e: std::io::Error) -> String {
    format!("error: cargo does not start: {e}")
}

fn cargo(options: &Options, command: &str) -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut cargo = Command::new(cargo);
    cargo.arg(command);
    if let Some(manifest) = &options.manifest {
        cargo.args(["--manifest-path", manifest]);
    }
    cargo
}
