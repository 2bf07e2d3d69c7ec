//! The compiler behind cotangent.

pub mod front;
pub mod ir;
pub mod passes;
pub mod pipeline;
