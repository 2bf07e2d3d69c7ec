//! Parts of rows that are changed: a row of a matrix from an index on, in each round of a loop.
//!
//! ```text
//! for j in k..n: m[i, j] = f(j)
//!    =   a slice of m and of what is read
//!        for j: m[j] = f(j)
//! ```
//!
//! An element that is written by its index is compared with the length of each axis, and no loop
//! with such comparisons is vectorised. A slice is compared once.

use crate::ir::kernel::{Form, Step};
use crate::thresholds::{ELEMENTS_ON_STACK, ROW_WORTH_SLICES};

/// Chooses this form for the nests that may have it and are long enough.
pub(super) fn choose(step: &mut Step) {
    if step.ty.elements_up_to(ELEMENTS_ON_STACK).is_some() {
        return;
    }
    for which in 0..step.nests().len() {
        if !step.may_be_changed_rows(which) {
            continue;
        }
        let nest = &mut step.nests_mut()[which];
        let length = nest.outer.checked_sub(1).map(|l| &nest.loops[l]);
        let is_long = |n| n >= ROW_WORTH_SLICES;
        if length.is_some_and(|n| n.as_lit().is_none_or(is_long)) {
            nest.form = Form::ChangedRows;
        }
    }
}
