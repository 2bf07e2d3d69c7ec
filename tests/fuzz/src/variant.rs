//! Shrunk programs by name: a seed, and which of the smaller programs was chosen in each step.

use crate::grammar::Program;
use std::fmt::{self, Display};

/// A program, or one that it became by shrinking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    /// What it was generated from.
    pub seed: u64,
    /// The choices.
    pub steps: Vec<usize>,
}

impl Variant {
    /// The program of a seed.
    pub fn of(seed: u64) -> Variant {
        let steps = vec![];
        Variant { seed, steps }
    }

    /// From its name.
    pub fn parse(name: &str) -> Option<Variant> {
        let mut parts = name.split(':');
        let seed = parts.next()?.parse().ok()?;
        let steps = parts.map(|step| step.parse().ok()).collect::<Option<_>>()?;
        Some(Variant { seed, steps })
    }

    /// The program itself.
    pub fn program(&self) -> Program {
        let mut program = Program::of(self.seed);
        for &step in &self.steps {
            program = program.smaller().swap_remove(step);
        }
        program
    }

    /// The variants that are one step smaller, the smallest first.
    pub fn smaller(&self) -> Vec<Variant> {
        let count = self.program().smaller().len();
        (0..count)
            .map(|step| {
                let mut next = self.clone();
                next.steps.push(step);
                next
            })
            .collect()
    }
}

impl Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.seed)?;
        self.steps.iter().try_for_each(|step| write!(f, ":{step}"))
    }
}

/// A program that does what it should not.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The program.
    pub variant: Variant,
    /// What it does, in a word.
    pub kind: String,
    /// With numbers and places.
    pub detail: String,
}

/// The smallest variant that fails in the same way, as far as single steps lead. `find` gives one
/// of these that does, if there is one; `limit` is the largest number of steps.
pub fn shrink(
    failure: Failure,
    limit: usize,
    find: &mut dyn FnMut(&[Variant], &str) -> Option<Failure>,
) -> Failure {
    let mut best = failure;
    for _ in 0..limit {
        let candidates = best.variant.smaller();
        match find(&candidates, &best.kind) {
            Some(smaller) => best = smaller,
            None => break,
        }
    }
    best
}
