//! The compiler behind cotangent.

pub mod front;
pub mod ir;
