//! The back end: kernels to tokens. Together with the front end the only place that touches tokens;
//! no errors arise here.

mod across;
mod blocks;
mod costly;
mod data;
pub(crate) mod emit;
#[cfg(test)]
mod evaluate;
mod expr;
mod facts;
mod few;
mod function;
mod into;
mod masked;
pub(crate) mod name_check;
mod names;
mod nest;
mod outside;
mod range;
mod real;
mod rows;
mod sizes;
mod sums;
pub(crate) mod tokens;
mod totals;
mod turned;
pub(crate) mod unit;
pub(crate) mod warning;
mod writes;
