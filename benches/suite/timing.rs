//! Running something often enough to be timed.

use std::time::{Duration, Instant};

/// In milliseconds for one run.
#[derive(Clone, Copy)]
pub(crate) struct Times {
    pub(crate) median: f64,
    pub(crate) least: f64,
}

/// Takes samples of some runs each.
pub(crate) struct Timer<F> {
    run: F,
    rounds: u32,
    /// How long a single run took.
    pub(crate) once: Duration,
    samples: Vec<f64>,
}

impl<F: Fn()> Timer<F> {
    /// Samples last at least as long as this.
    pub(crate) fn new(run: F, sample: Duration) -> Self {
        let time = |rounds: u32| {
            let start = Instant::now();
            for _ in 0..rounds {
                run();
            }
            start.elapsed()
        };
        // The first run warms caches and allocator.
        let (mut once, mut rounds) = (time(1), 1);
        if once < 10 * sample {
            loop {
                let elapsed = time(rounds);
                once = elapsed / rounds;
                if elapsed >= sample {
                    break;
                }
                rounds *= 2;
            }
        }
        Timer {
            run,
            rounds,
            once,
            samples: vec![],
        }
    }

    /// Takes one sample, and returns it.
    pub(crate) fn sample(&mut self) -> f64 {
        let start = Instant::now();
        for _ in 0..self.rounds {
            (self.run)();
        }
        let each = start.elapsed().as_secs_f64() * 1e3 / f64::from(self.rounds);
        self.samples.push(each);
        each
    }

    /// What all samples say.
    pub(crate) fn times(&self) -> Times {
        let mut samples = self.samples.clone();
        samples.sort_by(f64::total_cmp);
        Times {
            median: samples[samples.len() / 2],
            least: samples[0],
        }
    }
}
