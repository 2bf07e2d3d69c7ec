//! Loops of Core: what has to run one after another stays one, and the rest becomes reductions,
//! builds and sums by index.
//!
//! ```text
//! for i < n, s = 0.0, y = y0 { next (add(s, x[i]), update(y, [i] = mul(x[i], 2.0))) }
//!    =
//! s = sum(i < n => x[i])        y = build(i < n => mul(x[i], 2.0))
//! ```
//!
//! A `Writer` writes a program front to back, and knows the sizes of what it has bound. Lowering
//! writes with one, and every loop as the user has it. Then breaks at the start of a step move into
//! the condition of their loop (`leaving`), and integers that count steps are replaced by functions
//! of the index (`counted`). `program` walks over what was written and writes it again. Each loop
//! comes to it as a `Draft`, with the loops inside of it done already: `roles` finds out what each
//! state is, `inside` and `parallel` whether that is possible here, and `parallel` writes it.
//!
//! A loop that changes an array at several places is taken apart first (`distributed`). If both
//! sides of a branch only replace parts of one array, `merged` writes these updates under their
//! conditions. `stretch` decides whether a stretch of an array is changed in place or the array is
//! built anew.

mod blocks;
mod counted;
mod distributed;
mod draft;
mod inside;
mod leaving;
mod longer;
mod merged;
mod parallel;
mod program;
mod ragged;
pub(crate) mod rename;
mod roles;
pub(crate) mod size;
mod steps;
mod stretch;
pub(crate) mod terms;
pub(crate) mod wiring;
mod writer;

pub use blocks::{Checkpoint, in_blocks};
pub use program::{Context, Recognised, recognised};
pub(crate) use writer::{Around, Bindings, INDICES, Writer, listed};
