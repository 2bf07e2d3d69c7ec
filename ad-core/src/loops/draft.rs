//! A loop as it is written, before it is known which of it has to run one after another.

use crate::ir::core::{Expr, Loop, Sym};
use std::collections::BTreeSet;

/// A loop whose results have no names.
pub(crate) struct Draft {
    pub(crate) looped: Loop,
    /// The number of rounds, which is not negative, where it is known before.
    pub(crate) extent: Option<Expr>,
    /// Whether the rounds have to run one after another.
    pub(crate) only: bool,
    /// What its results depend on.
    pub(crate) on: BTreeSet<Sym>,
}

/// A state of a loop.
#[derive(Clone, Copy)]
pub(super) struct State<'d> {
    pub(super) sym: &'d Sym,
    /// What it is before the first round.
    pub(super) init: &'d Expr,
    /// What it is behind a round.
    pub(super) next: &'d Expr,
}

impl Draft {
    pub(super) fn index(&self) -> &Sym {
        &self.looped.index
    }

    pub(super) fn state(&self, k: usize) -> State<'_> {
        let (sym, init) = &self.looped.states[k];
        let next = &self.looped.body.results[k];
        State { sym, init, next }
    }

    pub(super) fn states(&self) -> impl Iterator<Item = State<'_>> {
        (0..self.looped.states.len()).map(|k| self.state(k))
    }

    /// What is collected.
    pub(super) fn stacked(&self) -> &[Expr] {
        &self.looped.body.results[self.looped.states.len()..]
    }

    /// The number of rounds.
    pub(super) fn count(&self) -> Expr {
        self.extent.clone().unwrap_or_else(|| Expr::int(0))
    }
}
