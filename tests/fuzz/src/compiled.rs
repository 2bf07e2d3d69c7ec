//! Programs compiled in batches and run: a crate with a module for each.

use crate::data::SIZES;
use crate::process::{End, each};
use crate::source;
use crate::variant::{Failure, Variant};
use crate::verdict::Entry;
use std::collections::HashMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// How a batch is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// With debug assertions, on one thread.
    Debug,
    /// Without, on several threads, and by all instruction sets.
    Release,
}

/// How long a program may take at all its sizes.
const SILENCE: Duration = Duration::from_secs(30);

/// The main function of a batch.
pub fn main(entries: &[&Entry]) {
    crate::panics::keep();
    let from: usize = std::env::args()
        .nth(1)
        .and_then(|k| k.parse().ok())
        .unwrap_or(0);
    for (k, entry) in entries[from..].iter().enumerate() {
        println!("begin {k}");
        let mut results = vec![];
        let wrong = entry.check(&mut |size, row| {
            let mass: f64 = row.iter().map(|x| x.abs()).sum();
            results.push((
                size,
                [row.iter().sum(), mass, row.first().copied().unwrap_or(0.0)],
            ));
        });
        for (size, wrong) in wrong {
            let detail = wrong.detail.replace('\n', " ");
            println!("wrong {size} {}\t{detail}", wrong.kind);
        }
        for (size, [sum, mass, first]) in results {
            println!("result {size} {sum:e} {mass:e} {first:e}");
        }
    }
}

/// A folder that batches are compiled in.
#[derive(Debug)]
pub struct Workshop {
    folder: PathBuf,
    root: PathBuf,
}

impl Workshop {
    /// In this folder, by the crate at the root of the repository.
    ///
    /// # Panics
    /// If it cannot be written.
    pub fn new(folder: &Path) -> Workshop {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let root = root.canonicalize().expect("the repository is there");
        fs::create_dir_all(folder.join("src")).expect("the folder can be written");
        let root_text = root.display();
        let manifest = format!(
            "[package]\nname = \"batch\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n\
             [features]\nparallel = [\"cotangent/parallel\"]\n\
             [dependencies]\ncotangent = {{ path = '{root_text}' }}\n\
             cotangent-fuzz = {{ path = '{root_text}/tests/fuzz' }}\nndarray = \"0.17\"\n\
             [profile.dev]\nopt-level = 0\ndebug = false\nincremental = false\n\
             [profile.dev.package.'*']\nopt-level = 2\n\
             [profile.dev.build-override]\nopt-level = 2\ndebug-assertions = true\n\
             [profile.release]\nopt-level = 0\ndebug = false\noverflow-checks = true\n\
             [profile.release.package.'*']\nopt-level = 3\noverflow-checks = false\n\
             [profile.release.build-override]\nopt-level = 2\n"
        );
        fs::write(folder.join("Cargo.toml"), manifest).expect("the folder can be written");
        let lock = fs::read(root.join("Cargo.lock")).expect("the repository has one");
        if !folder.join("Cargo.lock").exists() {
            fs::write(folder.join("Cargo.lock"), lock).expect("the folder can be written");
        }
        let folder = folder.to_owned();
        Workshop { folder, root }
    }

    /// Compiles programs and runs them.
    pub fn batch(&self, variants: &[Variant], profile: Profile) -> Vec<Failure> {
        let mut failures = vec![];
        let mut variants = variants.to_vec();
        while !variants.is_empty() {
            match self.build(&variants, profile) {
                Ok(()) => break,
                Err(messages) => {
                    let before = variants.len();
                    let mut k = 0;
                    variants.retain(|variant| {
                        let message = messages.get(&k);
                        k += 1;
                        failures.extend(message.map(|detail| Failure {
                            variant: variant.clone(),
                            kind: "rustc".into(),
                            detail: detail.clone(),
                        }));
                        message.is_none()
                    });
                    if variants.len() == before {
                        let all = messages.get(&usize::MAX).cloned().unwrap_or_default();
                        eprintln!("the batch does not compile: {all}");
                        return failures;
                    }
                }
            }
        }
        failures.extend(self.run(&variants, profile));
        failures
    }

