//! The compiler behind cotangent.

pub mod ir;
