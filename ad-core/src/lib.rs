//! The compiler behind cotangent.

pub mod ir;
pub mod passes;
pub mod pipeline;
