//! The intermediate representations and what is defined on them alone.

pub mod build;
pub mod bulk;
pub mod bulk_check;
mod bulk_cost;
pub mod bulk_eval;
pub mod bulk_text;
pub mod core;
pub mod core_check;
pub mod core_eval;
pub mod core_text;
pub mod cost;
#[doc(hidden)]
pub mod entries;
pub mod generate;
pub mod jacobian;
pub mod kernel;
pub mod kernel_check;
pub mod kernel_eval;
pub mod linear;
pub mod live;
pub mod prims;
mod special;
pub mod ty;
pub mod unit;
pub mod value;
