//! Combinators and bulk kernels of cotangent.
