//! Processes that are watched: one that says nothing for too long is ended.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

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
    let end = loop {
        match lines.recv_timeout(silence) {
            Ok(text) => line(&text),
            Err(RecvTimeoutError::Timeout) => {
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

/// Hands on what a process says of one item after another, and starts it again behind an item at which it
/// stayed silent or ended. `start` gives the command for the items from one on. A line `begin K` says that
/// the item K, counted from there, begins.
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
