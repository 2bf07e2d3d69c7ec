//! `cargo cotangent explain FUNCTION`: prints the derivatives that the macro generates for a
//! function of the crate in the working directory.
//!
//! It runs `cargo check` in a target directory of its own, with `COTANGENT_DUMP` set, so the macro
//! resolves calls, structs and features as in the user's build.

mod code;
mod sections;

use sections::GENERATED;
use serde_json::Value;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

const USAGE: &str = "\
cargo cotangent explain FUNCTION [OPTIONS]

Prints the derivatives that `#[differentiable]` generates for FUNCTION.

  --stages                 print every stage of the compiler before the code
  --only NAME              print one derivative, such as `loss_grad`
  --colour WHEN            `always`, `never`, or `auto` (the default)
  --release, --features F, --all-features, -p PACKAGE, --manifest-path PATH
                           as for `cargo check`";

struct Options {
    function: String,
    stages: bool,
    only: Option<String>,
    is_coloured: bool,
    manifest: Option<String>,
    for_cargo: Vec<String>,
}

fn options(mut words: impl Iterator<Item = String>) -> Result<Options, String> {
    match words.next().as_deref() {
        Some("explain") => {}
        Some(other) => return Err(format!("there is no command `{other}`")),
        None => return Err("a command is missing".into()),
    }
    let is_terminal = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let mut options = Options {
        function: String::new(),
        stages: false,
        only: None,
        is_coloured: is_terminal,
        manifest: None,
        for_cargo: vec![],
    };
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("`{word}` needs a value"));
        match word.as_str() {
            "--stages" => options.stages = true,
            "--only" => options.only = Some(value()?),
            "--colour" | "--color" => {
                options.is_coloured = match value()?.as_str() {
                    "always" => true,
                    "never" => false,
                    "auto" => is_terminal,
                    other => return Err(format!("`{other}` is not `always`, `never` or `auto`")),
                };
            }
            "--manifest-path" => options.manifest = Some(value()?),
            "--release" | "--all-features" | "--no-default-features" => {
                options.for_cargo.push(word);
            }
            "--features" | "-F" | "-p" | "--package" | "--profile" => {
                let value = value()?;
                options.for_cargo.extend([word, value]);
            }
            _ if word.starts_with('-') => return Err(format!("there is no option `{word}`")),
            _ if options.function.is_empty() => options.function = word,
            _ => return Err(format!("one function at a time, not `{word}` as well")),
        }
    }
    match options.function.is_empty() {
        true => Err("the name of a function is missing".into()),
        false => Ok(options),
    }
}

fn main() -> ExitCode {
    // `cargo cotangent ..` runs `cargo-cotangent cotangent ..`.
    let mut words = std::env::args().skip(1).peekable();
    words.next_if(|word| word == "cotangent");
    let options = match options(words) {
        Ok(options) => options,
        Err(message) => {
            eprintln!("error: {message}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match explain(&options) {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn explain(options: &Options) -> Result<String, String> {
    let output = expansion(options)?;
    let mut text = String::new();
    let mut found = vec![];
    for section in sections::sections(&output) {
        if options
            .only
            .as_ref()
            .is_some_and(|only| *only != section.of)
            && section.stage != GENERATED
        {
            continue;
        }
        if section.stage != GENERATED {
            if options.stages {
                text.push_str(&format!(
                    "==== {}: {}\n\n{}\n\n",
                    section.of, section.stage, section.text
                ));
            }
            continue;
        }
        let code = code::formatted(&options.function, section.of, section.text)
            .map_err(|e| format!("error: the generated code is not Rust: {e}"))?;
        for function in code
            .split_inclusive("\n}\n")
            .filter(|f| !f.trim().is_empty())
        {
            let name = name_of(function);
            if options.only.as_deref().is_some_and(|only| only != name) || found.contains(&name) {
                continue;
            }
            found.push(name);
            let function = function.trim_start_matches('\n');
            match options.is_coloured {
                true => text.push_str(&code::coloured(&options.function, function)),
                false => text.push_str(function),
            }
            text.push('\n');
        }
    }
    match (found.is_empty(), &options.only) {
        (false, _) => Ok(text),
        (true, None) => {
            let name = &options.function;
            Err(format!(
                "error: no function `{name}` with `#[differentiable]` is compiled here"
            ))
        }
        (true, Some(only)) => Err(format!(
            "error: the macro does not generate `{only}`\n\
             help: without `--only`, all derivatives are printed"
        )),
    }
}

/// The name of the function that a text defines.
fn name_of(function: &str) -> String {
    let name = function.split("fn ").nth(1).unwrap_or_default();
    let end = name.find(|c: char| !(c.is_alphanumeric() || c == '_'));
    name[..end.unwrap_or(name.len())].to_owned()
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

/// What the macro writes when the members of the workspace are checked anew.
fn expansion(options: &Options) -> Result<String, String> {
    let failed = |e: std::io::Error| format!("error: cargo does not start: {e}");
    let mut metadata = cargo(options, "metadata");
    metadata
        .args(["--no-deps", "--format-version", "1"])
        .stderr(Stdio::inherit());
    let metadata = metadata.output().map_err(failed)?;
    let metadata: Value = serde_json::from_slice(&metadata.stdout)
        .map_err(|_| "error: this is not a folder of a crate".to_owned())?;
    let target = metadata["target_directory"].as_str().unwrap_or("target");
    let target: PathBuf = Path::new(target).join("cotangent");
    // Cargo does not know that the variable changes what the macro writes.
    let mut clean = cargo(options, "clean");
    clean.arg("--target-dir").arg(&target);
    for package in metadata["packages"].as_array().into_iter().flatten() {
        clean.args(["-p", package["name"].as_str().unwrap_or_default()]);
    }
    clean.stderr(Stdio::null()).status().map_err(failed)?;
    let mut check = cargo(options, "check");
    check
        .arg("--all-targets")
        .arg("--target-dir")
        .arg(&target)
        .args(&options.for_cargo);
    let check = check
        .env("COTANGENT_DUMP", &options.function)
        .output()
        .map_err(failed)?;
    let output = String::from_utf8_lossy(&check.stderr).into_owned();
    match check.status.success() {
        true => Ok(output),
        false => Err(output),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Options, String> {
        options(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn options_are_read() {
        let options = read("explain loss --stages --features linalg --colour never").expect("good");
        assert_eq!(options.function, "loss");
        assert!(options.stages && !options.is_coloured);
        assert_eq!(options.for_cargo, ["--features", "linalg"]);
    }

    #[test]
    fn wrong_options_are_named() {
        for (line, part) in [
            ("", "command"),
            ("show f", "`show`"),
            ("explain", "function"),
            ("explain f g", "`g`"),
            ("explain f --fast", "`--fast`"),
            ("explain f --only", "`--only`"),
            ("explain f --colour red", "`red`"),
        ] {
            let message = read(line).err().unwrap_or_default();
            assert!(message.contains(part), "{line}: {message}");
        }
    }

    #[test]
    fn functions_have_names() {
        assert_eq!(name_of("pub fn loss_grad(x: f64) {}"), "loss_grad");
    }
}
