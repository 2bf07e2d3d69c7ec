//! Totals of rows: each step of the outer loops makes one whole row and adds up its sums.
//!
//! ```text
//! for i, j: { t[i, j] = f(i, j); if c(i, j) { s[i] += g(i, j); u[i] += h(i, j) } }
//!    =   for i: if all c(i, ..) {
//!            t[i, ..], a, b = f, Σ g, Σ h
//!            s[i] += a; u[i] += b
//!        } else { one by one }
//! ```
//!
//! An element that is added to at each index of the innermost loop is a chain of additions, each of
//! which waits for the one before, behind conditions which may be other ones at each index. A sum
//! in several parts is not; and if the conditions hold in the whole row, which is a short look,
//! they need not be looked at in the loop that does the work. Where they do not hold everywhere, or
//! a row is short, it is done one by one.
//!
//! Elementary functions under such a condition pay for the look without a sum: they are computed in
//! vectors then.

use super::Fill;
use crate::ir::kernel::{Along, Compute, Form, Node};
use crate::ir::prims::Emit;
use crate::ir::ty::Elem;
use crate::thresholds::{ROW_WORTH_PARTS, TOTALS_TOGETHER};

/// Totals, of rows of so many elements as pay off and so many sums as the runtime takes.
pub(super) fn chosen(fill: &Fill<'_>) -> Option<Form> {
    let sums = fill.made.sums.as_ref()?;
    let least = ROW_WORTH_PARTS;
    let pays = sums.len() <= TOTALS_TOGETHER
        && fill.may_have(least)
        && (!sums.is_empty() || has_guarded_function(fill));
    pays.then(|| fill.possible(Form::RowTotals { least }))?
}

/// Whether an elementary function is computed under a condition that varies along rows.
fn has_guarded_function(fill: &Fill<'_>) -> bool {
    let (nest, new) = (fill.made.nest, &fill.made.new);
    let Some(l) = fill.made.last() else {
        return false;
    };
    let along = Along::new(nest, l, new);
    let is_function = |n: &Node| {
        let s = &nest.nodes[*n];
        let is_call = match &s.compute {
            Compute::Prim(p, _) => matches!(p.emission(), Emit::Call(_)) && p.cost() > 0,
            Compute::Lit(_)
            | Compute::Index(_)
            | Compute::Read(..)
            | Compute::Reduce(..)
            | Compute::ArgReduce(..)
            | Compute::Same(_)
            | Compute::Extreme(_) => false,
        };
        is_call && s.elem == Elem::Real && s.guard.is_some_and(|g| along.varies(g))
    };
    along.reached(new, true).iter().any(is_function)
}
