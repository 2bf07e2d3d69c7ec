//! What the compiler says about unsupported programs, and that supported ones draw no message.
//!
//! Each file of `tests/ui` is compiled by itself, against the library that the tests are built
//! with. `NAME.txt` beside it lists the expected errors: our messages with the places they stand
//! at. What rustc says itself is not compared, since it depends on the version and components of
//! rustc. Files of `tests/ui/pass` compile without any message and run, those of `tests/ui/warn`
//! draw the warnings that are listed beside them.
//!
//! `COTANGENT_BLESS=1` writes the lists. `COTANGENT_UI=part` takes only files with that in their
//! name.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

use serde_json::Value;

/// How long one command may take.
const LIMIT: Duration = Duration::from_secs(300);

/// How the lists mark the message of a trait.
const TRAIT: &str = "error of a trait: ";

/// What the messages of our traits contain.
const TRAIT_MESSAGES: [&str; 10] = [
    "this function is not the one of `cotangent`",
    "is not a scalar",
    "is not a number",
    "is not a real number",
    "is not an extent",
    "an array cannot be built from",
    "cannot be reduced",
    "cannot be stacked",
    "cannot be an argument or a result",
    "has no derivatives of its own",
];

/// How notes begin that rustc adds to the message of a trait.
const RUSTC_NOTES: [&str; 4] = [
    "required ",
    "this error originates",
    "the full name",
    "consider ",
];

#[test]
fn compile_errors() {
    each_file("tests/ui", |case| {
        let (_, messages) = compile(case, "metadata");
        let mut found = errors(&messages);
        if found.is_empty() {
            return Err("draws no error of ours".to_owned());
        }
        let expected = expected(case, &found);
        // Whether rustc looks at types where a macro reports an error depends on its version.
        found.retain(|error| !error.starts_with(TRAIT) || expected.contains(error));
        difference(&expected, &found)
    });
}

/// The list beside a case, which is written first if that is wanted.
fn expected(case: &Path, found: &[String]) -> Vec<String> {
    let list = case.with_extension("txt");
    if std::env::var_os("COTANGENT_BLESS").is_some() {
        fs::write(&list, found.join("\n")).expect("the list can be written");
    }
    let expected = fs::read_to_string(&list).unwrap_or_default();
    // A clone may have other line ends.
    let expected = expected.replace("\r\n", "\n");
    expected
        .split("\n\n")
        .map(|e| e.trim_end().to_owned() + "\n")
        .collect()
}

#[test]
fn warnings() {
    each_file("tests/ui/warn", |case| {
        let (_, messages) = compile(case, "link");
        let (warnings, others): (Vec<Value>, Vec<Value>) =
            (messages.into_iter()).partition(|m| m["level"] == "warning" && m["code"].is_object());
        let mut errors = others.iter().filter(|m| m["level"] == "error");
        if let Some(error) = errors.next() {
            return Err(error["rendered"].to_string());
        }
        let found: Vec<String> = in_order(&warnings, warning);
        difference(&expected(case, &found), &found)
    });
}

/// A warning as the lists have it, without what rustc says of constants.
fn warning(message: &Value) -> Option<String> {
    let span = primary(message)?;
    let (_, words) = message["message"].as_str()?.split_once(": ")?;
    let (line, column) = place(span);
    let code_there = span["text"][0]["text"].as_str().unwrap_or_default();
    Some(format!(
        "warning: {words}\n  --> {line}:{column}: {}\n",
        code_there.trim()
    ))
}

#[test]
fn accepted() {
    each_file("tests/ui/pass", |case| {
        let (program, messages) = compile(case, "link");
        if let Some(message) = messages.first() {
            return Err(message["rendered"].to_string());
        }
        match run(Command::new(program), None) {
            status if status.success() => Ok(()),
            status => Err(format!("ends with {status}")),
        }
    });
}

