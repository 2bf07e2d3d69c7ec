//! Arithmetic between whole arrays, as ndarray broadcasts them.
//!
//! The last axes of both belong together. An axis that one of them lacks, or that is written with
//! the length 1 (`insert_axis`, `NewAxis`, `0..1`, `array![[..]]`), is repeated along that of the
//! other. All others have to be equal, which is checked on entry: whether an argument happens to
//! have one row is not known when the derivative is compiled.

use super::Lowerer;
use super::array::element;
use super::combinator::built;
use super::size::literal;
use super::value::{Pair, Plain, Value};
use crate::ir::core::Expr;
use crate::ir::prims::Prim;

impl Lowerer<'_> {
    /// A primitive of two arguments, one of them an array at least.
    pub(super) fn broadcast_prim(&mut self, prim: Prim, pair: Pair) -> Value {
        let (left, right) = (pair.left, pair.right);
        let expr = self.elementwise(prim, left, right);
        Value::Plain(Plain {
            expr,
            scalar: pair.scalar,
            open: pair.open,
        })
    }

    fn elementwise(&mut self, prim: Prim, left: Expr, right: Expr) -> Expr {
        let (m, n) = (left.ty.rank, right.ty.rank);
        let rank = m.max(n);
        // Lengths that are written as 1, by axis.
        let (ones_left, ones_right) = (self.ones(&left), self.ones(&right));
        let part = |ones: &[bool], k: usize| -> Option<bool> {
            (k + ones.len()).checked_sub(rank).map(|axis| ones[axis])
        };
        let stretched = |k: usize| match (part(&ones_left, k), part(&ones_right, k)) {
            (None, _) | (_, None) => true,
            (Some(a), Some(b)) => a != b,
        };
        // The axes up to the last that is repeated are run through; what is left are equal shapes.
        let run = (0..rank).rev().find(|&k| stretched(k)).map_or(0, |k| k + 1);
        if run == 0 {
            return Expr::prim(prim, vec![left, right]);
        }
        let left = self.held(left);
        let right = self.held_as("b", right);
        let (sizes_left, sizes_right) = (self.written_lengths(&left), self.written_lengths(&right));
        let mut sizes = vec![];
        for k in 0..run {
            let size = |all: &[Expr]| (k + all.len()).checked_sub(rank).map(|a| all[a].clone());
            sizes.push(match (size(&sizes_left), size(&sizes_right)) {
                (Some(a), None) => a,
                (None, Some(b)) => b,
                (Some(a), Some(b)) => match (part(&ones_left, k), part(&ones_right, k)) {
                    (Some(true), _) => b,
                    (_, Some(true)) => a,
                    (..) => self.one_length(a, b),
                },
                (None, None) => unreachable!("an axis of the result is one of an argument"),
            });
        }
        let (axes, at) = self.indices(&sizes);
        let read = |e: Expr, ones: &[bool]| {
            let missing = rank - e.ty.rank;
            if missing >= run {
                return e;
            }
            let index = |axis: usize| {
                let k = axis + missing;
                (k < run).then(|| {
                    if ones[axis] {
                        Expr::int(0)
                    } else {
                        at[k].clone()
                    }
                })
            };
            let index = (0..e.ty.rank).map(index).collect();
            element(e, index)
        };
        let args = vec![read(left, &ones_left), read(right, &ones_right)];
        built(axes, Expr::prim(prim, args))
    }

    /// Which axes are written with the length 1.
    fn ones(&mut self, e: &Expr) -> Vec<bool> {
        let known = self.known_lengths(e).into_iter();
        known
            .map(|n| n.as_ref().and_then(literal) == Some(1))
            .collect()
    }
}
