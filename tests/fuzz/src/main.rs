//! `cotangent-fuzz --from SEED --programs N`: generates programs, expands and compiles them, and
//! shows each that fails, shrunk.

use cotangent_fuzz::compiled::{Profile, Workshop};
use cotangent_fuzz::expansion::{Outcome, expand};
use cotangent_fuzz::process::{End, each};
use cotangent_fuzz::variant::{Failure, Variant, shrink};
use cotangent_fuzz::{panics, source};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const USAGE: &str = "\
cotangent-fuzz [--from SEED] [--programs N] [OPTIONS]

  --expand-only     expand and interpret, compile nothing
  --no-stages       do not interpret either
  --batch N         compile so many programs at once (60)
  --profile P       compile as `debug`, `release`, or both in turn (`both`)
  --shrink N        shrink so many failures of each kind (3)
  --limit SECONDS   how long an expansion may take (10)
  --folder PATH     where batches are compiled (target/fuzz)
  --zoo FOLDER      write shrunk programs there, in the form of the zoo
  --show NAME       print the program of this name, `seed` or `seed:step:..`, and what becomes of it";

struct Options {
    from: u64,
    programs: u64,
    expand_only: bool,
    stages: bool,
    batch: usize,
    profiles: Vec<Profile>,
    shrink: usize,
    limit: u64,
    folder: PathBuf,
    zoo: Option<PathBuf>,
    show: Option<String>,
    worker: Option<String>,
}

fn options() -> Result<Options, String> {
    let mut o = Options {
        from: 0,
        programs: 300,
        expand_only: false,
        stages: true,
        batch: 60,
        profiles: vec![Profile::Debug, Profile::Release],
        shrink: 3,
        limit: 10,
        folder: Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/fuzz"),
        zoo: None,
        show: None,
        worker: None,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("`{word}` needs a value"));
        fn number<T: std::str::FromStr>(text: String) -> Result<T, String> {
            text.parse()
                .map_err(|_| format!("`{text}` is not a number"))
        }
        match word.as_str() {
            "--from" => o.from = number(value()?)?,
            "--programs" => o.programs = number(value()?)?,
            "--expand-only" => o.expand_only = true,
            "--no-stages" => o.stages = false,
            "--batch" => o.batch = number(value()?)?,
            "--profile" => match value()?.as_str() {
                "debug" => o.profiles = vec![Profile::Debug],
                "release" => o.profiles = vec![Profile::Release],
                "both" => {}
                other => return Err(format!("there is no profile `{other}`")),
            },
            "--shrink" => o.shrink = number(value()?)?,
            "--limit" => o.limit = number(value()?)?,
            "--folder" => o.folder = value()?.into(),
            "--zoo" => o.zoo = Some(value()?.into()),
            "--show" => o.show = Some(value()?),
            "--worker" => o.worker = Some(value()?),
            _ => return Err(format!("there is no option `{word}`")),
        }
    }
    Ok(o)
}

fn main() {
    let options = options().unwrap_or_else(|message| {
        eprintln!("{message}\n\n{USAGE}");
        std::process::exit(2);
    });
    if let Some(names) = &options.worker {
        return work(names, options.stages);
    }
    if let Some(name) = &options.show {
        let variant = Variant::parse(name).expect("`seed` or `seed:step:..`");
        let program = variant.program();
        println!("{}\n", program.text("f"));
        panics::keep();
        println!("{:?}", expand(&program, options.stages));
        return;
    }
    let failures = hunt(&options);
    std::process::exit(i32::from(failures > 0));
}

/// Expands the programs of these names, or the seeds `a..b`, one after the other.
fn work(names: &str, stages: bool) {
    panics::keep();
    let variants: Vec<Variant> = match names.split_once("..") {
        Some((a, b)) => {
            let bound = |text: &str| text.parse::<u64>().expect("a seed");
            (bound(a)..bound(b)).map(Variant::of).collect()
        }
        None => names.split(',').filter_map(Variant::parse).collect(),
    };
    for (k, variant) in variants.iter().enumerate() {
        println!("begin {k}");
        let line = |word: &str, text: &str| println!("{word}\t{}", text.replace('\n', " "));
        match expand(&variant.program(), stages) {
            Outcome::Fine => println!("fine"),
            Outcome::Refused(why) => line("refused", &why),
            Outcome::Wrong(kind, detail) => line(&format!("wrong\t{kind}"), &detail),
        }
    }
}

#[derive(Default)]
struct Tally {
    seen: usize,
    accepted: usize,
    compiled: usize,
    refused: BTreeMap<String, usize>,
    failed: BTreeMap<String, usize>,
}

