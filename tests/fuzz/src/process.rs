//! Processes that are watched: one that says nothing for too long is ended.
//!
//! Time is that of the processor where the system tells it: on a busy machine a process may wait
//! for minutes without computing anything.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// How long a process may wait for the processor.
const PATIENCE: Duration = Duration::from_secs(1800);

/// The processor time that a process has taken, on systems that tell.
fn computed(process: u32) -> Option<Duration> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name, which may hold anything, stands in parentheses; the times are fields 14 and 15.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks: u64 = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
    Some(Duration::from_millis(ticks * 10))
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// By itself, successfully or not.
    Ended(bool),
    /// It said nothing for too long.
    Silent,
}

/// Runs a command and hands on each line of what it writes.
///
/// # Panics
/// If it cannot be started.
pub fn watch(command: &mut Command, silence: Duration, line: &mut dyn FnMut(&str)) -> End {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let mut child = child.expect("the command can be started");
    let out = child.stdout.take().expect("it was asked for");
    let (send, lines) = channel();
    let reader = std::thread::spawn(move || {
        for line in BufReader::new(out).lines().map_while(Result::ok) {
            if send.send(line).is_err() {
                break;
            }
        }
    });
    let mut since = computed(child.id());
    let mut waited = Duration::ZERO;
    let end = loop {
        match lines.recv_timeout(silence) {
            Ok(text) => {
                line(&text);
                (since, waited) = (computed(child.id()), Duration::ZERO);
            }
            Err(RecvTimeoutError::Timeout) => {
                waited += silence;
                let used = computed(child.id())
                    .zip(since)
                    .map(|(now, then)| now.saturating_sub(then));
                if used.is_some_and(|used| used < silence) && waited < PATIENCE {
                    continue;
                }
                let _ = child.kill();
                break End::Silent;
            }
            Err(RecvTimeoutError::Disconnected) => {
                break End::Ended(true);
            }
        }
    };
    let status = child.wait();
    drop(lines);
    let _ = reader.join();
    match end {
        End::Ended(_) => End::Ended(status.is_ok_and(|s| s.success())),
        End::Silent => End::Silent,
    }
}

/// Hands on what a process says of one item after another, and starts it again behind an item at
/// which it stayed silent or ended. `start` gives the command for the items from one on. A line
/// `begin K` says that the item K, counted from there, begins.
pub fn each<R>(
    count: usize,
    silence: Duration,
    start: &mut dyn FnMut(usize) -> Command,
    read: &mut dyn FnMut(usize, &str) -> Option<R>,
    lost: &mut dyn FnMut(usize, End) -> R,
) -> Vec<R> {
    let mut out = vec![];
    let mut from = 0;
    while from < count {
        let mut at = None;
        let end = watch(&mut start(from), silence, &mut |line| match line
            .strip_prefix("begin ")
            .and_then(|k| k.parse::<usize>().ok())
        {
            Some(k) => at = Some(from + k),
            None => out.extend(at.and_then(|at| read(at, line))),
        });
        match (end, at) {
            (End::Ended(true), _) => break,
            (end, at) => {
                let at = at.unwrap_or(from);
                out.push(lost(at, end));
                from = at + 1;
            }
        }
    }
    out
}
