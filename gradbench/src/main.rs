//! Answers the messages of GradBench, one per line, from standard input to standard output.

use std::io::{BufRead, BufWriter, Write, stdin, stdout};

fn main() -> std::io::Result<()> {
    let mut out = BufWriter::new(stdout().lock());
    for line in stdin().lock().lines() {
        cotangent_gradbench::respond(&line?, &mut out)?;
        out.flush()?;
    }
    Ok(())
}
