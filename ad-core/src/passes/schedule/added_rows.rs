//! Additions to rows: each step of the outer loops handles one whole row of every array.
//!
//! ```text
//! for i, j: if c(i) { s[i, j] += f(i, j); t[j] += g(i, j) }
//!    =   for i: if c(i) {
//!            rows of s, t and of what is read
//!            for j: s[j], t[j] += f(i, j), g(i, j)
//!        }
//! ```
//!
//! What is added to an element at an index is behind two comparisons, and behind a condition, which
//! may be the same for the whole row. Then no loop over a row is vectorised. Slices are taken
//! before it, and the condition is looked at once: a row for which it does not hold costs what is
//! written to it. Each element is the same sum in the same order.
//!
//! Rows of a few elements are not worth their slices. How long they are is known when the program
//! runs, so both ways are written.

use super::Fill;
use crate::ir::kernel::Form;
use crate::thresholds::{ARRAYS_ADDED_TOGETHER, ROW_WORTH_SLICES};

/// Rows, of so many elements as pay off and so many arrays as the runtime takes.
pub(super) fn chosen(fill: &Fill<'_>) -> Option<Form> {
    let sums = fill.made.sums.as_ref()?;
    let fits = fill.made.new.len() <= 1 && sums.len() <= ARRAYS_ADDED_TOGETHER;
    let least = ROW_WORTH_SLICES;
    (fits && fill.may_have(least)).then(|| fill.possible(Form::AddedRows { least }))?
}
