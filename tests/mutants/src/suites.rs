//! The tests, as executables that run with one mutation on.

use crate::tree::cargo;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// What is built: arguments of `cargo test`, and those of the executables.
const SUITES: [(&[&str], &[&str]); 3] = [
    (&["-p", "cotangent-runtime", "--lib"], &[]),
    (
        &[
            "-p",
            "cotangent-core",
            "--lib",
            "--test",
            "passes",
            "--test",
            "sequences",
            "--test",
            "identities",
            "--test",
            "second",
            "--test",
            "raise",
            "--test",
            "order",
        ],
        &[],
    ),
    (
        &[
            "-p",
            "cotangent-zoo",
            "--no-default-features",
            "--test",
            "stages",
        ],
        &["--skip", "counted"],
    ),
];

/// An executable of tests.
pub(crate) struct Suite {
    path: PathBuf,
    folder: PathBuf,
    arguments: &'static [&'static str],
    /// How long it takes without a mutation.
    pub(crate) time: Duration,
    /// The mutations that it reaches.
    pub(crate) reached: BTreeSet<usize>,
}

impl Suite {
    fn command(&self) -> Command {
        let mut command = Command::new(&self.path);
        command
            .args(self.arguments)
            .current_dir(&self.folder)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }

    /// Whether a test fails, or does not end, with a mutation on.
    pub(crate) fn sees(&self, id: usize) -> bool {
        let mut command = self.command();
        let child = command.env("COTANGENT_MUTATION", id.to_string()).spawn();
        let limit = self.time * 5 + Duration::from_secs(10);
        !ends_well(&mut child.expect("the tests can be started"), limit)
    }
}

/// Whether a process ends within a limit, successfully.
fn ends_well(child: &mut Child, limit: Duration) -> bool {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("the process can be asked") {
            return status.success();
        }
        if start.elapsed() > limit {
            let _ = child.kill();
            let _ = child.wait();
            return false;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Builds all tests, and runs each once to find out what it reaches.
///
/// # Errors
/// If one does not compile, or fails without a mutation.
pub(crate) fn build(root: &Path) -> Result<Vec<Suite>, String> {
    let mut out = vec![];
    for (arguments, of_tests) in SUITES {
        let all = [&["test", "--no-run"], arguments].concat();
        let output = cargo(root, &all)
            .output()
            .map_err(|e| format!("cargo: {e}"))?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let Ok(message) = serde_json::from_str::<Value>(line) else {
                continue;
            };
            let (Some(path), Some(manifest)) = (
                message["executable"].as_str(),
                message["manifest_path"].as_str(),
            ) else {
                continue;
            };
            let folder = Path::new(manifest)
                .parent()
                .expect("a manifest lies in a folder");
            let mut suite = Suite {
                path: path.into(),
                folder: folder.to_owned(),
                arguments: of_tests,
                time: Duration::ZERO,
                reached: BTreeSet::new(),
            };
            let list = root.join("target/reached");
            let _ = std::fs::remove_file(&list);
            let start = Instant::now();
            let mut command = suite.command();
            let child = command.env("COTANGENT_REACHED", &list).spawn();
            let mut child = child.map_err(|e| format!("{path}: {e}"))?;
            if !ends_well(&mut child, Duration::from_secs(3600)) {
                return Err(format!("{path} fails without a mutation"));
            }
            suite.time = start.elapsed();
            let list = std::fs::read_to_string(&list).unwrap_or_default();
            suite.reached = list.lines().filter_map(|id| id.parse().ok()).collect();
            let (reached, seconds) = (suite.reached.len(), suite.time.as_secs_f64());
            eprintln!("{path}: reaches {reached} mutations in {seconds:.1} s");
            out.push(suite);
        }
    }
    out.sort_by_key(|suite| suite.time);
    Ok(out)
}
