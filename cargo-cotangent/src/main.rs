//! `cargo cotangent explain FUNCTION`: prints the derivatives that the macro generates for a
//! function of the crate in the working directory.
//!
//! It runs `cargo check` in a target directory of its own, with `COTANGENT_DUMP` set, so the macro
//! resolves calls, structs and features as in the user's build.

mod build;
mod check;
mod code;
mod cost;
mod picture;
mod rules;
mod sections;
mod sizes;

use build::Build;
use cotangent_core::ir::arguments::Given;
use sections::{Section, Stage};
use std::io::IsTerminal;
use std::process::ExitCode;

const USAGE: &str = "\
cargo cotangent explain FUNCTION [OPTIONS]

Prints the derivatives that `#[differentiable]` generates for FUNCTION.

  --stages                 print every stage of the compiler before the code
  --only NAME              print one derivative, such as `loss_grad`
  --rules                  count the rewrites of each stage
  --cost                   count operations, visited indices, stored elements and bytes
  --svg FILE               draw the dataflow of the value and its cotangents
  --check                  compare the derivatives with differences at random points
  --size w=20x5,n=3        lengths of arguments for `--cost` and `--check`
  --colour WHEN            `always`, `never`, or `auto` (the default)
  --release, --features F, --all-features, -p PACKAGE, --manifest-path PATH
                           as for `cargo check`
  --help                   print this";

struct Options {
    function: String,
    stages: bool,
    rules: bool,
    cost: bool,
    svg: Option<String>,
    check: bool,
    sizes: Given,
    only: Option<String>,
    is_coloured: bool,
    manifest: Option<String>,
    for_cargo: Vec<String>,
}

impl Options {
    /// Whether to print the code: nothing else is asked for, or all stages are.
    fn code(&self) -> bool {
        self.stages || !(self.rules || self.cost || self.check || self.svg.is_some())
    }
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
        rules: false,
        cost: false,
        svg: None,
        check: false,
        sizes: Given::new(),
        only: None,
        is_coloured: is_terminal,
        manifest: None,
        for_cargo: vec![],
    };
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("`{word}` needs a value"));
        match word.as_str() {
            "--stages" => options.stages = true,
            "--rules" => options.rules = true,
            "--cost" => options.cost = true,
            "--check" => options.check = true,
            "--svg" => options.svg = Some(value()?),
            "--size" => sizes::read(&value()?, &mut options.sizes)?,
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
    let words: Vec<String> = words.collect();
    if words
        .iter()
        .any(|word| matches!(word.as_str(), "--help" | "-h" | "help"))
    {
        println!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    let options = match options(words.into_iter()) {
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
    let build = Build::new(options)?;
    let output = build.expansion()?;
    let sections = sections::sections(&output);
    if sections.is_empty() {
        let name = &options.function;
        let names: Vec<String> = build.annotated().iter().map(|n| format!("`{n}`")).collect();
        let help = match names.is_empty() {
            true => "the sources have no function with `#[differentiable]`".into(),
            false => format!("the sources have {}", names.join(", ")),
        };
        return Err(format!(
            "error: no function `{name}` with `#[differentiable]` is compiled here\nhelp: {help}"
        ));
    }
    let mut text = String::new();
    let wanted = |of: &str| {
        let only = options.only.as_deref();
        of == options.function || only.is_none_or(|only| only == of)
    };
    if options.stages {
        text.push_str(&stages(&sections, &wanted));
    }
    if options.rules {
        text.push_str(&rules::table(&sections, &wanted));
    }
    if options.cost {
        text.push_str(&cost::table(&sections, &wanted, &options.sizes)?);
    }
    if let Some(file) = &options.svg {
        let picture = picture::svg(&sections, &options.function, options.only.as_deref())?;
        std::fs::write(file, picture).map_err(|e| format!("error: {file}: {e}"))?;
        text.push_str(&format!("the picture is in {file}\n"));
    }
    if options.check {
        text.push_str(&checked(options, &build, &sections)?);
    }
    if options.code() {
        text.push_str(&code_of(options, &sections)?);
    }
    Ok(text)
}

/// Every stage before the code.
fn stages(sections: &[Section<'_>], wanted: &dyn Fn(&str) -> bool) -> String {
    let programs = sections.iter().filter(|s| match s.stage() {
        Stage::Core | Stage::Bulk(_) | Stage::Kernels(_) | Stage::Other => wanted(s.of),
        Stage::Source | Stage::Rules | Stage::Generated => false,
    });
    let programs = programs.map(|s| format!("==== {}: {}\n\n{}\n\n", s.of, s.title, s.text));
    programs.collect()
}

/// What the check of the function says.
fn checked(
    options: &Options,
    build: &Build<'_>,
    sections: &[Section<'_>],
) -> Result<String, String> {
    let name = &options.function;
    let refused = |why: String| format!("error: `--check` cannot call `{name}`: {why}");
    let sources = || sections.iter().filter(|s| s.stage() == Stage::Source);
    let source = sources()
        .next()
        .ok_or_else(|| refused("it is a method".into()))?;
    if sources().any(|s| s.text != source.text) {
        return Err(refused("there are several; choose one by `-p`".into()));
    }
    let test = check::test(source.text, &build.structs(), &options.sizes).map_err(refused)?;
    let (said, passes) = build.run_test(&test, &check::name(name))?;
    match passes {
        true => Ok(format!("{said}\n")),
        false => Err(format!("error: the check of `{name}` fails\n{said}")),
    }
}

/// The generated functions.
fn code_of(options: &Options, sections: &[Section<'_>]) -> Result<String, String> {
    let mut text = String::new();
    let mut found = vec![];
    for section in sections.iter().filter(|s| s.stage() == Stage::Generated) {
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
        (true, Some(only)) => Err(format!(
            "error: the macro does not generate `{only}`\n\
             help: without `--only`, all derivatives are printed"
        )),
        (true, None) | (false, _) => Ok(text),
    }
}

/// The name of the function that a text defines.
fn name_of(function: &str) -> String {
    let name = function.split("fn ").nth(1).unwrap_or_default();
    let end = name.find(|c: char| !(c.is_alphanumeric() || c == '_'));
    name[..end.unwrap_or(name.len())].to_owned()
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
        assert!(options.code());
        let options = read("explain f --cost --size w=20x5,n=3 --size x=7").expect("good");
        assert_eq!(options.sizes["w"], [20, 5]);
        assert_eq!(options.sizes["x"], [7]);
        assert!(options.cost && !options.code());
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
            ("explain f --size 5", "`5`"),
            ("explain f --svg", "`--svg`"),
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
