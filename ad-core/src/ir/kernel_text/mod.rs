//! The text form of Kernels: printing, and reading back what was printed.
//!
//! ```text
//! fn norms(x: real[d0.0, d0.1])
//!   v3: real[d0.0] = nest
//!     outer 1
//!     loop i0 to d0.0
//!     loop i1 to d0.1
//!     s0: real in [0, 1] = read v0[i0, i1]
//!     s1: real in [0, 1] = mul(s0, s0)
//!     s2: real in [0] = sum s1 over [1]
//!     s3: real in [0] = sqrt(s2)
//!     give s3
//!   return v3
//! ```
//!
//! A nest first lists its loops, the outer ones before the inner ones. Then come its scalars, each
//! with the loops around it. The last line names the scalar that the nest gives.
//! `form rows` behind `outer 1` says how the last outer loop runs, if not element by element;
//! see [`Form`](super::kernel::Form).
//! `loop i1 to d0.1 from [i0] until [s4]` runs over a part of its extent. A guard stands in
//! brackets before an operation. In an index, `i0`, `i1`, .. are loops, and `s4` is a computed
//! integer.
//!
//! The other steps follow the same lines:
//!
//! ```text
//! v5: real[d0.0] = scatter               nests, each with the place that it is added `at`
//! v5: real[d0.0] = change take v4 adding the same, of an array that is taken
//! v5: real[d0.0] = family                a nest; its members are `each s4`, or `sum` with `add`
//! v5: real[] = contract v0[a] * v1[a] -> []
//! v5: real[d0.0] = recur v1 * _ + v2 along 0
//! v5: real[] = loop 1 states given [v0] from [take v4] for d0.0
//! v5: real[] = call "g /  / real 0 / real 0 / jvp" value (v0)
//! v5: real[d0.0] = tiles of d0.0 cached 3*d0.1 given [v0] added []
//! v5: real[d0.0] = branch if v3 given [v0]
//! ```
//!
//! Below a loop, a call, tiles or a branch stand the results that are used, `out 0 v5: real[]`,
//! and their programs.

#[cfg(any(test, feature = "interpreters"))]
mod parse;
mod print;
#[cfg(test)]
mod tests;

#[cfg(any(test, feature = "interpreters"))]
pub use self::parse::parse;
