//! Limits on what calls take in, and on how deep lowering recurses.
//!
//! Every call of a closure inlines its body. A chain of sixteen closures, each calling the previous
//! one twice, would inline 2¹⁶ copies of the first. A program beyond a limit is an error at the
//! outermost call.

use super::Lowerer;
use crate::front::error::{Loc, Reported, Result};
use crate::front::nesting;

/// How many expressions calls take in at most.
const MOST: usize = 50_000;

/// How many expressions may be around an expression, those of calls included, and the statements
/// before it in an inner block. Without optimisation a pass takes up to 60 kB of stack for each.
pub(super) const DEEPEST: usize = 8_000;

/// What to say about a function whose blocks are longer.
pub(super) const TOO_LONG: &str = "a block inside of this function has too many statements\n\
    help: move parts of it to functions of their own, with `#[differentiable(noinline)]`";

/// How far lowering is from its limits.
#[derive(Default)]
pub(super) struct Limits {
    /// How many expressions are around.
    depth: usize,
    /// How many expressions calls have taken in.
    count: usize,
    /// The outermost call of a closure around.
    call: Option<Loc>,
    /// The error, if there was one.
    refused: Option<Reported>,
}

impl Lowerer<'_> {
    /// Enters an expression. [`Lowerer::leave`] leaves it.
    pub(super) fn enter(&mut self, loc: Loc) -> Result<()> {
        self.limits.depth += 1;
        match self.limits.call {
            Some(_) => self.takes_in(1, loc),
            None if self.limits.depth > DEEPEST => Err(self.refuse(loc, nesting::MESSAGE)),
            None => Ok(()),
        }
    }

    pub(super) fn leave(&mut self) {
        self.limits.depth -= 1;
    }

    /// Lowers the body of a closure that is called at a place.
    pub(super) fn in_call<T>(&mut self, loc: Loc, lower: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.limits.call;
        self.limits.call = outer.or(Some(loc));
        let out = lower(self);
        self.limits.call = outer;
        out
    }

    /// Takes in so many expressions for a call at a place.
    pub(super) fn takes_in(&mut self, count: usize, loc: Loc) -> Result<()> {
        self.limits.count += count;
        if self.limits.count <= MOST && self.limits.depth <= DEEPEST {
            return Ok(());
        }
        let message = "what this call stands for is too large, since calls take in what they call\n\
            help: bind what is called several times with `let`, or make it a function of its own with \
            `#[differentiable(noinline)]`";
        Err(self.refuse(self.limits.call.unwrap_or(loc), message))
    }

    fn refuse(&mut self, loc: Loc, message: &str) -> Reported {
        let errors = &mut self.errors;
        *(self.limits.refused).get_or_insert_with(|| errors.at(loc, message))
    }
}