/// Checks every file of a folder, on all processors, and reports all failures at once.
fn each_file(folder: &str, check: impl Fn(&Path) -> Result<(), String> + Sync) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let part = std::env::var("COTANGENT_UI").unwrap_or_default();
    let mut files: Vec<PathBuf> = fs::read_dir(&folder)
        .expect("the folder of cases can be read")
        .map(|entry| entry.expect("a file of the folder can be read").path())
        .filter(|path| path.extension().is_some_and(|e| e == "rs"))
        .filter(|path| stem(path).contains(&part))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no case matches");
    let (next, failures) = (AtomicUsize::new(0), Mutex::new(vec![]));
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(case) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(why) = check(case) {
                        let mut failures = failures.lock().expect("no check panics");
                        failures.push(format!("{}: {why}", stem(case)));
                    }
                }
            });
        }
    });
    let mut failures = failures.into_inner().expect("no check panics");
    failures.sort();
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

fn stem(path: &Path) -> String {
    path.file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// Where the libraries lie that a case may use, and where compiled cases go.
struct Libraries {
    externs: Vec<(&'static str, PathBuf)>,
    dependencies: PathBuf,
    output: PathBuf,
}

/// The libraries as `cargo test` has built them; if only this test was built, cargo builds the
/// rest.
fn libraries() -> &'static Libraries {
    static LIBRARIES: OnceLock<Libraries> = OnceLock::new();
    LIBRARIES.get_or_init(|| {
        let this = std::env::current_exe().expect("the test knows where it lies");
        let dependencies = this.parent().expect("tests lie in `deps`").to_owned();
        let profile = dependencies.parent().expect("`deps` lies in a profile");
        let target = profile
            .parent()
            .expect("a profile lies in the target folder");
        let output = target.join("ui");
        fs::create_dir_all(&output).expect("the target folder can be written");

        let mut cargo = Command::new(env!("CARGO"));
        cargo.args([
            "test",
            "--no-run",
            "--test=ui",
            "--message-format=json",
            "--quiet",
        ]);
        cargo.arg("--manifest-path");
        cargo.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"));
        cargo.arg("--target-dir").arg(target);
        if profile.ends_with("release") {
            cargo.arg("--release");
        }
        if cfg!(feature = "parallel") {
            cargo.args(["--features", "parallel"]);
        }
        let listing = output.join("libraries.json");
        let status = run(cargo, Some(&listing));
        assert!(status.success(), "cargo does not build the library");
        let artifacts = fs::read_to_string(&listing).expect("cargo lists what it builds");
        let artifacts: Vec<Value> = json_lines(&artifacts);
        let externs = ["cotangent", "ndarray"].map(|name| {
            let file = artifacts
                .iter()
                .filter(|artifact| artifact["target"]["name"] == name)
                .filter_map(|artifact| artifact["filenames"].as_array())
                .flatten()
                .filter_map(Value::as_str)
                .find(|file| file.ends_with(".rlib"));
            let file = file.unwrap_or_else(|| panic!("cargo builds no library `{name}`"));
            (name, PathBuf::from(file))
        });
        Libraries {
            externs: externs.into(),
            dependencies,
            output,
        }
    })
}

/// Compiles a case: where the result lies, and the messages.
fn compile(case: &Path, emit: &str) -> (PathBuf, Vec<Value>) {
    let libraries = libraries();
    let result = libraries.output.join(stem(case));
    let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    // Messages quote the path as it is passed.
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    rustc.current_dir(root);
    rustc.arg(case.strip_prefix(root).unwrap_or(case));
    rustc.arg("-o").arg(&result);
    rustc.args(["--edition=2024", "--crate-type=bin", "--error-format=json"]);
    rustc.arg(format!("--emit={emit}"));
    rustc
        .arg("-L")
        .arg(format!("dependency={}", libraries.dependencies.display()));
    for (name, file) in &libraries.externs {
        rustc.arg("--extern");
        rustc.arg(format!("{name}={}", file.display()));
    }
    let listing = result.with_extension("json");
    run_to(rustc, None, Some(&listing));
    let messages = fs::read_to_string(&listing).expect("rustc writes messages");
    (result, json_lines(&messages))
}

fn json_lines(text: &str) -> Vec<Value> {
    let lines = text.lines().filter(|line| line.starts_with('{'));
    lines
        .map(|line| serde_json::from_str(line).expect("each line is an object"))
        .collect()
}

fn run(command: Command, output: Option<&Path>) -> ExitStatus {
    run_to(command, output, None)
}

/// Runs a command within the limit, and writes what it prints to files.
fn run_to(mut command: Command, output: Option<&Path>, errors: Option<&Path>) -> ExitStatus {
    let stdio = |path: Option<&Path>| match path {
        Some(path) => File::create(path)
            .expect("the target folder can be written")
            .into(),
        None => Stdio::inherit(),
    };
    command.stdin(Stdio::null());
    command.stdout(stdio(output)).stderr(stdio(errors));
    let mut child = command.spawn().expect("the command can be started");
    let begin = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("the command can be waited for") {
            return status;
        }
        if begin.elapsed() > LIMIT {
            child.kill().expect("the command can be stopped");
            panic!("{command:?} takes more than {LIMIT:?}");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Fails with the errors that only one of two lists has.
fn difference(expected: &[String], found: &[String]) -> Result<(), String> {
    let mut text = String::new();
    for (head, these, others) in [
        ("expected, and not found:", expected, found),
        ("found, and not expected:", found, expected),
    ] {
        for error in these.iter().filter(|error| !others.contains(error)) {
            write!(text, "\n{head}\n{error}").expect("text can be written");
        }
    }
    if text.is_empty() { Ok(()) } else { Err(text) }
}

/// The errors among the messages, in the order of their places.
fn errors(messages: &[Value]) -> Vec<String> {
    in_order(messages, |message| match message["level"] == "error" {
        true => error(message),
        false => None,
    })
}

/// Messages as the lists have them, in the order of their places.
fn in_order(messages: &[Value], text: impl Fn(&Value) -> Option<String>) -> Vec<String> {
    let mut found: Vec<((u64, u64), String)> = messages
        .iter()
        .filter_map(|message| Some((place(primary(message)?), text(message)?)))
        .collect();
    found.sort();
    found.into_iter().map(|(_, text)| text).collect()
}

/// The first primary span of a message, followed out of macros to the file itself.
fn primary(message: &Value) -> Option<&Value> {
    let spans = message["spans"].as_array()?;
    let mut span = spans.iter().find(|span| span["is_primary"] == true)?;
    while span["expansion"]["span"].is_object() {
        span = &span["expansion"]["span"];
    }
    Some(span)
}

fn place(span: &Value) -> (u64, u64) {
    let number = |name: &str| span[name].as_u64().expect("spans have numbers");
    (number("line_start"), number("column_start"))
}

/// A message with the last name of each path: the version of rustc decides how much it shows.
fn without_paths(words: &str) -> String {
    let mut rest = words;
    let mut text = String::new();
    while let Some((before, after)) = rest.split_once("::") {
        let is_of_name = |c: char| c.is_alphanumeric() || c == '_';
        text.push_str(before.trim_end_matches(is_of_name));
        rest = after;
    }
    text + rest
}

/// An error as the lists have it.
fn error(message: &Value) -> Option<String> {
    let span = primary(message)?;
    let code = message["code"]["code"].as_str();
    let words = message["message"].as_str()?;
    // Of errors with a code, our traits word some, and rustc all others.
    let mut text = match code {
        None => format!("error: {words}\n"),
        Some(_) if TRAIT_MESSAGES.iter().any(|part| words.contains(part)) => {
            format!("{TRAIT}{}\n", without_paths(words))
        }
        Some(_) => return None,
    };
    let (line, column) = place(span);
    let code_there = span["text"][0]["text"].as_str().unwrap_or_default();
    writeln!(text, "  --> {line}:{column}: {}", code_there.trim()).ok()?;
    if code.is_some() {
        for note in message["children"].as_array().into_iter().flatten() {
            let words = note["message"].as_str().unwrap_or_default();
            let is_of_rustc = RUSTC_NOTES.iter().any(|begin| words.starts_with(begin));
            if note["level"] == "note" && !is_of_rustc {
                writeln!(text, "  note: {words}").ok()?;
            }
        }
    }
    Some(text)
}
