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

use super::Fill;
use crate::ir::kernel::Form;
use crate::thresholds::{ROW_WORTH_PARTS, TOTALS_TOGETHER};

/// Totals, of rows of so many elements as pay off and so many sums as the runtime takes.
pub(super) fn chosen(fill: &Fill<'_>) -> Option<Form> {
    let sums = fill.made.sums.as_ref()?;
    let least = ROW_WORTH_PARTS;
    (sums.len() <= TOTALS_TOGETHER && fill.may_have(least))
        .then(|| fill.possible(Form::RowTotals { least }))?
}
