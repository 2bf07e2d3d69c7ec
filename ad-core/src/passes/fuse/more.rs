//! Loops that are given more numbers, and the parts of arrays that need them.

use crate::ir::build::translate_size;
use crate::ir::bulk::{Affine, Ix, Param, Type, Var};
use crate::ir::ty::{Atom, Elem, Size};

/// The numbers that a loop is given beside what it is given already.
pub(super) struct More<'a> {
    given: &'a [Var],
    /// Variables around the loop.
    pub(super) numbers: Vec<Var>,
}

impl<'a> More<'a> {
    pub(super) fn than(given: &'a [Var]) -> More<'a> {
        More {
            given,
            numbers: vec![],
        }
    }

    /// Whatever a size around the loop is computed from.
    pub(super) fn need(&mut self, n: &Size) {
        n.visit(&mut |a| {
            if let Atom::Value(v) = a {
                let v = Var(*v);
                if !self.given.contains(&v) && !self.numbers.contains(&v) {
                    self.numbers.push(v);
                }
            }
        });
    }

    /// A size around the loop, in its body.
    pub(super) fn inside(&self, n: &Size) -> Size {
        translate_size(n, &mut |v| {
            let mut all = self.given.iter().chain(&self.numbers);
            let at = all.position(|w| *w == v);
            Var(at.expect("the loop is given it") as u32)
        })
    }

    /// What stands for a parameter of the body, where so many states follow those that there were.
    pub(super) fn moved(&self, param: usize, states: usize, more_states: usize) -> Var {
        let given = self.given.len();
        let mut at = param;
        if param >= given {
            at += self.numbers.len();
        }
        if param >= given + states {
            at += more_states;
        }
        Var(at as u32)
    }

    /// The parameters of the body that stand for the numbers.
    pub(super) fn params(&self) -> Vec<Param> {
        let number = Param {
            name: String::from("given"),
            ty: Type {
                elem: Elem::Int,
                shape: vec![],
            },
        };
        vec![number; self.numbers.len()]
    }
}

/// The indices of a row of an array and where a part of that row begins, if an index map over the
/// part is of that form: constants, then the first axis from there on, then the other axes.
pub(super) fn part_of_row(index: &[Ix], rank: usize) -> Option<(Vec<Size>, Size)> {
    let (row, part) = index.split_at(index.len().checked_sub(rank)?);
    let constant = |i: &Ix| match i {
        Ix::Affine(a) if a.is_constant() => Some(a.constant.clone()),
        Ix::Affine(_) | Ix::Data(_) => None,
    };
    let row = row.iter().map(constant).collect::<Option<Vec<Size>>>()?;
    let (Ix::Affine(first), others) = part.split_first()? else {
        return None;
    };
    let from = first.constant.clone();
    let is_part = *first == from_on(rank, from.clone()) && *others == Ix::identity(rank)[1..];
    is_part.then_some((row, from))
}

/// The first axis, from a place on.
pub(super) fn from_on(rank: usize, from: Size) -> Affine {
    Affine {
        constant: from,
        ..Affine::axis(rank, 0)
    }
}
