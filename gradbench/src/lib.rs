//! Cotangent as a tool of GradBench, the public benchmark suite of automatic differentiation.
//!
//! GradBench sends one JSON message per line and expects one answer per line. `protocol` reads and
//! answers messages; `modules` holds one module per evaluation, each with its objective as
//! an annotated function and a table of the functions that GradBench calls.

mod arrays;
mod call;
mod modules;
mod protocol;

pub use protocol::respond;

/// What the tool calls itself.
const TOOL: &str = "cotangent";
