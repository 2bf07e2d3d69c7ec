//! The intermediate representations and what is defined on them alone.

pub mod value;
