//! Tests of the kernels.
