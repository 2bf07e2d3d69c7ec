//! The intermediate representations and what is defined on them alone.

#[cfg(any(test, feature = "interpreters"))]
pub mod arguments;
pub mod build;
pub mod bulk;
pub mod bulk_check;
mod bulk_cost;
#[cfg(any(test, feature = "interpreters"))]
pub mod bulk_eval;
pub mod bulk_text;
pub mod condition;
pub mod core;
pub mod core_check;
#[cfg(any(test, feature = "interpreters"))]
pub mod core_eval;
pub mod core_text;
#[cfg(any(test, feature = "interpreters"))]
pub mod cost;
#[doc(hidden)]
pub mod entries;
#[cfg(any(test, feature = "interpreters"))]
pub mod generate;
pub mod jacobian;
pub mod kernel;
pub mod kernel_check;
#[cfg(any(test, feature = "interpreters"))]
pub mod kernel_eval;
pub mod kernel_text;
pub mod linear;
pub mod live;
pub mod prims;
pub mod repeats;
mod special;
pub mod ty;
pub mod unit;
#[cfg(any(test, feature = "interpreters"))]
mod unit_eval;
#[cfg(any(test, feature = "interpreters"))]
pub mod value;
