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
//! One line per equation, a guard in brackets before the operation, comments from `//` to the end of
//! the line. In index maps `i0`, `i1`, .. are the positions along the axes of the map's domain, and
//! `v7` alone is an array of indices; a constant that is the value of an equation is written `(v7)`.

mod parse;
mod print;
#[cfg(test)]
mod tests;

pub use self::parse::parse;
