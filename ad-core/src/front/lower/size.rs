//! Sizes that users write, and where they have to agree.

use super::array::length;
use super::value::{Plain, Value};
use super::{Lowerer, combinator};
use crate::front::error::{Loc, Result};
use crate::front::surface::{Expr as Surface, Kind};
use crate::front::types::Scalar;
use crate::ir::core::Expr;
use crate::ir::prims::Prim;
use crate::ir::ty::Elem;

pub(super) use crate::loops::size::{excess, literal, minus, plus, product_of, smaller, times};

impl Lowerer<'_> {
    /// One length for two that have to be equal: that of a sum of arrays.
    pub(super) fn one_length(&mut self, m: Expr, n: Expr) -> Expr {
        let m = self.share_size(m);
        let n = self.share_size(n);
        if excess(&m, &n) == Some(0) {
            return m;
        }
        let zeros = |l: &mut Self, n: &Expr| {
            let (axes, _) = l.indices(std::slice::from_ref(n));
            combinator::built(axes, Expr::int(0))
        };
        let both = vec![zeros(self, &m), zeros(self, &n)];
        let both = self.share("both", Expr::prim(Prim::IAdd, both));
        length(both, 0)
    }

    /// What a constructor or a new shape is given: `n`, `(n, m)`, `[n, m]`, `a.dim()`,
    /// `a.raw_dim()`.
    pub(super) fn shape_of(&mut self, e: &Surface) -> Result<Vec<Expr>> {
        let parts = if let Kind::List(list) = &e.kind {
            self.all(list)?
        } else {
            let value = self.expr(e)?;
            if let Value::Shape(array) = value {
                let sizes = self.written_lengths(&array).into_iter();
                sizes
                    .map(|n| Plain::typed(n, Scalar::Usize).into())
                    .collect()
            } else {
                value.parts()
            }
        };
        if parts.len() > 6 {
            return Err(self.errors.at(
                e.loc,
                "arrays have at most 6 axes; write one axis for two, with the index `i * m + j`",
            ));
        }
        let mut sizes = vec![];
        for part in parts {
            let size = self.of(Elem::Int, part, e.loc, "a length")?;
            sizes.push(self.share_size(size));
        }
        self.rectangular_sizes(&sizes, e.loc)?;
        Ok(sizes)
    }

    /// Sizes of an array may not depend on the loops around.
    pub(super) fn rectangular_sizes(&mut self, sizes: &[Expr], loc: Loc) -> Result<()> {
        for size in sizes {
            let on = self.dependence(size);
            let culprit = self.core.loops.iter().find(|index| on.contains(index));
            let Some(culprit) = culprit else { continue };
            self.uneven = Some(size.clone());
            let message = format!(
                "the size of this array depends on `{0}`, the index of a loop around it, and arrays \
                 are rectangular; write the largest size, and `if .. {{ .. }} else {{ 0.0 }}` for what is \
                 outside; only the bounds of reductions such as `sum({0}, |j| ..)` may depend on `{0}`",
                culprit.hint
            );
            return Err(self.errors.at(loc, message));
        }
        Ok(())
    }
}
