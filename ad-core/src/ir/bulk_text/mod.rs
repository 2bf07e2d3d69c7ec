//! The text form of Bulk: printing, and reading back what was printed.
//!
//! ```text
//! fn dot(x: real[d0.0], y: real[d1.0])
//!   require d1.0 >= d0.0 when d0.0
//!   v2: real[d0.0] = gather v1[i0]
//!   v3: real[d0.0] = mul(v0, v2)
//!   v4: real[] = sum v3 over [0]
//!   return v4
//! ```
//!
//! One line per equation, a guard in brackets before the operation, comments from `//` to the end
//! of the line. In index maps `i0`, `i1`, .. are the positions along the axes of the map's domain,
//! and `v7` alone is an array of indices; a constant that is the value of an equation is written
//! `(v7)`.
//!
//! The programs of a loop stand before its first result, with a number for the results to name it
//! by:
//!
//! ```text
//!   loop 0 with 1 states
//!     fn step(x: real[d0.0], s: real[], i: int[])
//!       v3: real[] = gather v0[v2]
//!       v4: real[] = add(v1, v3)
//!       return v4
//!   v2: real[] = loop 0 out 0 given [v0] from [v1] for d0.0
//! ```
//!
//! A loop with a condition has `while` and a second program instead of a number of steps.

#[cfg(any(test, feature = "interpreters"))]
mod parse;
#[cfg(any(test, feature = "interpreters"))]
mod parse_loop;
mod print;
#[cfg(test)]
mod tests;

#[cfg(any(test, feature = "interpreters"))]
pub use self::parse::parse;
#[cfg(any(test, feature = "interpreters"))]
pub(in crate::ir) use self::parse::{Lines, Reader};
pub(in crate::ir) use self::print::{labels, list};
