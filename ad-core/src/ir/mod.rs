//! The intermediate representations and what is defined on them alone.

pub mod bulk;
pub mod core;
pub mod prims;
mod special;
pub mod ty;
pub mod value;
