//! `cotangent-mutants`: changes the compiler and the runtime in one place at a time and lists the
//! changes that no test sees.

mod rewrite;
mod suites;
mod tree;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use tree::Tree;

const USAGE: &str = "\
cotangent-mutants [OPTIONS]

  --only PART       mutate files with this in their paths
  --every N         try each N-th mutation (1)
  --jobs N          so many at once (2)
  --list            list the mutations, run nothing
  --folder PATH     where the copy of the workspace is (target/mutants)";

struct Options {
    only: String,
    every: usize,
    jobs: usize,
    list: bool,
    folder: PathBuf,
}

fn options(origin: &Path) -> Result<Options, String> {
    let mut options = Options {
        only: String::new(),
        every: 1,
        jobs: 2,
        list: false,
        folder: origin.join("target/mutants"),
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("`{word}` needs a value"));
        let number = |text: String| {
            let number = text.parse::<usize>().ok().filter(|&n| n > 0);
            number.ok_or(format!("`{text}` is not a positive number"))
        };
        match word.as_str() {
            "--only" => options.only = value()?,
            "--every" => options.every = number(value()?)?,
            "--jobs" => options.jobs = number(value()?)?,
            "--list" => options.list = true,
            "--folder" => options.folder = value()?.into(),
            _ => return Err(format!("there is no option `{word}`")),
        }
    }
    Ok(options)
}

/// What becomes of a mutation.
enum Verdict {
    Seen,
    Survived,
    NotReached,
}

fn main() {
    let origin = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let origin = origin.canonicalize().expect("the workspace is there");
    let options = options(&origin).unwrap_or_else(|message| {
        eprintln!("{message}\n\n{USAGE}");
        std::process::exit(2);
    });
    if let Err(message) = hunt(&origin, &options) {
        eprintln!("{message}");
        std::process::exit(1);
    }
}

fn hunt(origin: &Path, options: &Options) -> Result<(), String> {
    let tree = Tree::make(origin, &options.folder, &options.only)?;
    let chosen: Vec<_> = tree.mutations.iter().step_by(options.every).collect();
    eprintln!("{} of {} mutations", chosen.len(), tree.mutations.len());
    if options.list {
        for (file, mutation) in chosen {
            println!("{file}:{}: {}", mutation.line, mutation.change);
        }
        return Ok(());
    }
    let suites = suites::build(&tree.root)?;
    let next = AtomicUsize::new(0);
    let (send, verdicts) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..options.jobs {
            let (send, chosen, suites, next) = (send.clone(), &chosen, &suites, &next);
            scope.spawn(move || {
                while let Some((_, mutation)) = chosen.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let id = mutation.id;
                    let mut reaching = suites.iter().filter(|s| s.reached.contains(&id));
                    let verdict = match reaching.clone().next() {
                        None => Verdict::NotReached,
                        Some(_) if reaching.any(|suite| suite.sees(id)) => Verdict::Seen,
                        Some(_) => Verdict::Survived,
                    };
                    send.send((id, verdict)).expect("somebody listens");
                }
            });
        }
        drop(send);
        report(&chosen, verdicts)
    });
    Ok(())
}

fn report(chosen: &[&(String, rewrite::Mutation)], verdicts: mpsc::Receiver<(usize, Verdict)>) {
    let (mut seen, mut survived, mut not_reached) = (0, 0, 0);
    for (id, verdict) in verdicts {
        let of_id = chosen.iter().find(|(_, mutation)| mutation.id == id);
        let (file, mutation) = of_id.expect("it was chosen");
        let what = match verdict {
            Verdict::Seen => {
                seen += 1;
                continue;
            }
            Verdict::Survived => {
                survived += 1;
                "survives"
            }
            Verdict::NotReached => {
                not_reached += 1;
                "is not reached"
            }
        };
        println!("{file}:{}: {what}: {}", mutation.line, mutation.change);
    }
    println!("{seen} seen, {survived} survive, {not_reached} are not reached");
}
