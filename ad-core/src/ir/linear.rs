//! Linearised programs, and what the passes that make, transpose and divide them share.

use super::build::{Builder, without};
use super::bulk::{Affine, Eq, Feed, Ix, Looped, Op, Program, Type, Var, states};
use super::core::Extremum;
use super::prims::Prim;
use super::ty::{Elem, Lit, Size};

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

    /// What each factor adds, if it is another one: that times the state before it.
    pub(crate) fn along(&self, out: &mut Builder, states: Var, other: Var) -> Var {
        let shape = out.shape(self.a);
        let before = self.index(&shape);
        let before = out.gather(states, before, &shape, self.mask);
        out.map(Prim::Mul, &[before, other], self.mask)
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

/// `select(c, a, b)`, linear in its arms; one that is missing is zero.
pub(crate) fn selected(
    out: &mut Builder,
    c: Var,
    arms: (Option<Var>, Option<Var>),
    guard: Option<Var>,
) -> Option<Var> {
    match arms {
        (None, None) => None,
        (Some(a), Some(b)) => Some(out.map(Prim::Select, &[c, a, b], guard)),
        (Some(a), None) => {
            let g = out.both(guard, Some(c));
            Some(out.masked(a, g))
        }
        (None, Some(b)) => {
            let not_c = out.map(Prim::Not, &[c], None);
            let g = out.both(guard, Some(not_c));
            Some(out.masked(b, g))
        }
    }
}

/// The element of t at the extremum of x.
pub(crate) fn at_extremum(
    out: &mut Builder,
    op: Extremum,
    (x, t): (Var, Var),
    axis: usize,
    guard: Option<Var>,
) -> Var {
    let src_shape = out.shape(x);
    let shape = without(&src_shape, &[axis]);
    let rank = shape.len();
    // Over nothing there is no element to follow.
    let guard = if src_shape[axis].at_least(1) {
        guard
    } else {
        let some = out.less(
            Affine::constant(rank, Size::lit(0)),
            Affine::constant(rank, src_shape[axis].clone()),
            &shape,
        );
        out.both(guard, Some(some))
    };
    let ty = Type {
        elem: Elem::Int,
        shape: shape.clone(),
    };
    let op = Op::ArgReduce { op, src: x, axis };
    let at = out.push(Eq { ty, guard, op });
    let index = (0..=rank)
        .map(|k| match k.cmp(&axis) {
            std::cmp::Ordering::Less => Ix::Affine(Affine::axis(rank, k)),
            std::cmp::Ordering::Equal => Ix::Data(at),
            std::cmp::Ordering::Greater => Ix::Affine(Affine::axis(rank, k - 1)),
        })
        .collect();
    out.gather(t, index, &shape, guard)
}

/// A guard over a reduced shape, over the shape before the reduction.
pub(crate) fn before(
    out: &mut Builder,
    guard: Option<Var>,
    axis: usize,
    shape: &[Size],
) -> Option<Var> {
    guard.map(|g| out.spread_over(g, &[axis], shape))
}

/// The partial derivatives of `y`, the logarithm of the sum of the exponentials of x along an axis:
/// with the guard under which they are.
pub(crate) fn weights(
    out: &mut Builder,
    (x, y): (Var, Var),
    axis: usize,
    guard: Option<Var>,
) -> (Var, Option<Var>) {
    let shape = out.shape(x);
    let y = out.spread_over(y, &[axis], &shape);
    // An element of −∞ weighs nothing, also where all are.
    let lowest = out.fill(Lit::Real(f64::NEG_INFINITY), &shape);
    let weighs = out.map(Prim::Ne, &[x, lowest], None);
    let inner = before(out, guard, axis, &shape);
    let inner = out.both(inner, Some(weighs));
    let d = out.map(Prim::Sub, &[x, y], inner);
    (out.map(Prim::Weight, &[d], inner), inner)
}
