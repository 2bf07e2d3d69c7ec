//! Answers the messages of GradBench, one per line, from standard input to standard output.

use std::io::{BufRead, BufWriter, Write, stdin, stdout};

/// Keeps memory that is freed for what is allocated next. By default, large results go back to the
/// system, which hands out zeroed pages for those of the next run, and that takes longer than many
/// a derivative.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn keep_memory() {
    use std::ffi::c_int;
    const M_TRIM_THRESHOLD: c_int = -1;
    const M_MMAP_MAX: c_int = -4;
    unsafe extern "C" {
        safe fn mallopt(parameter: c_int, value: c_int) -> c_int;
    }
    mallopt(M_TRIM_THRESHOLD, -1);
    mallopt(M_MMAP_MAX, 0);
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn keep_memory() {}

fn main() -> std::io::Result<()> {
    keep_memory();
    let mut out = BufWriter::new(stdout().lock());
    for line in stdin().lock().lines() {
        cotangent_gradbench::respond(&line?, &mut out)?;
        out.flush()?;
    }
    Ok(())
}
