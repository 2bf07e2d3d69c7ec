//! The procedural macros of cotangent.
