//! Reading loops.

use super::parse::{Lines, Reader};
use crate::ir::bulk::{Loop, Looped, Op, Program};
use crate::ir::core::Keep;

/// What a loop says of itself before its programs.
pub(super) struct Head {
    states: usize,
    reverse: bool,
    keep: Keep,
}

impl Reader<'_> {
    /// `0 with 2 states reverse recompute`, `0 with 1 states binomial 3`
    pub(super) fn head(&mut self, number: usize) -> Result<Head, String> {
        self.expect(&number.to_string())?;
        self.expect("with")?;
        let states = self.axis()?;
        self.expect("states")?;
        let reverse = self.skip("reverse");
        let keep = match (self.skip("recompute"), self.skip("binomial")) {
            (true, _) => Keep::States,
            (false, true) => Keep::Few(self.axis()? as i64),
            (false, false) => Keep::Residuals,
        };
        Ok(Head {
            states,
            reverse,
            keep,
        })
    }

    /// `0 out 1 given [v0] from [v1, v2] for n3`
    pub(super) fn result_of_loop(&mut self) -> Result<Op, String> {
        let number = self.axis()?;
        let looped = self.loops.get(number);
        let looped = looped.ok_or_else(|| format!("there is no loop {number} here"))?;
        self.expect("out")?;
        let out = self.axis()?;
        let mut list = |word| {
            self.expect(word)?;
            self.expect("[")?;
            self.until("]", Reader::var)
        };
        let (given, init) = (list("given")?, list("from")?);
        let steps = match self.skip("for") {
            true => Some(self.size()?),
            false => None,
        };
        Ok(Op::Loop {
            looped: looped.clone(),
            steps,
            given,
            init,
            out,
        })
    }
}

impl Lines<'_> {
    /// The programs of a loop.
    pub(super) fn looped(&mut self, head: Head) -> Result<Looped, String> {
        let body = self.program()?;
        let goes_on: Option<Program> = if self.peek() == Some(&["while"]) {
            self.next();
            Some(self.program()?)
        } else {
            None
        };
        Ok(Looped::new(Loop {
            body,
            states: head.states,
            goes_on,
            reverse: head.reverse,
            keep: head.keep,
        }))
    }
}
