//! The intermediate representations and what is defined on them alone.

pub mod bulk;
pub mod bulk_check;
pub mod bulk_eval;
pub mod bulk_text;
pub mod core;
pub mod cost;
pub mod prims;
mod special;
pub mod ty;
pub mod value;
