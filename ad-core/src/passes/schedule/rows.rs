//! Rows of new arrays.
//!
//! ```text
//! out[i, j] = x[i, j] + y[i + 1, j]   =   for i: a row of x and of y;  for j: out[i, j] = ..
//! ```
//!
//! An index is compared with the lengths of its array wherever it is used. In a loop over
//! neighbours, one comparison before it says the same, and a loop without comparisons is one that
//! is vectorised. Where the loop runs over an axis of the array, the compiler of generated code
//! sees that indices are inside; where it runs elsewhere, or the array is the state of a loop, it
//! does not.
//!
//! Conditions on the index that are near an end of the loop are peeled off:
//!
//! ```text
//! for k in 0..n { if k == 0 { a } else { x[k] * y[k - 1] } }
//!    =   a, and for k in 1..n { x[k] * y[k - 1] }
//! ```
//!
//! The piece in the middle has no conditions and no comparisons with lengths. The others are
//! written element by element, with the conditions that are left. If the middle is empty, so be it.

use super::Fill;
use crate::ir::kernel::{Along, Cut, Form, Node};
use crate::thresholds::{NODES_OF_PEELED_LOOP, PEELED_INDICES};

/// Rows, if one of them is of what is not seen to be inside otherwise.
pub(super) fn chosen(fill: &Fill<'_>) -> Option<Form> {
    let (nest, roots) = (fill.made.nest, &fill.made.new);
    let l = fill.made.last()?;
    let along = Along::new(nest, l, roots);
    let most = Cut {
        first: PEELED_INDICES,
        last: PEELED_INDICES,
    };
    let is_light = along.reached(roots, true).len() <= NODES_OF_PEELED_LOOP;
    let cut = is_light.then(|| nest.cut(&along, roots, most)).flatten();
    let cut = cut.unwrap_or_default();
    let middle = nest.pieces(&along, roots, cut).middle;
    let is_seen = |n: Node| match nest.nodes[n].read() {
        Some(v) => !fill.is_inner && nest.is_seen(n, l, fill.shape(v)),
        None => true,
    };
    let pays = (along
        .reached_where(roots, true, &middle, &|_| false)
        .into_iter())
    .any(|n| nest.is_bare(n, &middle) && nest.along(n, l).is_some() && !is_seen(n));
    pays.then(|| fill.possible(Form::Rows(cut))).flatten()
}
