//! Stretches: neighbouring indices of a loop.
//!
//! What is made of a stretch is a part of it: an index of one is never negative, and never behind
//! the end of the loop.

use crate::kernels::loops::{Span, sealed};
use std::ops::Range;

/// Neighbouring indices of a loop.
#[derive(Clone, Copy, Debug)]
pub struct Stretch {
    // Not negative, and not behind the end.
    pub(super) from: i64,
    pub(super) to: i64,
}

impl Stretch {
    /// The first of them; there is one.
    #[inline(always)]
    #[must_use]
    pub fn first(self) -> i64 {
        self.from
    }

    /// The last of them; there is one.
    #[inline(always)]
    #[must_use]
    pub fn last(self) -> i64 {
        self.to - 1
    }

    /// Those that are not less.
    #[inline(always)]
    #[must_use]
    pub fn since(self, first: i64) -> Stretch {
        let from = first.max(self.from).min(self.to);
        Stretch { from, to: self.to }
    }

    /// Those that are less.
    #[inline(always)]
    #[must_use]
    pub fn before(self, end: i64) -> Stretch {
        let to = end.min(self.to).max(self.from);
        Stretch {
            from: self.from,
            to,
        }
    }

    /// Those that are less than an index, and those that are not.
    #[inline(always)]
    #[must_use]
    pub fn cut(self, at: i64) -> (Stretch, Stretch) {
        let at = at.max(self.from).min(self.to);
        let (from, to) = (self.from, self.to);
        (Stretch { from, to: at }, Stretch { from: at, to })
    }

    /// How many there are.
    #[inline(always)]
    #[must_use]
    pub fn count(self) -> i64 {
        self.to - self.from
    }

    /// Whether there is none.
    #[inline(always)]
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.from == self.to
    }

    #[inline(always)]
    pub(in crate::kernels) fn length(self) -> usize {
        (self.to - self.from) as usize
    }

    /// So many from an index on.
    #[inline(always)]
    pub(in crate::kernels) fn part(first: usize, length: usize) -> Stretch {
        Stretch {
            from: first as i64,
            to: (first + length) as i64,
        }
    }

    /// So many from 0 on.
    #[inline(always)]
    pub(in crate::kernels) fn all(length: usize) -> Stretch {
        Stretch {
            from: 0,
            to: length as i64,
        }
    }
}

impl sealed::Sealed for Stretch {}

impl Span for Stretch {
    #[inline(always)]
    fn span(self) -> Range<usize> {
        self.from as usize..self.to as usize
    }
}

/// All indices of a loop.
#[inline(always)]
pub fn stretch(over: impl Span) -> Stretch {
    let Range { start, end } = over.span();
    let from = start as i64;
    let to = (end as i64).max(from);
    Stretch { from, to }
}