    fn name(profile: Profile) -> &'static str {
        match profile {
            Profile::Debug => "debug",
            Profile::Release => "release",
        }
    }

    /// Compiles; the messages of rustc, by the program that they are about.
    fn build(&self, variants: &[Variant], profile: Profile) -> Result<(), HashMap<usize, String>> {
        let write = |name: &str, text: String| {
            fs::write(self.folder.join("src").join(name), text).expect("the folder can be written");
        };
        let mut main = String::new();
        let mut table = String::new();
        for (k, variant) in variants.iter().enumerate() {
            write(&format!("p{k}.rs"), source::module(&variant.program()));
            writeln!(main, "mod p{k};").expect("strings take everything");
            write!(table, "&p{k}::ENTRY, ").expect("strings take everything");
        }
        write!(
            main,
            "fn main() {{ cotangent_fuzz::compiled::main(&[{table}]); }}"
        )
        .expect("strings take everything");
        write("main.rs", main);
        let mut command = Command::new("cargo");
        command.current_dir(&self.folder);
        command.args([
            "build",
            "--color=never",
            "--quiet",
            "--target-dir",
            "target",
        ]);
        if profile == Profile::Release {
            command.args(["--release", "--features", "parallel"]);
        }
        for variable in [
            "CARGO_TARGET_DIR",
            "CARGO_PROFILE_DEV_OPT_LEVEL",
            "CARGO_PROFILE_DEV_DEBUG",
        ] {
            command.env_remove(variable);
        }
        let output = command.output().expect("cargo can be started");
        if output.status.success() {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&output.stderr);
        let mut messages: HashMap<usize, String> = HashMap::new();
        for message in text.split("\n\n").filter(|m| m.starts_with("error")) {
            let place = message.split("src/p").nth(1);
            let number = place
                .and_then(|p| p.split(".rs").next())
                .and_then(|p| p.parse().ok());
            if let Some(k) = number {
                messages.entry(k).or_insert_with(|| message.to_owned());
            }
        }
        messages.insert(usize::MAX, text.chars().take(3000).collect());
        Err(messages)
    }

    fn run(&self, variants: &[Variant], profile: Profile) -> Vec<Failure> {
        let program = self
            .folder
            .join("target")
            .join(Self::name(profile))
            .join("batch");
        let failure = |k: usize, kind: &str, detail: String| Failure {
            variant: variants[k].clone(),
            kind: kind.into(),
            detail,
        };
        let mut results: HashMap<(usize, usize, usize), String> = HashMap::new();
        let mut run = |environment: &[(&str, &str)]| {
            let first = environment.is_empty();
            let mut seen: HashMap<(usize, usize), usize> = HashMap::new();
            each(
                variants.len(),
                SILENCE,
                &mut |from| {
                    let mut command = Command::new(&program);
                    command
                        .arg(from.to_string())
                        .envs(environment.iter().copied());
                    command
                },
                &mut |k, line| {
                    if let Some(wrong) = line.strip_prefix("wrong ") {
                        let (size, rest) = wrong.split_once(' ')?;
                        let (kind, detail) = rest.split_once('\t')?;
                        let size = SIZES[size.parse::<usize>().ok()?];
                        return Some(failure(k, kind, format!("at {size:?}: {detail}")));
                    }
                    let (size, numbers) = line.strip_prefix("result ")?.split_once(' ')?;
                    let size: usize = size.parse().ok()?;
                    let count = seen.entry((k, size)).or_insert(0);
                    *count += 1;
                    let key = (k, size, *count);
                    if first {
                        results.insert(key, numbers.to_owned());
                        return None;
                    }
                    let before = results.get(&key)?;
                    if agree(before, numbers) {
                        return None;
                    }
                    let detail = format!("{before} and with {environment:?} {numbers}");
                    Some(failure(
                        k,
                        "machines",
                        format!("at {:?}: {detail}", SIZES[size]),
                    ))
                },
                &mut |k, end| match end {
                    End::Silent => failure(k, "time-out", "when run".into()),
                    End::Ended(_) => failure(k, "crash", "when run".into()),
                },
            )
        };
        let mut failures = run(&[]);
        if profile == Profile::Release {
            failures.extend(run(&[
                ("COTANGENT_ISA", "baseline"),
                ("RAYON_NUM_THREADS", "1"),
            ]));
            failures.extend(run(&[
                ("COTANGENT_ISA", "avx2"),
                ("RAYON_NUM_THREADS", "3"),
            ]));
        }
        // One of a kind is enough.
        let mut known = vec![];
        failures.retain(|f| {
            let key = (f.variant.clone(), f.kind.clone());
            let new = !known.contains(&key);
            known.push(key);
            new
        });
        failures
    }

    /// The root of the repository.
    pub fn root(&self) -> &Path {
        &self.root
    }
}

/// Whether rows of numbers agree but for rounding.
fn agree(a: &str, b: &str) -> bool {
    let numbers = |s: &str| -> Vec<f64> {
        s.split(' ')
            .map(|x| x.parse().unwrap_or(f64::NAN))
            .collect()
    };
    let (a, b) = (numbers(a), numbers(b));
    let scale = 1.0 + a.get(1).copied().unwrap_or(0.0).abs();
    a.iter().zip(&b).all(|(x, y)| {
        (x - y).abs() <= 1e-6 * scale || x == y || (x.is_nan() && y.is_nan()) || !scale.is_finite()
    })
}
