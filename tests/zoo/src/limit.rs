//! A limit of time for each program that a test runs: a program that does not end has a name, and
//! ends the test.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

/// How long one case may run; the slowest takes a hundredth of that.
const LIMIT: Duration = Duration::from_secs(120);

/// A thread that ends the process when something takes too long.
#[derive(Debug)]
pub struct Watchdog {
    starts: Sender<String>,
}

impl Watchdog {
    /// One that waits for something to start.
    #[must_use]
    pub fn new() -> Watchdog {
        Watchdog::with_limit(LIMIT, |name| {
            eprintln!("{name} does not end");
            std::process::abort();
        })
    }

    fn with_limit(limit: Duration, on_overrun: impl Fn(&str) + Send + 'static) -> Watchdog {
        let (starts, started) = channel::<String>();
        thread::spawn(move || {
            let Ok(mut name) = started.recv() else { return };
            loop {
                match started.recv_timeout(limit) {
                    Ok(next) => name = next,
                    Err(RecvTimeoutError::Timeout) => return on_overrun(&name),
                    Err(RecvTimeoutError::Disconnected) => return,
                }
            }
        });
        Watchdog { starts }
    }

    /// Says that something starts, and that what started before has ended.
    pub fn start(&self, name: String) {
        // Nobody listens after the limit, when the process ends.
        let _ = self.starts.send(name);
    }
}

impl Default for Watchdog {
    fn default() -> Self {
        Watchdog::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_end_is_named() {
        let (named, names) = channel();
        let on_overrun = move |name: &str| named.send(name.to_owned()).unwrap();
        let watchdog = Watchdog::with_limit(Duration::from_millis(50), on_overrun.clone());
        watchdog.start("one".into());
        watchdog.start("two".into());
        assert_eq!(names.recv_timeout(LIMIT).unwrap(), "two");
        // Nothing runs longer than its watchdog.
        Watchdog::with_limit(Duration::from_millis(50), on_overrun).start("three".into());
        assert!(names.recv().is_err());
    }
}
