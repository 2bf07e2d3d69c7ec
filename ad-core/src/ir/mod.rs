//! The intermediate representations and what is defined on them alone.

pub mod build;
pub mod bulk;
pub mod core;
pub mod kernel;
pub mod prims;
mod special;
pub mod ty;
pub mod value;
