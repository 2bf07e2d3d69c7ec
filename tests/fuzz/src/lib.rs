//! Random functions as users write them: each is expanded, compiled, and compared with itself as
//! written.

pub mod compiled;
pub mod data;
pub mod expansion;
pub mod grammar;
pub mod panics;
pub mod process;
pub mod rng;
pub mod source;
#[allow(dead_code, missing_docs, unreachable_pub)]
#[path = "../../zoo/src/stages.rs"]
mod stages;
pub mod tree;
pub mod variant;
pub mod verdict;

pub use cotangent_core::ir::value::Value;
