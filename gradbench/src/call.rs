//! A call of a function by GradBench: its input, its timed runs, its output.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use std::fmt::Display;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// A function of a module to call, with its input as JSON.
pub(crate) struct Call<'a> {
    pub(crate) function: &'a str,
    pub(crate) input: &'a str,
}

/// What a function returned, and how long each of its runs took.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) output: Box<RawValue>,
    pub(crate) nanoseconds: Vec<u64>,
}

/// Why there is no answer.
#[derive(Debug)]
pub(crate) struct Failure(pub(crate) String);

impl Failure {
    pub(crate) fn new(reason: impl Into<String>) -> Self {
        Failure(reason.into())
    }
}

impl<E: Display + std::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Failure(error.to_string())
    }
}

/// How often and how long a function runs at least.
#[derive(Deserialize)]
struct Limits {
    min_runs: u64,
    min_seconds: f64,
}

impl Call<'_> {
    /// The input as a value; fields that the type does not have are ignored.
    pub(crate) fn input<T: DeserializeOwned>(&self) -> Result<T, Failure> {
        Ok(serde_json::from_str(self.input)?)
    }

    /// Runs a function until both limits of the input are met, and encodes its last result.
    pub(crate) fn time<T, J: Serialize>(
        &self,
        run: impl FnMut() -> T,
        encode: impl FnOnce(T) -> J,
    ) -> Result<Answer, Failure> {
        self.input::<Limits>()?.time(run, encode)
    }

    /// Runs a function once.
    pub(crate) fn once<T: Serialize>(&self, run: impl FnMut() -> T) -> Result<Answer, Failure> {
        let once = Limits {
            min_runs: 1,
            min_seconds: 0.0,
        };
        once.time(run, |result| result)
    }

    /// The failure for a function that the module does not have.
    pub(crate) fn unknown(&self) -> Result<Answer, Failure> {
        Err(Failure::new(format!("no function `{}`", self.function)))
    }
}

impl Limits {
    fn time<T, J: Serialize>(
        &self,
        mut run: impl FnMut() -> T,
        encode: impl FnOnce(T) -> J,
    ) -> Result<Answer, Failure> {
        // The first reading of a clock takes long, as its code is not in the cache.
        black_box(Instant::now().elapsed());
        let mut total = Duration::ZERO;
        let mut nanoseconds = vec![];
        loop {
            let start = Instant::now();
            let result = black_box(run());
            let time = start.elapsed();
            nanoseconds.push(u64::try_from(time.as_nanos())?);
            total += time;
            let runs = nanoseconds.len() as u64;
            if runs >= self.min_runs && total.as_secs_f64() >= self.min_seconds {
                let output = to_raw_value(&encode(result))?;
                return Ok(Answer {
                    output,
                    nanoseconds,
                });
            }
        }
    }
}
