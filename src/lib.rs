//! Derivatives of ordinary Rust.
