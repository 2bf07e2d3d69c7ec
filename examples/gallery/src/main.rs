//! Examples of cotangent that are real work. Each draws a picture.
//!
//! ```sh
//! cargo run --release -- spirals pendulum     # some of them, pictures in target/gallery
//! cargo run --release -- all                  # all of them
//! cargo run --release -- all --short          # fewer steps, the same checks where they apply
//! cargo run --release -- all --out pictures   # pictures in another folder
//! ```

mod black_scholes;
mod bundle;
mod common;
mod deblur;
mod gaussian_process;
#[cfg(feature = "diffsol")]
mod kinetics;
mod lstm;
#[cfg(feature = "argmin")]
mod mixture;
mod pendulum;
#[cfg(feature = "nuts")]
mod regression;
mod seir;
mod spirals;

use common::{Outcome, Run};
use std::time::Instant;

/// An example: its name, and what runs it.
type Example = (&'static str, fn(&Run) -> Outcome);

const EXAMPLES: &[Example] = &[
    ("spirals", spirals::run),
    ("gaussian_process", gaussian_process::run),
    ("black_scholes", black_scholes::run),
    ("seir", seir::run),
    ("pendulum", pendulum::run),
    ("bundle", bundle::run),
    ("lstm", lstm::run),
    ("deblur", deblur::run),
    #[cfg(feature = "argmin")]
    ("mixture", mixture::run),
    #[cfg(feature = "nuts")]
    ("regression", regression::run),
    #[cfg(feature = "diffsol")]
    ("kinetics", kinetics::run),
];

fn main() -> Outcome {
    let mut run = Run {
        is_short: false,
        folder: "target/gallery".into(),
    };
    let mut names = vec![];
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--short" => run.is_short = true,
            "--out" => run.folder = words.next().ok_or("`--out` needs a folder")?.into(),
            "all" => names.extend(EXAMPLES.iter().map(|(name, _)| (*name).to_owned())),
            _ => names.push(word),
        }
    }
    if names.is_empty() {
        let all: Vec<&str> = EXAMPLES.iter().map(|(name, _)| *name).collect();
        println!("choose some of: all {}", all.join(" "));
    }
    std::fs::create_dir_all(&run.folder)?;
    for name in &names {
        let found = EXAMPLES.iter().find(|(known, _)| known == name);
        let (name, example) = found.ok_or_else(|| format!("there is no example `{name}`"))?;
        let start = Instant::now();
        println!("== {name}");
        example(&run)?;
        println!("   {:.1} s", start.elapsed().as_secs_f64());
    }
    Ok(())
}