/// Expands variants in a process of its own; which were accepted, and which failed.
fn expanded(
    options: &Options,
    variants: &[Variant],
    tally: &mut Tally,
) -> (Vec<Variant>, Vec<Failure>) {
    let own = std::env::current_exe().expect("this program has a path");
    let failure = |k: usize, kind: &str, detail: &str| Failure {
        variant: variants[k].clone(),
        kind: kind.into(),
        detail: detail.into(),
    };
    let mut accepted = vec![];
    let failures = each(
        variants.len(),
        Duration::from_secs(options.limit),
        &mut |from| {
            let names: Vec<String> = variants[from..].iter().map(Variant::to_string).collect();
            let mut command = Command::new(&own);
            command.args(["--worker", &names.join(",")]);
            if !options.stages {
                command.arg("--no-stages");
            }
            command
        },
        &mut |k, line| {
            let mut parts = line.split('\t');
            match parts.next()? {
                "fine" => {
                    accepted.push(variants[k].clone());
                    None
                }
                "refused" => {
                    let why = parts.next().unwrap_or("");
                    let why: String = (why.split(": ").nth(1).unwrap_or(why))
                        .chars()
                        .take(90)
                        .collect();
                    *tally.refused.entry(why).or_default() += 1;
                    None
                }
                "wrong" => {
                    let kind = parts.next()?;
                    Some(failure(k, kind, parts.next().unwrap_or("")))
                }
                _ => None,
            }
        },
        &mut |k, end| match end {
            End::Silent => failure(k, "time-out", "when expanded"),
            End::Ended(_) => failure(k, "crash", "when expanded"),
        },
    );
    (accepted, failures)
}

fn hunt(options: &Options) -> usize {
    let start = Instant::now();
    let workshop = (!options.expand_only).then(|| Workshop::new(&options.folder));
    let mut tally = Tally::default();
    let end = options.from + options.programs;
    let step = if options.expand_only {
        500
    } else {
        options.batch as u64
    };
    let mut from = options.from;
    let mut round = 0;
    while from < end {
        let to = end.min(from + step);
        let variants: Vec<Variant> = (from..to).map(Variant::of).collect();
        let (accepted, failures) = expanded(options, &variants, &mut tally);
        tally.seen += variants.len();
        tally.accepted += accepted.len();
        for failure in failures {
            report(options, &mut tally, failure, &mut |candidates, kind| {
                let mut nothing = Tally::default();
                candidates.chunks(16).find_map(|some| {
                    let (_, failures) = expanded(options, some, &mut nothing);
                    failures.into_iter().find(|f| f.kind == kind)
                })
            });
        }
        if let Some(workshop) = &workshop {
            let profile = options.profiles[round % options.profiles.len()];
            round += 1;
            let failures = workshop.batch(&accepted, profile);
            tally.compiled += accepted.len();
            for failure in failures {
                report(options, &mut tally, failure, &mut |candidates, kind| {
                    let mut nothing = Tally::default();
                    candidates.chunks(24).find_map(|some| {
                        let (some, _) = expanded(options, some, &mut nothing);
                        let mut failures = workshop.batch(&some, profile);
                        failures.retain(|f| f.kind == kind);
                        failures.sort_by_key(|f| f.variant.steps.clone());
                        failures.into_iter().next()
                    })
                });
            }
        }
        from = to;
        let Tally {
            seen,
            accepted,
            compiled,
            refused,
            failed,
        } = &tally;
        println!(
            "-- {seen} programs up to seed {from}, {accepted} accepted, {compiled} compiled and run, {:.0} s; \
             failed: {failed:?}",
            start.elapsed().as_secs_f64()
        );
        if from >= end {
            println!("refused: {refused:#?}");
        }
    }
    tally.failed.values().sum()
}

/// Shows a failure, shrunk if there were few of its kind.
fn report(
    options: &Options,
    tally: &mut Tally,
    failure: Failure,
    find: &mut dyn FnMut(&[Variant], &str) -> Option<Failure>,
) {
    let count = tally.failed.entry(failure.kind.clone()).or_default();
    *count += 1;
    println!(
        "seed {} fails: {}: {}",
        failure.variant.seed, failure.kind, failure.detail
    );
    if *count > options.shrink {
        return;
    }
    let small = shrink(failure, 60, find);
    let program = small.variant.program();
    println!(
        "shrunk, `--show {}`:\n{}\n{}: {}\n",
        small.variant,
        program.text("f"),
        small.kind,
        small.detail
    );
    if let Some(folder) = &options.zoo {
        let name = format!("generated_{}", small.variant.seed);
        let path = folder.join(format!("{name}.rs"));
        match std::fs::write(&path, source::zoo(&program, &name, &small.kind)) {
            Ok(()) => println!("written to {}", path.display()),
            Err(e) => println!("{} cannot be written: {e}", path.display()),
        }
    }
}
