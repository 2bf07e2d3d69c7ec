//! Rust's own `std::autodiff` as a tool of GradBench.
//!
//! It reads messages, takes the time and answers with the code of Cotangent's tool. `modules` holds
//! the objectives in plain slices, and Enzyme makes all derivatives.

#![feature(autodiff, float_gamma)]

mod arrays;
// What it shares with Cotangent's tool.
#[path = "../../../gradbench/src/call.rs"]
mod call;
mod modules;
#[path = "../../../gradbench/src/protocol.rs"]
mod protocol;

use std::io::{BufRead, BufWriter, Write, stdin, stdout};

/// What the tool calls itself.
const TOOL: &str = "std-autodiff";

fn main() -> std::io::Result<()> {
    let mut out = BufWriter::new(stdout().lock());
    for line in stdin().lock().lines() {
        protocol::respond(&line?, &mut out)?;
        out.flush()?;
    }
    Ok(())
}
