//! Linearised programs, and what the passes that make, transpose and divide them share.

use super::build::{Builder, without};
use super::bulk::{Affine, Eq, Feed, Ix, Looped, Op, Program, Var, states};
use super::ty::Size;

/// A program together with the tangents of its results.
#[derive(Clone, Debug)]
pub struct Linearised {
    /// The parameters of the original, then one tangent per differentiated parameter; the results
    /// of the original, then the tangents of those that are real.
    pub program: Program,
    /// For each variable whether it is a tangent: linear in the tangent parameters.
    pub linear: Vec<bool>,
    /// The tangent parameters, in the order in which they were asked for.
    pub tangents: Vec<Var>,
    /// The tangent of each result; `None` where it is zero or the result is not real.
    pub result_tangents: Vec<Option<Var>>,
    /// Results of loops that only take back what another loop did.
    pub restored: Vec<Var>,
    /// Loops that take back what another one did.
    pub undone: Vec<Undone>,
}

/// A loop that takes one state of another loop back.
#[derive(Clone, Debug)]
pub struct Undone {
    /// The state after the loop.
    pub newer: Var,
    /// Its body.
    pub looped: Looped,
    /// How often it runs.
    pub steps: Size,
    /// What it takes besides its states.
    pub given: Vec<Var>,
}

/// What a linear program uses of what comes before its tangents or cotangents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Nothing.
    Nothing,
    /// The lengths of its axes.
    Lengths,
    /// Its elements.
    Elements,
}

/// A recurrence without what enters it.
pub(crate) struct Recurrence {
    pub(crate) a: Var,
    pub(crate) mask: Option<Var>,
    pub(crate) axis: usize,
    pub(crate) reverse: bool,
}

impl Recurrence {
    /// Its states, given what enters.
    pub(crate) fn fed(&self, out: &mut Builder, b: Feed) -> Var {
        let mut ty = out.ty(self.a).clone();
        ty.shape[self.axis] = states(&ty.shape[self.axis]);
        let op = Op::Recur {
            a: self.a,
            mask: self.mask,
            b,
            axis: self.axis,
            reverse: self.reverse,
        };
        let guard = None;
        out.push(Eq { ty, guard, op })
    }

    /// For each factor the state that it is multiplied with.
    pub(crate) fn index(&self, shape: &[Size]) -> Vec<Ix> {
        let rank = shape.len();
        let component = |k: usize| {
            let mut at = Affine::axis(rank, k);
            if k == self.axis && self.reverse {
                at.constant = Size::lit(1);
            }
            Ix::Affine(at)
        };
        (0..rank).map(component).collect()
    }

    /// The state at one of the ends, given all.
    pub(crate) fn last(&self, out: &mut Builder, all: Var, guard: Option<Var>) -> Var {
        let shape = out.shape(all);
        let kept = without(&shape, &[self.axis]);
        let (end, rank) = (self.end(&shape), kept.len());
        let index = (0..=rank)
            .map(|k| {
                Ix::Affine(match k.cmp(&self.axis) {
                    std::cmp::Ordering::Less => Affine::axis(rank, k),
                    std::cmp::Ordering::Equal => Affine::constant(rank, end.clone()),
                    std::cmp::Ordering::Greater => Affine::axis(rank, k - 1),
                })
            })
            .collect();
        out.gather(all, index, &kept, guard)
    }

    /// Where the last state is, in the shape of all.
    pub(crate) fn end(&self, states: &[Size]) -> Size {
        if self.reverse {
            Size::lit(0)
        } else {
            states[self.axis].plus(-1)
        }
    }
}
